"""One picture that follows one or two parameters: still pictures on every page, sliders where a kernel runs.

A page without a kernel cannot redraw anything, so what is stored is a row of stills. A widget is made only on request,
for a stored one would be an empty frame wherever its kernel no longer runs.
"""

import numbers
from itertools import product

from helpers.notebook.display import check_alt, emit, figure

WIDGET = "application/vnd.jupyter.widget-view+json"  # the type of an output that only its own kernel can draw

LIVE = (6.4, 4.2)  # inches of the picture below sliders

INVITATION = "To move it yourself, write live=True in this cell and run it."


def explore(draw, *, stills, alt, caption=None, live=False, **ranges):
    """Show a picture that follows parameters: as a figure of stills side by side, or below sliders.

    Parameters
    ----------
    draw : callable
        ``draw(ax, **values)`` draws on an empty Axes. It sets the limits of its axes where these would move with the
        values. One legend stands below the stills, in place of any that it draws.
    stills : dict of str to sequence of float
        For each parameter the values of the still pictures; those of the last one stand side by side, and of two the
        first goes from row to row. Together three to six pictures. The sliders start at the first values.
    alt : str
        What a reader who cannot see the figure must know; the values are added to it.
    caption : str, optional
        One or two sentences below it, plain text.
    live : bool, default False
        Show sliders, which redraw one picture when they are let go, in place of the stills. They need a running kernel,
        so a notebook is stored with the stills.
    **ranges : (float, float, float)
        For each parameter, one or two, its slider: lowest value, highest value, step. Whole numbers give whole numbers.

    Raises
    ------
    ValueError
        If `stills` names other parameters or lies outside their ranges, or `alt` is too short.
    """
    stills = _check_stills(stills, ranges)
    alt = check_alt(alt, caption)
    if live:
        widget = sliders(draw, stills, ranges, alt, caption)
        emit(widget._repr_mimebundle_() | {"text/plain": f"Figure: {alt}"})
    else:
        values = "; ".join(f"{name} = {', '.join(f'{value:g}' for value in stills[name])}" for name in stills)
        words = " ".join(filter(None, (caption, INVITATION)))
        figure(_draw_stills(draw, stills), f"{alt} Still pictures at {values}.", words)


def _check_stills(stills, ranges):
    """{name: list of values} of the stills; ValueError unless all lie in their range."""
    if set(stills) != set(ranges):
        raise ValueError(f"stills must name what has a range, {list(ranges)}, but it names {list(stills)}.")
    for name, (low, high, _) in ranges.items():
        for value in stills[name]:
            if not low <= value <= high:
                raise ValueError(f"stills of {name!r} must lie between {low} and {high}, but one is {value}.")
    return {name: list(values) for name, values in stills.items()}


def _legend_below(fig):
    """One legend for all axes of a figure, which draw the same things, in place of those that they may have."""
    for ax in fig.axes:
        if ax.get_legend() is not None:
            ax.get_legend().remove()
    handles, labels = fig.axes[0].get_legend_handles_labels()
    if labels:
        fig.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 5))


def _draw_stills(draw, stills):
    """A figure with a picture for each combination of values, on shared axes."""
    import matplotlib.pyplot as plt

    *_, columns = map(len, stills.values())
    pictures = [dict(zip(stills, values, strict=True)) for values in product(*stills.values())]
    rows = len(pictures) // columns
    size = (11, 0.6 + 3.1 * rows)
    fig, axes = plt.subplots(rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False)
    moving = [name for name, chosen in stills.items() if len(chosen) > 1]
    for ax, values in zip(axes.flat, pictures, strict=True):
        draw(ax, **values)
        ax.set_title(", ".join(f"{name} = {values[name]:g}" for name in moving))
        ax.label_outer()
    _legend_below(fig)
    return fig


def drop_widgets(outputs):
    """Take sliders out of outputs as nbformat reads them, and leave the words: without a kernel a frame is empty."""
    for output in outputs:
        output.get("data", {}).pop(WIDGET, None)


def sliders(draw, stills, ranges, alt, caption=None):
    """The widget: a slider for each parameter, and below them the picture, redrawn when one of them is let go."""
    import matplotlib.pyplot as plt
    from ipywidgets import FloatSlider, IntSlider, interactive

    def redraw(**values):
        fig, ax = plt.subplots(figsize=LIVE)
        draw(ax, **values)
        _legend_below(fig)
        shown = ", ".join(f"{name} = {value:g}" for name, value in values.items())
        figure(fig, f"{alt} Drawn at {shown}.", caption)

    controls = {}
    for name, (low, high, step) in ranges.items():
        whole = all(isinstance(number, numbers.Integral) for number in (low, high, step, *stills[name]))
        kind = IntSlider if whole else FloatSlider
        options = {"min": low, "max": high, "step": step, "value": stills[name][0]}
        controls[name] = kind(description=name, continuous_update=False, **options)
    return interactive(redraw, **controls)
