"""What makes the pages light: figures as lossless WebP, icons as SVG, style sheets without rules that match nothing.

A page of the theme as it comes loads a font for a dozen icons and a style sheet of which it uses a tenth. The search
index, which the theme puts into the head of every page, is needed by the page of the search alone.
"""

import base64
import hashlib
import re
import shutil
from urllib.parse import quote

import tinycss2
from PIL import Image

DPI = 110  # pixels of the page for an inch of a figure; a figure drawn at 220 is shown at this size, twice as sharp
FIGURE = 'class="honest-figure"'
SPHINX_LINK = 'class="reference internal image-reference"'  # which a picture with a width has already
IMAGE = re.compile(r'(<a\b[^>]*>\s*)?(<img\b[^>]*\bsrc="([^"]*_images/)([^"/]+)\.png"[^>]*>)')
INSIDE = re.compile(r'\bsrc="data:image/png;base64,([^"]+)"')
PICTURE_LINK = re.compile(r'(href="[^"]*_images/[^"/]+)\.png"')
SEARCH_SCRIPT = re.compile(r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js[^"]*"></script>')
ICON_KINDS = ("fa-solid", "fa-brands", "fa-regular", "fas", "fab", "far")
WORD = re.compile(r"[\w-]+")
CLASS = re.compile(r"\.((?:[\w-]|\\.)+)")
ICON_FONT = re.compile(r"@font-face\s*\{[^}]*Font\\? ?Awesome[^}]*\}")
NEGATED = re.compile(r":not\((?:[^()]|\([^()]*\))*\)")


# ---- figures ------------------------------------------------------------------------------------------------------


def shrink_figures(folder):
    """Store the PNG files in _images/ as lossless WebP, about a third of the bytes; returns name -> (width, height)."""
    sizes = {}
    for path in sorted((folder / "_images").glob("*.png")):
        with Image.open(path) as picture:
            scale = DPI / picture.info.get("dpi", (DPI, DPI))[0]
            sizes[path.stem] = tuple(round(side * scale) for side in picture.size)
            lossless = picture.convert("RGB") if picture.mode == "RGBA" and opaque(picture) else picture
            lossless.save(path.with_suffix(".webp"), lossless=True, quality=60, method=3)
        path.unlink()
    return sizes


def opaque(picture):
    """Whether no pixel of a picture with an alpha channel shows the page behind it."""
    return picture.getchannel("A").getextrema() == (255, 255)


def taken_out(page, folder, up):
    """The page with the figures inside its HTML, those of folded predictions, as files in _images/ at `up`."""

    def write(match):
        picture = base64.b64decode(match[1])
        name = f"{hashlib.sha256(picture).hexdigest()}.png"
        (folder / "_images").mkdir(exist_ok=True)
        (folder / "_images" / name).write_bytes(picture)
        return f'src="{up}_images/{name}"'

    return INSIDE.sub(write, page)


def linked_figures(page, sizes):
    """The page with its figures as WebP, loaded when they come near the window, each a link to itself in full size."""

    def change(match):
        opening, tag, folder, name = match.groups()
        width, height = sizes[name]
        tag = re.sub(r'\s(?:width|height|style|loading)="[^"]*"', "", tag).rstrip(" />")
        tag = tag.replace(f"{name}.png", f"{name}.webp")
        tag = f'{tag} width="{width}" height="{height}" style="--wide: {width}px" loading="lazy" decoding="async">'
        opening = (opening or "").replace(SPHINX_LINK, FIGURE)
        return f"{opening}{tag}" if opening else f'<a {FIGURE} href="{folder}{name}.webp">{tag}</a>'

    return PICTURE_LINK.sub(r'\1.webp"', IMAGE.sub(change, page))


# ---- icons and style sheets ---------------------------------------------------------------------------------------


def icon_styles(names, script):
    """Style rules that draw icons as SVG, with the outlines that the theme's script of all icons holds."""
    rules = []
    for name in sorted(names):
        outlines = re.findall(rf'[{{,]"?{re.escape(name)}"?:\[(\d+),(\d+),\[[^\]]*\],"\w+","([^"]+)"\]', script)
        if outlines:
            width, height, path = outlines[-1]  # the filled one; thin ones come first
            picture = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"><path d="{path}"/></svg>'
            rules.append(f'.fa-{name} {{ --icon: url("data:image/svg+xml,{quote(picture, safe=" =/:,.-")}"); }}')
    if rules:
        rules.append(
            f"{', '.join(f'.{kind}::before' for kind in ICON_KINDS)} "
            '{ content: "" !important; display: inline-block; '
            "width: 1em; height: 1em; background: currentColor; -webkit-mask: var(--icon) center / contain no-repeat; "
            "mask: var(--icon) center / contain no-repeat; }"
        )
    return "\n".join(rules)


def words_of(folder):
    """Words that pages and scripts of the site could use as the name of a class, and beginnings of such names."""
    words = set()
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        words.update(word for names in re.findall(r'\bclass="([^"]*)"', text) for word in names.split())
    for path in (folder / "_static").rglob("*.js"):
        if "mathjax" not in path.parts and path.name != "fontawesome.js":
            words.update(WORD.findall(path.read_text(encoding="utf-8")))
    beginnings = tuple(word for word in words if word.endswith("-") and len(word) > 3)
    return words, beginnings


def used_rules(style, words, beginnings=()):
    """A style sheet without the selectors whose classes occur on no page.

    >>> used_rules(".a, .b:not(.c) { x: y } @media print { .c { x: y } .a { x: y } }", {"a", "b"})
    '.a,.b:not(.c){ x: y }@media print{.a{ x: y }}'
    """

    def wanted(selector):
        names = (name.replace("\\", "") for name in CLASS.findall(NEGATED.sub("", selector)))
        return all(name in words or name.startswith(beginnings) for name in names)

    def keep(nodes):
        pieces = []
        for node in nodes:
            if node.type == "qualified-rule":
                selectors = split_at_commas(node.prelude)
                kept = [selector for selector in selectors if wanted(selector)]
                if kept:
                    pieces.append(f"{','.join(kept)}{{{tinycss2.serialize(node.content)}}}")
            elif node.type == "at-rule" and node.lower_at_keyword in ("media", "supports", "layer") and node.content:
                inside = keep(tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True))
                if inside:
                    pieces.append(f"@{node.at_keyword}{tinycss2.serialize(node.prelude).rstrip()}{{{inside}}}")
            elif node.type == "at-rule":
                pieces.append(node.serialize())
        return "".join(pieces)

    return keep(tinycss2.parse_stylesheet(style, skip_comments=True, skip_whitespace=True))


def split_at_commas(prelude):
    """The selectors in front of a rule, each as text."""
    groups = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            groups.append([])
        else:
            groups[-1].append(token)
    return [tinycss2.serialize(group).strip() for group in groups]


def shrink_styles(folder):
    """Draw the icons in use as SVG, and leave out what no page uses from the style sheets of the theme."""
    static = folder / "_static"
    words, beginnings = words_of(folder)
    icons = {word.removeprefix("fa-") for word in words if word.startswith("fa-")}
    outlines = static / "scripts" / "fontawesome.js"
    styles = [*(static / "styles").glob("*.css"), *static.glob("mystnb*.css")]
    for path in styles:
        text = used_rules(path.read_text(encoding="utf-8"), words, beginnings)
        path.write_text(ICON_FONT.sub("", text), encoding="utf-8")  # browsers load the font although nothing shows it
    if outlines.exists():
        house = static / "house.css"
        drawn = icon_styles(icons, outlines.read_text(encoding="utf-8"))
        house.write_text(f"{house.read_text(encoding='utf-8')}\n{drawn}\n", encoding="utf-8")
    shutil.rmtree(static / "vendor" / "fontawesome", ignore_errors=True)
    for path in {*(static / "scripts").glob("fontawesome.js*"), *static.rglob("*.map")}:
        path.unlink()
