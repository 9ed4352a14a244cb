"""Tables that a user brings: scores of cases and sampled answers, read and checked first.

- `files`: CSV, Parquet, Feather, Excel and JSON lines; `columns`: those with a role; `features`: the others
- `scores`: one row a case
- `answers`, `answer_layouts`: one row an answer, or a question, of one system or two; `question_columns`: what else is
  known of a question
- `single_answers`: one answer a question, as a table of scores
- `logs`: of Inspect (`inspect_logs`) and lm-evaluation-harness (`harness_logs`), which share `log_table`
- `typed_answers`: one row an answer with a probability for each option
"""

from helpers.practice.tables.answers import read_answers, read_systems, table_of_counts
from helpers.practice.tables.scores import read_scores
from helpers.practice.tables.typed_answers import read_typed_answers

__all__ = [
    "read_answers", "read_scores", "read_systems", "read_typed_answers", "table_of_counts",
]  # fmt: skip
