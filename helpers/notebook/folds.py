"""What a reader opens: checks that passed, in one line; what came out of a prediction, hidden until asked for.

Both are HTML that opens by itself, in JupyterLab, VS Code, on a page and in a mail, with no kernel and no setting of
the front end (VS Code keeps no cell folded).
"""

import contextlib
import html
import io
import re

from helpers.notebook.claims import recorded_claims
from helpers.notebook.display import KEY, collected, emit, escape

ANSWER = re.compile(
    r'\A.*?<details class="honest-fold honest-answer"><summary>.*?</summary>\n(.*)\n</details>(\n</div>)?\Z', re.DOTALL
)

CLOSED = "Show what came out"

# A choice that is opened opens the outcome too and stays beside it; the others go. Where a front end drops the style,
# or a browser is too old for it, the outcome has its own line to open, as where nothing is to be chosen.
CHOSEN = """.honest-choices { margin: 0.4rem 0; }
.honest-choices > .honest-choice { display: inline-block; margin: 0 0.5rem 0.5rem 0; }
.honest-choice > summary { cursor: pointer; list-style: none; }
.honest-choice > summary { padding: 0.3rem 0.9rem; border: 1px solid; border-radius: 0.4rem; }
.honest-choice > summary::-webkit-details-marker { display: none; }
.honest-choice[open] > summary { border-width: 2px; font-weight: 600; }
.honest-choice[open] > summary::before { content: "You said: "; font-weight: 400; }
.honest-choices:has(> .honest-choice[open]) > .honest-choice:not([open]) { display: none; }
@supports selector(::details-content) {
.honest-choices:not(:has(> .honest-choice[open])) > .honest-answer:not([open]) { display: none; }
.honest-choice ~ .honest-answer > summary { display: none; }
.honest-choice[open] ~ .honest-answer::details-content { content-visibility: visible; }
}"""


def fold(kind, summary, body):
    """HTML of a line that opens to `body`, which is HTML; `kind` names it for style sheets."""
    return f'<details class="honest-fold honest-{kind}"><summary>{escape(summary)}</summary>\n{body}\n</details>'


def _choose(choices, answer):
    """HTML of choices above the fold of their outcome: each is a fold itself, which keyboards and readers know."""
    options = "\n".join(
        f'<details class="honest-choice"><summary>{escape(choice)}</summary></details>' for choice in choices
    )
    head = f'<div class="honest-choices" role="group" aria-label="Your prediction">\n<style>\n{CHOSEN}\n</style>'
    return f"{head}\n{options}\n{answer}\n</div>"


def open_predictions(outputs):
    """Open what came out of predictions in outputs as nbformat reads them: a report has no questions."""
    for output in outputs:
        if output.get("metadata", {}).get(KEY, {}).get("prediction"):
            output["data"]["text/html"] = ANSWER.sub(r"\1", "".join(output["data"]["text/html"]))


def fold_claims(outputs):
    """One output, as (bundle, metadata), for those of claims that hold: in HTML a line that opens to a list."""
    lines = [bundle["text/plain"] for bundle, _ in outputs]
    items = "\n".join(f"<li>\n{escape(line)}</li>" for line in lines)
    count = f"{len(lines)} check{'s' if len(lines) > 1 else ''} passed"
    bundle = {"text/plain": "\n".join(lines), "text/html": fold("claims", count, f"<ul>\n{items}\n</ul>")}
    records = [claim for _, metadata in outputs for claim in recorded_claims(metadata[KEY])]
    return bundle, {KEY: {"claims": records}}


def is_claim(metadata):
    """Whether an output's metadata are those of a claim."""
    return bool(recorded_claims(metadata.get(KEY, {})))


@contextlib.contextmanager
def folded():
    """Context whose claims are shown as one line, "4 checks passed", that opens to what each of them says.

    A claim that fails is never folded: it and those before it are shown as they are. Other outputs come first.

    Yields
    ------
    None
    """
    try:
        with collected() as outputs:
            yield
    except BaseException:
        for output in outputs:
            emit(*output)
        raise
    claims = [output for output in outputs if is_claim(output[1])]
    for output in outputs:
        if output not in claims:
            emit(*output)
    if claims:
        emit(*fold_claims(claims))


class _Lines(io.TextIOBase):
    """A stream that puts what is written into a list of outputs, between the others."""

    def __init__(self, pieces):
        self.pieces = pieces

    def write(self, text):
        if self.pieces and self.pieces[-1][0].keys() == {"text/plain"}:
            self.pieces[-1][0]["text/plain"] += text
        else:
            self.pieces.append(({"text/plain": text}, {}))
        return len(text)


def _plain(bundle):
    """The plain text of one output, without the end of its last line."""
    return bundle.get("text/plain", "").rstrip("\n")


def _as_html(bundle, metadata):
    """One output of a cell as HTML."""
    if "image/png" in bundle:
        alt = metadata.get(KEY, {}).get("alt", "")
        width = metadata.get("image/png", {}).get("width")
        size = f' width="{width}"' if width else ""
        return f'<img alt="{html.escape(alt)}"{size} src="data:image/png;base64,{bundle["image/png"]}">'
    return bundle.get("text/html") or f"<pre>{escape(_plain(bundle))}</pre>"


@contextlib.contextmanager
def prediction(*choices):
    """Context whose outputs stay closed until the reader has made a guess.

    Lines, tables and figures are put into one fold in the order in which they were made. Plain text shows them all.
    If the cell fails, they are shown as they are. What it means stands in the text below the cell, in ``<details>``: in
    the cell itself it would give the answer away.

    Parameters
    ----------
    *choices : str
        Two to four guesses, each a button: the one that is pressed opens the outcome and stays beside it. Without any
        the reader opens a line, "Show what came out".

    Yields
    ------
    None

    Raises
    ------
    ValueError
        For one choice, for more than four, and for two that are the same.
    """
    if len(choices) not in (0, 2, 3, 4) or len({*choices}) < len(choices):
        raise ValueError(f"choices must be two to four that differ, or none, but they are {choices!r}.")
    try:
        with collected() as pieces, contextlib.redirect_stdout(_Lines(pieces)):
            yield
    except BaseException:
        for bundle, metadata in pieces:
            emit(bundle | {"text/plain": _plain(bundle)}, metadata)
        raise
    page = fold("answer", CLOSED, "\n".join(_as_html(*piece) for piece in pieces))
    if choices:
        page = _choose(choices, page)
    plain = "\n".join(filter(None, (_plain(bundle) for bundle, _ in pieces)))
    records = [claim for _, metadata in pieces for claim in recorded_claims(metadata.get(KEY, {}))]
    entry = {"prediction": True, "claims": records} if records else {"prediction": True}
    emit({"text/plain": plain, "text/html": page}, {KEY: entry})
