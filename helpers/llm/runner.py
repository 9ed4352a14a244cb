"""One loop for every collection: what is missing is sent, several requests at a time, written down and counted.

Consent to the price comes first; every response is in the file before its thread sends the next request.
"""

import math
import threading
import time
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

from helpers._bar import progress_bar
from helpers.llm.client import CollectionStopped, Failed, Refused, Sender
from helpers.llm.endpoint import missing_logprobs, plain_name
from helpers.llm.log import ResponseLog
from helpers.llm.plan import BYTES_A_TOKEN, SECONDS, duration, span
from helpers.llm.reply import first_word

MOST_FAILED = 20  # requests in a row that failed in all their tries; then the run stops

MOST_AT_FIRST = 5  # the same, before any has succeeded

UNPRICED_REQUESTS = 1000  # that may be sent without asking where prices are unknown


def collect(endpoint, path, header, steps, open_work, *, spend_limit, confirm, progress, keep=None, follow_up=None):
    """Send what is missing in the file, step by step; (records, `Usage`, notes).

    Parameters
    ----------
    endpoint : Endpoint
    path : str or Path
    header : dict
        What the first line of the file says.
    steps : dict
        {name for the bar: function of the records that returns the requests that are still open}, in their order.
    open_work : callable
        Function of the records that returns what `confirm` is called with, the most requests that may be sent and the
        most that they may cost (NaN if a price is unknown); None if nothing is missing.
    spend_limit, confirm, progress : object
        See `collect_answers`.
    keep : callable, optional
        Function of a record that returns what of it stays in memory.
    follow_up : callable, optional
        See `run`.
    """
    tally = Tally()
    with ResponseLog(path, header, keep) as log:
        work = open_work(log.records)
        if work is not None:
            limit = check_spending(*work, spend_limit, confirm)
            with Sender(endpoint) as sender:
                for name, missing in steps.items():
                    requests = missing(log.records)
                    if requests:
                        with progress_bar(name, len(requests), shown=progress) as bar:
                            run(sender, log, requests, tally, bar, follow_up=follow_up, spend_limit=limit)
        return log.records, count_usage(log.records, tally, endpoint), tuple(log.notes)


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

    def add(self, record, endpoint):
        """Count one more record."""
        self.retries.update(record["retries"])
        if record["kind"] == "failed":
            self.failed += 1
            return
        self.answered += 1
        self.tokens_in += record["tokens_in"] or 0
        self.tokens_out += record["tokens_out"] or 0
        if endpoint.prices_known:
            self.cost = endpoint.cost(self.tokens_in, self.tokens_out)

    def status(self, endpoint):
        """Tokens, cost and tries in vain so far, for the bar."""
        parts = [f"{self.tokens_in:,} tokens in and {self.tokens_out:,} out"]
        if endpoint.prices_known:
            parts.append(f"cost so far {self.cost:.4g}")
        if self.retries:
            parts.append(f"{sum(self.retries.values()):,} tries in vain")
        return ", ".join(parts)


def run(sender, log, requests, tally, bar, *, follow_up=None, spend_limit=None):
    """Send the requests and write down what comes back.

    `follow_up` is a function of a request and its record that returns requests which follow from it, or None;
    `spend_limit` the cost of this start at which it stops, or None. ValueError if the server refuses for good, or the
    first reply lacks log-probabilities that are needed; CollectionStopped if it makes no sense to go on. All that was
    received is in the file then.
    """
    endpoint = sender.endpoint
    waiting = deque(requests)
    running = set()
    failed_in_a_row = 0
    first = True
    start = time.monotonic() - tally.seconds
    try:
        with ThreadPoolExecutor(endpoint.concurrency, thread_name_prefix="collect") as pool:
            try:
                _start_threads(pool, endpoint.concurrency)
                while waiting or running:
                    room = 1 if first else endpoint.concurrency  # the first may show that all is in vain
                    while waiting and len(running) < room:
                        running.add(pool.submit(_answer, sender, log, waiting.popleft(), follow_up))
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        request, record, further = future.result()
                        waiting.extendleft(reversed(further))
                        if record is None:
                            continue
                        tally.add(record, endpoint)
                        failed_in_a_row = failed_in_a_row + 1 if record["kind"] == "failed" else 0
                        if first:
                            _check_first(request, record, endpoint.name)
                            first = record["kind"] == "failed"
                        _tell(bar, tally, endpoint, len(waiting) + len(running))
                    tally.seconds = time.monotonic() - start
                    _check_going_on(failed_in_a_row, MOST_AT_FIRST if sender.never else MOST_FAILED, tally, spend_limit)
            except BaseException:
                sender.brake.stop()  # what is under way is waited for and written down: it has been paid for
                if running and not bar.disable:
                    bar.write(
                        f"Stopping once the {len(running):,} requests under way are back: they are paid for.", bar.fp
                    )
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


def _tell(bar, tally, endpoint, n_open):
    """One more request is done; what follows from it may have changed the total."""
    if not bar.disable:
        bar.total = bar.n + 1 + n_open
        bar.set_postfix_str(tally.status(endpoint), refresh=False)
        bar.update()


def _answer(sender, log, request, follow_up):
    """(request, its record or None, requests that follow) of one request; runs in a thread."""
    if len(request.samples) > 1 and sender.honours_n is False:
        return request, None, _singles(request)
    base = {"kind": request.kind, "key": request.key, **request.about, "samples": list(request.samples)}
    try:
        reply = sender.send(request)
    except Failed as error:
        record = base | {"kind": "failed", "of": request.kind, "why": error.why, "retries": error.retries}
        log.append(record)
        return request, record, []
    answered = request.samples[: len(reply.choices)]
    record = base | {
        "samples": list(answered),
        "choices": [_kept(choice, request) for choice in reply.choices[: len(answered)]],
        "model": reply.model and plain_name(reply.model),
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "retries": reply.retries,
    }
    log.append(record)
    further = _singles(replace(request, samples=request.samples[len(answered) :]))
    if follow_up is not None:
        further += follow_up(request, record)
    return request, record, further


def _kept(choice, request):
    """The parts of a choice that the file keeps."""
    kept = {"text": choice["text"], "finish_reason": choice["finish_reason"]}
    if request.logprobs:
        kept["logprobs"] = choice["logprobs"]
    if request.top:
        kept["top"] = first_word(choice["top"])
    return kept


def _singles(request):
    """A request for several samples as requests for one each."""
    return [replace(request, samples=(sample,)) for sample in request.samples]


def _check_first(request, record, model):
    """ValueError if the first reply lacks log-probabilities that were asked for."""
    if record["kind"] == "failed":
        return
    choice = record["choices"][0]
    if (request.logprobs and choice["logprobs"] is None) or (request.top and choice["top"] is None):
        raise Refused(missing_logprobs(model))


def _check_going_on(failed_in_a_row, most, tally, spend_limit):
    if failed_in_a_row >= most:
        raise CollectionStopped(
            f"{failed_in_a_row} requests in a row failed in all their tries ({reasons(tally.retries)}), so the server "
            "is likely down. All that was received is kept; start again later, and only the rest is asked."
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
    counted = sorted(retries.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} x {reason}" for reason, count in counted) or "no reason"


@dataclass(frozen=True)
class Usage:
    """What a file has taken in all its starts.

    Parameters
    ----------
    requests : int
        Requests that were answered.
    new : int
        Those of them that were answered in this start.
    tokens_in, tokens_out : int
        Tokens read and written, as the server counts them.
    unreported : int
        Responses that do not say how many tokens they took.
    cost : float
        Price of these tokens, NaN where a price is unknown.
    retries : dict
        Tries in vain by reason, {reason: count}.
    failed : int
        Requests that failed in all their tries.
    seconds : float
        Duration of this start.

    Examples
    --------
    >>> print(Usage(requests=12, new=5, tokens_in=640, tokens_out=80, unreported=0, cost=0.0031, retries={"429": 2}))
    12 requests, 5 of them in this start; 640 tokens read, 80 written, cost 0.0031; tries in vain: 2 x 429
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
        unreported = f" ({self.unreported:,} responses do not say)" if self.unreported else ""
        retries = f"tries in vain: {reasons(self.retries)}" if self.retries else "no try in vain"
        failed = f"; requests that failed in all their tries: {self.failed:,}" if self.failed else ""
        return (
            f"{self.requests:,} requests, {self.new:,} of them in this start; {self.tokens_in:,} tokens read, "
            f"{self.tokens_out:,} written{unreported}, {cost}; {retries}{failed}"
        )


def count_usage(records, tally, endpoint):
    """`Usage` of the records of a file and of what this start did."""
    retries = Counter()
    for record in records:
        retries.update(record.get("retries") or {})
    answered = [record for record in records if record["kind"] != "failed"]
    tokens_in = sum(record.get("tokens_in") or 0 for record in answered)
    tokens_out = sum(record.get("tokens_out") or 0 for record in answered)
    return Usage(
        requests=len(answered),
        new=tally.answered,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        unreported=sum(record.get("tokens_out") is None for record in answered),
        cost=endpoint.cost(tokens_in, tokens_out),
        retries=dict(retries),
        failed=len(records) - len(answered),
        seconds=tally.seconds,
    )


def check_spending(plan, requests, cost, spend_limit, confirm):
    """Ask before more than `spend_limit` may be spent; ValueError without consent. The limit that holds while running.

    `requests` is the most that may be sent, `cost` the most that they may cost (NaN if a price is unknown). Where
    prices are unknown, more than 1,000 requests count as above the limit. `confirm` is called with `plan`, or None.
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
        reason = (
            f"Up to {requests:,} requests would be sent, and their price is unknown. Give the endpoint price_in and "
            "price_out (0.0 for a model of your own)"
        )
    else:
        reason = f"Up to {cost:.4g} may be spent, more than spend_limit={spend_limit:g}. Raise the limit"
    declined = "" if confirm is None else " confirm said no; nothing was sent."
    raise ValueError(f"{reason}, or pass confirm=lambda plan: True.{declined}")


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
        low, high = self.cost
        cost = "cost unknown" if math.isnan(high) else f"cost {low:.2g} to {high:.2g}"
        return (
            f"{self.what}: {span(*self.requests)} requests, {span(*self.tokens_in)} tokens read, "
            f"{span(*self.tokens_out)} written; {cost}; {duration(self.seconds[0])} to {duration(self.seconds[1])}"
        )


def estimate(what, requests, endpoint, most_asks=1):
    """`Estimate` of a list of requests, each sent once to `most_asks` times."""
    n_bytes = sum(len(message["content"].encode()) for request in requests for message in request.messages)
    asks = (1, most_asks)
    tokens_in = tuple(math.ceil(n_bytes * n / size) for n, size in zip(asks, BYTES_A_TOKEN, strict=True))
    tokens_out = (len(requests), most_asks * sum(request.max_tokens for request in requests))
    counts = tuple(len(requests) * n for n in asks)
    return Estimate(
        what,
        requests=counts,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=tuple(map(endpoint.cost, tokens_in, tokens_out)),
        seconds=tuple(n * seconds / endpoint.concurrency for n, seconds in zip(counts, SECONDS, strict=True)),
    )


def ask(endpoint, path, header, what, missing, *, most_asks=1, **options):
    """`collect` with one step, whose plan is an `Estimate`; `missing` returns the requests that are still open."""

    def open_work(records):
        requests = missing(records)
        if not requests:
            return None
        plan = estimate(what, requests, endpoint, most_asks)
        return plan, plan.requests[1], plan.cost[1]

    return collect(endpoint, path, header, {what: missing}, open_work, **options)
