"""The replies of a judge, read strictly, and asked for again where they are invalid."""

import json
import re
from collections import Counter, defaultdict
from dataclasses import replace

MOST_ASKS = 4  # of one partition or grade: once, and three times more if the reply is invalid

_FENCE = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL)


def read_partition(text, size):
    """(classes as lists of 0-based numbers, "") of a judge's reply about `size` answers, or (None, why it is invalid).

    >>> read_partition('{"classes": [[1, 3], [2]]}', 3)
    ([[0, 2], [1]], '')
    >>> read_partition('{"classes": [[1], [2, 2]]}', 3)[1], read_partition("[1, 2, 3]", 3)[1]
    ('doubled number', 'no JSON object with classes')
    """
    classes = _object(text).get("classes")
    if not isinstance(classes, list) or not all(isinstance(one, list) for one in classes):
        return None, "no JSON object with classes"
    numbers = [number for one in classes for number in one]
    if not all(isinstance(number, int) and not isinstance(number, bool) for number in numbers):
        return None, "not a number"
    if not all(1 <= number <= size for number in numbers):
        return None, "unknown number"
    if len(set(numbers)) < len(numbers):
        return None, "doubled number"
    if len(numbers) < size:
        return None, "missing number"
    return [[number - 1 for number in one] for one in classes if one], ""


def read_grade(text):
    """(1 or 0, "") of a judge's reply, or (None, why it is invalid).

    >>> read_grade('{"grade": "correct"}'), read_grade("It is correct.")
    ((1, ''), (None, 'no JSON object with a grade'))
    """
    grade = _object(text).get("grade")
    found = {"correct": 1, "incorrect": 0}.get(grade if isinstance(grade, str) else None)
    return found, "" if found is not None else "no JSON object with a grade"


def _object(text):
    """The JSON object that a reply consists of, a fence around it allowed; {} if it is anything else."""
    text = (text or "").strip()
    fenced = _FENCE.fullmatch(text)
    try:
        found = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


class Verdicts:
    """What a file of judgements says: by the key of a request, its first valid reply.

    found : {key: verdict}; invalid : replies by reason; gave_up : keys that were asked as often as they may be
    failed : {key: why} of requests without any reply
    """

    def __init__(self, records, read):
        self.found, self.failed, self.invalid, self.asked = {}, {}, Counter(), defaultdict(set)
        for record in records:
            key = record["key"]
            if record["kind"] == "failed":
                self.failed[key] = record["why"]
                continue
            verdict, why = read(key, record["choices"][0]["text"])
            self.asked[key].update(record["samples"])
            if why:
                self.invalid[why] += 1
            else:
                self.found.setdefault(key, verdict)

    def open(self, requests):
        """The requests that are still to be sent."""
        still = [one for one in requests if one.key not in self.found and len(self.asked[one.key]) < MOST_ASKS]
        return [attempt(one, len(self.asked[one.key])) for one in still]

    def why(self, key):
        """Why there is no verdict."""
        if len(self.asked[key]) >= MOST_ASKS:
            return f"{MOST_ASKS} invalid replies"
        return self.failed.get(key, "not asked yet")


def attempt(request, number):
    """The request as it is sent for the first time (0), at temperature 0, or again, at temperature 1."""
    return replace(request, samples=(number,), temperature=float(number > 0))


def again(read):
    """Function of a request and its record that returns the next attempt if the reply was invalid; for `_run.run`."""

    def after(request, record):
        number = request.samples[0] + 1
        why = read(request.key, record["choices"][0]["text"])[1]
        return [attempt(request, number)] if why and number < MOST_ASKS else []

    return after
