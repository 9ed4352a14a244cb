"""From what a model returns to a confidence: pure functions of log-probabilities and texts. What is missing is NaN.

Three ways to a confidence in a sampled answer (Estienne, Ernst et al. 2026, section 4.2): the probability of the text
itself, that of the word True, and a number that the model states; and the score of a yes-no question (Melo et al. 2026,
section 4.2). All lie in [0, 1]; high means sure.
"""

import json
import math
import re
from collections.abc import Mapping

_FENCE = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL)

_AROUND = " \t\r\n\"'`*_.,:;!()[]▁Ġ"  # around a word in a token, also the marks of some tokenizers for a space


def sequence_posterior(token_logprobs):
    """Probability that the model gave to a text: exp(sum of the log-probabilities of its tokens).

    Longer texts are less likely: it is a confidence in the wording, not in the meaning. The last token must be the one
    that ended the text; a server that was given stop strings leaves it out, and the product is then the probability to
    begin so. (Estienne, Ernst et al. 2026, section 4.2, Sequence Posterior.)

    Parameters
    ----------
    token_logprobs : array-like of float or None
        Natural logarithms, one a token; None or empty where the endpoint gives none.

    Returns
    -------
    float
        Number in [0, 1], NaN if a token has none.

    Raises
    ------
    ValueError
        For a log-probability above zero.

    Examples
    --------
    >>> round(sequence_posterior([math.log(0.9), math.log(0.5)]), 6)
    0.45
    >>> sequence_posterior(None), sequence_posterior([]), sequence_posterior([-0.1, None])
    (nan, nan, nan)
    """
    if token_logprobs is None or len(token_logprobs) == 0:
        return math.nan
    return math.exp(math.fsum(_logprob(value, "token_logprobs") for value in token_logprobs))


def is_true_probability(top_logprobs):
    """P(True) / (P(True) + P(False)) at the first token of a reply, over all spellings of the two words.

    Parameters
    ----------
    top_logprobs : dict or list of tuple
        {token: log-probability}, or pairs of both; None for none.

    Returns
    -------
    float
        Number in [0, 1]; NaN if neither word is among the tokens. A word that is not listed counts as 0, so that the
        value is 0 or 1 where only one of them is.

    Examples
    --------
    >>> round(is_true_probability({"True": math.log(0.6), " true": math.log(0.1), "False": math.log(0.1)}), 6)
    0.875
    >>> is_true_probability({"Paris": -0.1}), is_true_probability(None)
    (nan, nan)
    """
    true, false = _masses(top_logprobs, ("true", "false"), beginnings=False)
    return true / (true + false) if true + false > 0 else math.nan


def option_masses(top_logprobs, options=("Yes", "No")):
    """Probabilities of options among the likeliest next tokens (Melo et al. 2026, section 4.2).

    Parameters
    ----------
    top_logprobs : dict or list of tuple
        As in `is_true_probability`.
    options : tuple of str, default ("Yes", "No")
        At least two texts; a token counts for an option if it is the option, or the beginning of it and of no other
        (capitals and white space do not count).

    Returns
    -------
    tuple of float
        One for each option, NaN where there are no tokens. Of two options, the score of a case is the first divided by
        the sum of both; a sum far below 1 says that the model wants to write something else.

    Raises
    ------
    ValueError
        Unless there are at least two options, all different.

    Examples
    --------
    >>> yes, no = option_masses({"Yes": math.log(0.3), "n": math.log(0.1), "Maybe": math.log(0.6)})
    >>> round(yes, 6), round(no, 6)
    (0.3, 0.1)
    >>> [round(mass, 6) for mass in option_masses({"A": math.log(0.5), " b": math.log(0.2)}, ("A", "B", "C"))]
    [0.5, 0.2, 0.0]
    """
    return _masses(top_logprobs, check_options(options), beginnings=True)


def check_options(options):
    """The options in plain spelling; ValueError unless they are two or more different texts."""
    options = (options,) if isinstance(options, str) else tuple(options)
    plain = [_plain(option) for option in options]
    if len(plain) < 2 or not all(plain) or len(set(plain)) < len(plain):
        raise ValueError(f"options must be at least two different texts, but they are {options!r}.")
    return plain


def _plain(token):
    return str(token).strip(_AROUND).casefold()


def _masses(top_logprobs, words, beginnings):
    """Probabilities of words, summed over the tokens that spell them."""
    if not top_logprobs:
        return (math.nan,) * len(words)
    masses = [0.0] * len(words)
    for token, logprob in top_logprobs.items() if isinstance(top_logprobs, Mapping) else top_logprobs:
        plain = _plain(token)
        fits = [plain == word for word in words]
        if beginnings and plain and not any(fits):
            fits = [word.startswith(plain) for word in words]
        if sum(fits) == 1:
            masses[fits.index(True)] += math.exp(_logprob(logprob, "top_logprobs"))
    return tuple(masses)


def _logprob(value, name):
    """A log-probability as a float, NaN for None; above zero only by rounding."""
    number = math.nan if value is None else float(value)
    if number > 1e-4:
        raise ValueError(f"{name} must be logarithms of probabilities, at most 0, but one is {number:g}.")
    return number if math.isnan(number) else min(number, 0.0)


def parse_verbalised(text):
    """Answer and probability of a reply with a stated confidence, read strictly.

    The reply is a JSON object such as {"confidence": 85}, or {"answer": "Paris", "confidence": 85}, in percent (a
    fraction such as 0.85 is a probability). Anything else, such as a sentence or a number out of range, is no
    confidence.

    Parameters
    ----------
    text : str or None
        The reply.

    Returns
    -------
    answer : str or None
        The text under "answer", None without it.
    probability : float
        Number in [0, 1], NaN for what does not fit.

    Examples
    --------
    >>> parse_verbalised('{"answer": "Paris", "confidence": 85}')
    ('Paris', 0.85)
    >>> parse_verbalised("I am 85% sure"), parse_verbalised('{"confidence": 850}')
    ((None, nan), (None, nan))
    """
    reply = read_object(text)
    answer = reply.get("answer")
    answer = answer.strip() or None if isinstance(answer, str) else None
    return answer, _stated_share(reply.get("confidence"))


def _stated_share(number):
    """A stated percentage, or a fraction below 1, as a probability; NaN for anything else."""
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 100:
        return math.nan
    return number if 0 < number < 1 else number / 100


def read_object(text):
    """The JSON object that a reply consists of, a fence around it allowed; {} if it is anything else."""
    text = (text or "").strip()
    fenced = _FENCE.fullmatch(text)
    try:
        value = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
