"""Where a relation holds less than to the last digit, and why: {relation: {reason: entry points}}."""

LOSSES = (
    "grouping_loss", "grouping_loss, 3 splits", "grouping_loss, isotonic", "grouping_loss of classes",
)  # fmt: skip

BINNED = ("binned_grouping_loss", "binned_grouping_loss, 3 splits", "binned_grouping_loss_from_regions")

REPAIRS = ("Recalibrator", "ClassRecalibrator", "RepairedClassifier")

SPLITS = (
    *LOSSES, "grouping_loss, paper", *BINNED, "stacked_grouping_loss", "RiskEstimator, trees", "RiskEstimator, paper",
    *REPAIRS, "TreeRouter",
)  # fmt: skip

SEARCHES = ("search_segments", "audit_groups")

BOOTSTRAPS = (
    "measure_systems", "compare_systems", "bootstrap_interval", "paired_difference", "sem_ece", "evaluate_policies",
    "compare_policies",
)  # fmt: skip

BY_LOT = "the ends of intervals are drawn"

DRAWN = "equally good splits, and the columns of a forest, are drawn"

#: The estimate moves by no more than a few of its standard errors.
ON_AVERAGE = {
    "row order": {"rows are split by their number": SPLITS},
    "empty column": {DRAWN: (*BINNED[:2], *REPAIRS[:2], "TreeRouter")},
    "constant column": {DRAWN: (*BINNED[:2], *REPAIRS, "TreeRouter")},
    "equal weights": {"scikit-learn's boosting asks for a least weight in a leaf": ("RepairedClassifier",)},
    "noise column": {
        "trees may split at it": (
            *(name for name in SPLITS if name != BINNED[2]), *SEARCHES, "audit_groups of classes", "chunks",
        ),
    },
    "copies as groups": {
        "leaves of 15 rows hold the rows of 5 groups": (
            "chunks", "grouping_loss of classes", *REPAIRS[1:], "TreeRouter",
        ),
        "rows without groups are halved in pairs of neighbouring scores": BINNED,
        "copies stay, as groups, so that groups of `min_rows` rows are others": ("audit_groups of classes",),
    },
    "names of groups": {"scikit-learn's folds are those of sorted names": ("RepairedClassifier",)},
    "groups of one row": {
        "rows without groups are halved in pairs of neighbouring scores": BINNED,
        "scikit-learn's folds are others": ("RepairedClassifier",),
    },
    "weight 0": {"scikit-learn's folds hold such rows": ("RepairedClassifier",)},
    "other class is 1": {
        "pairs of neighbouring scores begin at the other end": BINNED,
        "equally good splits are drawn among levels in the other order": ("stacked_grouping_loss", "Recalibrator"),
    },
}  # fmt: skip

#: The estimate is the same to the last digit, its interval nearly.
ONLY_ESTIMATES = {
    "row order": {"rows are drawn by their number": BOOTSTRAPS},
    "class order": {BY_LOT: ("audit_groups of classes",)},
    "other class is 1": {BY_LOT: (*SEARCHES, "calibration_error", "monotone_curve")},
    "copies as groups": {
        "squares of residuals take the place of the variance that scores state": ("calibration_line", *LOSSES[:3]),
        "draws change the signs of residuals, not labels: another law": SEARCHES,
        "how alike the rows of a group are is estimated": ("grouping_loss_from_regions",),
    },
    "groups of one row": {
        "squares of residuals take the place of the variance that scores state": (*LOSSES, "calibration_line"),
    },
}

DOES_NOT_APPLY = {
    "row order": {
        "rows are halved by their number, and other groups are found": ("tree_groups",),
        "it asks `Recalibrator`, of which this is tried": ("RiskEstimator, repair",),
    },
    "held otherwise": {"it asks `Recalibrator`, of which this is tried": ("RiskEstimator, repair",)},
    "read only": {"it asks `Recalibrator`, of which this is tried": ("RiskEstimator, repair",)},
    "empty column": {"scikit-learn's boosting takes no column without a number": ("RepairedClassifier",)},
    "noise column": {"trees may split at it": ("tree_groups", "HonestTree")},
    "copies as groups": {
        "halves hold other rows": ("tree_groups",),
        "fifths of three times as many rows may end one value later": ("measure_columns",),
        "the AURC is a mean over coverages 1/n, 2/n, …": ("measure_systems", "compare_systems"),
    },
    "groups of one row": {
        "draws change the signs of residuals, not labels: another law": (*SEARCHES, "audit_groups of classes"),
    },
    "equal weights": {"it asks `Recalibrator`, of which this is tried": ("RiskEstimator, repair",)},
    "class order": {"of tied classes the earlier column is selected": ("sem2",)},
}
