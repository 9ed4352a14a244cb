"""Honest Confidence: what calibration misses, measured and used.

Import what you need from the package that owns it, for example
``from helpers.grouping import grouping_loss``. Importing `helpers` alone loads nothing heavy.
Everywhere an argument that breaks a rule is refused by a ValueError that names it, the rule and the first offender.

Start with `papers`: every formula of the four papers, once and plain. The other packages stand behind them, for rows
with weights and groups, and with intervals. Each rests only on those above it:

- `papers`: a function for each definition, equation, proposition, theorem and algorithm, resting on nothing
- `checks`: arguments turned into clean arrays, or a sentence that says what is wrong
- `binning`, `scoring`, `resampling`, `certificates`, `plotting`: bins, proper scores, intervals, promises, figures
- `profile`: what a table really holds: copies, rows of one event, columns that know the outcome
- `partition`, `calibration`, `datasets`: trees and their encoder, calibrators and calibration error, real data
- `simulation`, `notebook`: populations with known truth; parameters, claims, tables, exercises
- `grouping`, `audit`, `answers`: the grouping loss, subgroups, sampled answers
- `repair`, `decisions`: repaired probabilities, the risk of one decision
- `selective`, `routing`, `tables`: answer or refuse, which model answers, files of scores and answers
- `chunks`, `llm`, `experiments`: tables larger than memory, asking models, repeated studies
- `reports`: the reports of notebooks 13 and 14
- `run`: ``python -m helpers.run``
- `studies`: what one notebook alone needs
"""

__version__ = "0.1.0"
