"""Tables of answers turned into counts of classes: one row an answer, or one row a question."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.answers.confidence import check_counts, first_blocks
from helpers.answers.spelling import spell_answers
from helpers.answers.stated import parse_confidences
from helpers.checks import check_count, check_labels, check_one_of, nearest_name


@dataclass(frozen=True)
class GroupedAnswers:
    """Classes of answers and their counts; Q questions, at most C classes, at most N answers each.

    counts : (Q, C) int, classes in order of first appearance, zeros beyond the last
    labels : tuple of Q tuples, the spelling of each class (None for one of unreadable answers)
    questions, n_answers : (Q,) name of each question, and its answers
    correct : (Q, C) int, 1 right, 0 wrong, -1 unknown (also beyond the last class)
    confidence, n_stated : (Q,) mean stated confidence (NaN for none), and how many answers stated one
    unparsed : (Q,) answers that the rule could not read
    order : (Q, N) int, the class of each answer in the order of the samples, -1 beyond the last; no columns if unknown
    problems : what was found on the way, with how often
    """

    counts: np.ndarray = field(repr=False)
    labels: tuple = field(repr=False)
    questions: np.ndarray = field(repr=False)
    n_answers: np.ndarray = field(repr=False)
    correct: np.ndarray = field(repr=False)
    confidence: np.ndarray = field(repr=False)
    n_stated: np.ndarray = field(repr=False)
    unparsed: np.ndarray = field(repr=False)
    order: np.ndarray = field(repr=False)
    problems: dict

    @property
    def graded(self):
        """(Q,) bool: whether it is known for every class of the question if it is right."""
        return ((self.correct >= 0) | (self.counts == 0)).all(axis=1)

    def first(self, n):
        """Counts of the first `n` answers to each question, (Q, C), n whole or (Q,); ValueError if one has fewer."""
        if not self.order.shape[1]:
            raise ValueError("n asks for the first answers, but these counts came without the order of the answers.")
        size = np.array([check_count(one, "n") for one in np.broadcast_to(n, self.n_answers.shape).tolist()])
        if (size > self.n_answers).any():
            first = int(np.argmax(size > self.n_answers))
            raise ValueError(f"n is {size[first]}, but question {first} has {self.n_answers[first]} answers.")
        return first_blocks(self.order, size, self.counts.shape[1])

    def __str__(self):
        least, most = self.n_answers.min(), self.n_answers.max()
        found = ", ".join(f"{number:,} {what}" for what, number in self.problems.items() if number)
        return (
            f"{len(self.counts):,} questions with {least:,}{f' to {most:,}' if most > least else ''} answers each, up "
            f"to {self.counts.shape[1]:,} classes; {found or 'no problems found'}"
        )


def group_answers(
    table, rule="normalized", *, question="question", sample="sample", answer="answer", confidence=None,
    reference="reference", correct=None, unparsed="singletons", missing_confidence=np.nan,
):  # fmt: skip
    """Classes of equal answers to each question, with their counts, whether they are right, and stated confidences.

    Parameters
    ----------
    table : DataFrame, one row an answer
    rule : when answers are the same, see `spell_answers`; "class" if `answer` names a column of classes from a judge
    question, sample, answer : columns; sample None takes the order of the rows
    confidence : column of stated confidences, or None
    reference : column of right answers, spelled by the same rule and equal within a question; None for none
    correct : column of grades 0 and 1 of each answer (missing is fine), instead of a reference: a class is right if
        more of its graded answers are right than wrong, and in a tie if the first graded is
    unparsed : answers that the rule cannot read: "singletons" (each disagrees with all others), "class" (all of a
        question are one class) or "drop" (they and questions without any other answer are left out, and counted)
    missing_confidence : NaN, or 1.0 for the rule of Wang et al. (2026)

    Returns
    -------
    GroupedAnswers. An unreadable answer is wrong where the reference is known. A reference that is missing or
    unreadable leaves the question ungraded, and is counted.

    Raises
    ------
    ValueError for a column that is not there, a missing question or sample, two rows with the same question and
    sample, a question with two references, grades other than 0 and 1, or a rule that can read no answer at all.

    >>> table = pd.DataFrame({"question": ["a", "a", "a"], "sample": [0, 1, 2], "reference": ["Paris"] * 3,
    ...     "answer": ["Lyon", "Paris", "paris."]})
    >>> grouped = group_answers(table)
    >>> grouped.labels, grouped.counts, grouped.correct
    ((('lyon', 'paris'),), array([[1, 2]]), array([[0, 1]]))
    """
    check_one_of(unparsed, "unparsed", ("singletons", "class", "drop"))
    reference = None if correct is not None else reference
    columns = {"question": question, "sample": sample, "answer": answer, "confidence": confidence}
    _check_columns(table, columns | {"reference": reference, "correct": correct})
    of, questions, rows = _ordered(table, question, sample)
    code, spellings = pd.factorize(spell_answers(table[answer], rule)[rows])
    lost = code < 0
    if lost.all():
        raise ValueError(
            f"answer must hold something that rule {rule!r} can read, but it reads none of the {len(lost):,} answers; "
            f"the first is {str(table[answer].iloc[rows[0]])!r}."
        )
    unreadable = np.bincount(of[lost], minlength=len(questions))
    code[lost] = len(spellings) + (np.arange(lost.sum()) if unparsed == "singletons" else 0)
    problems = {"unreadable answers": int(lost.sum())}
    stated, grade, right = np.full(len(rows), np.nan), np.full(len(rows), np.nan), np.full(len(questions), None)
    if confidence is not None:
        read = parse_confidences(table[confidence], missing=missing_confidence)
        stated = read.values[rows]
        problems |= {"missing confidences": read.n_missing, "unreadable confidences": read.n_unread}
        problems["confidences read as per cent without a sign"] = read.n_as_percent
    if correct is not None:
        grade = _grades(table[correct], correct)[rows]
    elif reference is not None:
        right = _references(table[reference].iloc[rows], of, questions, rule, problems)
    if unparsed == "drop":
        of, code, stated, grade = (column[~lost] for column in (of, code, stated, grade))
        kept, of = np.unique(of, return_inverse=True)
        problems["questions without a readable answer, left out"] = len(questions) - len(kept)
        questions, unreadable, right = questions[kept], unreadable[kept], right[kept]
    pair, starts = _pairs(of, code)
    cell = of[starts], np.arange(len(starts)) - np.searchsorted(of[starts], of[starts])
    n_answers = np.bincount(of)
    counts = np.zeros((len(questions), cell[1].max() + 1), dtype=np.int64)
    counts[cell] = np.bincount(pair)
    name = np.array([*spellings, None], dtype=object)[np.minimum(code[starts], len(spellings))]
    known = np.full(counts.shape, -1)
    if correct is not None:
        known[cell] = _majority(pair, grade, problems)
    else:
        known[cell] = np.where(pd.isna(right[cell[0]]), -1, right[cell[0]] == name)
    order = np.full((len(questions), n_answers.max()), -1)
    order[of, np.arange(len(of)) - np.searchsorted(of, of)] = cell[1][pair]
    ends = np.cumsum(np.bincount(cell[0]))
    labels = tuple(tuple(name[start:end]) for start, end in zip([0, *ends], ends, strict=False))
    n_stated = np.bincount(of, ~np.isnan(stated)).astype(int)
    mean = np.bincount(of, np.nan_to_num(stated)) / np.where(n_stated, n_stated, np.nan)
    return GroupedAnswers(counts, labels, questions, n_answers, known, mean, n_stated, unreadable, order, problems)


def _check_columns(table, columns):
    """ValueError unless the table has rows and each of the columns once; None is left out."""
    if not isinstance(table, pd.DataFrame) or not len(table):
        raise ValueError(f"table must be a DataFrame with at least one row, but it is {type(table).__name__}.")
    for name, column in columns.items():
        times = 0 if column is None else list(table.columns).count(column)
        if times != 1 and column is not None:
            hint = nearest_name(column, table.columns, "column") if not times else f"{times} columns have that name."
            none = "" if name in ("question", "answer") else f" Give {name}=None if there is none."
            raise ValueError(f"{name} must name a column of the table, but it is {column!r}; {hint}{none}")


def _ordered(table, question, sample):
    """(question of each answer, names of the questions, rows of the table), by question and sample."""
    of, questions = pd.factorize(table[question])
    if (of < 0).any():
        raise ValueError(f"{question} must not be missing, but it is in row {np.argmax(of < 0)}.")
    place = np.arange(len(of))
    if sample is not None:
        given = table[sample]
        if given.isna().any():
            raise ValueError(f"{sample} must not be missing, but it is in row {np.argmax(given.isna())}.")
        number = pd.to_numeric(given, errors="coerce")
        place = (pd.factorize(given.map(str), sort=True)[0] if number.isna().any() else number).astype(float)
        place = np.asarray(place)
    rows = np.lexsort([place, of])
    same = (np.diff(of[rows]) == 0) & (np.diff(place[rows]) == 0)
    if same.any():
        first, more = int(np.argmax(same)), int(same.sum()) - 1
        one, two = rows[first], rows[first + 1]
        raise ValueError(
            f"{sample} must number the answers to a question, but rows {one} and {two} are both answer "
            f"{table[sample].iloc[one]!s} to question {table[question].iloc[one]!s}"
            f"{f' (and {more:,} more such rows)' if more else ''}."
        )
    return of[rows], np.asarray(questions), rows


def _pairs(of, code):
    """Number of the (question, class) of each answer, counted in order of first appearance, and its first answer."""
    cells = pd.factorize(of * np.int64(code.max() + 1) + code)[0]
    return cells, np.flatnonzero(np.diff(np.maximum.accumulate(cells), prepend=-1) > 0)


def _references(given, of, questions, rule, problems):
    """Right answer of each question, spelled, (Q,) object; None where it is missing or unreadable."""
    spelled = spell_answers(given, rule)
    stated = given.notna().to_numpy()
    code, spellings = pd.factorize(spelled)
    right, found = np.full(len(questions), -1), code >= 0
    right[of[found]] = code[found]
    differs = found & (right[of] != code)
    if differs.any():
        first = np.argmax(differs)
        raise ValueError(
            f"{given.name} must be the same in all rows of a question, but question {questions[of[first]]!s} has "
            f"{spellings[code[first]]!r} and {spellings[right[of[first]]]!r}."
        )
    any_stated = np.bincount(of, stated) > 0
    problems["questions without a reference"] = int((~any_stated).sum())
    problems["questions whose reference cannot be read"] = int((any_stated & (right < 0)).sum())
    return np.array([*spellings, None], dtype=object)[right]


def _grades(values, name):
    """Grades 0 and 1 as floats, NaN where there is none."""
    grades, there = np.full(len(values), np.nan), values.notna().to_numpy()
    if there.any():
        grades[there] = check_labels(values[there].to_numpy(), name)
    return grades


def _majority(pair, grade, problems):
    """Grade of each class: that of most of its graded answers, of the first graded in a tie, -1 without any."""
    graded = ~np.isnan(grade)
    votes = np.bincount(pair, graded)
    right = np.bincount(pair, np.nan_to_num(grade))
    seen, first = np.unique(pair[graded], return_index=True)
    earliest = np.zeros(len(votes))
    earliest[seen] = grade[graded][first]
    problems["classes without a grade"] = int((votes == 0).sum())
    problems["classes whose answers are graded both ways"] = int(((right > 0) & (right < votes)).sum())
    return np.where(votes == 0, -1, np.where(2 * right == votes, earliest, 2 * right > votes)).astype(int)


def counts_from_wide(table, classes, *, question=None, reference=None, confidence=None):
    """Counts from a table with one row a question and one column a class.

    Parameters
    ----------
    table : DataFrame; classes : names of the columns that hold counts, in the order in which ties are broken
    question : column of names, or None for the row numbers
    reference : column with the name of the right class; missing leaves a question ungraded; None for none
    confidence : column of stated confidences, one a question, or None

    Returns
    -------
    GroupedAnswers without an order of the answers; a missing count is no answer

    Raises
    ------
    ValueError for columns that are not there, counts that are negative or not whole, a question without answers, a
    question named twice, or a reference that is none of the classes.

    >>> table = pd.DataFrame({"yes": [3, 1], "no": [2, None], "truth": ["no", "yes"]})
    >>> grouped = counts_from_wide(table, ["yes", "no"], reference="truth")
    >>> grouped.counts, grouped.correct
    (array([[3, 2],
           [1, 0]]), array([[0, 1],
           [1, 0]]))
    """
    classes = list(classes)
    names = {f"classes[{k}]": name for k, name in enumerate(classes)}
    _check_columns(table, names | {"question": question, "reference": reference, "confidence": confidence})
    if not classes or len(set(classes)) < len(classes):
        raise ValueError(f"classes must name columns, each once, but it is {classes!r}.")
    counts = check_counts(table[classes].fillna(0).to_numpy())
    questions = np.arange(len(table)) if question is None else table[question].to_numpy()
    if pd.isna(questions).any() or pd.Series(questions).duplicated().any():
        first = np.argmax(pd.isna(questions) | pd.Series(questions).duplicated())
        raise ValueError(f"{question} must name each question once, but row {first} holds {questions[first]!s}.")
    known, problems = np.full(counts.shape, -1), {}
    if reference is not None:
        given = table[reference]
        right = pd.Index([str(name) for name in classes]).get_indexer(given.map(str, na_action="ignore"))
        wrong = (right < 0) & given.notna().to_numpy()
        if wrong.any():
            raise ValueError(
                f"{reference} must be one of the classes, but row {np.argmax(wrong)} holds "
                f"{given.iloc[np.argmax(wrong)]!r}; {nearest_name(given.iloc[np.argmax(wrong)], classes, 'class')}"
            )
        known = np.where((right < 0)[:, None], -1, right[:, None] == np.arange(len(classes)))
        problems["questions without a reference"] = int((right < 0).sum())
    stated = np.full(len(counts), np.nan)
    if confidence is not None:
        read = parse_confidences(table[confidence])
        stated = read.values
        problems |= {"missing confidences": read.n_missing, "unreadable confidences": read.n_unread}
    labels, none = (tuple(classes),) * len(counts), np.zeros((len(counts), 0), dtype=int)
    return GroupedAnswers(
        counts, labels, questions, counts.sum(axis=1), known, stated, (~np.isnan(stated)).astype(int),
        np.zeros(len(counts), dtype=int), none, problems,
    )  # fmt: skip
