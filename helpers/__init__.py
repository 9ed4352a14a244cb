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
- `decisions`, `selective`, `routing`: the risk of one decision, answer or refuse, which model answers
- `experiments`: repeated studies
- `studies`: what one notebook alone needs

Whoever has files of their own starts in `practice`: reports, repaired probabilities, tables of any size, language
models. Its rooms stand on all of these, and none of these knows them.
"""

__version__ = "0.3.0"
