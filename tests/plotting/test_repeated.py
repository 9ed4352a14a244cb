"""Repeated estimates, as they come out in a drawn figure."""

import pandas as pd

from helpers.plotting import NAIVE, OURS, plot_repeated

VALUES = [1.0, 3.0, 5.0, 5.0, 2.0, 2.0, 0.0, 8.0]
RUNS = pd.DataFrame({"estimator": ["a", "a", "b", "b"] * 2, "n": [10] * 4 + [100] * 4, "value": VALUES})


def test_each_run_is_a_mark_and_their_means_a_line_with_its_name(ax):
    plot_repeated(RUNS, {"a": NAIVE, "b": OURS}, 4.0, ax)
    named = {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}
    assert {name: list(line.get_ydata()) for name, line in named.items()} == {"a": [2, 2], "b": [5, 4], "truth": [4, 4]}
    assert named["b"].get_marker() == OURS.marker and named["a"].get_linestyle() == NAIVE.linestyle
    pale = [sorted(line.get_ydata()) for line in ax.lines if line.get_alpha()]
    assert pale == [[1, 2, 2, 3], [0, 5, 5, 8]]
    assert sorted(text.get_text() for text in ax.texts) == ["a", "b", "truth"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["10", "100"]


def test_a_table_of_means_has_bars_of_two_standard_errors_and_no_pale_marks(ax):
    means = RUNS.groupby(["estimator", "n"], as_index=False)["value"].mean().assign(se=0.25)
    plot_repeated(means, truth={"promised": 1.0}, ax=ax, se="se")
    assert not any(line.get_alpha() for line in ax.lines)
    ends = [sorted(y for segment in bars.get_segments() for y in segment[:, 1]) for bars in ax.collections]
    assert ends == [[1.5, 1.5, 2.5, 2.5], [3.5, 4.5, 4.5, 5.5]]
    assert "promised" in [text.get_text() for text in ax.texts]
