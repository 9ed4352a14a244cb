"""Tables and figures as outputs that come out the same on every machine."""

import base64
import io
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from helpers.notebook import figure, show, show_source, table
from helpers.notebook.display import MARGIN
from helpers.plotting import panels, typical_error_beside
from helpers.plotting.style import own_style


def test_table_is_fixed_aligned_and_escaped(outputs):
    df = pd.DataFrame({"group": ["<b>&$", None], "n": [12345, 7], "gap": [0.12345, np.nan], "big": [True, False]})
    before = df.copy()
    table(df, caption="Who & what", formats={"gap": "{:.1%}"})
    bundle = outputs[0][0]
    assert bundle["text/plain"].splitlines() == [
        "Who & what",
        "group       n     gap  big",
        "<b>&$  12,345  12.3 %  yes",
        "–           7       –  no",
    ]
    page = bundle["text/html"]
    assert "<b>" not in page and "&lt;b&gt;&amp;<span>$</span>" in page and "Who &amp; what</caption>" in page
    assert re.findall(r">([^<]*)</td>", page)[1:] == ["12,345", "12.3 %", "yes", "–", "7", "–", "no"]
    pd.testing.assert_frame_equal(df, before)


def test_table_shows_a_named_index_only(outputs):
    table(pd.DataFrame({"n": [1]}, index=["hidden"]))
    table(pd.DataFrame({"n": [1]}, index=pd.Index(["shown"], name="model")))
    assert "hidden" not in outputs[0][0]["text/plain"]
    assert outputs[1][0]["text/plain"].splitlines() == ["model  n", "shown  1"]
    assert '<th scope="row"' in outputs[1][0]["text/html"]


def test_table_with_no_rows_and_bad_input(outputs):
    table(pd.DataFrame({"n": []}))
    assert outputs[0][0]["text/plain"] == "n"
    with pytest.raises(ValueError, match="formats .* 'm'"):
        table(pd.DataFrame({"n": [1]}), formats={"m": ".2f"})
    with pytest.raises(ValueError, match="'n' occurs twice"):
        table(pd.DataFrame([[1, 2]], columns=["n", "n"]))


ALT = "A straight line that rises from zero to nine."


def drawn(outputs):
    """Bundle, metadata and picture of a line that `figure` shows."""
    fig, ax = plt.subplots(figsize=(2, 1))
    ax.plot(range(10))
    figure(ax, alt=ALT, caption="A <line>, from $1 to $9.")
    assert not plt.fignum_exists(fig.number)
    (bundle, metadata), (below, _) = outputs[-2:]
    assert "A &lt;line&gt;" in below["text/html"] and ALT in below["text/html"]
    return bundle, metadata["image/png"], Image.open(io.BytesIO(base64.b64decode(bundle["image/png"])))


def test_figure_is_reproducible_and_described_and_may_have_more_pixels_at_the_same_size(outputs, monkeypatch):
    picture, metadata, small = drawn(outputs)
    again, _, _ = drawn(outputs)
    assert picture == again and picture["text/plain"] == f"Figure: {ALT}" and metadata == {"alt": ALT}
    assert "Software" not in small.info and not any("date" in str(key).lower() for key in small.info)
    monkeypatch.setenv("HONEST_FIGURE_SCALE", "2")
    _, metadata, large = drawn(outputs)
    assert abs(large.width - 2 * small.width) <= 2 and round(large.info["dpi"][0]) == 220
    assert metadata["width"] == large.width // 2


def test_each_panel_is_cut_out_with_its_scale_of_typical_errors(outputs):
    with own_style():
        fig, (left, right) = panels(2)
        for ax in (left, right):
            ax.plot([0, 1], [0, 0.04])
            ax.set_ylabel("grouping loss")
        scale = typical_error_beside(left)
        typical_error_beside(right)
        figure(fig, "Two panels, with two scales each.")
    with Image.open(io.BytesIO(base64.b64decode(outputs[0][0]["image/png"]))) as picture:
        (cut,) = map(float, picture.info["Panels"].split())
    start = fig.get_tightbbox().x0 - MARGIN
    words = [ax.yaxis.label.get_window_extent() for ax in (scale, right)]
    assert words[0].x1 / fig.dpi - start < cut < words[1].x0 / fig.dpi - start


def test_words_in_a_figure_have_their_per_cent_signs_apart(outputs):
    ax = plt.figure().subplots()
    text = ax.text(0, 0, "84% of all")
    figure(ax, ALT)
    assert text.get_text() == "84 % of all"


@pytest.mark.parametrize("rows", ["a.figure1", ("a.figure1", "a.figure2"), ()])
def test_figure_says_which_figures_of_papers_it_draws_again(rows, outputs):
    figure(plt.figure(), ALT, title="It rises", redraws=rows)
    entry = outputs[-2][1]["honest"]
    assert entry.get("redraws", []) == ([rows] if isinstance(rows, str) else list(rows))
    assert entry.get("title") == ("It rises" if rows else None)


@pytest.mark.parametrize("alt", [None, "   a          b       c ", "The very same words here."])
def test_figure_needs_words(alt):
    with pytest.raises(ValueError, match="alt"):
        figure(None, alt=alt, caption="The very same  words here.")


def test_source_without_docstring(outputs):
    show_source(show)
    [(bundle, _)] = outputs
    assert bundle["text/plain"] == 'def show(text):\n    sys.stdout.write(f"{per_cent(text)}\\n")'
    assert bundle["text/markdown"] == f"```python\n{bundle['text/plain']}\n```"
