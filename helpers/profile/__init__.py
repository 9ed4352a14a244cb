"""What a table really holds, looked at before anything is estimated from it.

- `alerts`: what was found, as data, and the warning that estimators give
- `columns`: each column as codes, read once
- `copies`: rows that stand in the table more than once, or again with another value in one column
- `clusters`: rows of one event, person, day or place
- `leaks`: columns that give the outcome away, or can only be known afterwards
- `table`: `profile_table`, which looks for all of these
"""

from helpers.profile.alerts import Alert, TableWarning
from helpers.profile.table import Profile, profile_table

__all__ = ["Alert", "Profile", "TableWarning", "profile_table"]
