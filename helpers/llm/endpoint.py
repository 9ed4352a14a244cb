"""Where a model answers: an OpenAI-compatible address, the name of the model, prices and limits. Never a key."""

import hashlib
import json
import math
import os
import re
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from helpers.checks import check_count, find_secret, nearest_name

LOOPBACK = ("localhost", "127.0.0.1", "::1")

FIRST_MESSAGE = [{"role": "user", "content": "Task: check\nWrite the word Yes."}]


@dataclass(frozen=True)
class EndpointFacts:
    """What `Endpoint.check` has learnt.

    Parameters
    ----------
    model : str
        Name of the model.
    listed : bool or None
        Whether the server lists the model, None if it has no list.
    honours_n : bool
        Whether it gives several answers to one request.
    logprobs : bool
        Whether it gives log-probabilities.
    n_top : int
        Of how many tokens at the first place.

    Examples
    --------
    >>> print(EndpointFacts("qwen3", listed=True, honours_n=False, logprobs=True, n_top=20))
    qwen3 answers: one answer a request, log-probabilities (first place: 20 tokens)
    """

    model: str
    listed: bool | None
    honours_n: bool
    logprobs: bool
    n_top: int

    def __str__(self):
        unlisted = " (the server does not list it)" if self.listed is False else ""
        answers = "several answers a request" if self.honours_n else "one answer a request"
        logprobs = (
            f"log-probabilities (first place: {self.n_top:,} tokens)" if self.logprobs else "no log-probabilities"
        )
        return f"{self.model} answers{unlisted}: {answers}, {logprobs}"


@dataclass(frozen=True)
class Endpoint:
    """A model behind an OpenAI-compatible address: a server of your own (vLLM, llama.cpp, Ollama) or a commercial one.

    Parameters
    ----------
    base_url : str
        Address up to and with the version, such as "http://localhost:8000/v1".
    model : str
        Name of the model there.
    key_variable : str, default "OPENAI_API_KEY"
        Environment variable that holds the key. It is read when requests are sent and kept nowhere; an address on this
        machine needs none.
    concurrency : int, default 4
        Requests at the same time.
    timeout : float, default 60
        Seconds without a sign of the server until a request counts as lost.
    max_retries : int, default 6
        Times that a lost or refused request is sent again.
    pause : float, optional
        Seconds before the first of them, doubled each time up to a minute, with jitter; longer where the server asks
        for it. None for half a second.
    price_in, price_out : float, optional
        Price of a million tokens read and of a million written, in any currency; None if unknown, 0.0 for free.
    top_logprobs : int, default 20
        Tokens at each place whose log-probabilities are asked for (some servers allow 5 at most).
    extra_body : dict, optional
        Further fields of each request, such as {"reasoning_effort": "none"}; only their hash reaches a file.

    Raises
    ------
    ValueError
        For an address that is none or holds a password or key, or a number that breaks its rule.

    Examples
    --------
    >>> print(Endpoint("http://localhost:8000/v1", "qwen3"))
    qwen3 on this machine, 4 requests at a time, prices unknown
    >>> Endpoint("localhost:8000", "qwen3")
    Traceback (most recent call last):
    ValueError: base_url must begin with http:// or https:// and name a host, such as "http://localhost:8000/v1".
    """

    base_url: str
    model: str
    key_variable: str = field(default="OPENAI_API_KEY", kw_only=True)
    concurrency: int = field(default=4, kw_only=True)
    timeout: float = field(default=60.0, kw_only=True)
    max_retries: int = field(default=6, kw_only=True)
    pause: float | None = field(default=None, kw_only=True)
    price_in: float | None = field(default=None, kw_only=True)
    price_out: float | None = field(default=None, kw_only=True)
    top_logprobs: int = field(default=20, kw_only=True)
    extra_body: dict | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self):
        _check_address(self.base_url)
        if not isinstance(self.model, str) or not self.model.strip():
            raise ValueError("model must be the name of a model, but it is empty.")
        if not isinstance(self.key_variable, str) or not re.fullmatch(r"[A-Z][A-Z0-9_]{0,63}", self.key_variable):
            raise ValueError(
                "key_variable must be the name of an environment variable, in capitals such as OPENAI_API_KEY. "
                "It is never the key itself."
            )
        check_count(self.concurrency, "concurrency")
        check_count(self.max_retries, "max_retries", least=0)
        check_count(self.top_logprobs, "top_logprobs")
        if not 0 < self.timeout < math.inf:
            raise ValueError(f"timeout must be a number of seconds above 0, but it is {self.timeout!r}.")
        for name in ("pause", "price_in", "price_out"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise ValueError(f"{name} must be at least 0 or None, but it is {value!r}.")
        if self.extra_body is not None and not _is_json_object(self.extra_body):
            raise ValueError("extra_body must be a dictionary that JSON can hold, of further fields of a request.")
        if place := find_secret(self.extra_body, "extra_body"):
            raise ValueError(f"extra_body must hold no key, but {place} looks like one; set it with key_variable.")

    @property
    def name(self):
        """Name of the model for readers and files; where it is the path of a file, without the folder."""
        return plain_name(self.model)

    @property
    def local(self):
        """Whether the address is on this machine."""
        return urlsplit(self.base_url).hostname in LOOPBACK

    @property
    def prices_known(self):
        """Whether both prices are given."""
        return self.price_in is not None and self.price_out is not None

    @property
    def extra_digest(self):
        """First 16 digits of the hash of `extra_body`, "" without."""
        text = json.dumps(self.extra_body, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16] if self.extra_body else ""

    def cost(self, tokens_in, tokens_out):
        """Price of tokens.

        Parameters
        ----------
        tokens_in, tokens_out : int
            Tokens read, and tokens written.

        Returns
        -------
        float
            In the currency of the prices; NaN if one is unknown.
        """
        if not self.prices_known:
            return math.nan
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6

    def key(self):
        """The key from the environment.

        Returns
        -------
        str or None
            None if there is none and the address is on this machine.

        Raises
        ------
        ValueError
            If an address elsewhere has no key.
        """
        key = os.environ.get(self.key_variable, "").strip()
        if not key and not self.local:
            raise ValueError(
                f"There is no key for {self.name}: set the environment variable {self.key_variable} before you start, "
                "or name another one with key_variable."
            )
        if key and not (key.isascii() and key.isprintable()):
            key = ""  # a traceback may show what is known here
            raise ValueError(f"The environment variable {self.key_variable} holds no key: it has odd characters.")
        return key or None

    def check(self, logprobs=False):
        """Find out with at most three small requests if the model is there and what it can do.

        Parameters
        ----------
        logprobs : bool, default False
            Whether log-probabilities are needed.

        Returns
        -------
        EndpointFacts
            What the server gives.

        Raises
        ------
        ValueError
            For a wrong address, no key or a wrong one, a model that the server does not know (the nearest is named),
            or, with `logprobs`, an endpoint that gives no log-probabilities.
        """
        from helpers.llm.client import Failed, Refused, Request, Sender

        request = Request("check", "", FIRST_MESSAGE, (0, 1), max_tokens=3, top=self.top_logprobs)
        with Sender(self, max_retries=min(self.max_retries, 2)) as sender:
            names = sender.models()
            listed = self.model in names or f"{self.model}:latest" in names
            try:
                try:
                    reply = sender.send(request)
                except Refused as error:
                    if error.status not in (400, 422):
                        raise
                    reply = sender.send(replace(request, top=0))  # some servers refuse what they cannot give
            except Refused as error:
                if listed or not names or error.status not in (400, 404, 422):
                    raise
                near = nearest_name(self.name, map(plain_name, names), "model")
                raise ValueError(f"The server has no model {self.name!r}; {near}") from None
            except Failed as error:
                raise ValueError(
                    f"The server does not answer as a model would: {error.why}, in every try. base_url should end in "
                    "the version, often /v1."
                ) from None
        choice = reply.choices[0]
        if logprobs and choice["logprobs"] is None:
            raise ValueError(missing_logprobs(self.name))
        return EndpointFacts(
            self.name,
            listed=listed if names else None,
            honours_n=len(reply.choices) > 1,
            logprobs=choice["logprobs"] is not None,
            n_top=len(choice["top"][0]) if choice["top"] else 0,
        )

    def __str__(self):
        where = "on this machine" if self.local else f"at {urlsplit(self.base_url).hostname}"
        prices = f"{self.price_in:g} and {self.price_out:g} a million tokens" if self.prices_known else "prices unknown"
        return f"{self.name} {where}, {self.concurrency:,} requests at a time, {prices}"

    def __repr__(self):
        return f"<Endpoint {self}>"  # an address or a model's file may name a machine or a folder


def plain_name(model):
    """The name of a model without the folder, where it is a path.

    >>> plain_name("/home/anna/models/qwen3.gguf"), plain_name("Qwen/Qwen3-8B")
    ('qwen3.gguf', 'Qwen/Qwen3-8B')
    """
    model = str(model).strip()
    is_path = model.startswith(("/", "~", "./", "../", "file:", "\\\\")) or re.match(r"[A-Za-z]:[\\/]", model)
    return re.split(r"[\\/]", model.rstrip("\\/"))[-1] if is_path else model


def missing_logprobs(model):
    """The sentence about an endpoint without log-probabilities."""
    return (
        f"The endpoint gives no log-probabilities of {model}, so no confidence can be computed from them. Leave out "
        '"posterior" and "is_true" (confidences=("verbalised",) is left), or ask another server.'
    )


def _is_json_object(value):
    try:
        return isinstance(value, dict) and bool(json.dumps(value))
    except (TypeError, ValueError):
        return False


def _check_address(base_url):
    """ValueError unless it is an http address without user, password, query or fragment.

    It is not shown, as it may hold a key.
    """
    rule = 'base_url must begin with http:// or https:// and name a host, such as "http://localhost:8000/v1".'
    try:
        parts = urlsplit(base_url)
        host = parts.hostname if parts.port != 0 else None
    except (ValueError, TypeError, AttributeError):
        raise ValueError(rule) from None
    if parts.scheme not in ("http", "https") or not host or not base_url.isprintable() or " " in base_url:
        raise ValueError(rule)
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ValueError(
            "base_url must hold no user name, password, key, ? or #: keys come from the environment (key_variable)."
        )
