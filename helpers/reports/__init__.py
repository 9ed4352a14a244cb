"""The reports of notebooks 13 (a table of scores) and 14 (sampled answers): numbers, and the words for them.

- `intake`: a user's table and terms, looked at before the audit
- `scores`, `answers` (made by `answer_audit`, with `answer_numbers`, `answer_advice`, `answer_pair` and `votes`): the
  numbers, and tables of them; `average`: scores that are
  right on average or not; `misjudged`: for whom they are not; `control`: nothing to find
- `rescored`: scores that the labels can judge; `money`: what they cost; `pair`: an old score beside a new one
- `drift`: scores over time
- `findings`, `document`: what findings are, and the page of a report made from them
- `score_findings`, `score_kinds`, `score_words`: what is concluded on scores, and the words for it; `score_page`,
  `score_tables`, `files`: the page, its tables, and what `ScoreReport.save` writes
- `answer_files`: the page, and what `AnswerReport.save` writes
- `answers.md.j2`: the words on answers, filled by `text` with the numbers as `phrases` writes them
"""

from helpers.reports.answer_advice import Advice
from helpers.reports.answer_audit import audit_answers
from helpers.reports.answer_pair import AnswerPair
from helpers.reports.answers import AnswerReport
from helpers.reports.average import Average
from helpers.reports.control import Control, negative_control
from helpers.reports.files import save_files
from helpers.reports.intake import check_terms, read_table, two_costs
from helpers.reports.money import Money
from helpers.reports.pair import Comparison
from helpers.reports.scores import Decisions, ScoreReport, audit_scores
from helpers.reports.text import describe_figure, fold, next_steps, say, summary, tell, write

__all__ = [
    "Advice", "AnswerPair", "AnswerReport", "Average", "Comparison", "Control", "Decisions", "Money", "ScoreReport",
    "audit_answers", "audit_scores", "check_terms", "describe_figure", "fold", "negative_control",
    "next_steps", "read_table", "save_files", "say", "summary", "tell", "two_costs", "write",
]  # fmt: skip
