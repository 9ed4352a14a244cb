"""From stated scores to calibrated ones, and the calibration error of scores.

- `calibrators`: Platt and isotonic maps of one probability; `affine`: log scores of several classes
- `reliability`: the reliability curve and the calibration error, with what chance shows and an interval
- `smooth`: a running curve without bins
"""

from helpers.calibration.affine import AffineCalibrator, affine_loss, cross_calibrate
from helpers.calibration.calibrators import IsotonicCalibrator, PlattCalibrator, clipped_logit
from helpers.calibration.reliability import calibration_error, reliability_curve
from helpers.calibration.smooth import running_curve

__all__ = [
    "AffineCalibrator",
    "IsotonicCalibrator",
    "PlattCalibrator",
    "affine_loss",
    "calibration_error",
    "clipped_logit",
    "cross_calibrate",
    "reliability_curve",
    "running_curve",
]
