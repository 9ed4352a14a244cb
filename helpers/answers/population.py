"""Questions whose answer probabilities are known: what Sem1, Sem2 and their calibration errors should be."""

from dataclasses import dataclass, field

import numpy as np

from helpers._result import Result
from helpers.answers.exact import binomial_law, law_of_winner, probability_rows
from helpers.binning import assign_bins, uniform_edges
from helpers.checks import (
    check_classes,
    check_count,
    check_labels,
    check_numbers,
    check_rng,
    check_same_length,
    check_simplex,
    check_vector,
)


@dataclass(frozen=True)
class ExactCalibration(Result):
    """Calibration errors of Sem1, Sem2 and the oracle over the questions of a population, exactly."""

    gaps1: np.ndarray = field(repr=False)  # (B,) E[(correct - Sem1) 1{Sem1 in bin}]; the next two for Sem2 and c*
    gaps2: np.ndarray = field(repr=False)
    oracle_gaps: np.ndarray = field(repr=False)
    confidence1: float  # mean Sem1, Sem2 and c*
    confidence2: float
    oracle_confidence: float
    accuracy: float  # of the selected class, and of the mode
    oracle_accuracy: float
    confidence_error1: float  # E |Sem1 - c*| and E |Sem2 - c*|
    confidence_error2: float
    selection_error: float  # chance that selected class and mode differ in correctness
    n: int  # answers that select
    n_held_out: int

    @property
    def sem1(self):
        """Sem1-ECE."""
        return float(np.abs(self.gaps1).sum())

    @property
    def sem2(self):
        """Sem2-ECE with one split into n and n_held_out answers."""
        return float(np.abs(self.gaps2).sum())

    @property
    def oracle(self):
        """ECE of the oracle: confidence c*, answer the mode."""
        return float(np.abs(self.oracle_gaps).sum())

    def __str__(self):
        return (
            f"n = {self.n}: Sem1-ECE {self.sem1:.4f}, Sem2-ECE {self.sem2:.4f}, oracle {self.oracle:.4f}; "
            f"accuracy {self.accuracy:.3f}, of the mode {self.oracle_accuracy:.3f}"
        )


def exact_calibration(pi, correct, n, *, n_held_out=None, n_bins=10, ties="first"):
    """`ExactCalibration` of questions with answer probabilities `pi`, (Q, K), and correctness, (Q, K) or (Q,).

    Plain: `helpers.papers.semece2026.section_3_sem_ece`.
    """
    pi = check_simplex(pi, "pi")
    correct = _right_classes(correct, pi)
    n = check_count(n, "n")
    check_count(n_bins, "n_bins")
    n_held_out = n if n_held_out is None else check_count(n_held_out, "n_held_out")
    mode = pi.argmax(axis=1)[:, None]
    mode_right = np.take_along_axis(correct, mode, axis=1)
    rows, index = np.unique(pi, axis=0, return_inverse=True)
    index = index.ravel()
    number = np.bincount(index)[:, None]
    right = _sums(correct, index) / number
    flipped = _sums(correct != mode_right, index) / number
    law = law_of_winner(rows, n, ties) * (number[:, :, None] / len(pi))
    selected = law.sum(axis=2)
    copies = law.sum(axis=1)
    chances = binomial_law(rows, n_held_out)
    held_out = np.einsum("qk,qkv->qv", selected, chances)
    right2 = np.einsum("qk,qkv->v", right * selected, chances)
    share1 = np.arange(n + 1) / n
    share2 = np.arange(n_held_out + 1) / n_held_out
    target = rows.max(axis=1)[:, None]
    return ExactCalibration(
        gaps1=_binned(np.einsum("qk,qkv->v", right, law) - share1 * copies.sum(axis=0), n, n_bins),
        gaps2=_binned(right2 - share2 * held_out.sum(axis=0), n_held_out, n_bins),
        oracle_gaps=oracle_gaps(pi, correct, n_bins),
        confidence1=float((copies * share1).sum()),
        confidence2=float((selected * rows).sum()),
        oracle_confidence=float(pi.max(axis=1).mean()),
        accuracy=float((selected * right).sum()),
        oracle_accuracy=float(mode_right.mean()),
        confidence_error1=float((copies * np.abs(share1 - target)).sum()),
        confidence_error2=float((held_out * np.abs(share2 - target)).sum()),
        selection_error=float((selected * flipped).sum()),
        n=n,
        n_held_out=n_held_out,
    )


def _right_classes(correct, pi):
    """0/1 table (Q, K) of right classes, from such a table or from the right class of each question."""
    check_same_length(pi=pi, correct=correct)
    if np.ndim(correct) == 1:
        return (np.arange(pi.shape[1]) == check_classes(correct, pi.shape[1], "correct")[:, None]).astype(int)
    correct = check_numbers(correct, "correct")
    if correct.shape != pi.shape:
        raise ValueError(f"correct must have the shape of pi, {pi.shape}, but its shape is {correct.shape}.")
    return check_labels(correct.ravel(), "correct").reshape(pi.shape).astype(int)


def oracle_gaps(pi, correct, n_bins):
    """(B,) mean of (is the mode right - c*) in each bin of c*, times the share of questions there."""
    top = pi.max(axis=1)
    right = np.take_along_axis(correct, pi.argmax(axis=1)[:, None], axis=1)[:, 0]
    return np.bincount(assign_bins(top, uniform_edges(n_bins)), right - top, n_bins) / len(top)


def _sums(table, index):
    """Sums of the rows of a (Q, K) table that share an index."""
    total = np.zeros((index.max() + 1, table.shape[1]))
    np.add.at(total, index, table)
    return total


def _binned(contribution, n, n_bins):
    """(B,) sums of (n + 1,) contributions by the bin of v / n; whole numbers, so values on edges are exact."""
    bins = np.minimum(np.arange(n + 1) * n_bins // n, n_bins - 1)
    return np.bincount(bins, contribution, n_bins)


@dataclass(frozen=True)
class AnswerSample:
    """Sampled answers to Q questions; classes in order of first appearance, tables padded on the right."""

    counts: np.ndarray  # (Q, C) answers in each class, 0 in the padding
    correct: np.ndarray  # (Q, C) whether the class is right, 0 in the padding
    classes: np.ndarray  # (Q, C) index of the class in the population, -1 in the padding
    order: np.ndarray = field(repr=False)  # (Q, n) column of each answer in the order in which answers came

    def __str__(self):
        questions, n = self.order.shape
        return f"{questions:,} questions, {n} answers each, up to {self.counts.shape[1]} different ones"


@dataclass(frozen=True)
class AnswerPopulation:
    """Questions with known answer probabilities and known right answers.

    The "answers" population of Wang et al. (2026), section 3.
    Plain: `helpers.papers.semece2026.section_3_oracle_ece`, `helpers.papers.semece2026.section_3_sem_ece`.

    Parameters
    ----------
    pi : array of float, shape (Q, K)
        Answer probabilities, K >= 2; a real classifier answers with its softmax.
    correct : array of int, shape (Q, K) or (Q,)
        0/1 table of right classes (several or none may be right), or the right class of each question.

    Examples
    --------
    >>> population = AnswerPopulation([[0.7, 0.3], [0.4, 0.6]], [0, 0])
    >>> population.oracle_confidence, population.oracle_correct
    (array([0.7, 0.6]), array([1, 0]))
    >>> print(population)
    2 questions, 2 classes: oracle confidence 0.650, accuracy of the mode 0.500
    """

    pi: np.ndarray = field(repr=False)
    correct: np.ndarray = field(repr=False)

    def __post_init__(self):
        pi, single = probability_rows(self.pi)
        if single:
            raise ValueError("pi must be a table with a row a question, but it has one dimension.")
        correct = _right_classes(self.correct, pi)
        for name, value in (("pi", pi), ("correct", correct)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @classmethod
    def dirichlet(cls, n_questions, n_classes, concentration=0.5, *, overconfidence=0.0, copies=1, rng=None):
        """Answer probabilities from a symmetric Dirichlet distribution; small concentration: sure answers.

        Parameters
        ----------
        n_questions, n_classes : int
            Number of questions, and K, the classes of answers.
        concentration : float, default 0.5
            Of the Dirichlet distribution.
        overconfidence : float, default 0.0
            From -1 to 1. The mode is right with probability c* at 0 (calibrated), c* (1 - o) for o > 0 (at 1 never),
            c* + |o| (1 - c*) for o < 0 (at -1 always); otherwise another class is, in proportion to pi.
        copies : int, default 1
            Each question so many times, right classes spread as evenly as possible instead of drawn, so that
            accuracies are those of the dial up to 1 / (2 copies).
        rng : int, Generator or None, default None
            Source of randomness.

        Returns
        -------
        AnswerPopulation
            Of n_questions * copies questions.

        Examples
        --------
        >>> print(AnswerPopulation.dirichlet(1000, 4, overconfidence=1, rng=0))
        1,000 questions, 4 classes: oracle confidence 0.613, accuracy of the mode 0.000
        """
        rng = check_rng(rng)
        check_count(n_questions, "n_questions")
        check_count(n_classes, "n_classes", least=2)
        if not np.ndim(concentration) == 0 or not 0 < concentration < np.inf:
            raise ValueError(f"concentration must be a positive number, but it is {concentration!r}.")
        pi = rng.dirichlet(np.full(n_classes, float(concentration)), n_questions)
        return cls(*_with_right(pi, overconfidence, copies, rng))

    @classmethod
    def with_margins(cls, margins, n_classes=2, *, n_rivals=1, mass=1.0, overconfidence=0.0, copies=1, rng=None):
        """One question a margin: a leader, `n_rivals` classes `margin` behind it, the others equal and far behind.

        ValueError if a margin does not fit into the mass, or the other classes would come in front of the rivals.

        Parameters
        ----------
        margins : array of float, shape (Q,)
            Top-two margins, at least 0.
        n_classes, n_rivals : int, default 2 and 1
            Classes of answers, K, and those that share the second place.
        mass : float, default 1.0
            Probability that leader and rivals share; 1 if there are no other classes.
        overconfidence, copies, rng : optional
            As in `dirichlet`.

        Returns
        -------
        AnswerPopulation
            Of Q * copies questions.

        Examples
        --------
        >>> AnswerPopulation.with_margins([0.1], 4, n_rivals=2, mass=0.9, rng=0).pi.round(4)
        array([[0.3667, 0.2667, 0.2667, 0.1   ]])
        """
        rng = check_rng(rng)
        margins = check_vector(margins, "margins", finite=True)
        n_classes = check_count(n_classes, "n_classes", least=2)
        n_rivals = check_count(n_rivals, "n_rivals")
        far = n_classes - 1 - n_rivals
        if far < 0:
            raise ValueError(f"n_rivals must be below n_classes, {n_classes}, but it is {n_rivals}.")
        if not 0 < mass <= 1 or (far == 0) != (mass == 1):
            raise ValueError(f"mass must lie in (0, 1), or be 1 if no class is left over, but it is {mass!r}.")
        rival = (mass - margins) / (1 + n_rivals)
        other = (1 - mass) / far if far else 0.0
        bad = ~((margins >= 0) & (rival >= other))
        if bad.any():
            first = int(np.argmax(bad))
            raise ValueError(
                f"margins must lie between 0 and what the mass allows, {mass - (1 + n_rivals) * other:.4g}, "
                f"but margins[{first}] is {margins[first]} (and {bad.sum() - 1:,} more)."
            )
        parts = [rival + margins] + [rival] * n_rivals + [np.full(margins.size, other)] * far
        pi = np.column_stack(parts)
        return cls(*_with_right(pi, overconfidence, copies, rng))

    @property
    def mode(self):
        """First class with the largest probability, (Q,)."""
        return self.pi.argmax(axis=1)

    @property
    def oracle_confidence(self):
        """c*, the probability of the mode, (Q,)."""
        return self.pi.max(axis=1)

    @property
    def oracle_correct(self):
        """Whether the mode is right, (Q,) 0/1."""
        return np.take_along_axis(self.correct, self.mode[:, None], axis=1)[:, 0]

    def oracle_ece(self, n_bins=10):
        """Binned calibration error of the oracle (confidence c*, answer the mode), in units of probability."""
        return float(np.abs(oracle_gaps(self.pi, self.correct, check_count(n_bins, "n_bins"))).sum())

    def sample(self, n, rng=None):
        """`AnswerSample` of n answers to every question: `counts`, `correct`, `classes` (Q, C) and `order` (Q, n)."""
        rng = check_rng(rng)
        n = check_count(n, "n")
        questions, classes = self.pi.shape
        upper = np.cumsum(self.pi, axis=1)
        possible = np.cumsum(self.pi[:, ::-1], axis=1)[:, ::-1]  # 0 behind the last class that can be drawn
        upper[np.column_stack([possible[:, 1:], np.zeros(questions)]) == 0] = 1.5
        rows = np.arange(questions)
        flat = (upper + 2 * rows[:, None]).ravel()
        drawn = np.searchsorted(flat, rng.random((questions, n)) + 2 * rows[:, None], side="right")
        drawn = np.minimum(drawn - classes * rows[:, None], classes - 1)
        first = np.full((questions, classes), n)
        for i in reversed(range(n)):
            first[rows, drawn[:, i]] = i
        order = np.argsort(first, axis=1, kind="stable")
        width = int((first < n).sum(axis=1).max())
        codes = np.argsort(order, axis=1)
        tally = np.bincount((drawn + classes * rows[:, None]).ravel(), minlength=questions * classes)
        order = order[:, :width]
        counts = np.take_along_axis(tally.reshape(questions, classes), order, axis=1)
        seen = counts > 0
        return AnswerSample(
            counts=counts,
            correct=np.where(seen, np.take_along_axis(self.correct, order, axis=1), 0),
            classes=np.where(seen, order, -1),
            order=np.take_along_axis(codes, drawn, axis=1),
        )

    def calibration(self, n, *, n_held_out=None, n_bins=10, ties="first"):
        """Exact calibration errors of Sem1, Sem2 and the oracle.

        No sampling: the law of winner and count for every question (`winner_law`), a binomial for the held-out block.
        Equal questions are computed once. Bins are closed on the left, the last one on both sides.
        Plain: `helpers.papers.semece2026.section_3_sem_ece`, `helpers.papers.semece2026.section_5_1_errors`.

        Parameters
        ----------
        n, n_held_out : int
            Answers that select, and those that check Sem2, None for as many.
        n_bins : int, default 10
            Bins of equal width.
        ties : {"average", "first"}, default "first"
            As in `winner_law`.

        Returns
        -------
        ExactCalibration
            Errors, mean confidences and accuracies.

        Examples
        --------
        >>> print(AnswerPopulation.with_margins([0.1, 0.1], overconfidence=1, rng=0).calibration(25))
        n = 25: Sem1-ECE 0.2838, Sem2-ECE 0.2933, oracle 0.5500; accuracy 0.306, of the mode 0.000
        """
        return exact_calibration(self.pi, self.correct, n, n_held_out=n_held_out, n_bins=n_bins, ties=ties)

    def __str__(self):
        questions, classes = self.pi.shape
        return (
            f"{questions:,} questions, {classes} classes: oracle confidence {self.oracle_confidence.mean():.3f}, "
            f"accuracy of the mode {self.oracle_correct.mean():.3f}"
        )


def _with_right(pi, overconfidence, copies, rng):
    """Questions and the 0/1 table of their right classes, drawn, or with copies spread evenly."""
    if not -1 <= overconfidence <= 1:
        raise ValueError(f"overconfidence must lie between -1 and 1, but it is {overconfidence!r}.")
    check_count(copies, "copies")
    mode = pi.argmax(axis=1)
    top = pi.max(axis=1)
    # the mode is right with probability c* moved by the dial, else another class
    accuracy = top * (1 - overconfidence) if overconfidence > 0 else top - overconfidence * (1 - top)
    rest = pi.copy()
    rest[np.arange(len(pi)), mode] = 0
    upper = np.cumsum(rest, axis=1)
    if copies == 1:
        other = rng.random((len(pi), 1)) * upper[:, -1:]
        hit = rng.random(len(pi)) < accuracy
    else:
        place = np.tile(np.arange(copies) + 0.5, len(pi))
        hits = np.repeat(copies * accuracy, copies)
        pi, mode, upper = (np.repeat(table, copies, axis=0) for table in (pi, mode, upper))
        hit = place < hits
        misses = np.maximum(copies - hits, 1e-300)
        other = (np.maximum(place - hits, 0) / misses)[:, None] * upper[:, -1:]
    right = np.where(hit, mode, np.minimum((other >= upper).sum(axis=1), pi.shape[1] - 1))
    table = (np.arange(pi.shape[1]) == right[:, None]).astype(int)
    table[~hit & (upper[:, -1] == 0)] = 0  # a question with one possible answer, and that one is wrong
    return pi, table
