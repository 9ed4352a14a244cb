"""One request to a model: sent, sent again where that may help, and its errors in words without keys and addresses.

The openai client could send again by itself (`max_retries`), but not as a collection needs it: it does not read bodies,
so that half an answer would count as one; it tells no reasons for `Usage`; each thread would wait for itself, up to two
minutes in `time.sleep`, and go on asking after Ctrl-C. So it is told not to, and `Sender` does it for all threads.
"""

import email.utils
import hashlib
import json
import random
import re
import ssl
import threading
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field, replace

from helpers.llm.connection import Endless, limit_reads, refuse_packed
from helpers.llm.reply import Unreadable, read_reply

PASSING = (408, 409, 425, 429)  # and all from 500 on: worth another try

ABOUT_ONE = {  # codes and types of errors that concern one request only
    "context_length_exceeded", "exceed_context_size_error", "content_filter", "content_policy_violation",
    "string_above_max_length",
}  # fmt: skip

SHORTEST_KEY = 8  # letters; shorter ones keep no secret, and hiding them would change answers

FIRST_PAUSE = 0.5  # seconds before the second try, up to that; doubled for each further one

MOST_SECONDS = 60.0  # between two tries, unless the server asks for more

LONGEST_PAUSE = 900.0  # that a server may ask for; beyond, the run stops and can be started again

PATIENCE = 5  # times the timeout that an answer may take from the question to its end

BODY = 1_000_000  # bytes of an answer beside its tokens

A_TOKEN = 400  # bytes of a token in it, and of each rival at its place

MODEL_LIST = 16_000_000  # bytes

_CHANCE = random.Random()  # waits differ, so that threads do not come back all at once; no result depends on them

_SECRET = re.compile(r"\b(?:(?:sk|pk|key|gsk|xai|hf)[-_])[\w\-*.]{4,}|\bBearer\s+\S+", re.IGNORECASE)

_PLACE = re.compile(r"(?:[a-z]+://|(?<![\w/])/(?=\w+/))\S+", re.IGNORECASE)


class CollectionStopped(RuntimeError):
    """Collecting had to stop; all that was received is in the file, and the same call goes on from there.

    Examples
    --------
    >>> raise CollectionStopped("The account has no credit left. All that was received is kept.")
    Traceback (most recent call last):
    helpers.llm.client.CollectionStopped: The account has no credit left. All that was received is kept.
    """


class Halted(Exception):
    """The run is being stopped; nothing more is sent."""


class Failed(Exception):
    """A request that brought nothing in all its tries; `why` in words, `retries` all tries by reason."""

    def __init__(self, why, retries):
        super().__init__(why)
        self.why = why
        self.retries = retries


class Refused(ValueError):
    """A request that the server will never answer."""

    def __init__(self, sentence, status=None):
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True)
class Problem:
    """Why a try brought no answer: a word for counting, a sentence, and what may be done.

    `status` is that of the response, None without one; `passing` whether another try may help; `alone` whether only
    this request is concerned; `pause` the seconds that the server asks for, or None; `stops` whether no request makes
    sense for now.
    """

    word: str
    sentence: str
    status: int | None = None
    passing: bool = True
    alone: bool = False
    pause: float | None = None
    stops: bool = False


@dataclass(frozen=True)
class Request:
    """One request: `messages` for the samples `samples` of what `key` names; `about` goes into the record.

    With a seed, the server gets another one for each key and first sample, so that the same start brings the same.
    `schema` is the JSON schema that the reply has to keep, where the server can hold a model to one.
    """

    kind: str
    key: str
    messages: list = field(repr=False)
    samples: tuple = (0,)
    temperature: float = 1.0
    max_tokens: int = 64
    logprobs: bool = False
    top: int = 0
    seed: int | None = None
    schema: dict | None = field(default=None, repr=False)
    about: dict = field(default_factory=dict, repr=False)

    @property
    def fields(self):
        """The fields of the request, apart from the model."""
        fields = {"messages": self.messages, "temperature": self.temperature, "max_tokens": self.max_tokens}
        if len(self.samples) > 1:
            fields["n"] = len(self.samples)
        if self.logprobs or self.top:
            fields["logprobs"] = True
        if self.top:
            fields["top_logprobs"] = self.top
        if self.seed is not None:
            text = f"{self.seed} {self.kind} {self.key} {self.samples[0]}"
            fields["seed"] = int(hashlib.sha256(text.encode()).hexdigest()[:7], 16)
        if self.schema is not None:
            form = {"name": self.kind, "strict": True, "schema": self.schema}
            fields["response_format"] = {"type": "json_schema", "json_schema": form}
        return fields


def import_openai():
    """The openai package; ImportError with a sentence if it is not installed."""
    try:
        import openai
    except ImportError:
        raise ImportError(
            'Asking a model needs the openai package: pip install "honest-confidence[llm]" (or pip install openai).'
        ) from None
    return openai


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
        if key and len(key) >= SHORTEST_KEY and not endpoint.local and endpoint.base_url.startswith("http:"):
            warnings.warn(
                f"The key in {endpoint.key_variable} is sent without encryption, because base_url begins with http://.",
                stacklevel=4,
            )
        here = endpoint.local and endpoint.base_url.startswith("http:")  # reading certificates takes longer than asking
        http = openai.DefaultHttpxClient(
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if here else True,  # without any, it trusts nobody
            trust_env=not endpoint.local,  # no proxy between us and this machine
            follow_redirects=False,  # what is asked goes to the address that the user named
            headers={"Accept-Encoding": "identity"},  # what is packed may unfold to any size
            event_hooks={"response": [refuse_packed]},
        )
        self._allowance = limit_reads(http)
        options = {"base_url": endpoint.base_url, "timeout": endpoint.timeout, "max_retries": 0, "http_client": http}
        refusal = None
        try:
            self._client = openai.OpenAI(api_key=key or "none", **options)
        except Exception as error:  # of the library below: a host name that cannot be one
            refusal = type(error).__name__
        if refusal:
            http.close()
            key = options = None  # a traceback may show what is known here
            raise ValueError(f"base_url is no address that can be asked ({refusal}).")
        self._client.organization = None  # identities that another address should not learn
        self._client.project = None

    def __reduce__(self):
        raise TypeError("a client holds a key and cannot be stored")

    def close(self):
        """Close the connections."""
        self._client.close()

    def models(self):
        """Names of the models that the server lists, [] if it lists none, or a `Problem`."""
        return self._ask(lambda: self._client.models.with_raw_response.list(), self._read_models, MODEL_LIST)

    def chat(self, **fields):
        """`Reply`, or a `Problem`."""
        create = self._client.chat.completions.with_raw_response.create
        n_tokens = fields.get("n", 1) * (fields.get("max_tokens") or fields.get("max_completion_tokens", 0))
        most = BODY + A_TOKEN * n_tokens * (1 + fields.get("top_logprobs", 0))
        return self._ask(lambda: create(model=self._endpoint.model, **fields), self._read, most)

    def _hide(self, text):
        return hide_key(text, self._client.api_key if self._client.api_key != "none" else None)

    def _read(self, body):
        return read_reply(body, self._hide)

    def _read_models(self, body):
        try:
            models = json.loads(body.decode("utf-8", "replace")).get("data") or []
            return [self._hide(model["id"]) for model in models if isinstance(model.get("id"), str)]
        except (ValueError, AttributeError, TypeError):
            return []

    def _ask(self, call, read, most):
        openai = import_openai()
        self._allowance.grant(PATIENCE * self._endpoint.timeout, most)
        try:
            return read(call().http_response.content)
        except Unreadable as error:
            return Problem(str(error), f"The server answered, but with {error}.")
        except openai.APITimeoutError:
            return Problem("timed out", f"The server gave no sign for {self._endpoint.timeout:g} s.")
        except openai.APIStatusError as error:
            return self._status_problem(error)
        except (openai.APIConnectionError, Endless) as error:
            return _connection_problem(error)
        except openai.OpenAIError as error:
            return Problem("client error", f"The client gave up ({type(error).__name__}).", passing=False)

    def _status_problem(self, error):
        """The `Problem` behind an error status, in our words and a few of the server's."""
        status = error.status_code
        message = self._message(error)
        endpoint = self._endpoint
        codes = {str(error.code), str(error.type)}
        if "insufficient_quota" in codes:
            return Problem("no credit", f"The account has no credit left{message}.", status, passing=False, stops=True)
        if 300 <= status < 400:
            sentence = (
                f"The server wants the question to go to another address (status {status}), where nothing was sent. "
                "If that is right, make it the base_url."
            )
        elif status in (401, 403):
            sentence = (
                f"The server refuses the key of the environment variable {endpoint.key_variable} (status {status})"
                f"{message}. Check that it holds the key for this address."
            )
        elif status == 404:
            sentence = (
                f"The server knows no model {endpoint.model!r}, or base_url is wrong: it should end in the "
                f"version, often /v1 (status 404){message}."
            )
        else:
            sentence = f"The server refuses the request (status {status}){message}."
        passing = status in PASSING or status >= 500
        pause = read_retry_after(error.response.headers) if passing else None
        return Problem(str(status), sentence, status, passing, bool(codes & ABOUT_ONE), pause)

    def _message(self, error):
        """What the server says, in at most 160 characters and without anything that looks like a key or a place."""
        body = error.body if isinstance(error.body, dict) else {}
        inner = body.get("error", body)
        message = inner.get("message") if isinstance(inner, dict) else inner
        if not isinstance(message, str) or not message.strip():
            return ""
        message = _SECRET.sub("[key]", self._hide(" ".join(message.split())))
        message = _PLACE.sub("[address]", message)
        return f'; it says "{message if len(message) <= 160 else message[:157] + "..."}"'


def _connection_problem(error):
    """The `Problem` behind a connection that was refused, or that broke off, or was broken off."""
    causes = []
    cause = error
    while cause is not None:
        causes.append(cause)
        cause = cause.__cause__
    for cause in causes:
        if isinstance(cause, Endless):
            return Problem(cause.word, f"The server's answer {cause}.")
        if isinstance(cause, ssl.SSLCertVerificationError):
            sentence = (
                f"The certificate of the server cannot be trusted ({cause.verify_message}). If it is your own, name "
                "its file in the environment variable SSL_CERT_FILE."
            )
            return Problem("no trusted certificate", sentence, passing=False)
    if any(type(cause).__name__ in ("ConnectError", "UnsupportedProtocol") for cause in causes):
        return Problem("no connection", "No server answers at base_url: is it running, and is the address right?")
    return Problem("connection cut", "The connection broke off in the middle of the answer.")


def seconds_before(tries, asked=None, pause=None):
    """Seconds to wait after `tries` failed ones: exponential from `pause`, with jitter, at least what the server asked.

    >>> seconds_before(1, asked=7.5), seconds_before(1) <= 0.5, seconds_before(30) <= 60
    (7.5, True, True)
    """
    first = FIRST_PAUSE if pause is None else pause
    longest = min(MOST_SECONDS, first * 2.0 ** min(tries - 1, 30))
    return max(longest * _CHANCE.uniform(0.5, 1), asked or 0.0)


def read_retry_after(headers, now=None):
    """Seconds that a server asks for, from Retry-After (seconds or a date) or retry-after-ms; None if it does not.

    >>> read_retry_after({"retry-after": "1.5"}), read_retry_after({"retry-after-ms": "20"}), read_retry_after({})
    (1.5, 0.02, None)
    >>> read_retry_after({"retry-after": "Thu, 01 Jan 1970 00:00:09 GMT"}, now=4.0)
    5.0
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(text) * unit
        except ValueError:
            try:
                date = email.utils.parsedate_to_datetime(text)
            except ValueError:
                continue
            seconds = date.timestamp() - (time.time() if now is None else now)
        if seconds == seconds:  # "nan" is a number, too
            return max(seconds, 0.0)
    return None


class Brake:
    """Lets all threads wait together, or stop."""

    def __init__(self):
        self._until = 0.0
        self._stopped = threading.Event()
        self._lock = threading.Lock()

    def hold(self, seconds):
        """Nobody sends before that many seconds have passed."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)

    def wait(self):
        """Until sending is allowed; Halted if the run stops."""
        while (seconds := self._until - time.monotonic()) > 0:
            self.sleep(seconds)
        self.sleep(0)

    def sleep(self, seconds):
        """Wait that long; Halted if the run stops."""
        if self._stopped.wait(seconds):
            raise Halted

    def stop(self):
        """Wake everybody up, and let nobody send again."""
        self._stopped.set()


class Sender:
    """Sends requests to one endpoint, with retries; to be used in a `with` block.

    `honours_n` is None until a request for several answers has come back; `takes_schema` whether no request was refused
    for its schema; `never` whether no request has succeeded.
    """

    def __init__(self, endpoint, max_retries=None):
        self.endpoint = endpoint
        self.brake = Brake()
        self.max_retries = endpoint.max_retries if max_retries is None else max_retries
        self.honours_n = None
        self.takes_schema = True
        self.never = True
        self._limit = "max_tokens"
        self._client = Client(endpoint)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.brake.stop()
        self._client.close()

    def models(self):
        """Names of the models that the server lists; [] if it has no list."""
        names = self._patiently(self._client.models, Counter())
        if not isinstance(names, Problem):
            return names
        if names.status in (401, 403) or names.word == "no connection":
            raise Refused(names.sentence, names.status)
        return []

    def send(self, request):
        """`Reply` to one request; it may hold fewer choices than were asked for.

        Refused if the server refuses it for good; Failed if no try succeeded; CollectionStopped if nothing more can be
        asked for now; Halted if the run is being stopped.
        """
        start = time.monotonic()
        retries = Counter()
        reply = self._patiently(lambda: self._chat(request), retries)
        if _complains_about(reply, "max_completion_tokens") and self._limit == "max_tokens":
            self._limit = "max_completion_tokens"  # newer models of one company know the limit by this name only
            reply = self._patiently(lambda: self._chat(request), retries)
        if request.schema is not None and self.takes_schema and _refuses_form(reply):
            plain = self._patiently(lambda: self._chat(replace(request, schema=None)), retries)
            if not isinstance(plain, Problem):
                self.takes_schema = False
                reply = plain
        if _refuses_form(reply) and len(request.samples) > 1:
            single = replace(request, samples=request.samples[:1])
            reply = self._patiently(lambda: self._chat(single), retries)
        if isinstance(reply, Problem):
            self._give_up(reply, retries)
        if len(request.samples) > 1:
            self.honours_n = len(reply.choices) >= len(request.samples)
        self.never = False
        return replace(reply, retries=dict(retries), seconds=round(time.monotonic() - start, 3))

    def _chat(self, request):
        fields = request.fields if self.takes_schema else replace(request, schema=None).fields
        fields[self._limit] = fields.pop("max_tokens")
        return self._client.chat(**fields, extra_body=self.endpoint.extra_body)

    def _patiently(self, call, retries):
        """What the call brings, tried again as long as that may help; in the end its `Problem`."""
        tries = 0
        while True:
            self.brake.wait()
            outcome = call()
            tries += 1
            if not isinstance(outcome, Problem) or not outcome.passing:
                return outcome
            nobody_there = self.never and outcome.word == "no connection"
            if tries > (min(self.max_retries, 2) if nobody_there else self.max_retries):
                return outcome
            if (outcome.pause or 0) > LONGEST_PAUSE:
                sentence = f"The server asks for a pause of {outcome.pause:,.0f} s. Start again after that."
                return replace(outcome, sentence=sentence, passing=False, stops=True)
            retries[outcome.word] += 1
            seconds = seconds_before(tries, outcome.pause, self.endpoint.pause)
            if outcome.status == 429 or outcome.pause:
                self.brake.hold(seconds)  # the limit is one for all threads
            else:
                self.brake.sleep(seconds)

    def _give_up(self, problem, retries):
        """Raise what follows from the `Problem` of the last try."""
        if problem.stops:
            raise CollectionStopped(f"{problem.sentence} All that was received is kept.")
        retries = dict(retries + Counter([problem.word]))
        if problem.passing and not (self.never and problem.word == "no connection"):
            raise Failed(problem.word, retries)
        if problem.alone:
            raise Failed(problem.sentence, retries)
        raise Refused(problem.sentence, problem.status)


def _refuses_form(reply):
    """Whether a request was refused for something in it that may be left out."""
    return isinstance(reply, Problem) and reply.status in (400, 422) and not reply.alone


def _complains_about(reply, word):
    return isinstance(reply, Problem) and reply.status == 400 and word in reply.sentence
