"""Real data. `load_*` reads what is shipped or installed; `fetch_*` downloads once and checks the hash.

Every loader returns a frozen dataclass that says where the rows come from and under which licence. `read_*` reads a
file of yours in the form of an experiment of the papers: embeddings of a network, and predictions about people.
"""

from helpers.datasets.adult import load_adult
from helpers.datasets.download import DATA_FOLDER, DownloadError
from helpers.datasets.embeddings import Embeddings, read_embeddings
from helpers.datasets.flights import load_flights
from helpers.datasets.folktexts import ScoredPeople, read_folktexts
from helpers.datasets.network_scores import fetch_scores, score_systems
from helpers.datasets.published import load_ecuas_table, load_model_list, load_network_losses
from helpers.datasets.question_answers import read_question_answers, read_question_samples
from helpers.datasets.recorded_model import load_smollm2_answers, load_smollm2_scores
from helpers.datasets.sampled_answers import fetch_sampled_answers
from helpers.datasets.survey_answers import load_acs12, read_survey_answers
from helpers.datasets.tables import (
    Dataset,
    load_breast_cancer,
    load_claims,
    load_digits,
    load_fair,
    load_rand_hie,
    load_rand_scores,
)

__all__ = [
    "DATA_FOLDER", "Dataset", "DownloadError", "Embeddings", "ScoredPeople", "fetch_sampled_answers",
    "fetch_scores", "load_acs12", "load_adult", "load_breast_cancer", "load_claims", "load_digits", "load_ecuas_table",
    "load_fair", "load_flights", "load_model_list", "load_network_losses", "load_rand_hie", "load_rand_scores",
    "load_smollm2_answers", "load_smollm2_scores", "read_embeddings", "read_folktexts",
    "read_question_answers", "read_question_samples", "read_survey_answers", "score_systems",
]  # fmt: skip
