"""The reports of notebooks 13 (a table of scores) and 14 (sampled answers): numbers, findings, and the words for them.

Both: `findings` is what a report concludes, `document` the page made from them, `phrases` numbers in words;
`control` repeats an audit where there is nothing to find; `intake` looks at a user's table and terms before the audit.

On scores: `scores` computes with `average` (are they right on average?), `misjudged` and `single_cases` (for whom are
they not?), `several` (all classes together), `drift` (over time), `rescored` (recalibrated, repaired, and what that
saves) and `pair` (beside an old score). `score_findings` concludes, with all thresholds; score_words.ini has
the words. `score_tables` and `files` write.

On answers: `answers` computes with `answer_numbers` and `answer_rules` (promises and costs); `answer_findings`
concludes; answer_words.ini has the words.
"""

from helpers.practice.reports.answers import audit_answers
from helpers.practice.reports.control import negative_control
from helpers.practice.reports.document import show_heading, show_text
from helpers.practice.reports.intake import cost_pair, read_table
from helpers.practice.reports.scores import audit_scores

__all__ = ["audit_answers", "audit_scores", "negative_control", "read_table", "show_heading", "show_text", "cost_pair"]
