"""Results show themselves and go to pandas, each by the one rule of their base."""

from html import escape

import numpy as np
import pandas as pd

from helpers.answers import exact_bias, leading_bias, sem_ece
from helpers.audit import search_segments, tree_groups
from helpers.calibration import calibration_error, calibration_line, monotone_curve
from helpers.decisions import bayes_decision, largest_uncertainty
from helpers.grouping import (
    binned_grouping_loss_from_regions,
    exact_decomposition,
    grouping_loss,
    stacked_grouping_loss,
)
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


def test_every_result_shows_its_line_and_its_numbers():
    rng = np.random.default_rng(0)
    X, p = rng.normal(size=(200, 1)), rng.random(200)
    y = rng.random(200) < p
    error = calibration_error(y, p, n_simulations=100, rng=0)
    results = [
        (grouping_loss(y, p, X, rng=0), "value se low high n_regions recalibration_gain"),
        (stacked_grouping_loss(y, p, X, rng=0), "value direct rest"),
        (
            binned_grouping_loss_from_regions(y, p, np.arange(200) % 2, n_bins=2, rng=0),
            "value explained plugin bias induced",
        ),
        (exact_decomposition(p, p, n_bins=2), "calibration_loss grouping_loss induced"),
        (error, "value debiased null"),
        (error.curve, "count stated observed low high"),
        (calibration_line(y, p), "intercept slope p_value"),
        (monotone_curve(y, p), "stated observed low high"),
        (search_segments(y, p, X, n_draws=100, rng=0), "rule gap adjusted"),
        (tree_groups(y, p, X, rng=0), "rule gap adjusted"),
        (exact_bias([[0.6, 0.4], [1, 0]], 3), "target sem1 sem2 wrong"),
        (leading_bias([0.6, 0.4], 3), "sem1 sem2"),
        (sem_ece([[3, 1], [2, 2]], [1, 0], n_resamples=100, rng=0), "source ece low high"),
        (bayes_decision([[0.2, 0.8]], [[0, 1], [1, 0]]), "decision uncertainty"),
        (largest_uncertainty([[0, 1], [1, 0]]), "value"),
    ]
    for result, columns in results:
        frame = result.to_frame()
        assert set(columns.split()) <= set(frame), type(result)
        assert all(pd.api.types.is_scalar(entry) for entry in frame.to_numpy().ravel()), type(result)
        assert escape(str(result)) in result._repr_html_() and "<table" in result._repr_html_(), type(result)
