"""Notebook 10: ECUAS of digits, of real networks and of a language model, and what printed tables allow."""

from helpers.studies.nb10_ecuas_real.digits import (
    TEMPERATURES,
    answer_quality,
    digit_readers,
    draw_population,
    population_table,
    sampled_answer_costs,
    with_hopeless_answers,
)
from helpers.studies.nb10_ecuas_real.figures import plot_answer_quality, plot_reader_costs
from helpers.studies.nb10_ecuas_real.language_model import (
    compare_confidences,
    greedy_confidences,
    measure_ways,
    plot_confidence_differences,
)
from helpers.studies.nb10_ecuas_real.networks import (
    against_printed,
    measure_draws,
    measure_networks,
    reading,
    saturated_rows,
    score_maps,
    side_by_side,
    with_intervals,
)
from helpers.studies.nb10_ecuas_real.printed import (
    best_methods,
    check_aurc,
    compare_counts,
    disagreement,
    possible_sizes,
    rank_changes,
)
