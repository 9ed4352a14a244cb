"""Tables of answers turned into counts of classes: one row an answer, or one row a question."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from helpers.answers.spelling import spell_answers, spell_references
from helpers.answers.splits import first_blocks
from helpers.answers.stated import StatedConfidences, parse_confidences
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
    questions, n_answers : array, shape (Q,)
        Name of each question, and its answers.
    correct : array of int, shape (Q, C)
        1 right, 0 wrong, -1 unknown.
    confidence, n_stated : array, shape (Q,)
        Mean stated confidence, NaN for none, and how many answers stated one.
    unparsed : array of int, shape (Q,)
        Answers that the rule could not read.
    order : array of int, shape (Q, N)
        Class of each answer in the order of the samples, -1 beyond the last; no columns if unknown.
    problems : dict
        Problem that was met -> how often.

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
        """Counts of the first n answers (one number, or (Q,)) to each question, (Q, C); their order must be known."""
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
    reference="reference", correct=None, unparsed="singletons", missing_confidence=np.nan, scale="auto",
):  # fmt: skip
    """Classes of equal answers to each question, with their counts, whether they are right, and stated confidences.

    ValueError for two rows with the same question and sample, a question with two references, or a rule that can read
    no answer at all.
    Plain, of stated confidences: `helpers.papers.semece2026.section_6_1_verbalized`.

    Parameters
    ----------
    table : DataFrame
        One row an answer.
    rule : str or function, default "normalized"
        When answers are the same, see `spell_answers`; "class" if `answer` names a column of classes from a judge.
    question, sample, answer, confidence : str
        Columns of questions, of numbers of the answers to a question (None takes the order of the rows), of answers,
        and of stated confidences (None without).
    reference : str or None, default "reference"
        Column of right answers, spelled by the same rule and equal within a question; a list in a cell holds several,
        of which each is right.
    correct : str or None, default None
        Column of grades 0 and 1 of each answer (missing is fine), instead of a reference: a class is right if more of
        its graded answers are right than wrong; of a class with as many of both it is not known, and it is counted.
    unparsed : {"singletons", "class", "drop"}, default "singletons"
        Answers that the rule cannot read: each disagrees with all others, all of a question are one class, or they and
        questions without any other answer are left out, and counted.
    missing_confidence : float, default NaN
        What an absent confidence counts as; 1.0 is the rule of Wang et al. (2026).
    scale : str, number or dict, default "auto"
        What a confidence without a sign means, see `parse_confidences`.

    Returns
    -------
    GroupedAnswers
        An unreadable answer is wrong where the reference is known. A reference that is missing or unreadable leaves the
        question ungraded, and is counted.

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
    check_table(table, columns | {"reference": reference, "correct": correct})
    _check_present(table[question], question)
    stated = None
    if confidence is not None:
        stated = parse_confidences(table[confidence], missing=missing_confidence, scale=scale)
    rows = AnswerRows(
        question=table[question],
        place=np.arange(len(table)) if sample is None else _numbered(table, question, sample),
        answer=_spelled(table[answer], rule),
        reference=None if reference is None else _agreed(table, question, reference, rule),
        has_reference=None if reference is None else table[reference].notna().to_numpy(),
        confidence=stated,
        grade=None if correct is None else _grades(table[correct], correct),
    )
    return count_classes(rows, unparsed)


@dataclass(frozen=True)
class AnswerRows:
    """Columns of a table of answers that were checked and read, (n,) each; None for those that it does not have."""

    question: pd.Series
    place: np.ndarray  # numbers that order the answers to a question
    answer: np.ndarray  # spellings, None where unreadable
    reference: np.ndarray | None = None  # the same, or frozensets of them where several answers are right
    has_reference: np.ndarray | None = None  # whether one is given, readable or not
    confidence: StatedConfidences | None = None
    grade: np.ndarray | None = None  # 1, 0, or NaN where there is none


def count_classes(rows, unparsed="singletons"):
    """`GroupedAnswers` of `AnswerRows`, see `group_answers`."""
    question_of, questions = pd.factorize(rows.question)
    order = np.lexsort([rows.place, question_of])
    question_of = question_of[order]
    questions = np.asarray(questions)
    code, spellings = pd.factorize(rows.answer[order])
    unreadable = code < 0
    n_unreadable = np.bincount(question_of[unreadable], minlength=len(questions))
    code[unreadable] = len(spellings) + (np.arange(unreadable.sum()) if unparsed == "singletons" else 0)
    problems = {"unreadable answers": int(unreadable.sum())}
    stated = _stated(rows, order, problems)
    grade = np.full(len(code), np.nan) if rows.grade is None else rows.grade[order]
    right = _right_answers(rows, order, question_of, len(questions), problems)
    if unparsed == "drop":
        code, stated, grade = code[~unreadable], stated[~unreadable], grade[~unreadable]
        kept, question_of = np.unique(question_of[~unreadable], return_inverse=True)
        problems["questions without a readable answer, left out"] = len(questions) - len(kept)
        questions, n_unreadable, right = questions[kept], n_unreadable[kept], right[kept]
    pair, first_answer = _pairs(question_of, code)
    row = question_of[first_answer]
    column = _place_within(row)
    counts = np.zeros((len(questions), column.max() + 1), dtype=np.int64)
    counts[row, column] = np.bincount(pair)
    spelling = np.array([*spellings, None], dtype=object)[np.minimum(code[first_answer], len(spellings))]
    correct = np.full(counts.shape, -1)
    graded = rows.grade is not None
    correct[row, column] = _majority(pair, grade, problems) if graded else _is_reference(spelling, right[row])
    n_stated = np.bincount(question_of, ~np.isnan(stated)).astype(int)
    return GroupedAnswers(
        counts=counts,
        labels=tuple(tuple(part) for part in np.split(spelling, np.flatnonzero(np.diff(row)) + 1)),
        questions=questions,
        n_answers=np.bincount(question_of),
        correct=correct,
        confidence=np.bincount(question_of, np.nan_to_num(stated)) / np.where(n_stated, n_stated, np.nan),
        n_stated=n_stated,
        unparsed=n_unreadable,
        order=_class_in_order(question_of, column[pair]),
        problems=problems,
    )


def _is_reference(spelling, right):
    """1 where the spelling of a class is a right answer, 0 where not, -1 where that is not known."""
    pairs = zip(spelling, right, strict=True)
    return [-1 if pd.isna(answer) else is_right(name, answer) for name, answer in pairs]


def _stated(rows, order, problems):
    """Stated confidence of each answer in order, NaN where there is none; counts of `problems` are added."""
    if rows.confidence is None:
        return np.full(order.size, np.nan)
    problems["missing confidences"] = rows.confidence.n_missing
    problems["unreadable confidences"] = rows.confidence.n_unread
    problems["confidences read as per cent without a sign"] = rows.confidence.n_as_percent
    return rows.confidence.values[order]


def _right_answers(rows, order, question_of, n_questions, problems):
    """Right answer of each question, None where it is not known; counts of `problems` are added."""
    right = np.full(n_questions, None)
    if rows.grade is None and rows.reference is not None:
        right[question_of] = pd.Series(rows.reference[order]).groupby(question_of).transform("first")
        given = np.bincount(question_of, rows.has_reference[order]) > 0
        problems["questions without a reference"] = int((~given).sum())
        problems["questions whose reference cannot be read"] = int((given & pd.isna(right)).sum())
    return right


def _class_in_order(question_of, column):
    """Class of each answer in the order of the samples, (Q, N), -1 beyond the last."""
    table = np.full((question_of.max() + 1, np.bincount(question_of).max()), -1)
    table[question_of, _place_within(question_of)] = column
    return table


def check_table(table, columns):
    """ValueError unless the table has rows and each of the columns once; None is left out."""
    if not isinstance(table, pd.DataFrame) or not len(table):
        raise ValueError(f"table must be a DataFrame with at least one row, but it is {type(table).__name__}.")
    for name, column in columns.items():
        times = 0 if column is None else list(table.columns).count(column)
        if times != 1 and column is not None:
            hint = nearest_name(column, table.columns, "column") if not times else f"{times} columns have that name."
            none = "" if name in ("question", "answer", "posterior") else f" Give {name}=None if there is none."
            raise ValueError(f"{name} must name a column of the table, but it is {column!r}; {hint}{none}")


def _check_present(values, name):
    """ValueError if an entry of a column is missing."""
    missing = values.isna().to_numpy()
    if missing.any():
        raise ValueError(f"{name} must not be missing, but it is in row {np.argmax(missing)}.")


def _numbered(table, question, sample):
    """Samples as numbers; ValueError if one is missing, or two answers to a question have the same."""
    _check_present(table[sample], sample)
    place = sample_numbers(table[sample])
    repeat = first_repeat(table[question], place)
    if repeat is not None:
        first, second, more = repeat
        raise ValueError(
            f"{sample} must number the answers to a question, but rows {first} and {second} are both answer "
            f"{table[sample].iloc[first]!s} to question {table[question].iloc[first]!s}"
            f"{f' (and {more:,} more such rows)' if more else ''}."
        )
    return place


def sample_numbers(samples):
    """Samples as floats; texts that are no numbers by their order in the alphabet."""
    numbers = pd.to_numeric(samples, errors="coerce")
    if numbers.isna().any():
        return pd.factorize(samples.map(str), sort=True)[0].astype(float)
    return np.asarray(numbers.astype(float))


def first_repeat(question, place):
    """Rows of the first answer whose question and place occurred before, and how many more do; None without one."""
    pairs = pd.DataFrame({"question": pd.factorize(question)[0], "place": place})
    again = pairs.duplicated().to_numpy()
    if not again.any():
        return None
    second = int(np.argmax(again))
    first = int(np.argmax((pairs == pairs.iloc[second]).all(axis=1)))
    return first, second, int(again.sum()) - 1


def _spelled(answers, rule):
    """Answers in the spelling of a rule; ValueError if it can read none."""
    spelled = spell_answers(answers, rule)
    if pd.isna(spelled).all():
        raise ValueError(
            f"answer must hold something that rule {rule!r} can read, but it reads none of the {len(answers):,} "
            f"answers; the first is {str(answers.iloc[0])!r}."
        )
    return spelled


def _agreed(table, question, reference, rule):
    """Spelled right answers; ValueError for a question with two."""
    spelled = spell_references(table[reference], rule)
    rows = first_contradiction(table[question], spelled)
    if rows is not None:
        raise ValueError(
            f"{reference} must be the same in all rows of a question, but question {table[question].iloc[rows[0]]!s} "
            f"has {spelled[rows[0]]!r} and {spelled[rows[1]]!r}; if both are right, give a list in each row."
        )
    return spelled


def is_right(spelling, right):
    """Whether a spelling is the right one, or one of several."""
    return spelling in right if isinstance(right, frozenset) else spelling == right


def first_contradiction(question, spelled):
    """Two rows of one question whose readable references differ; None if there are none."""
    question = pd.factorize(question)[0]
    spelled = pd.Series(spelled, dtype=object)
    readable = spelled.notna().to_numpy()
    differs = readable & (spelled != spelled.groupby(question).transform("first")).to_numpy()
    if not differs.any():
        return None
    second = int(np.argmax(differs))
    return int(np.argmax(readable & (question == question[second]))), second


def _pairs(question_of, code):
    """Number of the (question, class) of each answer, counted in order of first appearance, and its first answer."""
    pair = pd.factorize(question_of * np.int64(code.max() + 1) + code)[0]
    return pair, np.flatnonzero(np.diff(np.maximum.accumulate(pair), prepend=-1) > 0)


def _place_within(question_of):
    """Place 0, 1, ... of each row among those of its question; rows are sorted by question."""
    return np.arange(len(question_of)) - np.searchsorted(question_of, question_of)


def _grades(values, name):
    """Grades 0 and 1 as floats, NaN where there is none."""
    grades = np.full(len(values), np.nan)
    graded = values.notna().to_numpy()
    if graded.any():
        grades[graded] = check_labels(values[graded].to_numpy(), name)
    return grades


def _majority(pair, grade, problems):
    """Grade of each class: that of most of its graded answers, -1 without any or with as many of both."""
    votes = np.bincount(pair, ~np.isnan(grade))
    right = np.bincount(pair, np.nan_to_num(grade))
    is_tied = (votes > 0) & (2 * right == votes)
    problems["classes without a grade"] = int((votes == 0).sum())
    problems["classes whose answers are graded both ways"] = int(((right > 0) & (right < votes)).sum())
    problems["classes with as many right grades as wrong ones, taken as not known"] = int(is_tied.sum())
    return np.where((votes == 0) | is_tied, -1, 2 * right > votes).astype(int)
