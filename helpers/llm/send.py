"""One request at a time: sent, and sent again where that may help."""

import hashlib
import time
from collections import Counter
from dataclasses import dataclass, field, replace

from helpers.llm.client import Client, CollectionStopped, Problem
from helpers.llm.retries import LONGEST_PAUSE, Brake, seconds_before


@dataclass(frozen=True)
class Request:
    """One request: `messages` for the samples `samples` of what `key` names; `about` goes into the record.

    With a seed, the server gets another one for each key and first sample, so that the same start brings the same.
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
    about: dict = field(default_factory=dict, repr=False)

    @property
    def fields(self):
        """The fields of the request, apart from the model."""
        fields = {"messages": self.messages, "temperature": self.temperature, "max_tokens": self.max_tokens}
        fields |= {"n": len(self.samples)} if len(self.samples) > 1 else {}
        fields |= {"logprobs": True} if self.logprobs or self.top else {}
        fields |= {"top_logprobs": self.top} if self.top else {}
        if self.seed is not None:
            text = f"{self.seed} {self.kind} {self.key} {self.samples[0]}"
            fields["seed"] = int(hashlib.sha256(text.encode()).hexdigest()[:7], 16)
        return fields


class Failed(Exception):
    """A request that brought nothing in all its tries; `why` in words, `retries` all tries by reason."""

    def __init__(self, why, retries):
        super().__init__(why)
        self.why, self.retries = why, retries


class Refused(ValueError):
    """A request that the server will never answer."""

    def __init__(self, sentence, status=None):
        super().__init__(sentence)
        self.status = status


class Sender:
    """Sends requests to one endpoint, with retries; to be used in a `with` block.

    `honours_n` is None until a request for several answers has come back; `never` whether no request has succeeded.
    """

    def __init__(self, endpoint, max_retries=None):
        self.endpoint, self.brake = endpoint, Brake()
        self.max_retries = endpoint.max_retries if max_retries is None else max_retries
        self.honours_n, self.never, self._limit = None, True, "max_tokens"
        self._client = Client(endpoint)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.brake.stop()
        self._client.close()

    def models(self):
        """Names of the models that the server lists; [] if it has no list."""
        found = self._patiently(self._client.models, Counter())
        if isinstance(found, Problem) and (found.status in (401, 403) or found.word == "no connection"):
            raise Refused(found.sentence, found.status)
        return found if isinstance(found, list) else []

    def send(self, request):
        """`Reply` to one request; it may hold fewer choices than were asked for.

        Raises
        ------
        Refused if the server refuses it for good; Failed if no try succeeded; CollectionStopped if nothing more can be
        asked for now; Halted if the run is being stopped.
        """
        start, retries = time.monotonic(), Counter()
        found = self._patiently(lambda: self._chat(request), retries)
        if _about(found, "max_completion_tokens") and self._limit == "max_tokens":
            self._limit = "max_completion_tokens"  # newer models of one company know the limit by this name only
            found = self._patiently(lambda: self._chat(request), retries)
        if isinstance(found, Problem) and found.status in (400, 422) and len(request.samples) > 1:
            found = self._patiently(lambda: self._chat(replace(request, samples=request.samples[:1])), retries)
        if isinstance(found, Problem):
            self._give_up(found, retries)
        if len(request.samples) > 1:
            self.honours_n = len(found.choices) >= len(request.samples)
        self.never = False
        return replace(found, retries=dict(retries), seconds=round(time.monotonic() - start, 3))

    def _chat(self, request):
        fields = request.fields
        fields[self._limit] = fields.pop("max_tokens")
        return self._client.chat(**fields, extra_body=self.endpoint.extra_body)

    def _patiently(self, call, retries):
        """What the call brings, tried again as long as that may help; in the end its `Problem`."""
        tries = 0
        while True:
            self.brake.wait()
            found, tries = call(), tries + 1
            if not isinstance(found, Problem) or not found.passing:
                return found
            most = min(self.max_retries, 2) if self.never and found.word == "no connection" else self.max_retries
            if tries > most:
                return found
            if (found.pause or 0) > LONGEST_PAUSE:
                asked = f"The server asks for a pause of {found.pause:,.0f} s. Start again after that."
                return replace(found, sentence=asked, passing=False, stops=True)
            retries[found.word] += 1
            seconds = seconds_before(tries, found.pause, self.endpoint.pause)
            if found.status == 429 or found.pause:
                self.brake.hold(seconds)  # the limit is one for all threads
            else:
                self.brake.sleep(seconds)

    def _give_up(self, problem, retries):
        """Raise what follows from the `Problem` that is left."""
        if problem.stops:
            raise CollectionStopped(f"{problem.sentence} All that was received is kept.")
        vain = dict(retries + Counter([problem.word]))
        if problem.passing and not (self.never and problem.word == "no connection"):
            raise Failed(problem.word, vain)
        if problem.alone:
            raise Failed(problem.sentence, vain)
        raise Refused(problem.sentence, problem.status)


def _about(found, word):
    return isinstance(found, Problem) and found.status == 400 and word in found.sentence
