"""Who is misjudged: subgroups whose observed rate differs from their stated one, in words, with intervals.

- `search`: begin here, with `audit_groups`: all segments of one and two columns, judged by one maximum;
  `search_segments` also gives what could not have been found (`classes`: the same for several classes)
- `gaps`: the value of the search, the standardised gap of each segment. Around it: `segments`, which ones;
  `recalibration`, `skewness`, `dependence` of rows; `null`, drawn tables; `joint`, one test; `intervals`, `power`;
  `selection`, the few to act on
- `tree`: the groups of Melo et al. (2026): leaves of an honest tree, measured on rows that did not choose them
- `plan`: before a table is collected, how many rows an audit needs
- `columns`: every level of columns that are named
- `rates`: stated and observed rates of any subgroups, with adjusted p-values
"""

from helpers.audit.columns import measure_columns
from helpers.audit.plan import AuditPlan, plan_audit
from helpers.audit.rates import holm, measure_groups
from helpers.audit.search import SegmentSearch, audit_groups, search_segments
from helpers.audit.tree import GroupAudit, tree_groups

__all__ = [
    "AuditPlan",
    "GroupAudit",
    "SegmentSearch",
    "audit_groups",
    "holm",
    "measure_columns",
    "measure_groups",
    "plan_audit",
    "search_segments",
    "tree_groups",
]
