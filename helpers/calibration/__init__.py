"""From stated scores to calibrated ones, and the calibration error of scores.

- `calibrators`: Platt and isotonic maps of one probability; `affine`: log scores of several classes
- `reliability`: the reliability curve and the calibration error, with what chance shows and an interval
- `line`: calibration with two parameters, a test and intervals that agree with it
- `monotone`: an isotonic curve with a band for all scores at once; `smooth`: a running curve without bins
"""

from helpers.calibration.affine import AffineCalibrator, cross_calibrate
from helpers.calibration.calibrators import IsotonicCalibrator, PlattCalibrator
from helpers.calibration.line import calibration_line
from helpers.calibration.monotone import monotone_curve
from helpers.calibration.reliability import calibration_error, reliability_curve
from helpers.calibration.smooth import running_curve

__all__ = [
    "AffineCalibrator", "IsotonicCalibrator", "PlattCalibrator", "calibration_error", "calibration_line",
    "cross_calibrate", "monotone_curve", "reliability_curve", "running_curve",
]  # fmt: skip
