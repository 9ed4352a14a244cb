"""A picture of the package's rooms and of which imports which, made from the imports."""

import ast
import html
import re
import tomllib
from collections import defaultdict

WIDE = 110  # of a room; pixels, as all that follow
HIGH = 34
STEP_RIGHT = 130
STEP_DOWN = 76
LIBRARY = "helpers"


def floors_of(project):
    """Rooms from the top floor to the ground, as the contract on imports in pyproject.toml has them."""
    layers = tomllib.loads(project)["tool"]["importlinter"]["contracts"][0]["layers"]
    named = [re.findall(rf"{LIBRARY}\.(\w+)", layer) for layer in layers]
    return [[room for room in rooms if not room.startswith("_")] for rooms in named]


def statements(body):
    """Statements and those inside them, without a look at their expressions, where nothing is imported."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from statements(getattr(node, part, []))


def imports_of(package):
    """{room: rooms that it imports}, read off the source of the package in this folder."""
    arrows = defaultdict(set)
    for path in sorted(package.rglob("*.py")):
        room = path.relative_to(package).parts[0].removesuffix(".py")
        for node in statements(ast.parse(path.read_text(encoding="utf-8")).body):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module == LIBRARY:
                names = [f"{LIBRARY}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            parts = [name.split(".") for name in names]
            arrows[room] |= {part[1] for part in parts if part[0] == LIBRARY and len(part) > 1} - {room}
    return dict(arrows)


def shortest_arrows(imports):
    """(room, room that it imports) without those that a longer way says as well."""

    def below(room):
        return imports.get(room, set()).union(*(below(other) for other in imports.get(room, ())))

    return [
        (room, other)
        for room, others in sorted(imports.items())
        for other in sorted(others)
        if not any(other in below(between) for between in others)
    ]


def clutter(column, floors, arrows):
    """How hard a picture is to read: rooms that arrows run through, then how far the arrows lean."""
    floor = {room: k for k, rooms in enumerate(floors) for room in rooms}
    through = lean = 0
    for room, other in arrows:
        slope = (column[other] - column[room]) / (floor[other] - floor[room])
        for k in range(floor[room] + 1, floor[other]):
            passes = column[room] + slope * (k - floor[room])
            through += sum(abs(column[between] - passes) < 0.6 * WIDE / STEP_RIGHT for between in floors[k])
        lean += abs(column[room] - column[other])
    return through, lean


def columns_of_rooms(floors, arrows, n_columns):
    """{room: its column}: each room in turn moves where the picture is clearest, until none moves."""
    column = {}
    for rooms in floors:
        column |= {room: (n_columns - len(rooms)) // 2 + k for k, room in enumerate(rooms)}
    best, moved = clutter(column, floors, arrows), True
    while moved:
        moved = False
        for rooms in floors:
            for room in rooms:
                for place in range(n_columns):
                    there = next((other for other in rooms if column[other] == place), room)
                    trial = column | {there: column[room], room: place}
                    value = clutter(trial, floors, arrows)
                    if value < best:
                        column, best, moved = trial, value, True
    return column


def draw_rooms(floors, imports, summaries):
    """The rooms as SVG, each a link to its page, with arrows down to what they import."""
    known = {room for rooms in floors for room in rooms}
    arrows = [(room, other) for room, other in shortest_arrows(imports) if room in known and other in known]
    n_columns = max(map(len, floors)) + 2
    column = columns_of_rooms(floors, arrows, n_columns)
    places = {
        room: (10 + STEP_RIGHT * column[room], 10 + STEP_DOWN * k) for k, rooms in enumerate(floors) for room in rooms
    }
    drawn = []
    for room, other in arrows:
        (x, y), (to_x, to_y) = places[room], places[other]
        path = f"M{x + WIDE / 2:g} {y + HIGH:g} L{to_x + WIDE / 2:g} {to_y - 7:g}"
        drawn.append(f'<path class="needs" d="{path}" marker-end="url(#arrow)"/>')
    for room, (x, y) in places.items():
        page = f"{LIBRARY}.{room}"
        title = f"<title>{html.escape(summaries[page])}</title>" if page in summaries else ""
        box = f'{title}<rect x="{x:g}" y="{y}" width="{WIDE}" height="{HIGH}" rx="6"/>'
        box += f'<text x="{x + WIDE / 2:g}" y="{y + HIGH / 2 + 5:g}">{room}</text>'
        drawn.append(f'<a href="{page}.html">{box}</a>' if page in summaries else f"<g>{box}</g>")
    tip = '<marker id="arrow" viewBox="0 0 8 8" refX="1" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    tip += '<path class="tip" d="M0 0 L8 4 L0 8 z"/></marker>'
    label = "The rooms of the package as boxes, with arrows from each to the rooms that it imports."
    wide, high = STEP_RIGHT * n_columns, STEP_DOWN * len(floors) - 20
    return (
        f'<svg class="honest-map" viewBox="0 0 {wide} {high}" role="group" aria-label="{label}">\n'
        f"<defs>{tip}</defs>\n" + "\n".join(drawn) + "\n</svg>"
    )
