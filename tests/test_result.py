"""Results show themselves and go to pandas, each by the one rule of their base."""

import numpy as np

from helpers.resampling import bootstrap_interval
from helpers.routing import Routed, certified_threshold
from helpers.scoring import BRIER, decompose
from helpers.selective import risk_coverage_curve


def test_numbers_make_a_row_arrays_columns_and_a_table_stays_itself():
    interval = bootstrap_interval(np.mean, [1.0, 2, 3], rng=0)
    assert list(interval.to_frame()) == ["value", "se", "low", "high", "level", "n"] and len(interval.to_frame()) == 1
    curve = risk_coverage_curve([1, 0, 1], [0.9, 0.5, 0.5])
    assert curve.to_frame()["risk"].tolist() == curve.risk.tolist()
    routed = Routed(np.array([1, 0]), np.array([0, 1]), np.array([1.0, 3.0]))
    assert routed.to_frame()["paid"].tolist() == [1, 3]
    certificate = certified_threshold(lambda t: routed, [0.1, 0.2], [1, 0], target=0.5)
    frame = certificate.to_frame()
    frame["threshold"] = 0
    assert certificate.table["threshold"].tolist() == [0.1, 0.2]
    assert decompose([0.2], [0.3]).to_frame().loc[0, "rule"] == BRIER.name


def test_jupyter_shows_the_line_and_a_short_table():
    curve = risk_coverage_curve(np.ones(500), np.linspace(0, 1, 500))
    page = curve._repr_html_()
    assert str(curve) in page and page.count("<tr") < 20
    certificate = certified_threshold(lambda t: Routed(*np.ones((3, 2))), [0.1], [1, 1], target=0.5)
    assert "&lt;" not in page and str(certificate) in certificate._repr_html_()
