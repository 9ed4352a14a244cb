"""The four papers as code: one plain function for each numbered item that can be computed, in the paper's letters.

- `perezlebel2023`: beyond calibration, the grouping loss and its lower bound
- `melo2026`: the bin-free estimator, the risk of one decision, audits and cascades
- `ecuas2026`: a proper score for systems that may abstain
- `semece2026`: Sem1 and Sem2, the confidence of sampled answers

Arrays go in, numbers come out: no weights, groups, intervals or checks, and errors are NumPy's. A docstring has the
statement in our words, the formula, the shapes, the row of the ledger, and the strong twin, which has all that.
Nothing here imports anything else of `helpers`. `NOT_COMPUTED` of a module says why an item has no function.
"""
