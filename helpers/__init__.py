"""Honest Confidence: what calibration misses, measured and used.

Import what you need from the module that owns it, for example
``from helpers.grouping import grouping_loss``. Importing `helpers` alone loads nothing heavy.

Doors, which most readers need, with the modules behind each:

- `scoring`: proper scores and their parts
- `calibration` (reliability): recalibration, calibration error
- `partition` (encoding, binned_partition): honest trees, bins with regions
- `grouping` (region_statistics, curves, multiclass, binned_grouping, binned_result, binned_statistics): grouping loss
- `decisions` (costs, risks): costs, thresholds, the risk of one decision
- `audit` (group_rates, group_merging, group_stability): who is misjudged
- `routing` (routed, cascades, routers, sweeps, policies, thresholds): which model answers
- `resampling`: intervals and paired differences
- `simulation`, `datasets` (folktexts, embeddings): populations with known truth, real data
- `plotting`, `notebook`, `run`: figures, what every notebook needs, running one with your parameters
- `report` (tables, wording): notebook 13

Below them: `checks`, `binning`. Studies that a notebook repeats, and what is known exactly:
experiments, controls, example_losses, binning_truth, binning_bounds, risk_studies, post_training, audit_studies, pools,
trained_pools, asked_pools, cascade_studies, cascade_summaries, answer_cascades, text_rows.
"""

__version__ = "0.1.0"
