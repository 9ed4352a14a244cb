"""A list of requests, several at a time, every response in the file before the next request of its thread."""

import threading
import time
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

from helpers.collect._client import CollectionStopped
from helpers.collect._reply import first_word
from helpers.collect.endpoint import missing_logprobs, plain_name
from helpers.collect.send import Failed, Refused

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
