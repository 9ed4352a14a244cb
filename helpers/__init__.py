"""Honest Confidence: what calibration misses, measured and used.

Import what you need from the module that owns it, for example
``from helpers.grouping import grouping_loss``. Importing `helpers` alone loads nothing heavy.
"""

__version__ = "0.1.0"
