"""The kinds of findings on scores: which exclude each other, which stand on the first screen, in which units.

Their words stand in score_words.ini.
"""

import re
from configparser import ConfigParser, ExtendedInterpolation
from pathlib import Path

from helpers.reports.findings import Kind

WORDS = ConfigParser(interpolation=ExtendedInterpolation(), delimiters=(":",))
WORDS.read(Path(__file__).with_name("score_words.ini"), encoding="utf-8")

ONE_OF = [  # of each line, at most one kind is found for a subject
    tuple(name for name in WORDS["use"] if " " not in name),
    (
        "pair_better", "pair_worse", "better_as_stated", "worse_as_stated", "better_until_mended", "worse_until_mended",
        "pair_unclear",
    ),
    ("loses_where", "gains_where"),
    ("groups_compared", "groups_not_compared"),
    ("in_order", "knows_nothing", "reversed", "constant"),
    (
        "right_on_average", "off_little", "off_unsure", "off_mendable", "off_mendable_curve", "off_and_useless",
        "off_and_moving",
    ),
    ("right_on_average", "off_little", "all_too_low", "all_too_high"),
    ("right_on_average", "too_extreme", "too_timid"),
    ("knows_nothing", "too_extreme", "too_timid"),
    ("reversed", "too_extreme", "too_timid"),
    ("right_on_average", "recalibration_saves"),
    ("recalibration_saves", "recalibration_saves_nothing"),
    ("bent", "off_mendable"),
    ("error_saved", "error_not_saved", "error_grows"),
    ("error_saved", "off_unsure"),
    ("drifts", "steady"),
    ("suspicious", "too_low", "too_high", "leans_low", "leans_high", "fine_as_stated", "spoiled"),
    ("confirmed_lead", "hint"),
    ("nobody_named", "named_groups", "groups_unknown"),
    ("people_decide", "not_alone"),
    (
        "certified_loss", "certified_loss_of_groups", "size_unknown", "perhaps_the_fall", "signs_of_loss",
        "no_loss_found", "no_loss_seen", "single_cases_unknown",
    ),
    ("by_learners", "by_tree", "by_one_tree"),
    ("repair_saves", "repair_like_rule", "repair_saves_nothing", "nothing_to_repair", "repair_not_tried"),
    ("decides", "costs_not_given"),
]  # fmt: skip

ON_TOP = {  # of the first screen, whatever their severity
    "pair_better", "pair_worse", "better_as_stated", "worse_as_stated", "better_until_mended", "worse_until_mended",
    "pair_unclear", "right_on_average", "off_little", "off_unsure", "off_mendable", "off_mendable_curve",
    "certified_loss", "certified_loss_of_groups", "size_unknown", "perhaps_the_fall", "signs_of_loss", "no_loss_found",
    "no_loss_seen", "nobody_named", "groups_unknown", "repair_saves", "repair_like_rule",
    "repair_saves_nothing", "nothing_to_repair",
}  # fmt: skip
BELOW = {  # never there
    "off_and_useless", "named_groups", "model_needs", "check_columns", "people_decide", "not_alone",
    "single_cases_unknown",
}  # fmt: skip

UNITS = {  # of value, low and high, for a part or a kind
    "use": "share", "pair": "squared error", "average": "probability", "time": "probability", "loss": "probability",
    "parts": "squared error", "groups": "probability", "decisions": "cost", "limits": "share", "read": "people",
    "reversed": "share", "knows_nothing": "share", "in_order": "share", "too_extreme": "slope", "too_timid": "slope",
    "by_tree": "count", "unmeasured": "share", "named_groups": "share", "people_decide": "share", "not_alone": "share",
    "decides": "probability",
}  # fmt: skip


def _kind(name, part):
    excludes = {other for kinds in ONE_OF if name in kinds for other in kinds} - {name}
    sentence, advice, how = (
        re.sub(r"\s*\n\s*", " ", WORDS[part].get(key, "")) for key in (name, f"{name} do", f"{name} how")
    )
    on_top = True if name in ON_TOP else False if name in BELOW else None
    unit = UNITS.get(name, UNITS.get(part, ""))
    return Kind(part, sentence, advice, how, unit=unit, excludes=tuple(sorted(excludes)), on_top=on_top)


KINDS = {name: _kind(name, part) for part in WORDS.sections()[1:] for name in WORDS[part] if " " not in name}
