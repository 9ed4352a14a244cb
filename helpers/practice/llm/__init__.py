"""A language model is asked for answers and how sure it is of them.

- `prompts`: the wording, without a model (the arithmetic is `helpers.answers.token_confidences`)
- `evals`: tasks, scorers and metrics for Inspect, which asks the model (extra `llm`)
- `local`: a small model on this machine (extra `local`)
- `models`: where such models come from, and under which terms
"""
