"""A list of requests, several at a time, every response in the file before the next request of its thread.

What a collection has taken, counted from its file and from this start.

The same steps for scores, classes and grades: open the file, ask for consent, send what is missing, count.
"""

import math
import threading
import time
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

from helpers.llm.client import CollectionStopped
from helpers.llm.endpoint import missing_logprobs, plain_name
from helpers.llm.log import ResponseLog
from helpers.llm.plan import BYTES_A_TOKEN, SECONDS, duration, span
from helpers.llm.progress import Progress
from helpers.llm.reply import first_word
from helpers.llm.send import Failed, Refused, Sender

MOST_FAILED = 20  # requests in a row that failed in all their tries; then the run stops

MOST_AT_FIRST = 5  # the same, before any has succeeded


@dataclass
class Tally:
    """What one start did: requests that were answered, that failed, tries in vain by reason, tokens, cost, seconds."""

    answered: int = 0
    failed: int = 0
    retries: Counter = field(default_factory=Counter)
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0


def run(sender, log, requests, tally, *, progress, after=lambda request, record: [], spend_limit=None):
    """Send the requests and write down what comes back.

    after : function of a request and its record that returns requests which follow from it
    spend_limit : cost of this start at which it stops, or None

    Raises
    ------
    ValueError if the server refuses for good, or the first reply lacks log-probabilities that are needed;
    CollectionStopped if it makes no sense to go on. All that was received is in the file then.
    """
    waiting, running, in_a_row, first = deque(requests), set(), 0, True
    start = time.monotonic() - tally.seconds
    try:
        with ThreadPoolExecutor(sender.endpoint.concurrency, thread_name_prefix="collect") as pool:
            try:
                _start_threads(pool, sender.endpoint.concurrency)
                while waiting or running:
                    room = 1 if first else sender.endpoint.concurrency  # the first may show that all is in vain
                    while waiting and len(running) < room:
                        running.add(pool.submit(_one, sender, log, waiting.popleft(), after))
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        request, record, more = future.result()
                        waiting.extendleft(reversed(more))
                        if record is None:
                            continue
                        in_a_row = in_a_row + 1 if record["kind"] == "failed" else 0
                        _count(tally, record, sender.endpoint)
                        if first:
                            _check_first(request, record, sender.endpoint.name)
                            first = record["kind"] == "failed"
                    tally.seconds = time.monotonic() - start
                    progress.tell(tally, len(waiting) + len(running))
                    _check_going_on(in_a_row, MOST_AT_FIRST if sender.never else MOST_FAILED, tally, spend_limit)
            except BaseException:
                sender.brake.stop()  # what is under way is waited for and written down: it has been paid for
                progress.stopping(len(running))
                raise
    finally:
        tally.seconds = time.monotonic() - start


def _start_threads(pool, count):
    """Start all threads before anything is sent: one that starts while the user interrupts would not be waited for."""
    barrier = threading.Barrier(count + 1)
    try:
        for _ in range(count):
            pool.submit(barrier.wait)
        barrier.wait()
    except BaseException:
        barrier.abort()
        raise


def _one(sender, log, request, after):
    """(request, its record, requests that follow) of one request; runs in a thread."""
    if len(request.samples) > 1 and sender.honours_n is False:
        return request, None, _singles(request)
    base = {"kind": request.kind, "key": request.key, **request.about, "samples": list(request.samples)}
    try:
        reply = sender.send(request)
    except Failed as error:
        record = base | {"kind": "failed", "of": request.kind, "why": error.why, "retries": error.retries}
        log.append(record)
        return request, record, []
    got = request.samples[: len(reply.choices)]
    record = base | {"samples": list(got), "choices": [_kept(one, request) for one in reply.choices[: len(got)]]}
    record |= {
        "model": reply.model and plain_name(reply.model),
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
    }
    record |= {"retries": reply.retries}
    log.append(record)
    return request, record, _singles(replace(request, samples=request.samples[len(got) :])) + after(request, record)


def _kept(choice, request):
    """The parts of a choice that the file keeps."""
    kept = {"text": choice["text"], "finish_reason": choice["finish_reason"]}
    kept |= {"logprobs": choice["logprobs"]} if request.logprobs else {}
    return kept | ({"top": first_word(choice["top"])} if request.top else {})


def _singles(request):
    """A request for several samples as requests for one each."""
    return [replace(request, samples=(sample,)) for sample in request.samples]


def _count(tally, record, endpoint):
    tally.retries.update(record["retries"])
    if record["kind"] == "failed":
        tally.failed += 1
        return
    tally.answered += 1
    tally.tokens_in += record["tokens_in"] or 0
    tally.tokens_out += record["tokens_out"] or 0
    if endpoint.prices_known:
        tally.cost = endpoint.cost(tally.tokens_in, tally.tokens_out)


def _check_first(request, record, model):
    """ValueError if the first reply lacks log-probabilities that were asked for."""
    if record["kind"] == "failed":
        return
    choice = record["choices"][0]
    if (request.logprobs and choice["logprobs"] is None) or (request.top and choice["top"] is None):
        raise Refused(missing_logprobs(model))


def _check_going_on(in_a_row, most, tally, spend_limit):
    if in_a_row >= most:
        raise CollectionStopped(
            f"{in_a_row} requests in a row failed in all their tries ({reasons(tally.retries)}), so the server is "
            "likely down. All that was received is kept; start again later, and only the rest is asked."
        )
    if spend_limit is not None and tally.cost > spend_limit:
        raise CollectionStopped(
            f"This start has cost {tally.cost:.4g}, more than spend_limit={spend_limit:g}. All that was received is "
            "kept; start again with a higher limit."
        )


def reasons(retries):
    """Counted reasons in words.

    >>> reasons({"429": 3, "timed out": 1})
    '3 x 429, 1 x timed out'
    """
    found = sorted(retries.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} x {word}" for word, count in found) or "no reason"


UNPRICED_REQUESTS = 1000  # that may be sent without asking where prices are unknown


@dataclass(frozen=True)
class Usage:
    """What a file has taken in all its starts; `new` of its requests were answered in this one, in `seconds`.

    requests : that were answered; retries : tries in vain by reason; failed : requests that failed in all their tries
    tokens_in, tokens_out : as the server counts them; unreported : responses that do not tell
    cost : of these tokens, NaN where a price is unknown
    """

    requests: int
    new: int
    tokens_in: int
    tokens_out: int
    unreported: int
    cost: float
    retries: dict = field(default_factory=dict)
    failed: int = 0
    seconds: float = field(default=0.0, repr=False)

    def __str__(self):
        cost = "cost unknown" if math.isnan(self.cost) else f"cost {self.cost:.4g}"
        tokens = f"{self.tokens_in:,} tokens read, {self.tokens_out:,} written"
        untold = f" ({self.unreported:,} responses do not say)" * bool(self.unreported)
        again = f"; tries in vain: {reasons(self.retries)}" if self.retries else "; no try in vain"
        failed = f"; requests that failed in all their tries: {self.failed:,}" * bool(self.failed)
        sent = f"{self.requests:,} requests, {self.new:,} of them in this start"
        return f"{sent}; {tokens}{untold}, {cost}{again}{failed}"


def count_usage(records, tally, endpoint):
    """`Usage` of the records of a file and of what this start did."""
    retries, told = Counter(), [0, 0]
    answered = [record for record in records if record["kind"] != "failed"]
    for record in records:
        retries.update(record.get("retries") or {})
    for record in answered:
        told[0] += record.get("tokens_in") or 0
        told[1] += record.get("tokens_out") or 0
    unreported = sum(record.get("tokens_out") is None for record in answered)
    cost = endpoint.cost(*told)
    failed = len(records) - len(answered)
    return Usage(len(answered), tally.answered, *told, unreported, cost, dict(retries), failed, tally.seconds)


def check_spending(plan, requests, cost, spend_limit, confirm):
    """Ask before more than `spend_limit` may be spent; ValueError without consent. The limit that holds while running.

    Parameters
    ----------
    plan : what `confirm` is called with
    requests : the most that may be sent; cost : the most that they may cost, NaN if a price is unknown
    spend_limit : in the currency of the prices; where they are unknown, more than 1,000 requests count as above it
    confirm : function that returns whether to go on, or None
    """
    if not isinstance(spend_limit, int | float) or isinstance(spend_limit, bool) or not spend_limit >= 0:
        raise ValueError(f"spend_limit must be a number from 0 on, but it is {spend_limit!r}.")
    if confirm is not None and not callable(confirm):
        raise ValueError("confirm must be a function that is called with the plan and says whether to go on, or None.")
    unpriced = math.isnan(cost)
    above = requests > UNPRICED_REQUESTS if unpriced else cost > spend_limit
    if not above:
        return None if unpriced else spend_limit
    if confirm is not None and confirm(plan):
        return None
    if unpriced:
        said = (
            f"Up to {requests:,} requests would be sent, and their price is unknown. Give the endpoint price_in and "
            "price_out (0.0 for a model of your own)"
        )
    else:
        said = f"Up to {cost:.4g} may be spent, more than spend_limit={spend_limit:g}. Raise the limit"
    declined = "" if confirm is None else " confirm said no; nothing was sent."
    raise ValueError(f"{said}, or pass confirm=lambda plan: True.{declined}")


@dataclass(frozen=True)
class Estimate:
    """What some requests will take: ranges (low, high) of tokens, cost (NaN if a price is unknown) and seconds."""

    what: str
    requests: tuple
    tokens_in: tuple
    tokens_out: tuple
    cost: tuple
    seconds: tuple

    def __str__(self):
        money = "cost unknown" if math.isnan(self.cost[1]) else f"cost {self.cost[0]:.2g} to {self.cost[1]:.2g}"
        return (
            f"{self.what}: {span(*self.requests)} requests, {span(*self.tokens_in)} tokens read, "
            f"{span(*self.tokens_out)} written; {money}; {duration(self.seconds[0])} to {duration(self.seconds[1])}"
        )


def estimate(what, requests, endpoint, most_asks=1):
    """`Estimate` of a list of requests, each sent once to `most_asks` times."""
    size = sum(len(message["content"].encode()) for request in requests for message in request.messages)
    ends, written = (1, most_asks), sum(request.max_tokens for request in requests)
    read = tuple(math.ceil(size * n / one) for n, one in zip(ends, BYTES_A_TOKEN, strict=True))
    out = (len(requests), written * most_asks)
    cost = tuple(endpoint.cost(a, b) for a, b in zip(read, out, strict=True))
    counts = tuple(len(requests) * n for n in ends)
    seconds = tuple(n * s / endpoint.concurrency for n, s in zip(counts, SECONDS, strict=True))
    return Estimate(what, counts, read, out, cost, seconds)


def ask(endpoint, path, header, what, missing, *, spend_limit, confirm, progress, most_asks=1, after=None):
    """Send what is missing in the file; (records, `Usage`, notes).

    missing : function of the records of the file that returns the requests that are still open
    after : see `_run.run`
    """
    tally = Tally()
    with ResponseLog(path, header) as log:
        requests = missing(log.records)
        if requests:
            plan = estimate(what, requests, endpoint, most_asks)
            limit = check_spending(plan, plan.requests[1], plan.cost[1], spend_limit, confirm)
            told = Progress(progress, what, endpoint)
            with Sender(endpoint) as sender:
                try:
                    options = {"spend_limit": limit} | ({"after": after} if after else {})
                    run(sender, log, requests, tally, progress=told, **options)
                finally:
                    told.end()
        return log.records, count_usage(log.records, tally, endpoint), tuple(log.notes)
