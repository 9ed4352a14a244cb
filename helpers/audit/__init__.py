"""Who is misjudged: subgroups whose observed rate differs from what they were told, in words, with intervals.

- `find`: regions of an honest tree, estimated on rows that did not choose them
- `rates`: stated and observed rates of any subgroups, with adjusted p-values
- `merging`: neighbouring subgroups joined when they are alike
- `stability`: what comes back on redrawn rows
"""

from helpers.audit.find import GroupAudit, audit_groups, find_groups
from helpers.audit.rates import holm, measure_groups
from helpers.audit.stability import group_stability

__all__ = ["GroupAudit", "audit_groups", "find_groups", "group_stability", "holm", "measure_groups"]
