"""The grouping loss: how far single cases are from the rate of all cases with the same score.

The values, a few lines each:

- `region_values`: equation 6 of Melo et al. (2026), what regions capture
- `binned_values`: the binned lower bound of Perez-Lebel et al. (2023), and what bins take from it

What users call:

- `crossfit`: `grouping_loss`, bin-free, with an interval and a null test; `stacked`: the same from several `learners`
- `classes`: the same for the scores of several classes; `result`: what both return
- `binned`: `binned_grouping_loss`

The law of the values:

- `region_statistics`: all that it needs; `region_variance`: what residuals say; `null_moments`: what right scores say
- `inversion`: interval and test from one law; `fitted_scores`: what calibrating on the judged rows does to it
- `binned_variance`: standard error and interval of the binned bound

And beside them:

- `scorer`: the loss where scikit-learn asks for `scoring`
- `truth`: what bins do where the truth is known
"""

from helpers.grouping.binned import BinnedGroupingLoss, binned_grouping_loss, binned_grouping_loss_from_regions
from helpers.grouping.crossfit import grouping_loss, grouping_loss_from_regions
from helpers.grouping.result import GroupingLoss
from helpers.grouping.scorer import neg_grouping_loss
from helpers.grouping.stacked import StackedGroupingLoss, stacked_grouping_loss
from helpers.grouping.truth import captured_loss, exact_decomposition, induced_bounds, sweep_bins

__all__ = [
    "BinnedGroupingLoss", "GroupingLoss", "StackedGroupingLoss", "binned_grouping_loss",
    "binned_grouping_loss_from_regions", "captured_loss", "exact_decomposition", "grouping_loss",
    "grouping_loss_from_regions",
    "induced_bounds", "neg_grouping_loss", "stacked_grouping_loss", "sweep_bins",
]  # fmt: skip
