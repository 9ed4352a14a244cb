"""Notebook 10: ECUAS of digits, of real networks and of a language model, and what printed tables allow."""

from helpers.studies.nb10_ecuas_real.digits import (
    TEMPERATURES,
    answer_quality,
    draw_population,
    population_table,
    sampled_answer_costs,
)
from helpers.studies.nb10_ecuas_real.language_model import (
    compare_confidences,
    greedy_confidences,
    plot_confidence_differences,
)
from helpers.studies.nb10_ecuas_real.networks import (
    against_printed,
    measure_draws,
    measure_networks,
    saturated_rows,
    score_maps,
    with_intervals,
)
from helpers.studies.nb10_ecuas_real.printed import (
    best_methods,
    check_aurc,
    compare_counts,
    disagreement,
)
