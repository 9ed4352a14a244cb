"""What tests of figures share."""

import matplotlib.pyplot as plt
import pytest


@pytest.fixture
def ax():
    """Empty axes of a figure that is closed afterwards."""
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)
