"""The same steps for scores, classes and grades: open the file, ask for consent, send what is missing, count."""

import math
from dataclasses import dataclass

from helpers.collect._progress import Progress
from helpers.collect._run import Tally, run
from helpers.collect._usage import check_spending, count_usage
from helpers.collect.log import ResponseLog
from helpers.collect.plan import BYTES_A_TOKEN, SECONDS, duration, span
from helpers.collect.send import Sender


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
