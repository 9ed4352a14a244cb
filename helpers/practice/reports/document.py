"""The page of a report: one builder for notebooks, Python and files."""

import json
import os
from collections import Counter
from contextlib import contextmanager
from datetime import date
from functools import cached_property, reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

import pandas as pd

import helpers
from helpers import _progress
from helpers.checks import check_one_of, check_rng
from helpers.notebook import figure, folds, table
from helpers.notebook.display import collected, emit, escape
from helpers.notebook.page import page_of
from helpers.plotting.style import own_style
from helpers.practice.reports.findings import Severity, Words, as_json, fill, steps_of, table_of, words

PAGE = "report.html"

MOST_ON_TOP = 8  # findings of the first screen
MOST_OF_A_PART = 3  # of these


def show_text(*paragraphs):
    """Show sentences as running text.

    Parameters
    ----------
    *paragraphs : str
        Plain texts; what looks like markup in them is shown as it is written.

    Examples
    --------
    >>> show_text("The scores are fine.")
    The scores are fine.
    """
    body = "\n".join(f"<p>{escape(text)}</p>" for text in paragraphs)
    _emit("\n\n".join(paragraphs), body)


def _emit(plain, body):
    emit({"text/plain": plain, "text/html": f'<div class="honest-say">\n{body}\n</div>'})


def show_heading(title, text=""):
    """Show a heading of a report, with text below it.

    Parameters
    ----------
    title : str
        The heading.
    text : str, default ""
        What follows it, as Markdown.

    Examples
    --------
    >>> show_heading("Files beside this page")
    ## Files beside this page
    """
    words = f"## {title}\n\n{text}".strip()
    emit({"text/plain": words, "text/markdown": words})


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
    """What all reports share: findings, sentences, the page and files beside it.

    A subclass gives `words`, and `find()` (a list of findings), `figure_names`, `draw(name)`, `file_names` and
    `write(folder, rng)` ({file: what it holds}). The first screen is the answer: the one finding of the part "use",
    then the gravest others and what to do.
    """

    words: ClassVar[Words]
    least_advised: ClassVar[Severity] = Severity.GOOD  # severity from which a finding calls for a step

    @cached_property
    def found(self):
        """The findings as a list of `Finding`: what forbids any use, the use, then the gravest."""

        def place(finding):
            is_use = self.words.kinds[finding.kind].part == "use"
            return finding.severity < Severity.GRAVE, not is_use, -finding.severity

        return sorted(self.find(), key=place)

    @property
    def findings(self):
        """The findings as a table: kind, subject, value, low, high, unit, p_value, n, severity, sentence."""
        return table_of(self.found, self.words.kinds)

    @property
    def steps(self):
        """What to do, in order: a table of `What` (the index) and `How`."""
        kinds = self.words.kinds
        findings = sorted(self.found, key=lambda finding: not kinds[finding.kind].is_before)
        return steps_of(findings, kinds, self.least_advised)

    @property
    def headline(self):
        """The first sentence of the page: may they be used?"""
        return self.sentences("use")[0]

    def sentences(self, part):
        """The sentences of a part, one for each of its findings."""
        return [self._sentence(finding) for finding in self._findings_of(part)]

    def _findings_of(self, part):
        return [finding for finding in self.found if self.words.kinds[finding.kind].part == part]

    def _sentence(self, finding):
        return words(finding, self.words.kinds[finding.kind].sentence)

    @property
    def before(self):
        """Sentences that stand above the answer: what was assumed about rows, columns and answers."""
        return [self._sentence(finding) for finding in self.found if self.words.kinds[finding.kind].is_before]

    @property
    def on_top(self):
        """Sentences of the gravest findings, as many as fit on the first screen, in the order of the page."""
        places = ["use", *self.words.parts]
        chosen = []
        per_part = Counter()
        candidates = [finding for finding in self.found if self._is_on_top(finding)]
        for finding in candidates:
            part = self.words.kinds[finding.kind].part
            per_part[part] += 1
            if per_part[part] <= MOST_OF_A_PART:
                chosen.append(finding)
        del chosen[MOST_ON_TOP:]
        rest = len(candidates) - len(chosen)
        chosen.sort(key=lambda one: (one.severity < Severity.GRAVE, places.index(self.words.kinds[one.kind].part)))
        return [*map(self._sentence, chosen), *([f"{rest} more: see the parts below."] if rest else [])]

    def _is_on_top(self, finding):
        kind = self.words.kinds[finding.kind]
        is_shown = finding.severity >= Severity.SERIOUS if kind.on_top is None else kind.on_top
        return is_shown and kind.part != "use"

    def __str__(self):
        steps = [f"{k}. {what}" for k, what in enumerate(self.steps.index, 1)]
        return "\n".join([*self.before, self.headline, *self.on_top, *steps])

    def _repr_html_(self):
        with collected() as outputs:
            self.show("answer")
        return "\n".join(bundle["text/html"] for bundle, _ in outputs)

    # ---- the page -----------------------------------------------------------------------------------------------

    def show(self, *names, titles=True):
        """Show parts of the page by their names ("answer": the first screen); the whole page if none is named.

        Without `titles` they have no headings, and no words on how to read them.
        """
        known = ["answer", *self.words.parts]
        for name in names:
            check_one_of(name, "names", known)
        for name in names or known:
            if name == "answer":
                self._show_answer()
            elif self._has(name):
                part = self.words.parts[name]
                if titles and not part.folded:
                    show_heading(part.title, part.text)
                (self._show_folded if part.folded else self._show_part)(name)

    def _show_answer(self):
        body = "".join(f"<p>{escape(text)}</p>\n" for text in self.before)
        body += f"<p><strong>{escape(self.headline)}</strong></p>\n"
        if self.on_top:
            body += "<ul>\n" + "\n".join(f"<li>{escape(text)}</li>" for text in self.on_top) + "\n</ul>"
        _emit("\n".join([*self.before, self.headline, *(f"- {text}" for text in self.on_top)]), body)
        if len(self.steps):
            table(self.steps.rename_axis("What to do"))

    def _has(self, name):
        """Whether a part has anything to show."""
        part = self.words.parts[name]
        is_text = part.text and not part.shows
        return bool(is_text or part.empty or self.sentences(name)) or any(map(self._is_there, part.shows))

    def _is_there(self, item):
        kind, _, name = item.partition(":")
        return name in self.figure_names if kind == "figure" else self._table(name) is not None

    def _table(self, name):
        """A table of the report, "name" or "part.name"; None where it, or the part, is not there."""
        return reduce(lambda one, part: None if one is None else getattr(one, part), name.split("."), self)

    def _show_part(self, name):
        part = self.words.parts[name]
        findings = self._findings_of(name)
        sentences = [self._sentence(finding) for finding in findings[: part.most]]
        if rest := findings[part.most :]:
            in_tables = self._subjects_in_tables(part)
            n_more = sum(finding.subject in in_tables for finding in rest)
            sentences += [f"{n_more} more: see the table."] if n_more else []
        if sentences or part.empty:
            show_text(*(sentences or [part.empty]))
        for item in filter(self._is_there, part.shows):
            kind, _, shown = item.partition(":")
            if kind == "figure":
                picture = self.words.figures[shown]
                texts = [fill(text, report=self) for text in (picture.alt, picture.caption, picture.title)]
                figure(self.draw(shown), *texts)
            else:
                picture = self.words.figures.get(shown)
                table(self._table(shown), None if picture is None else picture.caption)

    def _subjects_in_tables(self, part):
        """Subjects with a row in a table of a part: what is said of no single group stands at the top."""
        names = (item.partition(":")[2] for item in part.shows if item.startswith("table:"))
        tables = [table for table in map(self._table, names) if table is not None]
        return {subject for table in tables for subject in table.iloc[:, 0].astype(str)}

    def _show_folded(self, name):
        part = self.words.parts[name]
        with collected() as outputs:
            if part.text:
                show_text(part.text)
            self._show_part(name)
        plain = "\n\n".join([part.title, *(bundle["text/plain"] for bundle, _ in outputs if "text/plain" in bundle)])
        body = "\n".join(bundle["text/html"] for bundle, _ in outputs if "text/html" in bundle)
        emit({"text/plain": plain, "text/html": folds.fold("more", part.title, body)})

    def html(self, files=None):
        """The page as one HTML document that needs no other file and no network; `files` (a row each) lie beside it."""
        with own_style(), collected() as outputs:
            self.show()
            if files is not None:
                show_heading("Files beside this page")
                table(files)
        title, text = self.words.title.removeprefix("# ").split("\n\n", 1)
        note = f"Made on {date.today():%d %B %Y} with honest-confidence {helpers.__version__}."
        return page_of(title, text, outputs, note)

    # ---- files --------------------------------------------------------------------------------------------------

    def save(self, folder, *, overwrite=False, rng=0):
        """Write the page (report.html) and the files of `save_files` into a folder; the path of the page.

        ValueError if one of them is there already and `overwrite` is False; nothing is written then. `overwrite`
        replaces them all, and removes those that this report does not have. Until all are written the folder stays as
        it was.
        """
        folder = check_free(folder, [PAGE, *self.file_names], overwrite)
        with self._new_files(folder, rng) as (new, files):
            (new / PAGE).write_text(self.html(files), encoding="utf-8")
        return folder / PAGE

    def save_files(self, folder, *, overwrite=False, rng=0):
        """Write findings.json and the tables of the report into a folder; a row a file: what it holds.

        `overwrite` as in `save`.
        """
        folder = check_free(folder, self.file_names, overwrite)
        with self._new_files(folder, rng) as (_, files):
            return files

    @contextmanager
    def _new_files(self, folder, rng):
        """Write the files, and others in the block, into a folder beside; they take the old ones' places at its end."""
        with TemporaryDirectory(prefix=".", dir=folder) as new:
            new = Path(new)
            about = as_json(self.found, self.words.kinds, made_with=helpers.__version__)
            text = json.dumps(about, indent=1, ensure_ascii=False, allow_nan=False)
            (new / "findings.json").write_text(text + "\n", encoding="utf-8")
            with _progress.told(1):
                _progress.step("files beside the page")
                holds = self.write(new, check_rng(rng))
            yield new, pd.DataFrame({"What it holds": list(holds.values())}, index=pd.Index(list(holds), name="File"))
            for name in set(self.file_names) - set(holds):
                (folder / name).unlink(missing_ok=True)  # of an earlier report
            for path in new.iterdir():
                os.replace(path, folder / path.name)
