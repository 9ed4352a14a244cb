"""What a reader opens: checks that passed, in one line; what came out of a prediction, hidden until asked for.

Both are HTML that opens by itself, in JupyterLab, VS Code, on a page and in a mail, with no kernel and no setting of
the front end (VS Code keeps no cell folded).
"""

import contextlib
import io
import re

from helpers.notebook.claims import recorded_claims
from helpers.notebook.display import KEY, collected, emit, escape

ANSWER = re.compile(
    r'\A<details class="honest-fold honest-answer"><summary>.*?</summary>\n(.*)\n</details>\Z', re.DOTALL
)


def fold(kind, summary, body):
    """HTML of a line that opens to `body`, which is HTML; `kind` names it for style sheets."""
    return f'<details class="honest-fold honest-{kind}"><summary>{escape(summary)}</summary>\n{body}\n</details>'


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
        return f'<img alt="{escape(alt)}"{size} src="data:image/png;base64,{bundle["image/png"]}">'
    return bundle.get("text/html") or f"<pre>{escape(_plain(bundle))}</pre>"


@contextlib.contextmanager
def prediction(summary="Show what came out"):
    """Context whose outputs stay closed until the reader, who has made a guess, opens them.

    Lines, tables and figures are put into one fold in the order in which they were made. Plain text shows them all.
    If the cell fails, they are shown as they are. What it means stands in the text below the cell, in ``<details>``: in
    the cell itself it would give the answer away.

    Parameters
    ----------
    summary : str, default "Show what came out"
        The line that a reader opens.

    Yields
    ------
    None
    """
    try:
        with collected() as pieces, contextlib.redirect_stdout(_Lines(pieces)):
            yield
    except BaseException:
        for bundle, metadata in pieces:
            emit(bundle | {"text/plain": _plain(bundle)}, metadata)
        raise
    body = "\n".join(_as_html(*piece) for piece in pieces)
    plain = "\n".join(filter(None, (_plain(bundle) for bundle, _ in pieces)))
    records = [claim for _, metadata in pieces for claim in recorded_claims(metadata.get(KEY, {}))]
    entry = {"prediction": True, "claims": records} if records else {"prediction": True}
    emit({"text/plain": plain, "text/html": fold("answer", summary, body)}, {KEY: entry})
