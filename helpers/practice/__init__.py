"""For people with files of their own: tables are read, audited, repaired and reported; models are asked.

This floor rests on the rooms of the papers, and none of them knows it. Each rests only on those above it:

- `repair`: probabilities that are righter than the stated ones
- `tables`: files of scores and answers
- `chunks`, `llm`: tables larger than memory, asking models
- `reports`: the reports of notebooks 13 and 14
- `run`: ``python -m helpers.practice.run``
"""
