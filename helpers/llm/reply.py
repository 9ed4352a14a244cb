"""The body of a response, read strictly: choices, log-probabilities, tokens; what does not fit is `Unreadable`."""

import json
from dataclasses import dataclass, field

MOST_TOKENS = 10**9  # of one response; more is no count


class Unreadable(Exception):
    """A body that is not the answer of a chat model; the text says why, in a few words."""


@dataclass(frozen=True)
class Reply:
    """One response: `choices`, each a dictionary with text, finish_reason, logprobs and top; tokens, None if unknown.

    `logprobs` are the log-probabilities of the tokens, or None; `top` for each token the pairs (token,
    log-probability) of the likeliest ones, or None.
    """

    choices: list
    model: str | None
    tokens_in: int | None
    tokens_out: int | None
    retries: dict = field(default_factory=dict)
    seconds: float = 0.0


def read_reply(body, hide=lambda text: text):
    """`Reply` of the bytes of a response; `hide` is applied to every text in it. Unreadable if it breaks a rule.

    >>> body = b'{"choices": [{"message": {"content": "Paris"}, "finish_reason": "stop"}]}'
    >>> read_reply(body).choices
    [{'text': 'Paris', 'finish_reason': 'stop', 'logprobs': None, 'top': None}]
    """
    try:
        record = json.loads(body.decode("utf-8-sig"), parse_constant=lambda name: None)
    except UnicodeDecodeError:
        raise Unreadable("body not in UTF-8") from None
    except (ValueError, RecursionError):
        raise Unreadable("body not JSON") from None
    choices = record.get("choices") if isinstance(record, dict) else None
    if not isinstance(choices, list) or not choices:
        raise Unreadable("no choices in the body")
    usage = record.get("usage") if isinstance(record.get("usage"), dict) else {}
    return Reply(
        choices=[_choice(choice, hide) for choice in sorted(choices, key=_index)],
        model=_clean(record.get("model"), hide),
        tokens_in=count_of_tokens(usage.get("prompt_tokens")),
        tokens_out=count_of_tokens(usage.get("completion_tokens")),
    )


def _index(choice):
    index = choice.get("index", 0) if isinstance(choice, dict) else 0
    return index if isinstance(index, int) else 0


def _choice(choice, hide):
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict) or not isinstance(message.get("content"), str | None):
        raise Unreadable("a choice without a message")
    logprobs, top = _logprobs(choice.get("logprobs"), hide)
    return {
        "text": _clean(message.get("content"), hide),
        "finish_reason": _clean(choice.get("finish_reason"), hide),
        "logprobs": logprobs,
        "top": top,
    }


def _logprobs(listed, hide):
    """(log-probability of each token, likeliest tokens at each place); None where any is missing or no number."""
    tokens = listed.get("content") if isinstance(listed, dict) else None
    if not isinstance(tokens, list) or not tokens or not all(isinstance(token, dict) for token in tokens):
        return None, None
    logprobs = [token.get("logprob") for token in tokens]
    top = [_top(token.get("top_logprobs"), hide) for token in tokens]
    return logprobs if all(map(_is_logprob, logprobs)) else None, None if None in top else top


def _top(listed, hide):
    """[[token, log-probability]] at one place, or None."""
    if not isinstance(listed, list) or not listed or not all(isinstance(rival, dict) for rival in listed):
        return None
    pairs = [(rival.get("token"), rival.get("logprob")) for rival in listed]
    if not all(isinstance(token, str) and _is_logprob(logprob) for token, logprob in pairs):
        return None
    return [[_clean(token, hide), logprob] for token, logprob in pairs]


def _is_logprob(value):
    """Whether it is a number that can be the logarithm of a probability, rounding allowed.

    Some servers write the smallest number of 32 bits for 0; sums of smaller ones have no end.
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and -3.5e38 <= value <= 1e-4


def first_word(top):
    """The likeliest tokens at the first place where the likeliest is not white space; None without log-probabilities.

    >>> first_word([[["\\n", -0.1]], [["True", -0.2], ["False", -1.8]]])
    [['True', -0.2], ['False', -1.8]]
    """
    return next((place for place in top or [] if max(place, key=lambda pair: pair[1])[0].strip()), None)


def count_of_tokens(value):
    """A count that can be one of tokens, else None.

    >>> count_of_tokens(12), count_of_tokens(-1), count_of_tokens(10**400)
    (12, None, None)
    """
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None


def _clean(text, hide):
    """A text without what `hide` hides and without halves of characters, which no UTF-8 can hold; None for no text."""
    return hide(text.encode("utf-8", "replace").decode("utf-8")) if isinstance(text, str) else None
