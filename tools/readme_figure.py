"""Write the README's figure: the first figure that the notebook 00_start_here stores.

python tools/readme_figure.py
"""

import base64
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "notebooks" / "00_start_here.ipynb"
FIGURE = ROOT / "site" / "_static" / "idea.png"


def stored_figure():
    """Bytes of the first PNG among the notebook's stored outputs."""
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
    return base64.b64decode(outputs[0].data["image/png"])


if __name__ == "__main__":
    FIGURE.write_bytes(stored_figure())
    print(f"{FIGURE.relative_to(ROOT)} written")
