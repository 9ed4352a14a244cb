"""The reports of notebooks 13 (a table of scores) and 14 (sampled answers): numbers, and the words for them.

- `intake`: a user's table and terms, looked at before the audit
- `answers` (made by `answer_audit`, with `answer_numbers`, `answer_costs`, `answer_pair` and `votes`): the numbers, the
  page and its files; `answer_findings`, `answer_kinds` with answer_words.ini: what they mean, and the words for it
- `scores`: the numbers; `average`: scores that are right on average or not; `misjudged`, `single_cases`: for whom they
  are not; `control`: nothing to find
- `rescored`: scores that the labels can judge; `money`: what they cost; `pair`: an old score beside a new one
- `drift`: scores over time
- `findings`, `document`: what findings are, and the page of a report made from them
- `score_findings` and score_words.ini: what is concluded on scores, and the words for it; `score_page`,
  `score_tables`, `files`: the page, its tables, and what `ScoreReport.save` writes
"""

from helpers.reports.answer_audit import audit_answers
from helpers.reports.answers import AnswerReport
from helpers.reports.control import negative_control
from helpers.reports.document import say
from helpers.reports.intake import check_terms, read_table, two_costs
from helpers.reports.scores import ScoreReport, audit_scores

__all__ = [
    "AnswerReport", "ScoreReport", "audit_answers", "audit_scores", "check_terms", "negative_control", "read_table",
    "say", "two_costs",
]  # fmt: skip
