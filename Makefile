# Every target does its own set-up. What the machine must have: Python 3.11 or newer with venv, git, make.
PYTHON ?= python3
BIN := .venv/bin
RUN := $(BIN)/python -m
# A site is several processes; each would compile all its modules anew.
unexport PYTHONDONTWRITEBYTECODE
# uv is fast; where it cannot reach the package index as pip does, pip installs the same, and tells what is wrong if anything is.
UV := $(BIN)/uv pip install --quiet -c constraints.txt
PIP := $(RUN) pip install --quiet --disable-pip-version-check -c constraints.txt
PIP_INSTEAD := 2>/dev/null || { echo "uv does not reach the packages here: pip installs them, which takes a little longer."; $(PIP)

.PHONY: up demo install test test-deps check bench load claims chaos kills screens docs guides audit clean

up: install
	@$(BIN)/assize up

demo: install
	@$(BIN)/assize demo

install: .venv/.installed

test-deps: .venv/.installed-dev
	@$(BIN)/python tests/browser_setup.py
	@# As root PostgreSQL runs as a user that its wheel makes; parts of the suite that begin together would each make it.
	@[ "$$(id -u)" != 0 ] || id pgserver >/dev/null 2>&1 || useradd -s /bin/bash pgserver

# Lint, then side by side, for much of a test is waiting: PostgreSQL, which is shown as it goes, SQLite, the browser and then
# what asks no database, whole sites that are started, killed and walked through, on either database, and types. What takes
# least gives way to the others. What failed is shown last, then a line for each part; pytest's own summary, of what
# failed if anything did, has the last word.
REST := --ignore=tests/browser --ignore=tests/live
PARTS := types sqlite browser pure live live-pg pg
test: test-deps style
	@mkdir -p build; rm -f $(PARTS:%=build/%.status)
	@part() { name=$$1; shift; "$$@" > build/$$name.log 2>&1; echo $$? > build/$$name.status; }; \
	suite() { name=$$1; shift; part $$name $$low $(RUN) pytest -o cache_dir=build/$$name-cache "$$@"; }; \
	(suite browser tests/browser; low="nice -n 5"; suite pure -m pure $(REST)) & \
	suite live tests/live & suite live-pg --pg tests/live tests/browser & \
	suite sqlite -m "not pure" $(REST) & \
	part types nice -n 5 $(BIN)/mypy & \
	{ PYTHONUNBUFFERED=1 $(RUN) pytest --pg -m "not pure" $(REST) -o cache_dir=build/pg-cache 2>&1; echo $$? > build/pg.status; } | tee build/pg.log; \
	wait; good=; bad=; last=pg; \
	for part in $(PARTS); do \
		if [ "$$(cat build/$$part.status)" = 0 ]; then good="$$good $$part"; continue; fi; \
		bad="$$bad $$part"; [ $$part = types ] || last=$$part; \
	done; \
	for part in $${good% pg} $$bad; do cat build/$$part.log; done; \
	for part in $$good $$bad; do printf '%-8s %s\n' $$part "$$(tail -n 1 build/$$part.log)"; done; \
	tail -n 1 build/$$last.log; [ -z "$$bad" ]

# Fast: lint, types, the import rules, and every test that asks no database. What each commit passes.
check: .venv/.installed-dev lint
	$(RUN) pytest -q -m pure $(REST)

.PHONY: lint style
lint: style
	$(BIN)/mypy

style: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python manage.py makemigrations --check --dry-run

# All of them, whatever one of them misses.
BENCHMARKS := benchmarks benchmarks.fsyncs "benchmarks.bench_eval --linear" benchmarks.bench_pooling benchmarks.bench_scores benchmarks.bench_search benchmarks.bench_document benchmarks.bench_adaptive
bench: .venv/.installed-bench
	@missed=; for bench in $(BENCHMARKS); do \
		echo "== $$bench"; $(BIN)/python -W ignore -m $$bench || missed="$$missed $$bench"; \
	done; [ -z "$$missed" ] || { echo "A goal was missed:$$missed"; exit 1; }

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

# Each kind of job is killed 50 times in mid-work: what others see is the old state or the new.
kills: KILLS = 50
kills: .venv/.installed-dev
	KILLS=$(KILLS) $(RUN) pytest --timeout=1800 $(DATABASE) -k kill tests/pooling/test_killed.py tests/pooling/test_killed_worker.py tests/evaluation/test_killed_freeze.py tests/config/test_backups.py

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
	@$(UV) pip-audit $(PIP_INSTEAD) pip-audit; }
	@$(BIN)/pip-audit --strict --skip-editable --progress-spinner off || { echo "Where the list of known holes cannot be reached, nothing was audited: run it on a network that reaches it."; exit 1; }

clean:
	rm -rf .venv build artifacts *.egg-info .mypy_cache .pytest_cache .ruff_cache

.venv/bin/uv: constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Assize needs Python 3.11 or newer; this is $$($(PYTHON) --version). Set PYTHON=python3.x."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv module is missing. On Debian or Ubuntu: apt install python3-venv"; exit 1; }
	@test -x .venv/bin/python || $(PYTHON) -m venv .venv
	@$(PIP) uv
	@touch $@

.venv/.installed: .venv/bin/uv pyproject.toml constraints.txt
	@echo "Installing…"
	@$(UV) -e . $(PIP_INSTEAD) -e .; }
	@touch $@

.venv/.installed-bench: .venv/.installed-dev
	@echo "Installing the tools to compare with…"
	@$(UV) -e '.[dev,bench]' $(PIP_INSTEAD) -e '.[dev,bench]'; }
	@touch $@

.venv/.installed-dev: .venv/bin/uv pyproject.toml constraints.txt
	@echo "Installing, with the tools for tests…"
	@$(UV) -e '.[dev]' $(PIP_INSTEAD) -e '.[dev]'; }
	@touch $@ .venv/.installed
