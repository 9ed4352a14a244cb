"""The process of `helpers.llm.testing.stand_in`: standard library only, and no heavy package above it, so that it
starts at once.
"""
