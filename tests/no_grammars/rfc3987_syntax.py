"""In place of a package that compiles 38 grammars of web addresses at import.

jsonschema loads it wherever it is installed, and nbformat loads jsonschema: a second for each nbval, papermill and
worker of pytest, for a check that no notebook needs. Without the package jsonschema does without the check.
"""

raise ImportError("the tests do without grammars of web addresses")
