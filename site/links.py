"""Links that the prose of a lesson gets: to lessons, terms, papers, functions and equations of the page."""

import re
from dataclasses import dataclass
from html import escape

# Fences, formulas, code, links, headings and tags stay as they are.
VERBATIM = re.compile(
    r"(^`{3,}.*?^`{3,}|\$\$.*?\$\$|\$[^$\n]+\$|\\begin\{.*?\\end\{[^}]*\}|`[^`\n]*`|\[[^\]\n]*\]\([^)\n]*\)|^#[^\n]*$"
    r"|<a\b.*?</a>|<summary\b.*?</summary>|<[^>\n]*>)",
    re.DOTALL | re.MULTILINE,
)
NUMBERS = re.compile(r"\b([Nn]otebooks? )(\d\d(?:(?:, | and | or | to )\d\d)*)\b")
SURNAMES = r"(?:,? (?:& |and )?(?:Le )?[A-Z][\w-]+)*"
PAPER = re.compile(rf"\b(Perez-Lebel|Melo|Estienne|Wang){SURNAMES}(?: et al\.| \((\d{{4}})\))+")
EQUATION = re.compile(r"\b((?:[Ee]quations?|[Ee]qs?\.|[Ff]ormula|[Ee]stimate|[Bb]y|[Ii]n|of|from) )(\(([\w.]+)\))")
PERCENT = re.compile(" (?=%)")  # a line that ends in 60 and goes on with % is hard to read
CODE = re.compile(r"\A`(?:helpers\.\w+\.)?([\w.]+)(?:\(\))?`\Z")  # a function, or a row of the ledger
CLAIM = re.compile(r"^(\w+\.\w+)(?= holds)", re.MULTILINE)


@dataclass(frozen=True)
class Targets:
    """What links lead to: lessons by number, entries of the glossary, papers by author, functions, claims."""

    lessons: dict
    terms: list
    papers: dict
    functions: dict
    claims: dict


def outside(pattern, link, text):
    """The text with each match of a pattern replaced, but not in code, formulas, headings, links and tags."""
    pieces = VERBATIM.split(text)
    pieces[::2] = [pattern.sub(link, piece) for piece in pieces[::2]]
    return "".join(pieces)


def anchor(kind, address, words, says):
    """A link with a note for who hovers over it."""
    return f'<a class="{kind}" href="{address}" title="{escape(says)}">{words}</a>'


class PageLinks:
    """The links of one page, from which `up` leads to the first page; a term is a link where it is first used."""

    def __init__(self, targets, up):
        self.targets = targets
        self.up = up
        self.used = set()
        self.equations = set()
        self.entries = {form.lower(): entry for entry in targets.terms for form in entry["forms"]}
        forms = "|".join(re.escape(form) for form in sorted(self.entries, key=len, reverse=True))
        self.terms = re.compile(rf"(?<![\w-])({forms or '(?!)'})(?![\w-])", re.IGNORECASE)

    def prose(self, text, *, with_terms=True):
        """Markdown with links, and with no break before a per cent sign."""
        pieces = VERBATIM.split(text)
        pieces[1::2] = [CODE.sub(self._code, piece) for piece in pieces[1::2]]
        text = "".join(pieces)
        text = outside(PERCENT, "\N{NO-BREAK SPACE}", text)
        text = outside(NUMBERS, lambda match: match[1] + re.sub(r"\d\d", self._lesson, match[2]), text)
        text = outside(EQUATION, self._equation, text)
        text = outside(PAPER, self._paper, text)
        return outside(self.terms, self._term, text) if with_terms else text

    def claims(self, text):
        """HTML whose names of claims lead to the ledger."""
        return CLAIM.sub(self._claim, text)

    def _code(self, match):
        if match[1] in self.targets.claims:
            return anchor(
                "claim", f"{self.up}ledger.html#{match[1]}", f"<code>{match[1]}</code>", self.targets.claims[match[1]]
            )
        place = self.targets.functions.get(match[1])
        return f"{{py:obj}}`{match[0][1:-1]} <{place}>`" if place else match[0]

    def _lesson(self, match):
        stem = self.targets.lessons.get(match[0])
        return f"[{match[0]}]({self.up}notebooks/{stem}.ipynb)" if stem else match[0]

    def _equation(self, match):
        known = match[3] in self.equations  # MathJax names the place of each \tag
        return f'{match[1]}<a href="#mjx-eqn:{match[3]}">{match[2]}</a>' if known else match[0]

    def _paper(self, match):
        paper = self.targets.papers.get(match[1])
        if not paper or match[2] not in (None, str(paper["year"])):  # another paper by somebody of this name
            return match[0]
        return anchor("paper", f"{self.up}index.html#{paper['anchor']}", match[0], paper["says"])

    def _term(self, match):
        entry = self.entries[match[0].lower()]
        if entry["term"] in self.used:
            return match[0]
        self.used.add(entry["term"])
        return anchor("term", f"{self.up}glossary.html#{entry['anchor']}", match[0], entry["means"])

    def _claim(self, match):
        says = self.targets.claims.get(match[1])
        return anchor("claim", f"{self.up}ledger.html#{match[1]}", match[1], says) if says else match[0]
