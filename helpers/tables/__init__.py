"""Tables that a user brings: scores of cases, sampled answers, embeddings; read and checked first.

- `files`: CSV, Parquet, Feather, Excel and JSON lines; `columns`: those with a role; `features`: the others
- `scores`, `folktexts`: one row a case
- `answers`, `answer_layouts`: one row an answer, or a question; `answer_rules`, `repeats`: looked at before they are
  believed; `answer_systems`: two of them; `embeddings`: a network's features
- `typed_answers`: one row an answer with a probability for each option
"""

from helpers.tables.answers import AnswerTable, read_answers, read_systems, table_of_counts
from helpers.tables.embeddings import Embeddings, read_embeddings
from helpers.tables.files import find_table
from helpers.tables.folktexts import read_folktexts
from helpers.tables.scores import ScoreTable, read_scores
from helpers.tables.typed_answers import TypedAnswers, read_typed_answers

__all__ = [
    "AnswerTable", "Embeddings", "ScoreTable", "TypedAnswers", "find_table", "read_answers", "read_embeddings",
    "read_folktexts", "read_scores", "read_systems", "read_typed_answers", "table_of_counts",
]  # fmt: skip
