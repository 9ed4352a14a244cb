"""What is refused: `test_bad_options = refuses((call, words), ...)` is a test of each of these calls."""

import pytest


def refuses(*cases, of=None, ids=None):
    """A test that each call, or `of` with each dict of arguments, raises a ValueError that says these words."""

    @pytest.mark.parametrize(("call", "words"), cases, ids=ids)
    def refused(call, words):
        with pytest.raises(ValueError, match=words):
            call() if of is None else of(**call)

    return refused
