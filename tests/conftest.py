"""Settings shared by all tests: property tests draw the same examples on every machine."""

from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True, max_examples=60, database=None)
settings.load_profile("house")
