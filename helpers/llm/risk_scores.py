"""Scores of single cases from next-token probabilities, and the table that `helpers.tables.scores` reads.

Each case is described to the model in lines, with a question and two options; its score is the probability of the
first option among the two (Melo et al. 2026, section 4.2).
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.checks import check_count, check_labels, nearest_name
from helpers.llm.answers import save_table
from helpers.llm.confidences import check_options, option_masses
from helpers.llm.endpoint import Endpoint
from helpers.llm.plan import FEW_TOKENS
from helpers.llm.prompts import Prompt, load_prompt
from helpers.llm.questions import text_key
from helpers.llm.runner import Usage, ask, estimate
from helpers.llm.send import Request


@dataclass(frozen=True)
class ScorePlan:
    """Cases and a question about them, as they will be sent.

    names : (n,) name of each case; cases : (n,) what the model is told about it; labels : (n,) 0/1, or None
    """

    endpoint: Endpoint
    question: str
    options: tuple
    names: np.ndarray = field(repr=False)
    cases: tuple = field(repr=False)
    labels: np.ndarray | None = field(repr=False)
    features: pd.DataFrame = field(repr=False)
    prompt: Prompt
    seed: int | None = None

    @property
    def header(self):
        """What the first line of the file says, without the format."""
        return {
            "kind": "scores",
            "model": self.endpoint.name,
            "prompts": {"score": self.prompt.sha256},
            "temperature": 1.0,
            "max_tokens": FEW_TOKENS,
            "seed": self.seed,
            "extra": self.endpoint.extra_digest,
            "questions": self.question,
            "options": list(self.options),
        }

    def request(self, case):
        """The request about one case."""
        values = {"case": case, "question": self.question, "options": ", ".join(self.options)}
        messages, top = self.prompt.messages(**values), self.endpoint.top_logprobs
        return Request("score", text_key(case), messages, (0,), 1.0, FEW_TOKENS, top=top, seed=self.seed)

    def missing(self, records):
        """Requests about the cases that no record answers; equal cases are asked once."""
        there = {record["key"] for record in records if record["kind"] == "score"}
        return [self.request(case) for case in dict.fromkeys(self.cases) if text_key(case) not in there]

    def preview(self, k=1):
        """The very messages that would be sent for the first `k` cases, one a row; nothing is sent."""
        shown = [self.request(case) for case in self.cases[: check_count(k, "k")]]
        messages = [message for request in shown for message in request.messages]
        columns = {"role": [one["role"] for one in messages], "text": [one["content"] for one in messages]}
        return pd.DataFrame({"step": "score", "n": 1} | columns)

    def __str__(self):
        what = f"scores of {len(self.cases):,} cases by {self.endpoint.name}"
        return str(estimate(what, self.missing([]), self.endpoint))


@dataclass(frozen=True)
class CollectedScores:
    """Scores collected so far.

    scores : DataFrame, a row a case with a score: case, score, label (if known) and the features, for notebook 13
    details : DataFrame: case, mass (probability of both options together: small where the model says something else),
        text (its reply), model and prompt_hash
    missing : DataFrame: case, why
    usage : `Usage` of the file
    """

    plan: ScorePlan = field(repr=False)
    scores: pd.DataFrame = field(repr=False)
    details: pd.DataFrame = field(repr=False)
    missing: pd.DataFrame = field(repr=False)
    usage: Usage
    notes: tuple = ()

    def log(self):
        """One line of what happened."""
        lost = "none missing" if self.missing.empty else f"{len(self.missing):,} missing"
        mass = f", mass of the options {self.details['mass'].mean():.3f} on average" if len(self.details) else ""
        notes = "".join(f"; {note}" for note in self.notes)
        return f"{len(self.scores):,} scores, {lost}{mass}; {self.usage}{notes}"

    def save_scores(self, path, *, overwrite=False):
        """Write `scores` for `helpers.tables.read_scores` and notebook 13, as CSV (.csv, .csv.gz).

        ValueError if the file is there, unless `overwrite`.
        """
        save_table(self.scores, path, overwrite)

    def __str__(self):
        return self.log()


def plan_risk_scores(
    rows, endpoint, *, question, options=("Yes", "No"), label=None, case=None, features=None, prompt="risk", seed=None
):
    """Plan the scores of cases; print the plan and look at `.preview()`. Sends nothing.

    Parameters
    ----------
    rows : DataFrame, a row a case
    endpoint : `Endpoint` that gives log-probabilities
    question : text that the two options answer; options : the first is the one whose probability is the score
    label : column with what happened, 1 where the first option was right, or None; the model never sees it
    case : column that names each case once, or None for the row numbers from 1
    features : columns that the model is told, or None for all others; cells that are missing are left out
    prompt : "risk" or a path of your own with {case}, {question} and {options}
    seed : whole number sent to servers that can repeat a draw, or None

    Raises
    ------
    ValueError for columns that are not there or have a name of the result, labels other than 0 and 1, a case named
    twice, or options that are not two.

    >>> rows = pd.DataFrame({"age": [52, 31], "work": ["nurse", None]})
    >>> plan = plan_risk_scores(rows, Endpoint("http://localhost:8000/v1", "qwen3"), question="Does this person smoke?")
    >>> plan.cases
    ('- age: 52\\n- work: nurse', '- age: 31')
    """
    if not isinstance(rows, pd.DataFrame) or not len(rows):
        raise ValueError("rows must be a DataFrame with at least one row.")
    if not isinstance(endpoint, Endpoint):
        raise ValueError("endpoint must be an Endpoint.")
    if not isinstance(question, str) or not question.strip():
        raise ValueError("question must be a text, but it is empty.")
    check_options(options)
    chosen = [name for name in rows.columns if name not in (label, case)] if features is None else list(features)
    for name in [*chosen, *(one for one in (label, case) if one is not None)]:
        if list(rows.columns).count(name) != 1:
            hint = nearest_name(name, rows.columns, "column")
            raise ValueError(f"rows must have one column {name!r}, but it has {list(rows.columns).count(name)}; {hint}")
    if label in chosen and label is not None:
        raise ValueError(f"features must not hold the label {label!r}: the model would be told the answer.")
    taken = [name for name in chosen if name in ("case", "score", "label")]
    if taken or not chosen:
        word = f"{taken[0]!r} is a column of the result; rename it" if taken else "there is none"
        raise ValueError(f"features must be columns to describe a case by, but {word}.")
    names = np.arange(1, len(rows) + 1) if case is None else rows[case].to_numpy()
    if pd.isna(names).any() or len(set(names)) < len(names):
        raise ValueError(f"{case} must name each case once, but some names are missing or occur twice.")
    labels = None if label is None else check_labels(rows[label].to_numpy(), label).astype(int)
    told, options = rows[chosen].reset_index(drop=True), tuple(str(one).strip() for one in options)
    return ScorePlan(
        endpoint, question.strip(), options, names, _describe(told), labels, told, load_prompt(prompt, "score"), seed
    )


def _describe(frame):
    """What the model is told about each row: one line a cell that is there."""
    columns = [[None if pd.isna(cell) else f"- {name}: {_shown(cell)}" for cell in frame[name]] for name in frame]
    cases = tuple("\n".join(line for line in lines if line) for lines in zip(*columns, strict=True))
    if not all(cases):
        raise ValueError(f"rows must tell something about every case, but row {cases.index('') + 1:,} is empty.")
    return cases


def _shown(cell):
    """A cell as a reader would write it, on one line."""
    return f"{cell:.15g}" if isinstance(cell, float) else " ".join(str(cell).split())


def collect_risk_scores(
    rows, endpoint, path, *, question, options=("Yes", "No"), label=None, case=None, features=None, prompt="risk",
    seed=None, spend_limit=1.0, confirm=None, progress=True,
):  # fmt: skip
    """Ask for the scores of cases that are not yet in the file: P(first option) / (P(first) + P(second)).

    Parameters
    ----------
    rows, endpoint, question, options, label, case, features, prompt, seed : see `plan_risk_scores`
    path, spend_limit, confirm, progress : see `collect_answers`

    Returns
    -------
    CollectedScores. A case in which neither option is among the likeliest tokens has no score and is listed in
    `.missing`, as is one whose request failed; the latter are asked again by the next start.

    Raises
    ------
    As `plan_risk_scores` and `collect_answers`.
    """
    plan = plan_risk_scores(
        rows, endpoint, question=question, options=options, label=label, case=case, features=features, prompt=prompt,
        seed=seed,
    )  # fmt: skip
    asked = {"spend_limit": spend_limit, "confirm": confirm, "progress": progress}
    records, usage, notes = ask(endpoint, path, plan.header, "scores", plan.missing, **asked)
    replies = {record["key"]: record["choices"][0] for record in reversed(records) if record["kind"] == "score"}
    why = {record["key"]: record["why"] for record in records if record["kind"] == "failed"}
    first, second = np.full((2, len(plan.cases)), np.nan)
    texts, lost = [], {}
    for row, told in enumerate(plan.cases):
        reply = replies.get(text_key(told))
        texts.append(reply and reply["text"])
        if reply is not None:
            first[row], second[row] = option_masses(reply["top"], plan.options)
        else:
            lost[row] = why.get(text_key(told), "not asked yet")
    mass = first + second
    good = mass > 0
    lost |= {row: "neither option among the tokens" for row in np.flatnonzero(~good) if row not in lost}
    table = pd.DataFrame({"case": plan.names, "score": first / np.where(good, mass, np.nan)})
    if plan.labels is not None:
        table["label"] = plan.labels
    scores = pd.concat([table, plan.features], axis=1)[good].reset_index(drop=True)
    details = pd.DataFrame({"case": plan.names, "mass": mass, "text": pd.Series(texts, dtype=object)})
    details = details.assign(model=plan.endpoint.name, prompt_hash=plan.prompt.sha256)
    missing = pd.DataFrame([(plan.names[row], lost[row]) for row in sorted(lost)], columns=["case", "why"])
    return CollectedScores(plan, scores, details[~np.isnan(mass)].reset_index(drop=True), missing, usage, notes)
