"""Every page of the site in a real browser, and what a reader would stumble over there.

`make gate` looks at all pages of build/site in light and dark, on a desk and on a telephone: errors on the console,
links and anchors that lead nowhere, formulas that MathJax cannot draw, pages wider than a telephone, requests to
elsewhere, and what axe finds seriously wrong. Playwright drives the installed Chromium or Chrome.
"""

import argparse
import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
WIDTHS = {"desk": 1280, "phone": 390}  # pixels
STILL = "* { transition: none !important; animation: none !important; }"
READ = """async () => {
    await window.MathJax?.startup?.promise;
    const words = (node) => node.textContent.trim();
    const faulty = "mjx-merror, [data-mml-node=merror], :is(div, span).math:not(:has(mjx-container))";
    const images = [...document.images].filter(
        (image) => (image.complete && !image.naturalWidth) || /[.](png|svg)$/.test(image.alt));
    return {
        formula: [...document.querySelectorAll(faulty)].map(words),
        image: images.map((image) => `${image.getAttribute("src")} is missing, or not described`),
        links: [...document.querySelectorAll("a[href]")].map(
            (link) => new URL(link.getAttribute("href"), document.baseURI).href),
        anchors: [...document.querySelectorAll("[id]")].map((node) => node.id),
    };
}"""
WIDE = """() => {
    const page = document.documentElement;
    return page.scrollWidth > page.clientWidth + 1 ? `${page.scrollWidth} of ${page.clientWidth} pixels` : "";
}"""
# The insides of formulas are many nodes without a word of their own.
AXE = """async () => {
    const rules = {resultTypes: ["violations"], preload: false};
    const {violations} = await axe.run({exclude: [["mjx-container > *"]]}, rules);
    return violations.filter(({impact}) => ["serious", "critical"].includes(impact)).map(({id, nodes}) =>
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

    with sync_playwright() as program:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
        browser = program.chromium.launch(executable_path=find_browser(), args=flags)
        yield browser
        browser.close()


class Visit:
    """One tab that goes from page to page and writes down faults, links and anchors."""

    def __init__(self, browser, site):
        from axe_playwright_python.base import AXE_SCRIPT

        self.axe = AXE_SCRIPT
        self.site = site
        self.start = f"{site.resolve().as_uri()}/"
        self.tab = browser.new_context(reduced_motion="reduce").new_page()
        self.tab.set_default_timeout(120_000)
        self.page = ""
        self.faults = {}  # (page, kind, what) -> None, each once and in order
        self.links = {}
        self.anchors = {}
        self.tab.on("console", lambda line: line.type == "error" and self.note("console", line.text))
        self.tab.on("pageerror", lambda error: self.note("console", str(error)))
        self.tab.on("requestfailed", lambda request: self.note("not loaded", request.url))
        self.tab.on("request", self.heed_request)

    def note(self, kind, what):
        """Write down a fault of the page."""
        self.faults[self.page, kind, " ".join(what.split())[:300]] = None

    def heed_request(self, request):
        """A page fetches nothing that does not belong to the site."""
        if not request.url.startswith((self.start, "data:", "blob:", "about:")):
            self.note("request to elsewhere", request.url)

    def look(self, name):
        """One page in both themes and widths."""
        self.page = name
        self.tab.goto(f"{self.start}{name}", wait_until="load")
        self.tab.add_style_tag(content=STILL)
        seen = self.tab.evaluate(READ)
        for kind in ("formula", "image"):
            for what in seen[kind]:
                self.note(kind, what)
        self.links[name] = seen["links"]
        self.anchors[name] = {*seen["anchors"], ""}
        self.tab.evaluate(self.axe)
        for theme in ("light", "dark"):
            for width, pixels in WIDTHS.items():
                self.tab.emulate_media(color_scheme=theme)
                self.tab.set_viewport_size({"width": pixels, "height": 900})
                if wide := self.tab.evaluate(WIDE):
                    self.note("overflow", f"{wide} ({width})")
                for found in self.tab.evaluate(AXE):
                    self.note("axe", f"{found} ({theme}, {width})")

    def follow_links(self):
        """Links to a page, file or anchor of the site that is not there."""
        for self.page, links in self.links.items():
            for link in links:
                address, anchor = urldefrag(link)
                path = unquote(urlparse(address).path.removeprefix(urlparse(self.start).path))
                if urlparse(address).scheme == "file" and not (self.site / path).is_file():
                    self.note("dead link", address)
                elif address.startswith(self.start) and unquote(anchor) not in self.anchors.get(path, {unquote(anchor)}):
                    self.note("dead anchor", f"{path}#{anchor}")


def list_pages(site):
    """Names of the pages of a site, in the order of the alphabet."""
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html") if "_static" not in path.parts)


def main(arguments=None):
    """Command line; the exit status is 1 if there are faults."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("site", type=Path, nargs="?", default=ROOT / "build" / "site")
    parser.add_argument("--pages", nargs="+", metavar="NAME", help="such as index.html; without it, all")
    chosen = parser.parse_args(arguments)
    if not (chosen.site / "index.html").exists():
        parser.error(f"no site in {chosen.site}: run make run first")
    if find_browser() is None:
        parser.error("no browser: install Chromium or Chrome, or name one in the variable CHROME")
    names = chosen.pages or list_pages(chosen.site)
    with open_browser() as browser:
        visit = Visit(browser, chosen.site)
        for name in names:
            visit.look(name)
        visit.follow_links()
    for page, kind, what in visit.faults:
        print(f"{page}: {kind}: {what}")
    print(f"{len(names)} pages in both themes and widths: {len(visit.faults)} faults")
    return 1 if visit.faults else 0


if __name__ == "__main__":
    sys.exit(main())
