"""A stand-in for a language model, to try everything before a real one is paid: known answers behind a real interface.

It is no language model. It understands nothing; it looks a question up in a table of known probabilities, or makes such
a table up. Since the probabilities are known, what is collected from it can be compared with the truth.
"""

import json
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers._stand_in.model import NAME, Sentences, default_is_true, default_verbalised, invent, plain, rows_of
from helpers.checks import check_count, check_probabilities
from helpers.llm.server_process import run_server

__all__ = ["StandIn", "known_answers", "stand_in"]

COLUMNS = ["question", "meaning", "text", "probability", "correct", "is_true", "verbalised"]


def known_answers(questions, references=None, *, probabilities=None, n_meanings=4, overconfidence=1.5, seed=0):
    """Everything the stand-in may say to some questions, with probabilities: one row a text.

    Parameters
    ----------
    questions : (Q,) list of str
        Each once.
    references : (Q,) list of str, optional
        Right answers; made up without. The wrong ones are then those of other questions.
    probabilities : dict, optional
        {question: {meaning: probability}} where they are to be set; without references the first meaning of a question
        is right.
    n_meanings : int, default 4
        Most meanings a question has, 2 or more.
    overconfidence : float, default 1.5
        The right meaning is drawn with probabilities proportional to p^(1/overconfidence): with 1 the frequencies of
        the answers are calibrated, above 1 they claim too much. Not used where `probabilities` are set.
    seed : int, default 0
        The rows of a question depend on it, on the question and on the references alone.

    Returns
    -------
    DataFrame
        A row a text: question, meaning, text (a spelling of the meaning), probability (of the text; those of a question
        sum to 1), correct, is_true (normalised probability of True when asked about the meaning), verbalised (the
        stated confidence, a log-odds of 1.5 too high, in steps of 0.05), posterior (product of the text's token
        probabilities as reported: that of the text as a beginning, which is `probability` where no other text begins
        so).

    Raises
    ------
    ValueError
        For questions that are empty or alike, or numbers that break a rule.

    Examples
    --------
    >>> known = known_answers(["Capital of France?"], ["Paris"], probabilities={
    ...     "Capital of France?": {"Paris": 0.8, "Lyon": 0.2}})
    >>> known.loc[known["correct"], ["text", "probability"]].to_numpy().tolist()[:2]
    [['Paris', 0.4], ['the answer is Paris', 0.12]]
    """
    questions = _check_questions(questions)
    check_count(n_meanings, "n_meanings", least=2)
    seed = check_count(seed, "seed", least=0)
    if not (np.isfinite(overconfidence) and overconfidence > 0):
        raise ValueError(f"overconfidence must be a positive number, but it is {overconfidence}.")
    if references is not None:
        references = [str(reference) for reference in references]
        if len(references) != len(questions):
            raise ValueError(f"references must be one a question, but they are {len(references)} for {len(questions)}.")
    others = sorted(set(references or ()))
    rows = []
    for k, question in enumerate(questions):
        reference = None if references is None else references[k]
        if probabilities is not None and question in probabilities:
            shares = probabilities[question]
            right = reference or next(iter(shares))
        else:
            options = {"others": others, "n_meanings": n_meanings, "overconfidence": overconfidence}
            shares, right = invent(question, seed, reference=reference, **options)
        rows += rows_of(question, shares, right)
    return _check_known(pd.DataFrame(rows, columns=COLUMNS))


def _check_questions(questions):
    questions = list(questions)
    first = {}
    if not questions:
        raise ValueError("questions must not be empty.")
    for k, question in enumerate(questions):
        if not isinstance(question, str) or not question.strip():
            raise ValueError(f"questions must be texts that are not empty, but questions[{k}] is {question!r}.")
        same = first.setdefault(plain(question), k)
        if same != k:
            raise ValueError(f"questions must differ, but questions[{k}] is questions[{same}].")
    return questions


def _check_known(known):
    """The table with all its columns; ValueError unless the probabilities of each question sum to 1."""
    absent = [name for name in COLUMNS[:4] if name not in known]
    if absent:
        raise ValueError(f"known must have the columns {', '.join(COLUMNS[:4])}, but {absent[0]!r} is absent.")
    known = known.reset_index(drop=True).copy()
    for name in COLUMNS[:3]:
        known[name] = known[name].astype(str)
    known["probability"] = check_probabilities(known["probability"], "probability")
    twice = known.duplicated(["question", "text"]).to_numpy()
    if twice.any():
        first = known.iloc[int(np.argmax(twice))]
        raise ValueError(f"each text of a question must stand once, but {first['text']!r} stands twice.")
    total = known.groupby("question", sort=False)["probability"].sum()
    wrong = (total - 1).abs() > 1e-6
    if wrong.any():
        raise ValueError(
            f"probabilities of a question must sum to 1, but those of {wrong.idxmax()!r} sum to "
            f"{total[wrong].iloc[0]:g}."
        )
    known["correct"] = known["correct"].astype(bool) if "correct" in known else False
    of_meaning = known.groupby(["question", "meaning"])["probability"].transform("sum")
    if "is_true" not in known:
        known["is_true"] = [default_is_true(*row) for row in zip(of_meaning, known["correct"], strict=True)]
    if "verbalised" not in known:
        known["verbalised"] = of_meaning.map(default_verbalised)
    for name in ("is_true", "verbalised"):
        known[name] = check_probabilities(known[name], name)
    trees = {
        question: Sentences(dict(zip(rows["text"], rows["probability"], strict=True)))
        for question, rows in known.groupby("question", sort=False)
    }
    pairs = zip(known["question"], known["text"], strict=True)
    known["posterior"] = [trees[question].posterior(text) for question, text in pairs]
    return known[[*COLUMNS, "posterior"]]


@dataclass(frozen=True)
class StandIn:
    """A running stand-in.

    Parameters
    ----------
    base_url, model : str
        What a client needs.
    pid : int
        Of its process.
    known : DataFrame or None
        The table it answers from; None where it makes things up.

    Examples
    --------
    >>> with stand_in() as server:
    ...     server.model
    'stand-in'
    """

    base_url: str
    model: str
    pid: int
    known: pd.DataFrame | None = field(repr=False)

    def stats(self):
        """All that has been sent since the start.

        Returns
        -------
        dict
            {what: how often}, such as answered, choices, tokens, refused.
        """
        address = self.base_url.removesuffix("/v1") + "/stats"
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(address, timeout=10) as answer:
            return json.load(answer)

    def __str__(self):
        source = "made up" if self.known is None else f"{self.known['question'].nunique():,} known questions"
        return f"stand-in (no language model) with answers of known probability: {source}"


@contextmanager
def stand_in(
    known=None, *, cases=None, seed=0, honour_n=True, logprobs=True, vague=0.0, faults=0.0, seconds=0.0, key=None
):
    """Run a server that is called like a language model and answers with known probabilities. It is no model.

    It runs as a process of its own on 127.0.0.1, speaks the chat interface that most model servers speak
    (`/v1/chat/completions`, `/v1/models`), and ends with the `with` block, or with the program that started it.

    Tokens are drawn with probabilities proportional to p^(1/temperature), and log p is reported, as most servers do.
    It knows what a prompt wants from its line `Task: ...` and its fields, see the prompts of `helpers.llm`.

    Parameters
    ----------
    known : DataFrame, optional
        From `known_answers`, or with at least the columns question, meaning, text and probability. Other questions, and
        all without it, get answers that are made up from the question and `seed`.
    cases : dict, optional
        {text of a case: probability of the first option}, for questions with two options; others are made up.
    seed : int, default 0
        What is drawn depends on it, on what is asked, and on the `seed` of the request, or without one on how often the
        same was asked before.
    honour_n : bool, default True
        False to give one answer a request however many are asked for, as many servers do.
    logprobs : bool, default True
        False to leave out log-probabilities, as many servers do.
    vague : float, default 0
        Probability that a stated confidence is put in words instead of a number.
    faults : float, default 0
        Probability that a try fails, in one of four ways: 429 with Retry-After, 500, a connection that is cut, half a
        body. Which try fails depends on `seed`, on the request and on how often it has come.
    seconds : float, default 0
        How long each answer takes.
    key : str, optional
        The key that requests must carry.

    Yields
    ------
    StandIn
        With `.base_url` and `.model`.

    Raises
    ------
    ValueError
        For probabilities that are none, or texts whose probabilities do not sum to 1.
    RuntimeError
        If no server can be opened on 127.0.0.1.

    Examples
    --------
    >>> with stand_in() as server:
    ...     print(server)
    ...     server.stats()
    stand-in (no language model) with answers of known probability: made up
    {}
    """
    options = {"honour_n": honour_n, "logprobs": logprobs, "vague": vague, "faults": faults, "seconds": seconds}
    settings, known = settings_of(known, cases, seed=seed, key=key, **options)
    with run_server(["-m", "helpers._stand_in.server"], settings) as (port, pid):
        yield StandIn(f"http://127.0.0.1:{port}/v1", NAME, pid, known)


def settings_of(known=None, cases=None, **options):
    """(what the server process is told, the checked table)."""
    settings = {"seed": 0, "honour_n": True, "logprobs": True, "vague": 0.0, "faults": 0.0, "seconds": 0.0, "key": None}
    settings |= options
    settings["seed"] = check_count(settings["seed"], "seed", least=0)
    for name, most in (("vague", 1), ("faults", 0.9), ("seconds", 3600)):
        if not 0 <= settings[name] <= most:
            raise ValueError(f"{name} must lie in [0, {most}], but it is {settings[name]}.")
    if known is not None:
        known = _check_known(known)
    cases = cases or {}
    scores = check_probabilities(list(cases.values()), "cases").tolist() if cases else []
    settings["known"] = [] if known is None else known[COLUMNS].to_numpy(object).tolist()
    settings["cases"] = dict(zip(cases, scores, strict=True))
    return settings, known
