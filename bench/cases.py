"""All cases, in the order in which they are measured."""

import on_fits
import on_grouping
import on_scores
import on_systems

CASES = {case.name: case for file in (on_grouping, on_scores, on_fits, on_systems) for case in file.CASES}
