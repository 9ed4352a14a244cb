"""Imported first by every process of the tests: packages do at each start, or each call, what takes long."""

import gc
import importlib.metadata
import sys
from functools import cache

import yaml
from sklearn.base import BaseEstimator

sys.modules["rfc3987_syntax"] = None  # a grammar of web addresses, which jsonschema compiles and can do without
importlib.metadata.packages_distributions = cache(importlib.metadata.packages_distributions)  # Inspect: for each task
yaml.SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast; Inspect's list of models is long
gc.set_threshold(20_000, 20, 50)  # garbage was looked for in a twentieth of the time, with Inspect in a seventh
# scikit-learn reads the signature of a class for each estimator of it: a sixth of the time of a repair of few rows
BaseEstimator._get_param_names = classmethod(cache(BaseEstimator._get_param_names.__func__))
