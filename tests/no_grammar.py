"""Imported first: jsonschema does without a grammar of web addresses that takes seconds to compile at each start."""

import sys

sys.modules["rfc3987_syntax"] = None  # no notebook is checked against it
