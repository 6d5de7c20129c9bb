# Every target does its own set-up. What the machine must have: Python 3.11 or newer with venv, git, make.
PYTHON ?= python3
BIN := .venv/bin
RUN := $(BIN)/python -m
# A site is several processes; each would compile all its modules anew.
unexport PYTHONDONTWRITEBYTECODE
UV := $(BIN)/uv pip install --quiet -c constraints.txt

.PHONY: up demo install test test-deps check bench load claims chaos screens docs guides audit clean

up: install
	@$(BIN)/assize up

demo: install
	@$(BIN)/assize demo

install: .venv/.installed

test-deps: .venv/.installed-dev
	@$(BIN)/python tests/browser_setup.py

# Lint, then side by side, for much of a test is waiting: PostgreSQL and what asks no database, which is shown as it goes,
# SQLite, the browser, whole sites that are started, killed and walked through, and types.
REST := --ignore=tests/browser --ignore=tests/live
test: test-deps style
	@mkdir -p build
	@$(BIN)/mypy > build/types.log 2>&1 & types=$$!; \
	$(RUN) pytest -m "not pure" $(REST) -o cache_dir=build/sqlite-cache > build/sqlite.log 2>&1 & sqlite=$$!; \
	$(RUN) pytest tests/browser -o cache_dir=build/browser-cache > build/browser.log 2>&1 & browser=$$!; \
	($(RUN) pytest tests/live -o cache_dir=build/live-cache; lite=$$?; \
	$(RUN) pytest --pg tests/live tests/browser -o cache_dir=build/live-cache && exit $$lite) > build/live.log 2>&1 & live=$$!; \
	$(RUN) pytest --pg $(REST) -o cache_dir=build/pg-cache; pg=$$?; \
	wait $$sqlite; lite=$$?; wait $$browser; seen=$$?; wait $$live; sites=$$?; wait $$types; typed=$$?; \
	cat build/types.log build/sqlite.log build/browser.log build/live.log; exit $$((pg || lite || seen || sites || typed))

# Fast: what each commit passes.
check: .venv/.installed-dev lint
	$(RUN) pytest -q $(REST)

.PHONY: lint style
lint: style
	$(BIN)/mypy

style: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python manage.py makemigrations --check --dry-run

bench: .venv/.installed-bench
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.fsyncs
	$(BIN)/python -W ignore -m benchmarks.bench_eval --linear
	$(BIN)/python -m benchmarks.bench_pooling
	$(BIN)/python -m benchmarks.bench_scores
	$(BIN)/python -m benchmarks.bench_search

# Fifty assessors beside imports, and 20,000 claims; `make load SECONDS=280` is the full form, `DATABASE=--pg` the other database.
SECONDS ?= 60
load: .venv/.installed-dev
	$(BIN)/python -m benchmarks.load --seconds $(SECONDS) $(DATABASE)

claims: .venv/.installed-dev
	$(BIN)/python -m benchmarks.load --claims 20000 $(DATABASE)

# Twenty judge while processes are killed, 100 times in each way; `KILLS=3` is a short form.
KILLS ?= 100
chaos: .venv/.installed-dev
	$(BIN)/python -m benchmarks.chaos --kills $(KILLS) $(DATABASE)

# Every page as people see it: wide, dark, and 360 px, in artifacts/screens.
screens: test-deps
	$(RUN) pytest -q --pictures tests/browser/test_pages.py tests/browser/test_styleguide.py tests/browser/test_judge.py

docs: .venv/.installed-dev
	$(BIN)/python -m docs.make

# The pictures of docs/guides, from a demo of its own.
guides: test-deps
	$(BIN)/python -m docs.pictures

# Known holes in what is installed; the list of them is asked for over the network.
audit: .venv/.installed-dev
	@$(UV) pip-audit || $(RUN) pip install --quiet -c constraints.txt pip-audit
	@$(BIN)/pip-audit --strict --skip-editable --progress-spinner off || { echo "Where the list of known holes cannot be reached, nothing was audited: run it on a network that reaches it."; exit 1; }

clean:
	rm -rf .venv build artifacts *.egg-info .mypy_cache .pytest_cache .ruff_cache

.venv/bin/uv: constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Assize needs Python 3.11 or newer; this is $$($(PYTHON) --version). Set PYTHON=python3.x."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv module is missing. On Debian or Ubuntu: apt install python3-venv"; exit 1; }
	@test -x .venv/bin/python || $(PYTHON) -m venv .venv
	@$(RUN) pip install --quiet --disable-pip-version-check -c constraints.txt uv
	@touch $@

# uv is fast; where it cannot reach the package index as pip does, pip installs the same.
.venv/.installed: .venv/bin/uv pyproject.toml constraints.txt
	@echo "Installing…"
	@$(UV) -e . || $(RUN) pip install --quiet -c constraints.txt -e .
	@touch $@

.venv/.installed-bench: .venv/.installed-dev
	@echo "Installing the tools to compare with…"
	@$(UV) -e '.[dev,bench]' || $(RUN) pip install --quiet -c constraints.txt -e '.[dev,bench]'
	@touch $@

.venv/.installed-dev: .venv/bin/uv pyproject.toml constraints.txt
	@echo "Installing, with the tools for tests…"
	@$(UV) -e '.[dev]' || $(RUN) pip install --quiet -c constraints.txt -e '.[dev]'
	@touch $@ .venv/.installed
