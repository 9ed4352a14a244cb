# Honest Confidence. Type `make help`. Works with GNU make 3.81 (macOS) and later; needs no root, conda or node.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/ready
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help run test lab site student format clean

help:
	@echo "make run      run every notebook into build/executed/ and render build/site/index.html"
	@echo "make test     everything the continuous integration runs; ARGS='-k name' for a part of it"
	@echo "make lab      open JupyterLab at the first notebook"
	@echo "make site     as run, but render the site anew"
	@echo "make student  write copies without solutions to build/student/; ARGS=--force overwrites edited ones"
	@echo "make format   tidy the Python code and the code cells"
	@echo "make clean    delete build/ (the environment in $(VENV) stays)"
	@echo
	@echo "The first call creates $(VENV). Another interpreter: make PYTHON=python3.12 run"

$(READY): pyproject.toml constraints.txt
	@command -v "$(PYTHON)" >/dev/null 2>&1 || \
	  { echo "There is no '$(PYTHON)' here. Name a Python 3.11, 3.12 or 3.13, for example: make PYTHON=python3.12 run" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' || \
	  { echo "Honest Confidence needs Python 3.11, 3.12 or 3.13, but $(PYTHON) is $$("$(PYTHON)" -V 2>&1)." >&2; \
	    echo "Name another one, for example: make PYTHON=python3.12 run" >&2; exit 1; }
	@echo "Creating $(VENV) (once; a minute or two) ..."
	@rm -f $(READY)
	@"$(PYTHON)" -m venv $(VENV)
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-input -c constraints.txt -e ".[test,site]"
	@touch $(READY)

run: $(READY)
	@$(PY) tools/run_notebooks.py --site $(ARGS)

site: $(READY)
	@$(PY) tools/run_notebooks.py --site --rebuild $(ARGS)

test: $(READY)
	@$(PY) -m pytest --numprocesses 2 --dist loadfile $(ARGS)

lab: $(READY)
	@$(PY) -m jupyterlab notebooks/00_start_here.ipynb $(ARGS)

student: $(READY)
	@$(PY) tools/student.py $(ARGS)

format: $(READY)
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format helpers tools tests data

clean:
	rm -rf build
