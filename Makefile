# What is typed while working on this project. Each target makes its own environment first, out of nothing but
# Python 3.11 or newer, pip and the package index; the second time it is there, and is made anew only when
# pyproject.toml or the constraints have changed.

VERSIONS ?= newest
# The oldest releases are tested on the oldest Python: later ones came without wheels of them.
PYTHONS := $(if $(filter oldest,$(VERSIONS)),python3.11 python3.12) python3 python3.13 python3.12 python3.11 python3.14 python
PYTHON ?= $(shell for name in $(PYTHONS); do \
	"$$name" -c $(IS_NEW_ENOUGH) 2>/dev/null && command -v "$$name" && break; done)
INSTALL_AS ?= editable
CONSTRAINTS ?= tests/constraints/$(VERSIONS).txt
VENV ?= .venv$(if $(filter oldest,$(VERSIONS)),-oldest)$(if $(filter wheel,$(INSTALL_AS)),-wheel)
ARGS ?=

# The checks run on the newest set only, and what they need has no release that goes with the oldest one.
GROUP := $(if $(filter oldest,$(VERSIONS)),test,dev)
# No release of anything can change these, so they run on the newest set only: which names meet which is plain Python,
# and how a backend is built, found, started and configured has nothing to do with what is installed. Other
# instrumentations have an environment of their own, of the newest releases. The laws over random graphs take longest; on the oldest set the oracles stand for them.
ONCE := tests/laws tests/test_benchmarks.py \
	$(foreach about,compare explain rules test_laws.py test_trajectory_laws.py test_scale.py test_other_evaluators.py, \
		tests/match/$(about)) \
	tests/backends $(foreach about,config find fragments running,tests/collector/test_$(about).py) \
	tests/jaeger/test_find.py tests/reconstruct/dialects/test_beside.py
LEFT_OUT := $(if $(filter oldest,$(VERSIONS)),$(ONCE:%=--ignore=%))

IS_NEW_ENOUGH := 'import sys; sys.exit(sys.version_info < (3, 11))'
PRINT_LOWER_BOUNDS := 'import tomllib; \
	print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' | sed 's/>=/==/'
PIP := $(VENV)/bin/python -m pip
INSTALL := $(PIP) install --quiet --constraint $(CONSTRAINTS)
TOOLS := $(VENV)/tools.stamp
READY := $(VENV)/$(INSTALL_AS).stamp

.PHONY: help demo test test-oldest bench bench-record check collector jaeger constraints
.DEFAULT_GOAL := help

help:
	@echo 'make demo         record, read back and judge sample agents, offline'
	@echo 'make test         run the tests; ARGS="-k name" passes arguments to pytest'
	@echo 'make test-oldest  run them on the oldest supported releases, in an environment of their own'
	@echo 'make bench        measure the matching engine; ARGS="--json PATH" writes the numbers too'
	@echo 'make bench-record the same of recording, beside other recorders in environments of their own'
	@echo 'make check        formatting, lint, types, and who may import whom'
	@echo 'make collector    find or build the OpenTelemetry Collector that some tests need, and say where it is'
	@echo 'make jaeger       the same for the Jaeger that some tests need'
	@echo 'make constraints  pin the newest and the oldest supported releases of everything in tests/constraints'
	@echo
	@echo 'PYTHON=python3.12     the Python to use; else the first one found that is new enough'
	@echo 'INSTALL_AS=wheel      test the built wheel, in an environment of its own, not the checkout'

demo: $(READY)
	@$(VENV)/bin/otel-traj demo $(ARGS)

# Where a backend can't be had, this says why, and the tests that need it are skipped. PYTHONSAFEPATH keeps the
# checkout off the import path of everything the tests start, so that what they import is the wheel.
test: $(READY)
	@if command -v go >/dev/null; then for backend in collector jaeger; do \
		$(VENV)/bin/python -m tests.$$backend >/dev/null || true; done; fi
	@$(if $(filter oldest,$(VERSIONS)),,$(VENV)/bin/python -m tests.reconstruct.dialects.peers >/dev/null || true)
	@OTEL_TRAJ_INSTALLED_AS=$(INSTALL_AS) $(if $(filter wheel,$(INSTALL_AS)),PYTHONSAFEPATH=1) \
		$(VENV)/bin/pytest $(LEFT_OUT) $(ARGS)

test-oldest:
	@$(MAKE) --silent --no-print-directory test VERSIONS=oldest

bench: $(READY)
	@$(VENV)/bin/python benchmarks/match.py $(ARGS)

bench-record: $(READY)
	@$(VENV)/bin/python benchmarks/record_peers.py $(ARGS)

check: $(READY)
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/ruff check
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-logo

collector jaeger: $(TOOLS)
	@$(VENV)/bin/python -m tests.$@

# `venv` without ensurepip (Debian and Ubuntu keep it in a package of its own) makes an environment without pip;
# the pip of the Python that made it then fills it. Groups need pip 25.1.
$(TOOLS): pyproject.toml $(CONSTRAINTS)
	@test -n "$(PYTHON)" || { echo 'setup: no Python 3.11 or newer was found: install one, or name it with PYTHON=' >&2; exit 1; }
	@$(PYTHON) -c $(IS_NEW_ENOUGH) || { echo 'setup: $(PYTHON) is not Python 3.11 or newer: name another with PYTHON=' >&2; exit 1; }
	@echo 'setup: installing into $(VENV)' >&2
	@$(PIP) --version >/dev/null 2>&1 && $(VENV)/bin/python -c $(IS_NEW_ENOUGH) \
		|| $(PYTHON) -m venv --clear $(VENV) 2>/dev/null \
		|| { $(PYTHON) -m venv --clear --without-pip $(VENV) \
			&& $(PYTHON) -m pip --python $(VENV)/bin/python install --quiet pip; }
	@$(PIP) install --quiet 'pip>=25.1'
	@$(INSTALL) --group $(GROUP)
	@touch $@

$(VENV)/editable.stamp: $(TOOLS)
	@$(INSTALL) --editable .
	@touch $@

# The wheel is installed over the one before it, whose version is the same; what it depends on comes second.
$(VENV)/wheel.stamp: $(TOOLS) README.md LICENSE $(shell find otel_traj -type f ! -name '*.pyc')
	@rm -rf $(VENV)/wheel
	@$(PIP) wheel --quiet --no-build-isolation --no-deps --wheel-dir $(VENV)/wheel .
	@$(INSTALL) --force-reinstall --no-deps $(VENV)/wheel/*.whl
	@$(INSTALL) $(VENV)/wheel/*.whl
	@touch $@

# Each set is what pip chooses, once left alone and once held to the lower bounds of pyproject.toml.
constraints:
	@rm -rf .venv-newest-pins .venv-oldest-pins
	@$(MAKE) --silent pins VERSIONS=newest VENV=.venv-newest-pins CONSTRAINTS=/dev/null
	@$(MAKE) --silent pins VERSIONS=oldest VENV=.venv-oldest-pins CONSTRAINTS=build/lower-bounds.txt

.PHONY: pins
pins: $(READY)
	@{ sed -n '/^#/p' tests/constraints/$(VERSIONS).txt; $(PIP) freeze --exclude-editable; } > $(VENV)/pins
	@mv $(VENV)/pins tests/constraints/$(VERSIONS).txt

build/lower-bounds.txt: pyproject.toml
	@mkdir -p $(@D)
	@$(PYTHON) -c $(PRINT_LOWER_BOUNDS) > $@
