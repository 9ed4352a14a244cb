"""Try odd inputs for as long as you like: `make fuzz`, an hour, or `make fuzz ARGS="--minutes 5"`.

Each round has a seed, which is printed, and tries ten times as many inputs as `make test` does. It stops at the first
round that fails, with the smallest input that does; `--seed` of that round repeats it.
"""

import argparse
import itertools
import os
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).parent


def main():
    """Rounds until the time is over; the code of the first that failed, or 0."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0, help="how long; a round that has begun is finished")
    parser.add_argument("--seed", type=int, default=0, help="of the first round")
    options = parser.parse_args()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:nbval", "-p", "no:cacheprovider", str(FOLDER)]
    environment = os.environ | {"HONEST_FUZZ": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    end = time.monotonic() + 60 * options.minutes
    for seed in itertools.count(options.seed):
        sys.stdout.write(f"seed {seed}\n")
        sys.stdout.flush()
        done = subprocess.run([*command, f"--hypothesis-seed={seed}"], env=environment, cwd=FOLDER.parents[1])
        if done.returncode or time.monotonic() > end:
            return done.returncode


if __name__ == "__main__":
    sys.exit(main())
