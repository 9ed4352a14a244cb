# A short way to call tasks.py, which does everything: make test ARGS="-k name" is python3 tasks.py test -k name.
# Another interpreter: make PYTHON=python3.12 run

PYTHON ?= python3
COMMANDS := run test check nightly elsewhere fuzz mutations store lab site live live-serve gate student bench format clean

.PHONY: help $(COMMANDS)
help $(COMMANDS):
	@"$(PYTHON)" tasks.py $@ $(ARGS)
