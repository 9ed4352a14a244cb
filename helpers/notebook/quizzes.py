"""Questions with one right answer: each answer opens to its reason, also on a page without a kernel."""

import numbers

from helpers.notebook.display import KEY, emit, escape

LETTERS = "abcdefgh"


def quiz(question, answers, right):
    """Show a question with several answers, each of which opens to a verdict and its reason.

    Parameters
    ----------
    question : str
        The question.
    answers : dict of str to str
        For each answer the reason why it is right or wrong, in the order in which they are shown; two to eight.
    right : int
        Which answer is right, counted from 1.

    Raises
    ------
    ValueError
        For fewer than two answers or more than eight, an answer without a reason, or `right` that is none of them.

    Examples
    --------
    >>> quiz("Is 0.7 a probability?", {"yes": "it lies between 0 and 1.", "no": "which rule does it break?"}, right=1)
    Is 0.7 a probability?
    (a) yes
    (b) no
    Right is (a): it lies between 0 and 1.
    """
    if not 2 <= len(answers) <= len(LETTERS):
        raise ValueError(f"answers must hold 2 to {len(LETTERS)} answers, but it holds {len(answers)}.")
    for answer, reason in answers.items():
        if not str(reason).strip():
            raise ValueError(f"each of answers needs a reason, but {answer!r} has none.")
    if not isinstance(right, numbers.Integral) or not 1 <= right <= len(answers):
        raise ValueError(f"right must be a whole number from 1 to {len(answers)}, but it is {right!r}.")
    options = list(zip(LETTERS, answers.items(), strict=False))
    letter, (_, reason) = options[right - 1]
    choices = [f"({sign}) {answer}" for sign, (answer, _) in options]
    plain = "\n".join([question, *choices, f"Right is ({letter}): {reason}"])
    lines = []
    for sign, (answer, why) in options:
        verdict = "Right" if sign == letter else "Not this one"
        lines.append(
            f'<details class="honest-option"><summary>({sign}) {escape(answer)}</summary>\n'
            f"<p><strong>{verdict}</strong>: {escape(why)}</p></details>"
        )
    body = "\n".join(lines)
    page = f'<div class="honest-quiz"><p><strong>{escape(question)}</strong></p>\n{body}\n</div>'
    emit({"text/plain": plain, "text/html": page}, {KEY: {"quiz": len(answers)}})
