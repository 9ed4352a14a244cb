"""The tests that compare numbers, run as if on other computers: `make elsewhere`.

    python tests/elsewhere.py                                    # all; a machine takes about as long as `make test`
    python tests/elsewhere.py --machine Haswell --part outputs -k 10_ecuas

OpenBLAS, which multiplies matrices for numpy and scipy, takes other routines on another processor, and numpy other
vector instructions; both can be told to do as on an older one (OPENBLAS_CORETYPE, NPY_DISABLE_CPU_FEATURES). What a
processor or a build cannot do is said in a sentence and is no failure.

The parts are the stored outputs of all notebooks, their claims (second parameters), and everything else that computes:
examples in docstrings, seeds, known truth. Tests of servers, browsers, runs, files and fuzzing are left out.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MACHINES = {  # cores of OpenBLAS, and which vector instructions numpy does without
    "Prescott": "AVX2",
    "Haswell": "AVX-512",
    "Zen": "AVX-512",
    "SkylakeX": "",
}
LEFT_OUT = "fuzz notebook practice/llm practice/test_run.py site".split()
LEFT_OUT += [f"test_{name}.py" for name in ("bench", "docstrings", "house", "mutate", "readme")]
PARTS = {
    "outputs": ["--nbval", "notebooks"],
    "claims": ["tests/notebook/test_second_parameters.py", "-m", ""],
    "numbers": ["helpers", "tests", *(f"--ignore=tests/{name}" for name in LEFT_OUT)],
}
PROBE = """
import json, numpy, scipy.linalg, sklearn, threadpoolctl
from numpy._core import _multiarray_umath as core
square = numpy.random.default_rng(0).normal(size=(300, 300))
scipy.linalg.solve(square @ square.T, numpy.exp(square))  # an instruction that is missing ends the process here
dispatch = [name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)]
pools = {pool.get("architecture", pool["internal_api"]) for pool in threadpoolctl.threadpool_info()
         if pool["user_api"] == "blas"}
print(json.dumps({"blas": sorted(pools), "numpy": dispatch}))
"""


def probe(environment):
    """What numpy and OpenBLAS say that they use in an environment, or a sentence that says why they cannot."""
    done = subprocess.run([sys.executable, "-c", PROBE], env=os.environ | environment, capture_output=True, text=True)
    if done.returncode < 0:
        return f"not run: the process ended with signal {-done.returncode}; this processor lacks the instructions"
    return json.loads(done.stdout) if done.returncode == 0 else f"not run: {done.stderr.strip().splitlines()[-1]}"


def be(machine):
    """Environment variables of a machine; the features are those that this numpy has and this processor can do."""
    names = probe({})["numpy"]
    newest = [name for name in names if "AVX512" in name or name == "X86_V4"]
    off = {"": [], "AVX-512": newest, "AVX2": names}[MACHINES[machine]]
    return {"OPENBLAS_CORETYPE": machine} | ({"NPY_DISABLE_CPU_FEATURES": " ".join(off)} if off else {})


def run_part(part, words, environment, workers):
    """Whether the tests of one part passed; pytest shows which failed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *PARTS[part]]
    command += ["--numprocesses", str(workers), "--dist", "loadscope", *(["-k", words] if words else [])]
    return subprocess.run(command, cwd=ROOT, env=os.environ | environment).returncode == 0


def main(options):
    """Run what was asked for, then say what came out on each machine; whether all passed."""
    rows = []
    tried = {}
    passed = []
    for machine in options.machine:
        environment = be(machine)
        used = probe(environment)
        what = f"numpy {'without ' + MACHINES[machine] if MACHINES[machine] else 'with all it has'}"
        if isinstance(used, str) or str(used) in tried:
            rows.append(f"{machine}: {used if isinstance(used, str) else 'here the same as ' + tried[str(used)]}")
            continue
        tried[str(used)] = machine
        rows.append(
            f"{machine}: {what} (they say: {' and '.join(used['blas'])}; {' '.join(used['numpy']) or 'baseline'})"
        )
        for threads in options.threads:
            environment |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
            for part in options.part:
                sys.stdout.write(f"\n{machine}, threads {threads}, {part}\n")
                sys.stdout.flush()
                start = time.monotonic()
                passed.append(run_part(part, options.k, environment, options.workers))
                seconds = time.monotonic() - start
                rows.append(f"  threads {threads}  {part:8} {'passed' if passed[-1] else 'FAILED'}{seconds:7,.0f} s")
    sys.stdout.write("\n" + "\n".join(rows) + "\n")
    return all(passed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", nargs="+", choices=MACHINES, default=list(MACHINES), help="only these")
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS), help="only these")
    parser.add_argument("--threads", nargs="+", type=int, default=[1], help="of OpenBLAS and OpenMP (1)")
    parser.add_argument("--workers", type=int, default=2, help="tests at a time (2)")
    parser.add_argument("-k", default="", help="only tests whose names hold this, as for pytest")
    sys.exit(0 if main(parser.parse_args()) else 1)
