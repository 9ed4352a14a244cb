"""The page of a measurement, with its tables and its figure (`page.md.j2`).

Measurements that take longer than `run.py` have a module and a table of their own and come last on the page. To add
one, name the module in `SECTIONS`, with its heading. It has SUMMARY, the path of its table (bench/NAME.csv, kept with
the code), and section(), which gives Markdown for below the heading; the first line of its docstring stands above that.
As long as there is no such table, the page goes without.
"""

import importlib
import shutil
from importlib.util import find_spec
from pathlib import Path

import efficiency
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from templates import ENVIRONMENT, render
from worker import OURS

from helpers.plotting import BLUE, GREY, LINES, MARKERS, ORANGE, use_style

HERE = Path(__file__).resolve().parent
SECTIONS = {
    "interval_coverage": "What the intervals cover",
    "subgroups": "Finding subgroups",
    "repair": "Repairing scores",
    "classifier": "Repairing a classifier of scikit-learn",
}


def write(folder, table, cases, machine, complete):
    """results.md and its figures in a folder; when `complete`, with what `efficiency.py` measured."""
    table = table.astype({"version": object, "note": object}).fillna({"version": "", "note": ""})
    draw(folder / "results.png", table, cases)
    ENVIRONMENT.filters |= {"short": short, "peer": name_of}
    page = render(
        "page.md.j2",
        machine=machine,
        duels=duels(table, cases),
        growth=growth(table, cases),
        wins=wins(table, cases),
        cases=cases,
        tables={name: rows.to_dict("records") for name, rows in table.groupby("case", sort=False)},
        ours=OURS,
        efficiency=efficiency.section() if complete else "",
        sections=list(sections()) if complete else [],
    )
    if complete:
        efficiency.draw_figure(folder / "efficiency.png")
    (folder / "results.md").write_text(page.rstrip() + "\n", encoding="utf-8")


def sections():
    """(heading, first line of the docstring, Markdown) of the modules in `SECTIONS` that have measured."""
    for name, heading in SECTIONS.items():
        module = importlib.import_module(name) if find_spec(name) else None
        if module is not None and module.SUMMARY.exists():
            yield heading, module.__doc__.split("\n")[0], module.section()


def publish(folder, root):
    """The same as a page of the site."""
    static = root / "site" / "_static"
    page = (folder / "results.md").read_text(encoding="utf-8")
    for name, target in (("results.png", "benchmarks.png"), ("efficiency.png", "efficiency.png")):
        page = page.replace(f" {name}\n", f" _static/{target}\n")  # the picture, and the link to it
        shutil.copyfile(folder / name, static / target)
    (root / "site" / "benchmarks.md").write_text(page, encoding="utf-8")
    shutil.copyfile(folder / "results.csv", HERE / "results.csv")


def growth(table, cases):
    """{contestant: (exponent, standard error, sizes)} of seconds ~ rows ** exponent, a line through the medians."""
    lines = {}
    grown = [name for name in cases if cases[name].growth]
    for who, rows in table[table["case"].isin(grown) & (table["status"] == "ok")].groupby("contestant", sort=False):
        if len(rows) > 2:
            (slope, _), covariance = np.polyfit(
                np.log(rows["rows"]), np.log(rows["seconds"].astype(float)), 1, cov=True
            )
            lines[who] = float(slope), float(np.sqrt(covariance[0, 0])), len(rows)
    return lines


def duels(table, cases):
    """(our row, peers' rows from the fastest on) of each case, at the largest size that a peer finished."""
    pairs = []
    for name, rows in table[table["status"] == "ok"].groupby("case", sort=False):
        peers = rows[rows["package"] != OURS]
        if cases[name].yardstick or peers.empty:
            continue
        peers = peers[peers["rows"] == peers["rows"].max()].sort_values("seconds")
        ours = rows[(rows["contestant"] == next(iter(cases[name].contestants))) & (rows["rows"] == peers["rows"].max())]
        if len(ours):
            pairs.append((ours.iloc[0], [row for _, row in peers.iterrows()]))
    return pairs


def wins(table, cases):
    """(peer's row, our row) of every case and size at which a peer's median is below that of our first contestant."""
    pairs = []
    for (name, _), rows in table[table["status"] == "ok"].groupby(["case", "rows"], sort=False):
        ours = rows[rows["contestant"] == next(iter(cases[name].contestants))]
        if cases[name].yardstick or ours.empty:
            continue
        faster = rows[(rows["package"] != OURS) & (rows["seconds"] < ours["seconds"].iloc[0])]
        pairs += [(peer, ours.iloc[0]) for _, peer in faster.iterrows()]
    return pairs


def name_of(row):
    """A peer with its version."""
    return f"{row['contestant']} ({row['package']} {row['version']})" if row["version"] else row["contestant"]


def short(seconds):
    """Seconds with about three significant digits."""
    if seconds < 0.1:
        return f"{seconds:.2g}" if seconds < 0.01 else f"{seconds:.4f}"
    return f"{seconds:.3f}" if seconds < 1 else f"{seconds:.2f}" if seconds < 10 else f"{seconds:.1f}"


def draw(path, table, cases):
    """Growth above (where it was measured), each peer's time against ours below; as wide as a page shows it."""
    use_style()
    done = table[table["status"] == "ok"]
    grown = done[[cases[name].growth for name in done["case"]]]
    two = 1 + (len(grown) > 0)
    fig = plt.figure(figsize=(6.8, 5 * two))
    parts = fig.subfigures(two, 1, squeeze=False)[:, 0]  # each with margins of its own
    if len(grown):
        draw_growth(parts[0].subplots(), grown, growth(table, cases))
    draw_ratios(parts[-1].subplots(), duels(done, cases))
    fig.savefig(path)
    plt.close(fig)


def draw_growth(ax, grown, lines):
    """Seconds against rows."""
    for k, (who, rows) in enumerate(grown.groupby("contestant", sort=False)):
        reach = [rows["seconds"] - rows["fastest"], rows["slowest"] - rows["seconds"]]
        label = f"{who}: rows$^{{{lines[who][0]:.2f}}}$" if who in lines else who
        look = {"marker": MARKERS[k % 6], "ls": LINES[k % 6], "capsize": 2}
        color = BLUE if rows["package"].iloc[0] == OURS else ORANGE
        ax.errorbar(rows["rows"], rows["seconds"], reach, label=label, color=color, **look)
    ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds", title="grouping loss, ten columns")
    ax.xaxis.set_minor_formatter("")
    ax.legend(loc="lower right", fontsize="small")


def draw_ratios(ax, pairs):
    """The peers' times over ours, at the largest size at which a peer finished."""
    names = []
    for ours, peers in pairs:
        for row in peers:
            ratio = row["seconds"] / ours["seconds"]
            look = {"marker": "D", "color": ORANGE} if ratio < 1 else {"marker": "o", "color": BLUE}
            ends = [row["fastest"] / ours["slowest"], row["slowest"] / ours["fastest"]]
            ax.plot(ratio, -len(names), ls="", **look)
            ax.plot(ends, [-len(names)] * 2, color=look["color"], lw=1)
            names.append(f"{ours['case']}, {ours['rows']:,}: {row['contestant'].split(',')[0]}")
    ax.axvline(1, color=GREY, lw=1)
    ax.set_yticks([-k for k in range(len(names))], names, fontsize=9)
    faster = any(row["seconds"] < ours["seconds"] for ours, peers in pairs for row in peers)
    label = "peer's time / ours" + "; diamonds: it is faster" * faster
    ax.set(xscale="log", xlabel=label, title="medians; lines: extremes of the runs")
