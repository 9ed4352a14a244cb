"""``python -m helpers.run NOTEBOOK -p NAME VALUE ... --output FOLDER``: a notebook with other parameters.

- `command`: the command line; `plan`: everything checked before a kernel starts; `execute`: the kernels
- `grid`, `sweep`: many runs and their table
"""
