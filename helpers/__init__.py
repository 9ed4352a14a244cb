"""Honest Confidence: what calibration misses, measured and used.

Import what you need from the module that owns it, for example
``from helpers.grouping import grouping_loss``. Importing `helpers` alone loads nothing heavy.

Doors, which most readers need, with the modules behind each:

- `scoring`: proper scores and their parts
- `calibration` (reliability, affine_calibration): recalibration, calibration error
- `partition` (encoding, binned_partition, histogram_tree): honest trees, bins with regions
- `grouping` (region_statistics, curves, multiclass, binned_grouping, binned_result, binned_statistics): grouping loss
- `stacked_grouping`: the same from many learners, closer to the truth and slower
- `decisions` (costs, risks): costs, thresholds, the risk of one decision
- `audit` (group_rates, group_merging, group_stability): who is misjudged
- `routing` (routed, cascades, routers, sweeps, policies, thresholds): which model answers
- `selective` (abstention, bayes_costs, risk_coverage, confidence_scores, selective_systems): answer or abstain
- `answers` (answer_rules, answer_classes, answer_splits, semantic_confidence, semantic_calibration): sampled answers
- `answer_theory` (answer_biases, answer_moments, answer_expansions): what is known about them exactly
- `resampling`: intervals and paired differences
- `simulation`, `datasets` (folktexts, embeddings): populations with known truth, real data
- `chunks` (mergeable, scale_studies): tables that do not fit into memory
- `collect` (stand_in, collect_studies): from a model to the tables of notebooks 13 and 14 (extra `llm`)
- `plotting`, `notebook`, `run`: figures, what every notebook needs, running one with your parameters
- `report` (tables, wording): notebook 13; `answer_report` (answer_table, answer_wording): notebook 14

Below them: `checks`, `binning`. Studies that a notebook repeats, and what is known exactly:
experiments, controls, example_losses, binning_truth, binning_bounds, risk_studies, post_training, audit_studies, pools,
trained_pools, asked_pools, cascade_studies, cascade_summaries, answer_cascades, text_rows, abstention_studies,
ecuas_studies, network_ecuas, printed_ecuas, answer_studies, answer_gap_studies, answer_protocols,
answer_theory_studies.
"""

__version__ = "0.1.0"
