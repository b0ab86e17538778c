# make demo        set up everything, run a machine that we ship, write its report and say where it is
# make test        set up everything, run the tests        make test-all   the long ones too
# make fuzz SECONDS=600   random cases that try to break it (ONLY=readers,mechanisms for some generators, JSON=out.json for a summary)
# make docs        the documentation site, into site/ (open site/index.html; installs MkDocs when first asked for)
# make wheel       a wheel with compiled kernels in dist/ (some minutes)
# make release     sdist, plain wheel and wheel with kernels in dist/, each tried in an empty environment (BRIEF=1: few kernels)
# make mutate      break formulas of changed files, one number or sign at a time: do the tests notice? (ARGS="FILE --sample 40")
# make help        this list          make lint   style and types          make bench CASE=chain   one benchmark (more: ARGS="...")
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TOOLS := $(VENV)/.tools
CASE ?= chain
SECONDS ?= 600
ONLY ?=
JSON ?=
BRIEF ?=
# workers of the tests: two where there are two cores (each takes up to 2 GB while it compiles); make test WORKERS=1 for one process
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(2, os.cpu_count() or 1))')
PARALLEL = $(if $(filter-out 0 1,$(WORKERS)),-n $(WORKERS) --dist worksteal)

.PHONY: help setup bytecode demo test test-all fuzz mutate wheel release lint bench docs clean

setup: $(STAMP) $(TOOLS)

# uv chooses versions, fetches and unpacks in 12 CPU s on all cores, pip in more than 30 on one; where there is no uv, or
# it does not find the packages, pip installs them (pip 26 takes 17 CPU s to choose versions, one before 25 takes 41)
EXTRAS = test,report,flex,studio,studies,cluster,optuna,tdms
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
INDEX = $${PIP_INDEX_URL:-$$($(BIN)/python -m pip config get global.index-url 2>/dev/null || echo https://pypi.org/simple)}
INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python --default-index "$(INDEX)" $(1) || { $(PIP) 'pip>=25'; $(PIP) $(1); }

# bytecode of packages is written when they are first imported: to compile them all takes a minute of one core
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3 ..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	-$(PIP) uv
	$(call INSTALL,-e '.[$(EXTRAS)]')
	@touch $@

# what style, types, releases and the tests of these need in addition: a third of all packages
$(TOOLS): $(STAMP)
	$(call INSTALL,-e '.[dev]')
	@touch $@

help:
	@sed -n 's/^# \(make .*\)/\1/p' $(firstword $(MAKEFILE_LIST))

demo: $(STAMP)
	$(BIN)/holonom demo --out demo-out

# one thread of linear algebra a worker: those of small matrices wait for each other
test test-all: export OPENBLAS_NUM_THREADS := 1
test-all: export HOLONOM_STRICT_REFEREE := 1
# tests of formulas with compiled kernels too (tests/_plain_kernels.py)
test-all: export HOLONOM_COMPILED_KERNELS := 1

# tests start some hundred processes, each of which would compile the source and packages where nothing may write
# bytecode
test test-all: export PYTHONDONTWRITEBYTECODE :=
# the source is compiled beside pip, which has one core
bytecode:
	@$(PYTHON) -m compileall -q src/holonom tests

# rewriting ten thousand asserts takes each worker half a minute: what failed runs again with them, for their values
test:
	@$(MAKE) --no-print-directory -j2 $(STAMP) bytecode
	$(BIN)/python -m pytest $(PARALLEL) --assert=plain -m "not slow" || { $(BIN)/python -m pytest --last-failed --last-failed-no-failures none --maxfail 20 -m "not slow"; false; }

test-all:
	@$(MAKE) --no-print-directory -j2 $(STAMP) $(TOOLS) bytecode
	$(BIN)/python -m pytest $(PARALLEL)

fuzz: $(STAMP)
	$(BIN)/python -m fuzz --seconds $(SECONDS) --only '$(ONLY)' $(if $(JSON),--json '$(JSON)')

mutate: $(STAMP)
	$(BIN)/python tools/mutate.py $(ARGS)

wheel: $(TOOLS)
	$(BIN)/python tools/wheel.py $(ARGS)

release: $(TOOLS)
	$(BIN)/python tools/release.py $(if $(filter-out 0,$(BRIEF)),--brief) $(ARGS)

lint: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP)
	@test -f benchmarks/run.py || { echo "benchmarks/run.py is not there"; exit 1; }
	$(BIN)/python benchmarks/run.py $(CASE) $(ARGS)

docs: $(STAMP)
	@$(BIN)/python -c 'import mkdocs, material, mkdocstrings_handlers.python' 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html in a browser"

clean:
	rm -rf $(VENV) dist .bench-venv demo-out site .pytest_cache .mypy_cache .ruff_cache
