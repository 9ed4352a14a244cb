"""What a judge may reply: JSON schemas of a partition and of a grade, and their strict reading."""

import json
from collections import defaultdict

from helpers.llm.confidences import read_object
from helpers.llm.prompts import object_schema

GRADE_SCHEMA = object_schema(grade={"type": "string", "enum": ["correct", "incorrect"]})


def partition_schema(size):
    """JSON schema of the classes of `size` answers: a number for each, so that whatever keeps the form is a partition.

    >>> partition_schema(2)["properties"]["classes"]["properties"]
    {'1': {'type': 'integer', 'enum': [1, 2]}, '2': {'type': 'integer', 'enum': [1, 2]}}
    """
    numbers = list(range(1, size + 1))
    classes = {str(number): {"type": "integer", "enum": numbers} for number in numbers}
    return object_schema(classes=object_schema(**classes))


def read_partition(text, size):
    """(classes as lists of 0-based numbers, "") of a judge's reply about `size` answers, or (None, why it is invalid).

    The reply gives each answer the number of its class, or lists the answers of each class.

    >>> read_partition('{"classes": {"1": 1, "2": 2, "3": 1}}', 3)
    ([[0, 2], [1]], '')
    >>> read_partition('{"classes": [[1, 3], [2]]}', 3)
    ([[0, 2], [1]], '')
    >>> read_partition('{"classes": [[1], [2, 2]]}', 3)[1], read_partition("[1, 2, 3]", 3)[1]
    ('doubled number', 'no JSON object with classes')
    """
    classes = read_object(text).get("classes")
    if isinstance(classes, dict):
        classes = _members(classes)
    if not isinstance(classes, list) or not all(isinstance(members, list) for members in classes):
        return None, "no JSON object with classes"
    numbers = [number for members in classes for number in members]
    if not all(isinstance(number, int) and not isinstance(number, bool) for number in numbers):
        return None, "not a number"
    if not all(1 <= number <= size for number in numbers):
        return None, "unknown number"
    if len(set(numbers)) < len(numbers):
        return None, "doubled number"
    if len(numbers) < size:
        return None, "missing number"
    return [[number - 1 for number in members] for members in classes if members], ""


def _members(class_of):
    """Lists of the answers of each class from {answer: class}; an answer that is no number stays as it is."""
    members = defaultdict(list)
    for answer, label in class_of.items():
        members[json.dumps(label)].append(int(answer) if answer.isdecimal() else answer)
    return list(members.values())


def read_grade(text):
    """(1 or 0, "") of a judge's reply, or (None, why it is invalid).

    >>> read_grade('{"grade": "correct"}'), read_grade("It is correct.")
    ((1, ''), (None, 'no JSON object with a grade'))
    """
    match read_object(text).get("grade"):
        case "correct":
            return 1, ""
        case "incorrect":
            return 0, ""
    return None, "no JSON object with a grade"
