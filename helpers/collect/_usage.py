"""What a collection has taken, counted from its file and from this start."""

import math
from collections import Counter
from dataclasses import dataclass, field

from helpers.collect._run import reasons

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
