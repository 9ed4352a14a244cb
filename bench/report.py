"""The tables and the figure of a measurement, and the page of the site that shows them."""

import shutil
from pathlib import Path

from contest import OURS

HERE = Path(__file__).resolve().parent
PAGE = """# How fast, how much memory, and do the numbers agree

Everything here is measured, by one command (`make bench`), on one machine. Other machines have other seconds; ratios
change less. How it is done:

- Each contestant is a process of its own. All work on the same rows and take turns, so that a machine that slows down
  is unfair to all of them alike.
- The clock runs for the one call: importing packages, making data and converting them come before it.
- Seconds are the median of the runs, with the fastest and the slowest in brackets.
- Memory is the largest that the whole process ever held, with everything it imported; in brackets what it held before
  the first run.
- A fast wrong number is no win. Where the right number is known another way (by quadrature, by counting, by ranks),
  what a contestant is off stands in the column "difference". Where all minimise the same loss, the lowest one is the
  reference.

{machine}.{remark}

## At a glance

{glance}

```{{image}} {image}
:alt: {alt}
```

## Growth

Seconds grow as a power of the rows: a line through the medians on logarithmic axes. Power 1 means that twice the rows
take twice the time. It describes these sizes and is no law.

{growth}

## Where a peer wins

{wins}

{table}
{more}"""
ALT = (
    "On the left, seconds against rows on logarithmic axes for each estimator of the grouping loss; on the right, the "
    "time of each peer divided by ours for every case, where points left of the line at one are faster than ours."
)
EFFICIENCY = (
    "For five populations, root mean squared error against rows above and against seconds below, on logarithmic axes, "
    "one line an estimator of the grouping loss."
)


def write(folder, table, exponents, cases, machine, *, quick, complete=False):
    """results.md and its figures in a folder; when `complete` with what other measurements found."""
    draw(folder / "results.png", table, exponents, cases)
    text = PAGE.format(
        machine=machine,
        remark=" Small sizes (`--quick`): for a look only." if quick else "",
        image="results.png",
        alt=ALT,
        glance=glance(table, cases),
        growth=growth_lines(exponents),
        wins=wins(table, cases),
        table=tables(table, cases),
        more=more(folder) if complete else "",
    )
    (folder / "results.md").write_text(text.rstrip() + "\n", encoding="utf-8")


def more(folder):
    """What other measurements found, where their files lie beside this one."""
    parts = []
    if (HERE / "trees.csv").exists():
        import trees

        parts.append(trees.section())
    if (HERE / "efficiency.csv").exists():
        import efficiency

        efficiency.efficiency_figure(folder / "efficiency.png")
        parts += [efficiency.efficiency_section(), f"```{{image}} efficiency.png\n:alt: {EFFICIENCY}\n```"]
    return "\n".join(parts)


def publish(folder, root):
    """The same as a page of the site."""
    text = (folder / "results.md").read_text(encoding="utf-8")
    text = text.replace("results.png", "_static/benchmarks.png")
    shutil.copyfile(folder / "results.png", root / "site" / "_static" / "benchmarks.png")
    if (folder / "efficiency.png").exists():
        text = text.replace("{image} efficiency.png", "{image} _static/efficiency.png")
        shutil.copyfile(folder / "efficiency.png", root / "site" / "_static" / "efficiency.png")
    (root / "site" / "benchmarks.md").write_text(text, encoding="utf-8")
    shutil.copyfile(folder / "results.csv", root / "bench" / "results.csv")


def duels(table, cases):
    """For each case, at the largest size that a peer finished: our row, the peers' rows from the fastest on."""
    found = []
    for name in dict.fromkeys(row["case"] for row in table):
        if cases[name].yardstick:
            continue
        who = next(iter(cases[name].contestants))
        done = [row for row in table if row["case"] == name and row["status"] == "ok"]
        rows = max((row["rows"] for row in done if row["package"] != OURS), default=0)
        ours = next((row for row in done if row["contestant"] == who and row["rows"] == rows), None)
        if ours:
            peers = [row for row in done if row["rows"] == rows and row["package"] != OURS]
            found.append((ours, sorted(peers, key=lambda row: row["seconds"])))
    return found


def glance(table, cases):
    """One line a case: ours beside the fastest peer."""
    out = ["| what | rows | ours | fastest peer | it takes | times ours |", "|---|--:|--:|---|--:|--:|"]
    for ours, (peer, *_) in duels(table, cases):
        ratio = peer["seconds"] / ours["seconds"]
        cells = [
            cases[ours["case"]].title, f"{ours['rows']:,}", f"{short(ours['seconds'])} s", name_of(peer),
            f"{short(peer['seconds'])} s", f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}",
        ]  # fmt: skip
        out.append(f"| {' | '.join(cells)} |")
    return "\n".join(out)


def wins(table, cases):
    """Every case and size at which a peer's median is below that of our first contestant."""
    lines = []
    for case, rows in dict.fromkeys((row["case"], row["rows"]) for row in table):
        done = [row for row in table if (row["case"], row["rows"], row["status"]) == (case, rows, "ok")]
        ours = next((row for row in done if row["contestant"] == next(iter(cases[case].contestants))), None)
        for row in done if ours and not cases[case].yardstick else ():
            if row["package"] != OURS and row["seconds"] < ours["seconds"]:
                overlap = row["slowest"] >= ours["fastest"]
                lines.append(
                    f"- {cases[case].title}, {rows:,} rows: {name_of(row)} takes {short(row['seconds'])} s, "
                    f"ours {short(ours['seconds'])} s{'; the runs overlap' if overlap else ''}."
                )
    return "\n".join(lines) or "In no case and at no size measured here."


def growth_lines(exponents):
    lines = [
        f"- {who}: seconds grow as rows^{slope:.2f} (standard error {error:.2f}, a line through {count} sizes)"
        for found in exponents.values()
        for who, (slope, error, count) in found.items()
    ]
    return "\n".join(lines)


def tables(table, cases):
    """One table a case."""
    out = []
    for name in dict.fromkeys(row["case"] for row in table):
        rows = [row for row in table if row["case"] == name]
        out += [f"## {cases[name].title[0].upper()}{cases[name].title[1:]}", ""]
        out += ["| rows | | seconds | MB | value | difference | |", "|--:|---|---|---|--:|--:|---|"]
        out += [f"| {' | '.join(markdown_cells(row))} |" for row in rows] + [""]
        if cases[name].yardstick:
            out += ["Nothing to win here: copying the rows once is what no method can do without.", ""]
    return "\n".join(out)


def markdown_cells(row):
    who = f"**{row['contestant']}**" if row["package"] == OURS else name_of(row)
    if row["status"] != "ok":
        return [f"{row['rows']:,}", who, "", "", "", "", row["status"].replace("|", "/")]
    return [
        f"{row['rows']:,}",
        who,
        f"{short(row['seconds'])} [{short(row['fastest'])}, {short(row['slowest'])}], "
        f"{row['runs']} run{'s' * (row['runs'] != 1)}",
        f"{row['peak_mb']:,.0f} ({row['before_mb']:,.0f})",
        f"{row['value']:.6f}",
        f"{row['difference']:.1e}" if row["difference"] != "" else "",
        row["note"],
    ]


def name_of(row):
    """A peer with its version."""
    if not row["version"]:
        return row["contestant"]
    return f"{row['contestant']} ({row['package']} {row['version']})"


def short(seconds):
    """Seconds with about three significant digits."""
    if seconds < 0.1:
        return f"{seconds:.2g}" if seconds < 0.01 else f"{seconds:.4f}"
    return f"{seconds:.3f}" if seconds < 1 else f"{seconds:.2f}" if seconds < 10 else f"{seconds:.1f}"


def draw(path, table, exponents, cases):
    """Growth on the left (where it was measured), each peer's time against ours on the right."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from helpers.plotting import use_style

    use_style()
    done = [row for row in table if row["status"] == "ok"]
    grown = [row for row in done if cases[row["case"]].growth]
    fig, panels = plt.subplots(1, 2 if grown else 1, figsize=(12 if grown else 7, 5.5), squeeze=False)
    if grown:
        draw_growth(panels[0, 0], grown, exponents)
    draw_ratios(panels[0, -1], done, cases)
    fig.savefig(path)
    plt.close(fig)


def draw_growth(ax, grown, exponents):
    """Seconds against rows."""
    from helpers.plotting import BLUE, LINES, MARKERS, ORANGE

    for k, who in enumerate(dict.fromkeys(row["contestant"] for row in grown)):
        rows = [row for row in grown if row["contestant"] == who]
        x, y = [row["rows"] for row in rows], [row["seconds"] for row in rows]
        reach = [[row["seconds"] - row["fastest"] for row in rows], [row["slowest"] - row["seconds"] for row in rows]]
        slope = next((found[who][0] for found in exponents.values() if who in found), None)
        label = who if slope is None else f"{who}: rows^{slope:.2f}"
        color = BLUE if rows[0]["package"] == OURS else ORANGE
        ax.errorbar(x, y, reach, label=label, marker=MARKERS[k % 6], ls=LINES[k % 6], color=color, capsize=2)
    ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds", title="grouping loss, ten columns")
    ax.xaxis.set_minor_formatter("")
    ax.legend()


def draw_ratios(ax, done, cases):
    """The peers' times over ours, at the largest size at which a peer finished."""
    from helpers.plotting import BLUE, GREY, ORANGE

    names = []
    for ours, peers in duels(done, cases):
        for row in peers:
            ratio = row["seconds"] / ours["seconds"]
            mark = {"marker": "D", "color": ORANGE} if ratio < 1 else {"marker": "o", "color": BLUE}
            ends = row["fastest"] / ours["slowest"], row["slowest"] / ours["fastest"]
            ax.plot(ratio, -len(names), ls="", **mark)
            ax.plot(ends, (-len(names),) * 2, color=mark["color"], lw=1)
            names.append(f"{ours['case']}, {ours['rows']:,}: {row['contestant'].split(',')[0]}")
    ax.axvline(1, color=GREY, lw=1)
    ax.set_yticks([-k for k in range(len(names))], names, fontsize=8)
    label = "peer's time / ours (diamonds: the peer is faster)"
    ax.set(xscale="log", xlabel=label, title="medians; lines: extremes of the runs")
