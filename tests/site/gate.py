"""The gate: every page of the site in a real browser, and what a reader would stumble over there.

`make gate` looks at all pages of build/site in light and dark, on a desk and on a phone, and tries six tasks with the
keyboard; `make test` looks at those of a small site. Playwright drives the browser that is installed (Chromium or
Chrome): unlike Selenium it needs no driver of the very same version, and it downloads no browser of its own.
"""

import argparse
import json
import os
import shutil
import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
WIDTHS = {"desk": 1280, "phone": 390}  # pixels
THEMES = ("light", "dark")
GRAVE = ("serious", "critical")

# What is read from a page at once. MathJax draws a formula that it cannot read as an error node, or not at all.
READ = """async () => {
    if (window.MathJax?.startup?.promise) await MathJax.startup.promise;
    const words = (node) => node.textContent.trim().slice(0, 90);
    const images = [...document.images].filter((image) => image.complete && !image.naturalWidth);
    const faulty = "mjx-merror, [data-mml-node=merror], :is(div, span).math:not(:has(mjx-container))";
    return {
        formulas: [...document.querySelectorAll(faulty)].map(words),
        images: images.map((image) => image.getAttribute("src")),
        links: [...document.querySelectorAll("a[href]")].map((link) =>
            new URL(link.getAttribute("href"), document.baseURI).href),  // also of links in drawings
        anchors: [...document.querySelectorAll("[id], a[name]")].map((node) => node.id || node.name),
    };
}"""
WIDE = """() => {
    const page = document.documentElement;
    if (page.scrollWidth <= page.clientWidth + 1) return "";
    const cut = (node) => {
        for (let up = node.parentElement; up && up !== document.body; up = up.parentElement)
            if (getComputedStyle(up).overflowX !== "visible") return true;
        return false;
    };
    const wide = [...document.body.querySelectorAll("*")].filter(
        (node) => node.getBoundingClientRect().right > page.clientWidth + 1 && !cut(node));
    const names = wide.slice(0, 3).map((node) => `${node.tagName.toLowerCase()}.${node.className}`);
    return `${page.scrollWidth} of ${page.clientWidth} pixels: ${names.join(", ")}`;
}"""
# Axe takes seconds for the contrast of every node of a long page; one node of each look says what all others would.
LOOKS = """() => {
    const behind = new Map();
    const ground = (node) => {
        if (!node) return "";
        if (!behind.has(node)) {
            const style = getComputedStyle(node);
            const own = style.backgroundColor !== "rgba(0, 0, 0, 0)" || style.backgroundImage !== "none";
            const seen = own ? `${style.backgroundColor} ${style.backgroundImage}` : ground(node.parentElement);
            behind.set(node, style.opacity === "1" ? seen : `${ground(node.parentElement)} ${seen} ${style.opacity}`);
        }
        return behind.get(node);
    };
    const looks = new Map();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const node = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || !node.getClientRects().length) continue;
        const style = getComputedStyle(node);
        const look = [style.color, style.fontSize, style.fontWeight, ground(node)].join(" ");
        if (!looks.has(look)) looks.set(look, node);
    }
    return [...looks.values()];
}"""
# The insides of formulas are many nodes without a word; the first ones speak for all.
EMPTY = """() => [...document.querySelectorAll("mjx-container")].slice(5).forEach((node) => node.replaceChildren())"""
AXE = """async (contrast) => {
    const looks = LOOKS;
    const options = contrast
        ? {runOnly: {type: "rule", values: ["color-contrast"]}}
        : {rules: {"color-contrast": {enabled: false}}};
    const where = contrast ? {include: looks()} : document;
    const result = await axe.run(where, {resultTypes: ["violations"], preload: false, ...options});
    return result.violations.map((found) => ({
        rule: found.id, impact: found.impact, nodes: found.nodes.map((node) => node.target.join(" ")),
    }));
}""".replace("LOOKS", LOOKS)


@dataclass(frozen=True)
class Fault:
    """One thing on one page that a reader would stumble over."""

    page: str
    mode: str
    kind: str
    what: str

    def __str__(self):
        return f"{self.page} ({self.mode}): {self.kind}: {self.what}"


def find_browser():
    """Path of the Chromium or Chrome that is installed here, or None; the variable CHROME names another one."""
    named = [os.environ["CHROME"]] if os.environ.get("CHROME") else []
    found = (shutil.which(name) for name in (*named, *NAMES, *PLACES))
    return next(filter(None, found), None)


def read_axe():
    """The script of axe-core, which its Python wrapper carries."""
    from axe_playwright_python.base import AXE_SCRIPT

    return AXE_SCRIPT


@contextmanager
def open_browser(executable):
    """The installed browser without a window."""
    from playwright.sync_api import sync_playwright  # not at the top: the doctests' collector imports this module

    with sync_playwright() as program:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
        browser = program.chromium.launch(executable_path=executable, args=flags)
        try:
            yield browser
        finally:
            browser.close()


class Visit:
    """One tab that goes from page to page and writes down faults, links and anchors."""

    def __init__(self, browser, site):
        self.site = site
        self.start = f"{site.resolve().as_uri()}/"
        self.axe = read_axe()
        window = {"width": WIDTHS["desk"], "height": 900}
        self.context = browser.new_context(viewport=window, color_scheme="light", reduced_motion="reduce")
        self.context.set_default_timeout(120_000)
        self.tab = self.context.new_page()
        self.faults = []
        self.links = {}
        self.anchors = {}
        self.page = ""
        self.mode = ""
        self.tab.on("console", lambda line: self.note("console", line.text) if line.type == "error" else None)
        self.tab.on("pageerror", lambda error: self.note("console", str(error)))
        self.tab.on("request", self.heed_request)
        self.tab.on("requestfailed", lambda request: self.note("not loaded", request.url))

    def note(self, kind, what):
        """Write down a fault, once."""
        fault = Fault(self.page, self.mode, kind, " ".join(what.split())[:300])
        if fault not in self.faults:
            self.faults.append(fault)

    def heed_request(self, request):
        if not request.url.startswith((self.start, "data:", "blob:", "about:")):
            self.note("request to elsewhere", request.url)

    def change(self, theme, width):
        """Another theme and width, as a reader who turns a telephone or whose evening begins."""
        self.mode = f"{theme}, {width}"
        self.tab.emulate_media(color_scheme=theme)
        self.tab.set_viewport_size({"width": WIDTHS[width], "height": 900})

    def load(self, name):
        """Open a page, wait for its formulas, and read what is on it."""
        self.page = name
        self.tab.goto(f"{self.start}{name}", wait_until="load")
        self.tab.add_style_tag(content="* { transition: none !important; animation: none !important; }")
        seen = self.tab.evaluate(READ)
        for words in seen["formulas"]:
            self.note("formula", words)
        for source in seen["images"]:
            self.note("image", source)
        self.links[name] = seen["links"]
        self.anchors[name] = set(seen["anchors"])

    def measure(self):
        """Whether the page is wider than its window."""
        if wide := self.tab.evaluate(WIDE):
            self.note("overflow", wide)

    def ask_axe(self, *, contrast):
        """Violations of impact serious or critical: of the rule on contrast, or of all others."""
        if not self.tab.evaluate("() => Boolean(window.axe)"):
            self.tab.evaluate(EMPTY)
            self.tab.evaluate(self.axe)
        for found in self.tab.evaluate(AXE, contrast):
            if found["impact"] in GRAVE:
                nodes = found["nodes"]
                self.note("axe", f"{found['rule']} ({found['impact']}), {len(nodes)} x: {'; '.join(nodes[:3])}")

    def look(self, name, *, anew):
        """All four modes of one page; `anew` loads it in each, otherwise theme and width change on the way."""
        for theme in THEMES:
            for width in WIDTHS:
                if anew or (theme, width) == ("light", "desk"):
                    self.change(theme, width)
                    self.load(name)
                    self.measure()
                if anew:
                    self.ask_axe(contrast=False)
                    self.ask_axe(contrast=True)
        if not anew:
            self.change("light", "phone")
            self.measure()
            self.change("light", "desk")
            self.ask_axe(contrast=False)
            for theme in THEMES:
                self.change(theme, "desk")
                self.ask_axe(contrast=True)

    def glance(self, name):
        """One page in one mode."""
        self.change("light", "phone")
        self.load(name)
        self.measure()
        self.ask_axe(contrast=False)
        self.ask_axe(contrast=True)

    def dead_links(self):
        """Links to a page, file or anchor of the site that is not there."""
        for page, links in self.links.items():
            self.page = page
            self.mode = "any"
            for link in dict.fromkeys(links):
                address, anchor = urldefrag(link)
                if not address.startswith(self.start):
                    if urlparse(address).scheme == "file":
                        self.note("dead link", f"{link} lies outside of the site")
                    continue
                target = unquote(urlparse(address).path.removeprefix(urlparse(self.start).path))
                if not (self.site / target).is_file():
                    self.note("dead link", target or "./")
                elif anchor and target in self.anchors and unquote(anchor) not in self.anchors[target]:
                    self.note("dead anchor", f"{target}#{unquote(anchor)}")


def list_pages(site):
    """Names of the pages of a site, in the order of the alphabet."""
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html") if "_static" not in path.parts)


def inspect_site(site, executable, *, names=None, anew=False):
    """Faults of the pages of a folder (all of them, or those in `names`), each looked at in four modes.

    `anew` loads each page four times; otherwise once, with theme and width changed on the way.
    """
    from playwright.sync_api import Error

    with open_browser(executable) as browser:
        visit = Visit(browser, site)
        for name in names or list_pages(site):
            try:
                visit.look(name, anew=anew)
            except Error as error:
                visit.note("stopped", str(error))
        visit.dead_links()
    return visit.faults


def try_keyboard(site, executable):
    """Faults among the tasks of keyboard.py."""
    from keyboard import TASKS
    from playwright.sync_api import Error

    faults = []
    with open_browser(executable) as browser:
        for task in TASKS:
            context = browser.new_context(viewport={"width": WIDTHS["desk"], "height": 900})
            try:
                task(context.new_page(), f"{site.resolve().as_uri()}/")
            except (AssertionError, Error) as error:
                faults.append(Fault(task.__name__, "light, desk", "keyboard", str(error)[:300]))
            finally:
                context.close()
    return faults


def main(arguments=None):
    """Command line; the exit status is 1 if there are faults or no browser."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("site", type=Path, nargs="?", default=ROOT / "build" / "site")
    parser.add_argument("--anew", action="store_true", help="load each page in each of the four modes")
    parser.add_argument("--pages", nargs="+", metavar="NAME", help="such as index.html; without it, all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the faults to a file as well")
    chosen = parser.parse_args(arguments)
    executable = find_browser()
    if executable is None:
        print("no browser: install Chromium or Chrome, or name one in the variable CHROME", file=sys.stderr)
        return 1
    if not (chosen.site / "index.html").exists():
        print(f"no site in {chosen.site}: run make run first", file=sys.stderr)
        return 1
    faults = inspect_site(chosen.site, executable, names=chosen.pages, anew=chosen.anew)
    if not chosen.pages:
        faults += try_keyboard(chosen.site, executable)
    counts = Counter(fault.kind for fault in faults)
    if chosen.json:
        chosen.json.write_text(json.dumps([vars(fault) for fault in faults], indent=1), encoding="utf-8")
    for fault in faults:
        print(fault)
    number = len(chosen.pages or list_pages(chosen.site))
    print(f"{number} pages in {len(THEMES) * len(WIDTHS)} modes: {len(faults)} faults {dict(counts)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
