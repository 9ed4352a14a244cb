"""Who is misjudged: subgroups whose observed rate differs from what they were told, in words, with intervals.

- `search`: all segments of one and two columns, judged by one maximum (`segments`: the family; `null`: the draws;
  `naming`: the few to act on)
- `find`: the door to the search; regions of an honest tree, estimated on rows that did not choose them
- `columns`: every level of columns that somebody names
- `rates`: stated and observed rates of any subgroups, with adjusted p-values
- `merging`: neighbouring subgroups joined when they are alike
- `stability`: what comes back on redrawn rows
"""

from helpers.audit.columns import measure_columns
from helpers.audit.find import GroupAudit, audit_groups, find_groups, tree_groups
from helpers.audit.rates import holm, measure_groups
from helpers.audit.search import SegmentSearch, search_segments
from helpers.audit.stability import group_stability

__all__ = [
    "GroupAudit",
    "SegmentSearch",
    "audit_groups",
    "find_groups",
    "group_stability",
    "holm",
    "measure_columns",
    "measure_groups",
    "search_segments",
    "tree_groups",
]
