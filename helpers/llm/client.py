"""The openai client behind one call, its errors reworded: what went wrong, without keys, headers and addresses."""

import json
import re
from dataclasses import dataclass

from helpers.llm.reply import Unreadable, read_reply
from helpers.llm.retries import read_retry_after

PASSING = (408, 409, 425, 429)  # and all from 500 on: worth another try

ABOUT_ONE = ("context_length_exceeded", "content_filter", "content_policy_violation", "string_above_max_length")

SHORTEST_KEY = 8  # letters; shorter ones keep no secret, and hiding them would change answers

_SECRET = re.compile(r"\b(?:(?:sk|pk|key|gsk|xai|hf)[-_])[\w\-*.]{4,}|\bBearer\s+\S+", re.IGNORECASE)

_PLACE = re.compile(r"(?:[a-z]+://|(?<![\w/])/(?=\w+/))\S+", re.IGNORECASE)


class CollectionStopped(RuntimeError):
    """Collecting had to stop; all that was received is in the file, and the same call goes on from there."""


@dataclass(frozen=True)
class Problem:
    """Why a request brought no answer: a word for counting, a sentence, and what may be done.

    status : of the response, None without one
    passing : whether another try may help; alone : whether only this request is concerned
    pause : seconds that the server asks for, or None; stops : whether no request makes sense for now
    """

    word: str
    sentence: str
    status: int | None = None
    passing: bool = True
    alone: bool = False
    pause: float | None = None
    stops: bool = False


def hide_key(text, key):
    """The text without the key, in case a server repeats it; a word such as "EMPTY", for servers without keys, is none.

    >>> hide_key("bad key: abcdef12", "abcdef12"), hide_key("an EMPTY set", "EMPTY")
    ('bad key: [key]', 'an EMPTY set')
    """
    return text.replace(key, "[key]") if key and len(key) >= SHORTEST_KEY else text


class Client:
    """The openai client of one run; it is opened here, and closed with the run."""

    def __init__(self, endpoint):
        openai = import_openai()
        key = endpoint.key()
        self._endpoint = endpoint
        http = openai.DefaultHttpxClient(trust_env=not endpoint.local)  # no proxy between us and this machine
        options = {"base_url": endpoint.base_url, "timeout": endpoint.timeout, "max_retries": 0, "http_client": http}
        try:
            self._client = openai.OpenAI(api_key=key or "none", **options)
        except Exception as error:  # of the library below: a host name that cannot be one
            key, options = None, type(error).__name__
        if isinstance(options, str):
            http.close()
            raise ValueError(f"base_url is no address that can be asked ({options}).")
        self._client.organization = self._client.project = None  # identities that another address should not learn

    def __reduce__(self):
        raise TypeError("a client holds a key and cannot be stored")

    def close(self):
        self._client.close()

    def models(self):
        """Names of the models that the server lists, [] if it lists none, or a `Problem`."""
        return self._ask(lambda: self._client.models.with_raw_response.list(), self._read_models)

    def chat(self, **fields):
        """`Reply`, or a `Problem`."""
        create = self._client.chat.completions.with_raw_response.create
        return self._ask(lambda: create(model=self._endpoint.model, **fields), self._read)

    def _hide(self, text):
        return hide_key(text, self._client.api_key if self._client.api_key != "none" else None)

    def _read(self, body):
        return read_reply(body, self._hide)

    def _read_models(self, body):
        try:
            listed = json.loads(body.decode("utf-8", "replace")).get("data") or []
            return [self._hide(one["id"]) for one in listed if isinstance(one.get("id"), str)]
        except (ValueError, AttributeError, TypeError):
            return []

    def _ask(self, call, read):
        openai = import_openai()
        try:
            return read(call().http_response.content)
        except Unreadable as error:
            return Problem(str(error), f"The server answered, but with {error}.")
        except openai.APITimeoutError:
            return Problem("timed out", f"The server gave no sign for {self._endpoint.timeout:g} s.")
        except openai.APIStatusError as error:
            return self._status(error)
        except openai.APIConnectionError as error:
            return _connection(error)
        except openai.OpenAIError as error:
            return Problem("client error", f"The client gave up ({type(error).__name__}).", passing=False)

    def _status(self, error):
        """The `Problem` behind an error status, in our words and a few of the server's."""
        status, model, variable = error.status_code, self._endpoint.model, self._endpoint.key_variable
        said = self._said(error)
        code = str(error.code or error.type or "")
        if status == 401 or status == 403:
            sentence = (
                f"The server refuses the key of the environment variable {variable} (status {status}){said}. "
                "Check that it holds the key for this address."
            )
        elif status == 404:
            sentence = (
                f"The server knows no model {model!r}, or base_url is wrong: it should end in the version, often /v1 "
                f"(status 404){said}."
            )
        else:
            sentence = f"The server refuses the request (status {status}){said}."
        if code == "insufficient_quota":
            sentence = f"The account has no credit left{said}."
            return Problem("no credit", sentence, status, passing=False, stops=True)
        passing = status in PASSING or status >= 500
        pause = read_retry_after(error.response.headers) if passing else None
        return Problem(str(status), sentence, status, passing, code in ABOUT_ONE, pause)

    def _said(self, error):
        """What the server said, in at most 160 characters and without anything that looks like a key or a place."""
        body = error.body if isinstance(error.body, dict) else {}
        inner = body.get("error", body)
        said = inner.get("message") if isinstance(inner, dict) else inner
        if not isinstance(said, str) or not said.strip():
            return ""
        said = _PLACE.sub("[address]", _SECRET.sub("[key]", self._hide(" ".join(said.split()))))
        return f'; it says "{said if len(said) <= 160 else said[:157] + "..."}"'


def _connection(error):
    """The `Problem` behind a connection that was refused, or that broke off."""
    cause, seen = error.__cause__, ""
    while cause is not None and not seen:
        seen = next((name for name in ("ConnectError", "UnsupportedProtocol") if type(cause).__name__ == name), "")
        cause = cause.__cause__
    if seen:
        return Problem("no connection", "No server answers at base_url: is it running, and is the address right?")
    return Problem("connection cut", "The connection broke off in the middle of the answer.")


def import_openai():
    """The openai package; ImportError with a sentence if it is not installed."""
    try:
        import openai
    except ImportError:
        raise ImportError(
            'Asking a model needs the openai package: pip install "honest-confidence[llm]" (or pip install openai).'
        ) from None
    return openai
