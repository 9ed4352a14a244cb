"""Imported first by every process of the tests: packages do at each start, or each call, what takes long."""

import gc
import importlib.metadata
import sys
from functools import cache

import yaml

sys.modules["rfc3987_syntax"] = None  # a grammar of web addresses, which jsonschema compiles and can do without
importlib.metadata.packages_distributions = cache(importlib.metadata.packages_distributions)  # Inspect: for each task
yaml.SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast; Inspect's list of models is long
gc.set_threshold(20_000, 20, 50)  # garbage was looked for in a twentieth of the time, with Inspect in a seventh
