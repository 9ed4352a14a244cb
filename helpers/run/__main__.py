"""``python -m helpers.run``."""

import sys

from helpers.run.command import main

if __name__ == "__main__":
    sys.exit(main())
