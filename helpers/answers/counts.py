"""Tables of answers turned into counts of classes: one row an answer, or one row a question."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.answers.confidence import check_counts
from helpers.answers.spelling import spell_answers
from helpers.answers.splits import first_blocks
from helpers.answers.stated import parse_confidences
from helpers.checks import check_count, check_labels, check_one_of, nearest_name


@dataclass(frozen=True)
class GroupedAnswers:
    """Classes of answers and their counts; Q questions, at most C classes, at most N answers each.

    Parameters
    ----------
    counts : array of int, shape (Q, C)
        Classes in order of first appearance, zeros beyond the last.
    labels : tuple of tuples
        Spelling of each class of each question (None for one of unreadable answers).
    questions : array, shape (Q,)
        Name of each question.
    n_answers : array of int, shape (Q,)
        Its answers.
    correct : array of int, shape (Q, C)
        1 right, 0 wrong, -1 unknown (also beyond the last class).
    confidence : array of float, shape (Q,)
        Mean stated confidence, NaN for none.
    n_stated : array of int, shape (Q,)
        How many answers stated one.
    unparsed : array of int, shape (Q,)
        Answers that the rule could not read.
    order : array of int, shape (Q, N)
        Class of each answer in the order of the samples, -1 beyond the last; no columns if unknown.
    problems : dict
        What was found on the way -> how often.

    Examples
    --------
    >>> table = pd.DataFrame({"question": ["a", "a", "b"], "answer": ["1", "one", "2"]})
    >>> print(group_answers(table, sample=None, reference=None))
    2 questions with 1 to 2 answers each, up to 2 classes; no problems found
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
        """Whether it is known for every class of the question if it is right, (Q,) bool."""
        return ((self.correct >= 0) | (self.counts == 0)).all(axis=1)

    def first(self, n):
        """Counts of the first answers to each question.

        Parameters
        ----------
        n : int or array of int, shape (Q,)
            Number of answers.

        Returns
        -------
        array of int, shape (Q, C)
            Counts of classes.

        Raises
        ------
        ValueError
            If a question has fewer answers, or their order is not known.
        """
        if not self.order.shape[1]:
            raise ValueError("n asks for the first answers, but these counts came without the order of the answers.")
        size = np.array([check_count(number, "n") for number in np.broadcast_to(n, self.n_answers.shape).tolist()])
        if (size > self.n_answers).any():
            first = int(np.argmax(size > self.n_answers))
            raise ValueError(f"n is {size[first]}, but question {first} has {self.n_answers[first]} answers.")
        return first_blocks(self.order, size, self.counts.shape[1])

    def __str__(self):
        least = self.n_answers.min()
        most = self.n_answers.max()
        problems = ", ".join(f"{number:,} {what}" for what, number in self.problems.items() if number)
        return (
            f"{len(self.counts):,} questions with {least:,}{f' to {most:,}' if most > least else ''} answers each, up "
            f"to {self.counts.shape[1]:,} classes; {problems or 'no problems found'}"
        )


def group_answers(
    table, rule="normalized", *, question="question", sample="sample", answer="answer", confidence=None,
    reference="reference", correct=None, unparsed="singletons", missing_confidence=np.nan,
):  # fmt: skip
    """Classes of equal answers to each question, with their counts, whether they are right, and stated confidences.

    Parameters
    ----------
    table : DataFrame
        One row an answer.
    rule : str or function, default "normalized"
        When answers are the same, see `spell_answers`; "class" if `answer` names a column of classes from a judge.
    question : str, default "question"
        Column of questions.
    sample : str or None, default "sample"
        Column that numbers the answers to a question; None takes the order of the rows.
    answer : str, default "answer"
        Column of answers.
    confidence : str or None, default None
        Column of stated confidences.
    reference : str or None, default "reference"
        Column of right answers, spelled by the same rule and equal within a question.
    correct : str or None, default None
        Column of grades 0 and 1 of each answer (missing is fine), instead of a reference: a class is right if more of
        its graded answers are right than wrong, and in a tie if the first graded is.
    unparsed : {"singletons", "class", "drop"}, default "singletons"
        Answers that the rule cannot read: each disagrees with all others, all of a question are one class, or they and
        questions without any other answer are left out, and counted.
    missing_confidence : float, default NaN
        What an absent confidence counts as; 1.0 is the rule of Wang et al. (2026).

    Returns
    -------
    GroupedAnswers
        An unreadable answer is wrong where the reference is known. A reference that is missing or unreadable leaves the
        question ungraded, and is counted.

    Raises
    ------
    ValueError
        For a column that is not there, a missing question or sample, two rows with the same question and sample, a
        question with two references, grades other than 0 and 1, or a rule that can read no answer at all.

    Examples
    --------
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
    question_of, questions, rows = _ordered(table, question, sample)
    code, spellings = pd.factorize(spell_answers(table[answer], rule)[rows])
    unreadable = code < 0
    if unreadable.all():
        raise ValueError(
            f"answer must hold something that rule {rule!r} can read, but it reads none of the {len(rows):,} answers; "
            f"the first is {str(table[answer].iloc[rows[0]])!r}."
        )
    n_unreadable = np.bincount(question_of[unreadable], minlength=len(questions))
    code[unreadable] = len(spellings) + (np.arange(unreadable.sum()) if unparsed == "singletons" else 0)
    problems = {"unreadable answers": int(unreadable.sum())}
    stated = np.full(len(rows), np.nan)
    grade = np.full(len(rows), np.nan)
    right = np.full(len(questions), None)
    if confidence is not None:
        read = parse_confidences(table[confidence], missing=missing_confidence)
        stated = read.values[rows]
        problems |= {"missing confidences": read.n_missing, "unreadable confidences": read.n_unread}
        problems["confidences read as per cent without a sign"] = read.n_as_percent
    if correct is not None:
        grade = _grades(table[correct], correct)[rows]
    elif reference is not None:
        right = _references(table[reference].iloc[rows], question_of, questions, rule, problems)
    if unparsed == "drop":
        code = code[~unreadable]
        stated = stated[~unreadable]
        grade = grade[~unreadable]
        kept, question_of = np.unique(question_of[~unreadable], return_inverse=True)
        problems["questions without a readable answer, left out"] = len(questions) - len(kept)
        questions = questions[kept]
        n_unreadable = n_unreadable[kept]
        right = right[kept]
    pair, first_answer = _pairs(question_of, code)
    row = question_of[first_answer]
    column = _place_within(row)
    counts = np.zeros((len(questions), column.max() + 1), dtype=np.int64)
    counts[row, column] = np.bincount(pair)
    spelling = np.array([*spellings, None], dtype=object)[np.minimum(code[first_answer], len(spellings))]
    known = np.full(counts.shape, -1)
    if correct is not None:
        known[row, column] = _majority(pair, grade, problems)
    else:
        known[row, column] = np.where(pd.isna(right[row]), -1, right[row] == spelling)
    n_answers = np.bincount(question_of)
    order = np.full((len(questions), n_answers.max()), -1)
    order[question_of, _place_within(question_of)] = column[pair]
    n_stated = np.bincount(question_of, ~np.isnan(stated)).astype(int)
    return GroupedAnswers(
        counts=counts,
        labels=tuple(tuple(part) for part in np.split(spelling, np.flatnonzero(np.diff(row)) + 1)),
        questions=questions,
        n_answers=n_answers,
        correct=known,
        confidence=np.bincount(question_of, np.nan_to_num(stated)) / np.where(n_stated, n_stated, np.nan),
        n_stated=n_stated,
        unparsed=n_unreadable,
        order=order,
        problems=problems,
    )


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
    """Question of each answer, names of the questions, and rows of the table, by question and sample."""
    question_of, questions = pd.factorize(table[question])
    if (question_of < 0).any():
        raise ValueError(f"{question} must not be missing, but it is in row {np.argmax(question_of < 0)}.")
    place = np.arange(len(question_of))
    if sample is not None:
        place = _sample_numbers(table[sample], sample)
    rows = np.lexsort([place, question_of])
    same = (np.diff(question_of[rows]) == 0) & (np.diff(place[rows]) == 0)
    if same.any():
        first = int(np.argmax(same))
        more = int(same.sum()) - 1
        row = rows[first]
        again = rows[first + 1]
        raise ValueError(
            f"{sample} must number the answers to a question, but rows {row} and {again} are both answer "
            f"{table[sample].iloc[row]!s} to question {table[question].iloc[row]!s}"
            f"{f' (and {more:,} more such rows)' if more else ''}."
        )
    return question_of[rows], np.asarray(questions), rows


def _sample_numbers(samples, name):
    """Samples as numbers; texts that are none by their order in the alphabet."""
    if samples.isna().any():
        raise ValueError(f"{name} must not be missing, but it is in row {np.argmax(samples.isna())}.")
    numbers = pd.to_numeric(samples, errors="coerce")
    if numbers.isna().any():
        return pd.factorize(samples.map(str), sort=True)[0].astype(float)
    return np.asarray(numbers.astype(float))


def _pairs(question_of, code):
    """Number of the (question, class) of each answer, counted in order of first appearance, and its first answer."""
    pair = pd.factorize(question_of * np.int64(code.max() + 1) + code)[0]
    return pair, np.flatnonzero(np.diff(np.maximum.accumulate(pair), prepend=-1) > 0)


def _place_within(question_of):
    """Place 0, 1, ... of each row among those of its question; rows are sorted by question."""
    return np.arange(len(question_of)) - np.searchsorted(question_of, question_of)


def _references(references, question_of, questions, rule, problems):
    """Right answer of each question, spelled, (Q,) object; None where it is missing or unreadable."""
    code, spellings = pd.factorize(spell_answers(references, rule))
    readable = code >= 0
    right = np.full(len(questions), -1)
    right[question_of[readable]] = code[readable]
    differs = readable & (right[question_of] != code)
    if differs.any():
        first = np.argmax(differs)
        question = question_of[first]
        raise ValueError(
            f"{references.name} must be the same in all rows of a question, but question {questions[question]!s} has "
            f"{spellings[code[first]]!r} and {spellings[right[question]]!r}."
        )
    any_stated = np.bincount(question_of, references.notna().to_numpy()) > 0
    problems["questions without a reference"] = int((~any_stated).sum())
    problems["questions whose reference cannot be read"] = int((any_stated & (right < 0)).sum())
    return np.array([*spellings, None], dtype=object)[right]


def _grades(values, name):
    """Grades 0 and 1 as floats, NaN where there is none."""
    grades = np.full(len(values), np.nan)
    graded = values.notna().to_numpy()
    if graded.any():
        grades[graded] = check_labels(values[graded].to_numpy(), name)
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
    table : DataFrame
        One row a question.
    classes : list of str
        Columns that hold counts, in the order in which ties are broken; a missing count is no answer.
    question : str or None, default None
        Column of names; None for the row numbers.
    reference : str or None, default None
        Column with the name of the right class; missing leaves a question ungraded.
    confidence : str or None, default None
        Column of stated confidences, one a question.

    Returns
    -------
    GroupedAnswers
        Without an order of the answers.

    Raises
    ------
    ValueError
        For columns that are not there, counts that are negative or not whole, a question without answers, a question
        named twice, or a reference that is none of the classes.

    Examples
    --------
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
    unnamed = pd.isna(questions) | pd.Series(questions).duplicated().to_numpy()
    if unnamed.any():
        first = np.argmax(unnamed)
        raise ValueError(f"{question} must name each question once, but row {first} holds {questions[first]!s}.")
    known = np.full(counts.shape, -1)
    problems = {}
    if reference is not None:
        references = table[reference]
        right = pd.Index([str(name) for name in classes]).get_indexer(references.map(str, na_action="ignore"))
        unknown = (right < 0) & references.notna().to_numpy()
        if unknown.any():
            first = np.argmax(unknown)
            raise ValueError(
                f"{reference} must be one of the classes, but row {first} holds {references.iloc[first]!r}; "
                f"{nearest_name(references.iloc[first], classes, 'class')}"
            )
        known = np.where((right < 0)[:, None], -1, right[:, None] == np.arange(len(classes)))
        problems["questions without a reference"] = int((right < 0).sum())
    stated = np.full(len(counts), np.nan)
    if confidence is not None:
        read = parse_confidences(table[confidence])
        stated = read.values
        problems |= {"missing confidences": read.n_missing, "unreadable confidences": read.n_unread}
    return GroupedAnswers(
        counts=counts,
        labels=(tuple(classes),) * len(counts),
        questions=questions,
        n_answers=counts.sum(axis=1),
        correct=known,
        confidence=stated,
        n_stated=(~np.isnan(stated)).astype(int),
        unparsed=np.zeros(len(counts), dtype=int),
        order=np.zeros((len(counts), 0), dtype=int),
        problems=problems,
    )
