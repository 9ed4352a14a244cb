"""The page of a report: one builder for notebooks, Python and files.

A report names its parts; each shows its findings as sentences, then its tables and figures.
"""

import json
from collections import Counter
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import helpers
from helpers.checks import check_one_of
from helpers.notebook import figure, folds, table
from helpers.notebook.display import collected, emit, escape
from helpers.plotting.style import own_style
from helpers.reports.findings import Severity, as_json, fill, in_order, steps_of, table_of, words

MOST_ON_TOP = 8  # findings of the first screen
MOST_OF_A_PART = 3  # of these


@dataclass(frozen=True)
class Part:
    """A part of a page.

    text : markdown below the heading: how to read what follows
    shows : "table:name" for an attribute of the report that is a DataFrame or None, "figure:name" for a figure
    folded : whether it stands behind a click
    most : sentences that it shows; its tables hold the others
    """

    title: str
    text: str = ""
    shows: tuple = ()
    folded: bool = False
    most: int = 12


@dataclass(frozen=True)
class Figure:
    """A figure of a page: its caption, and a template of what it shows for those who cannot see it."""

    caption: str
    alt: str


def say(*paragraphs):
    """Show sentences as running text.

    Parameters
    ----------
    *paragraphs : str
        Plain texts; what looks like markup in them is shown as it is written.

    Examples
    --------
    >>> say("The scores are fine.")
    The scores are fine.
    """
    body = "\n".join(f"<p>{escape(text)}</p>" for text in paragraphs)
    emit({"text/plain": "\n\n".join(paragraphs), "text/html": f'<div class="honest-say">\n{body}\n</div>'})


def check_free(folder, names, overwrite):
    """The folder, made if it is not there; ValueError if one of some files is, and may not be overwritten."""
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"folder must be a folder, but {folder} is a file.")
    taken = [name for name in names if (folder / name).exists()]
    if taken and not overwrite:
        raise ValueError(f"{folder / taken[0]} is there already: choose another folder, or overwrite=True.")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Report:
    """What all reports share: findings, sentences and the page.

    A subclass gives `title` (markdown), `kinds`, `parts` and `figures`, and the methods `find()` (a list of findings),
    `draw(name)`, `figure_names`, `parameter_table` and `save_files(folder, overwrite=False)`. Its first part is the
    answer: the one finding of the part "use" as a headline, then the gravest others and what to do.
    """

    title: ClassVar[str]
    kinds: ClassVar[dict]
    parts: ClassVar[dict]
    figures: ClassVar[dict] = {}

    @cached_property
    def found(self):
        """The findings as a list of `Finding`, the gravest first."""
        return in_order(self.find(), self.kinds)

    @property
    def findings(self):
        """The findings as a table: kind, subject, value, low, high, unit, p_value, n, severity, sentence."""
        return table_of(self.found, self.kinds)

    @property
    def steps(self):
        """What to do, in order: a table of `What` (the index) and `How`."""
        return steps_of(self.found, self.kinds)

    def sentences(self, part):
        """The sentences of a part, one for each of its findings."""
        chosen = [finding for finding in self.found if self.kinds[finding.kind].part == part]
        return [words(finding, self.kinds[finding.kind].sentence) for finding in chosen]

    @property
    def headline(self):
        """The first sentence of the page: may they be used?"""
        return self.sentences("use")[0]

    @property
    def on_top(self):
        """Sentences of the gravest findings, as many as fit on the first screen, in the order of the page."""
        places = list(self.parts)
        candidates = sorted(filter(self._is_on_top, self.found), key=lambda one: one.severity < Severity.GRAVE)
        chosen = []
        per_part = Counter()
        for finding in candidates:
            part = self.kinds[finding.kind].part
            per_part[part] += 1
            if per_part[part] <= MOST_OF_A_PART:
                chosen.append(finding)
        del chosen[MOST_ON_TOP:]
        rest = len(candidates) - len(chosen)
        chosen.sort(key=lambda one: (one.severity < Severity.GRAVE, places.index(self.kinds[one.kind].part)))
        shown = [words(finding, self.kinds[finding.kind].sentence) for finding in chosen]
        return shown + ([f"{rest} more: see the parts below."] if rest else [])

    def _is_on_top(self, finding):
        kind = self.kinds[finding.kind]
        is_shown = finding.severity >= Severity.SERIOUS if kind.on_top is None else kind.on_top
        return is_shown and kind.part != "use"

    def __str__(self):
        steps = [f"{k}. {what}" for k, what in enumerate(self.steps.index, 1)]
        return "\n".join([self.headline, *self.on_top, *steps])

    def _repr_html_(self):
        with collected() as outputs:
            self.show_answer()
        return "\n".join(bundle["text/html"] for bundle, _ in outputs)

    def as_json(self):
        """The findings as a dictionary for findings.json."""
        return as_json(self.found, self.kinds, made_with=helpers.__version__)

    def show_answer(self):
        """Show the first screen: the headline, the gravest findings and what to do."""
        headline = self.headline
        on_top = self.on_top
        steps = self.steps
        body = f"<p><strong>{escape(headline)}</strong></p>\n"
        if on_top:
            body += "<ul>\n" + "\n".join(f"<li>{escape(text)}</li>" for text in on_top) + "\n</ul>"
        plain = "\n".join([headline, *(f"- {text}" for text in on_top)])
        emit({"text/plain": plain, "text/html": f'<div class="honest-say">\n{body}\n</div>'})
        if len(steps):
            table(steps.rename_axis("What to do"))

    def show(self, *names):
        """Show parts of the page by their names ("answer": the first screen); all that there are if none is named."""
        for name in names:
            check_one_of(name, "names", ["answer", *self.parts])
        for name in names or ["answer", *self.parts]:
            if name == "answer":
                self.show_answer()
            elif self.has(name):
                (self._show_folded if self.parts[name].folded else self._show_part)(name)

    def has(self, name):
        """Whether a part has anything to show."""
        part = self.parts[name]
        return bool(self.sentences(name)) or any(self._is_there(item) for item in part.shows)

    def _is_there(self, item):
        kind, _, name = item.partition(":")
        return name in self.figure_names if kind == "figure" else getattr(self, name) is not None

    def _show_part(self, name):
        sentences = self.sentences(name)
        most = self.parts[name].most
        if len(sentences) > most:
            sentences = [*sentences[:most], f"{len(sentences) - most} more: see the table."]
        if sentences:
            say(*sentences)
        for item in self.parts[name].shows:
            if not self._is_there(item):
                continue
            kind, _, shown = item.partition(":")
            if kind == "figure":
                caption = self.figures[shown].caption
                figure(self.draw(shown), fill(self.figures[shown].alt, report=self), caption)
            else:
                table(getattr(self, shown))

    def _show_folded(self, name):
        title = self.parts[name].title
        with collected() as outputs:
            if self.parts[name].text:
                say(self.parts[name].text)
            self._show_part(name)
        plain = "\n\n".join([title, *(bundle["text/plain"] for bundle, _ in outputs if "text/plain" in bundle)])
        body = "\n".join(bundle["text/html"] for bundle, _ in outputs if "text/html" in bundle)
        emit({"text/plain": plain, "text/html": folds.fold("more", title, body)})

    def save(self, folder, *, overwrite=False, **options):
        """Write the page (report.html) and the files of `save_files`, findings.json among them.

        Parameters
        ----------
        folder : str or Path
            Where to; made if it is not there.
        overwrite : bool, default False
            Whether files of these names may be replaced.
        **options
            Further ones of `save_files`.

        Returns
        -------
        Path
            The page.

        Raises
        ------
        ValueError
            If a file is there already; nothing is written then.
        """
        from helpers.notebook.page import check_stack

        check_stack()
        path = check_free(folder, ["report.html"], overwrite) / "report.html"
        files = self.save_files(folder, overwrite=overwrite, **options)
        path.write_text(self.html(files), encoding="utf-8")
        return path

    def write_findings(self, folder):
        """Write findings.json into a folder."""
        text = json.dumps(self.as_json(), indent=1, ensure_ascii=False, allow_nan=False)
        (Path(folder) / "findings.json").write_text(text + "\n", encoding="utf-8")

    def html(self, files=None):
        """The page as one HTML document that needs no other file and no network; `files` (a row each) lie beside it."""
        import nbformat.v4 as v4  # takes a second or two, and only who saves a page needs it

        from helpers.notebook.page import check_stack, to_html

        check_stack()
        cells = []

        def add(markdown, *shows):
            with own_style(), collected() as outputs:
                for show in shows:
                    show()
            cells.append(v4.new_markdown_cell(markdown))
            shown = [v4.new_output("display_data", dict(data), metadata=about) for data, about in outputs]
            if shown:
                cells.append(v4.new_code_cell("", outputs=shown))

        add(self.title, self.show_answer)
        for name, part in self.parts.items():
            if self.has(name) or (part.text and not part.shows):
                heading = "" if part.folded else f"## {part.title}\n\n{part.text}"
                add(heading, *([lambda name=name: self.show(name)] if self.has(name) else []))
        if files is not None:
            add("## Files beside this page", lambda: table(files))
        note = f"Made on {date.today():%d %B %Y} with honest-confidence {helpers.__version__}."
        return to_html(v4.new_notebook(cells=cells), note=note)
