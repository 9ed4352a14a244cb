"""Scores of single cases from next-token probabilities, and the table that `helpers.tables.scores` reads.

Each case is described to the model in lines, with a question and two options; its score is the probability of the
first option among the two (Melo et al. 2026, section 4.2).
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.checks import check_count, check_labels, nearest_name
from helpers.llm.answers import save_table
from helpers.llm.client import Request
from helpers.llm.confidences import check_options, option_masses
from helpers.llm.endpoint import Endpoint
from helpers.llm.plan import FEW_TOKENS
from helpers.llm.prompts import Prompt, load_prompt
from helpers.llm.questions import text_key
from helpers.llm.runner import Usage, ask, estimate


@dataclass(frozen=True)
class ScorePlan:
    """Cases and a question about them, as they will be sent.

    Parameters
    ----------
    endpoint : Endpoint
        The model that is asked.
    question : str
        What is asked about each case.
    options : tuple of str
        The score is the probability of the first.
    names : (n,) array
        Name of each case.
    cases : (n,) tuple of str
        What the model is told about it.
    labels : (n,) array of int or None
        1 where the first option was right, else 0.
    features : DataFrame
        The columns that the model is told.
    prompt : Prompt
        With {case}, {question} and {options}.
    seed : int or None
        Sent to servers that can repeat a draw.

    Examples
    --------
    >>> endpoint = Endpoint("http://localhost:8000/v1", "qwen3")
    >>> print(plan_risk_scores(pd.DataFrame({"age": [52, 31]}), endpoint, question="Does this person smoke?"))
    scores of 2 cases by qwen3: 2 requests, ... tokens read, 2 to 6 written; cost unknown; 0 s to 2 s
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
        """The request about one case.

        Parameters
        ----------
        case : str
            What the model is told.

        Returns
        -------
        Request
            What `collect_risk_scores` sends.
        """
        return Request(
            "score",
            text_key(case),
            self.prompt.messages(case=case, question=self.question, options=", ".join(self.options)),
            max_tokens=FEW_TOKENS,
            top=self.endpoint.top_logprobs,
            seed=self.seed,
        )

    def missing(self, records):
        """Requests about the cases that no record answers; equal cases are asked once.

        Parameters
        ----------
        records : list of dict
            The records of a file.

        Returns
        -------
        list of Request
            In the order of the cases.
        """
        answered = {record["key"] for record in records if record["kind"] == "score"}
        return [self.request(case) for case in dict.fromkeys(self.cases) if text_key(case) not in answered]

    def preview(self, k=1):
        """The very messages that would be sent for the first cases; nothing is sent.

        Parameters
        ----------
        k : int, default 1
            How many cases.

        Returns
        -------
        DataFrame
            A row a message: step, n (replies that are asked for), role, text.
        """
        requests = [self.request(case) for case in self.cases[: check_count(k, "k")]]
        rows = [
            ("score", 1, message["role"], message["content"]) for request in requests for message in request.messages
        ]
        return pd.DataFrame(rows, columns=["step", "n", "role", "text"])

    def __str__(self):
        what = f"scores of {len(self.cases):,} cases by {self.endpoint.name}"
        return str(estimate(what, self.missing([]), self.endpoint))


@dataclass(frozen=True)
class CollectedScores:
    """Scores collected so far.

    Parameters
    ----------
    plan : ScorePlan
        What was to be asked.
    scores : DataFrame
        A row a case with a score: case, score, label (if known) and the features, for notebook 13.
    details : DataFrame
        A row a case: case, mass (probability of both options together: small where the model says something else), text
        (its reply), model and prompt_hash.
    missing : DataFrame
        A row a case without a score: case, why.
    usage : Usage
        Of the file.
    notes : tuple of str
        What a reader should know.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from helpers.llm.testing import stand_in
    >>> rows = pd.DataFrame({"age": [52, 31]})
    >>> with stand_in(cases={"- age: 52": 0.75}) as server, tempfile.TemporaryDirectory() as folder:
    ...     endpoint = Endpoint(server.base_url, server.model)
    ...     path = pathlib.Path(folder) / "scores.jsonl"
    ...     collected = collect_risk_scores(rows, endpoint, path, question="Does this person smoke?", progress=False)
    >>> print(collected)
    2 scores, none missing, mass of the options 0.900 on average; 2 requests, 2 of them in this start; ... in vain
    """

    plan: ScorePlan = field(repr=False)
    scores: pd.DataFrame = field(repr=False)
    details: pd.DataFrame = field(repr=False)
    missing: pd.DataFrame = field(repr=False)
    usage: Usage
    notes: tuple = ()

    def log(self):
        """One line of what happened.

        Returns
        -------
        str
            How many scores there are, how many are missing, and what they took.
        """
        missing = "none missing" if self.missing.empty else f"{len(self.missing):,} missing"
        mass = f", mass of the options {self.details['mass'].mean():.3f} on average" if len(self.details) else ""
        return "; ".join([f"{len(self.scores):,} scores, {missing}{mass}", str(self.usage), *self.notes])

    def save_scores(self, path, *, overwrite=False):
        """Write `scores` for `helpers.tables.read_scores` and notebook 13.

        Parameters
        ----------
        path : str or Path
            File that ends in .csv or .csv.gz.
        overwrite : bool, default False
            Whether a file that is there may be replaced.

        Raises
        ------
        ValueError
            If the file is there, unless `overwrite`.
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
    rows : DataFrame
        A row a case.
    endpoint : Endpoint
        A model that gives log-probabilities.
    question : str
        Text that the two options answer.
    options : tuple of str, default ("Yes", "No")
        The first is the one whose probability is the score.
    label : str, optional
        Column with what happened, 1 where the first option was right; the model never sees it.
    case : str, optional
        Column that names each case once; by default the row numbers from 1.
    features : list of str, optional
        Columns that the model is told, by default all others; cells that are missing are left out.
    prompt : str or Path, default "risk"
        Name of a prompt of ours, or path of your own with {case}, {question} and {options}.
    seed : int, optional
        Sent to servers that can repeat a draw.

    Returns
    -------
    ScorePlan
        Its `.cases` are what the model is told.

    Raises
    ------
    ValueError
        For columns that are not there or have a name of the result, labels other than 0 and 1, a case named twice, or
        options that are not two.

    Examples
    --------
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
    if len(check_options(options)) > 2:
        raise ValueError(f"options must be two texts, but they are {tuple(options)!r}.")
    chosen = [name for name in rows.columns if name not in (label, case)] if features is None else list(features)
    for name in [*chosen, *(name for name in (label, case) if name is not None)]:
        count = list(rows.columns).count(name)
        if count != 1:
            hint = nearest_name(name, rows.columns, "column")
            raise ValueError(f"rows must have one column {name!r}, but it has {count}; {hint}")
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
    told = rows[chosen].reset_index(drop=True)
    return ScorePlan(
        endpoint,
        question.strip(),
        options=tuple(str(option).strip() for option in options),
        names=names,
        cases=_describe(told),
        labels=labels,
        features=told,
        prompt=load_prompt(prompt, "score"),
        seed=seed,
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

    A case in which neither option is among the likeliest tokens has no score and is listed in `.missing`, as is one
    whose request failed; the latter are asked again by the next start.

    Parameters
    ----------
    rows : DataFrame
        A row a case.
    endpoint : Endpoint
        A model that gives log-probabilities.
    path : str or Path
        File of JSON lines, new or begun with the same question, options, model and prompt.
    question : str
        Text that the two options answer.
    options : tuple of str, default ("Yes", "No")
        The first is the one whose probability is the score.
    label : str, optional
        Column with what happened, 1 where the first option was right; the model never sees it.
    case : str, optional
        Column that names each case once; by default the row numbers from 1.
    features : list of str, optional
        Columns that the model is told, by default all others; cells that are missing are left out.
    prompt : str or Path, default "risk"
        Name of a prompt of ours, or path of your own with {case}, {question} and {options}.
    seed : int, optional
        Sent to servers that can repeat a draw.
    spend_limit : float, default 1.0
        See `collect_answers`.
    confirm : callable, optional
        See `collect_answers`.
    progress : bool, default True
        See `collect_answers`.

    Returns
    -------
    CollectedScores
        All that the file holds of these cases.

    Raises
    ------
    ValueError
        As `plan_risk_scores` and `collect_answers`.
    CollectionStopped
        As `collect_answers`.

    References
    ----------
    Melo et al. (2026), section 4.2.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from helpers.llm.testing import stand_in
    >>> rows = pd.DataFrame({"age": [52, 31]})
    >>> with stand_in(cases={"- age: 52": 0.75, "- age: 31": 0.5}) as server, tempfile.TemporaryDirectory() as folder:
    ...     endpoint = Endpoint(server.base_url, server.model)
    ...     path = pathlib.Path(folder) / "scores.jsonl"
    ...     collected = collect_risk_scores(rows, endpoint, path, question="Does this person smoke?", progress=False)
    >>> collected.scores["score"].round(6).tolist()
    [0.75, 0.5]
    """
    plan = plan_risk_scores(
        rows, endpoint, question=question, options=options, label=label, case=case, features=features, prompt=prompt,
        seed=seed,
    )  # fmt: skip
    spending = {"spend_limit": spend_limit, "confirm": confirm, "progress": progress}
    records, usage, notes = ask(endpoint, path, plan.header, "scores", plan.missing, **spending)
    replies = {record["key"]: record["choices"][0] for record in reversed(records) if record["kind"] == "score"}
    failures = {record["key"]: record["why"] for record in records if record["kind"] == "failed"}
    first = np.full(len(plan.cases), np.nan)
    second = first.copy()
    texts = []
    missing = {}  # {row: why}
    for row, told in enumerate(plan.cases):
        key = text_key(told)
        reply = replies.get(key)
        texts.append(reply and reply["text"])
        if reply is None:
            missing[row] = failures.get(key, "not asked yet")
            continue
        first[row], second[row] = option_masses(reply["top"], plan.options)
        if not first[row] + second[row] > 0:
            missing[row] = "neither option among the tokens"
    mass = first + second
    good = mass > 0
    table = pd.DataFrame({"case": plan.names, "score": first / np.where(good, mass, np.nan)})
    if plan.labels is not None:
        table["label"] = plan.labels
    scores = pd.concat([table, plan.features], axis=1)[good].reset_index(drop=True)
    details = pd.DataFrame({"case": plan.names, "mass": mass, "text": pd.Series(texts, dtype=object)})
    details = details.assign(model=plan.endpoint.name, prompt_hash=plan.prompt.sha256)
    details = details[~np.isnan(mass)].reset_index(drop=True)
    missing = pd.DataFrame([(plan.names[row], why) for row, why in missing.items()], columns=["case", "why"])
    return CollectedScores(plan, scores, details, missing, usage, notes)
