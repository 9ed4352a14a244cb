"""Every page of the site in a real browser, and what a reader would stumble over there.

`make gate` looks at all pages in light and dark, on a desk and on a telephone: console, dead links, formulas that
MathJax cannot draw, empty heads of tables, overflow, requests to elsewhere, and what axe finds seriously wrong.
"""

import argparse
import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urldefrag

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ["chromium", "chromium-browser", "google-chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium"]
BROWSERS += ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"]
WIDTHS = {"desk": (1280, "dark"), "phone": (390, "light")}  # pixels, and the theme that a page turns to there
READ = """async () => {
    await window.MathJax?.startup?.promise;
    const all = (selector) => [...document.querySelectorAll(selector)];
    const faulty = "mjx-merror, [data-mml-node=merror], :is(div, span).math:not(:has(mjx-container))";
    const bad = (image) => (image.complete && !image.naturalWidth) || /[.](png|svg)$/.test(image.alt);
    return {
        formulas: all(faulty).map((node) => node.textContent),
        heads: all("thead").filter((head) => head.getClientRects().length && !head.textContent.trim()).length,
        images: all("img").filter(bad).map((image) => `${image.src} is missing, or not described`),
        links: all("a[href]").map((link) => new URL(link.getAttribute("href"), location).href),
        anchors: all("[id]").map((node) => node.id),
    };
}"""
EXCESS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# The theme's own delay, which pages that lie side by side wait for together.
SETTLE = """async () => {
    await new Promise(requestAnimationFrame);
    window.settled = new Promise((done) => setTimeout(done, 600));
}"""
SIDE_BY_SIDE = 6
# Axe as it is wanted here: no rules whose violations are minor or moderate, and the contrast of some words only. Of all
# words of a long page that takes half a minute; one node of each look speaks for the others, also for those in the
# other width and theme.
SERIOUS = """() => {
    for (const rule of axe._audit.rules) rule.enabled &&= ["serious", "critical"].includes(rule.impact);
    const contrast = axe._audit.rules.find(({id}) => id === "color-contrast");
    const {matches} = contrast;
    contrast.matches = (node, ...others) => window.words.has(node) && matches.call(contrast, node, ...others);
    window.judged = new Set();
}"""
AXE = """async (all) => {
    await new Promise(requestAnimationFrame);  // in this frame the page hears of the theme
    const grounds = new Map([[null, ""]]);
    const ground = (node) => {
        if (grounds.has(node)) return grounds.get(node);
        const {backgroundColor, opacity} = getComputedStyle(node);
        const above = backgroundColor === "rgba(0, 0, 0, 0)" ? ground(node.parentElement) : "";
        return grounds.set(node, `${above} ${backgroundColor} ${opacity}`).get(node);
    };
    const looks = new Map();
    for (const node of document.body.querySelectorAll(":not(mjx-container *)")) {
        if (![...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) continue;
        const {color, fontSize, fontWeight} = getComputedStyle(node);
        const look = `${color} ${fontSize} ${fontWeight} ${ground(node)}`;
        if (!judged.has(look) && node.getClientRects().length) looks.set(look, node);
    }
    window.judged = judged.union(new Set(looks.keys()));
    window.words = new Set(looks.values());
    if (!all && !words.size) return [];
    const rules = all ? {} : {runOnly: "color-contrast"};
    const {violations} = await axe.run(document, {resultTypes: ["violations"], preload: false, ...rules});
    return violations.map(({id, nodes}) =>
        `${id}, ${nodes.length} x: ${nodes.slice(0, 3).map((node) => node.target.join(" ")).join("; ")}`);
}"""


def find_browser():
    """Path of the Chromium or Chrome that is installed here, or None; the variable CHROME names another one."""
    found = (shutil.which(name) for name in (os.environ.get("CHROME") or "", *BROWSERS))
    return next(filter(None, found), None)


@contextmanager
def open_browser():
    """The installed browser without a window."""
    from playwright.sync_api import sync_playwright  # not at the top: the doctests' collector imports this module

    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    with sync_playwright() as program:
        browser = program.chromium.launch(executable_path=find_browser(), args=flags)
        yield browser


def open_tab(context, site, name):
    """A page, then its faults as (kind, what), with those that a tab finds later, and what READ finds."""
    from axe_playwright_python.base import AXE_SCRIPT

    faults = []
    tab = context.new_page()
    own = (f"{site.resolve().as_uri()}/", "data:", "blob:", "about:")
    tab.on("console", lambda line: line.type == "error" and faults.append(("console", line.text)))
    tab.on("pageerror", lambda error: faults.append(("console", str(error))))
    tab.on("requestfailed", lambda request: faults.append(("not loaded", request.url)))
    tab.on("request", lambda request: request.url.startswith(own) or faults.append(("goes elsewhere", request.url)))
    tab.goto(f"{own[0]}{name}", wait_until="load")
    tab.add_style_tag(content="* { transition: none !important; animation: none !important; }")
    seen = tab.evaluate(READ)
    faults += [("formula", what) for what in seen["formulas"]] + [("image", what) for what in seen["images"]]
    if seen["heads"]:
        faults.append(("table", f"{seen['heads']} x an empty strip where the headings of columns would be"))
    tab.evaluate(AXE_SCRIPT)
    tab.evaluate(SERIOUS)
    return tab, faults, seen


def look(browser, site, names):
    """Of each of some pages its faults in both themes and widths, as (kind, what), its links and its anchors."""
    context = browser.new_context(reduced_motion="reduce")
    tabs = [open_tab(context, site, name) for name in names]
    for width, (pixels, theme) in WIDTHS.items():
        for tab, _, _ in tabs:
            tab.bring_to_front()  # behind others a page is drawn once a second
            tab.set_viewport_size({"width": pixels, "height": 900})
            tab.evaluate(SETTLE)
        for tab, faults, _ in tabs:
            tab.bring_to_front()
            tab.evaluate("settled")
            if (excess := tab.evaluate(EXCESS)) > 1:
                faults.append(("overflow", f"{excess} pixels too wide ({width})"))
            found = tab.evaluate(AXE, True)
            tab.emulate_media(color_scheme=theme)
            found += tab.evaluate(AXE, False)
            faults += [("axe", f"{what} ({width})") for what in found]
    context.close()
    return [(faults, seen["links"], {*seen["anchors"], ""}) for _, faults, seen in tabs]


def dead_links(site, links, anchors):
    """Faults of links, given for each page, to a page, file or anchor of the site that is not there."""
    start = f"{site.resolve().as_uri()}/"
    for page, addresses in links.items():
        for address in dict.fromkeys(addresses):
            target, anchor = map(unquote, urldefrag(address))
            name = target.removeprefix(unquote(start)).split("?")[0]
            if target.startswith("file:") and not (site / name).is_file():
                yield page, "dead link", name
            elif name in anchors and anchor not in anchors[name] and not anchor.startswith("/"):  # but for slides
                yield page, "dead anchor", f"{name}#{anchor}"


def inspect_site(browser, site, names):
    """Faults of the pages of a site, as (page, kind, what), each once."""
    faults = []
    links = {}
    anchors = {}
    for start in range(0, len(names), SIDE_BY_SIDE):
        some = names[start : start + SIDE_BY_SIDE]
        for name, (found, links[name], anchors[name]) in zip(some, look(browser, site, some), strict=True):
            faults += [(name, kind, " ".join(what.split())[:300]) for kind, what in found]
    return list(dict.fromkeys([*faults, *dead_links(site, links, anchors)]))


def list_pages(site):
    """Names of the pages of a site, in the order of the alphabet."""
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html") if "_static" not in path.parts)


def main(arguments=None):
    """Command line; the exit status is 1 if there are faults."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("site", type=Path, nargs="?", default=ROOT / "build" / "site")
    parser.add_argument("--pages", nargs="+", metavar="NAME", help="such as index.html; without it, all")
    chosen = parser.parse_args(arguments)
    if find_browser() is None:
        parser.error("no browser: install Chromium or Chrome, or name one in the variable CHROME")
    if not (names := chosen.pages or list_pages(chosen.site)):
        parser.error(f"no site in {chosen.site}: run make run first")
    with open_browser() as browser:
        faults = inspect_site(browser, chosen.site, names)
    for page, kind, what in faults:
        print(f"{page}: {kind}: {what}")
    print(f"{len(names)} pages in both themes and widths: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
