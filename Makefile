# Each target sets up what it needs; on a fresh Debian machine Python 3.11 and make are enough.
PYTEST_WORKERS ?= auto
RUN := .venv/bin
# Tests start thousands of programs, each of which would compile what it imports again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test check format bench soak fuzz mutants clean

help:
	@echo "make demo    install takeback into .venv and show the main job"
	@echo "make test    set up everything and test every behaviour once (ARGS='-k undo' to choose)"
	@echo "make check   lint, format, types and layers, in seconds"
	@echo "make format  put the code into the form that make check wants"
	@echo "make soak    run every campaign whole that has no record for this code (CAMPAIGN='crash-*' to choose, ARGS=--list to list)"
	@echo "make fuzz    let atheris try every parser for a minute each (ARGS='--seconds 600 tree' to choose)"
	@echo "make mutants plant 40 faults into copies of the source and show which tests find them (ARGS=NAME to choose)"
	@echo "make bench   time takeback against its peers, side by side (ARGS=--quick: two minutes)"

demo: .venv/.takeback-run
	$(RUN)/takeback demo

test: .venv/.takeback-dev
	scripts/agents
	scripts/cua
	scripts/services run $(RUN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadgroup --no-loadscope-reorder $(ARGS)

check: .venv/.takeback-dev
	$(RUN)/ruff check
	$(RUN)/ruff format --check
	$(RUN)/mypy --num-workers 2
	$(RUN)/lint-imports

format: .venv/.takeback-dev
	$(RUN)/ruff check --fix
	$(RUN)/ruff format

soak: .venv/.takeback-dev
	scripts/agents
	scripts/cua
	scripts/services packages btrfs-progs xfsprogs
	set -f; scripts/services run $(RUN)/python -m soak $(CAMPAIGN) $(ARGS)

fuzz: .venv/.takeback-fuzz
	$(RUN)/python -m fuzz $(ARGS)

mutants: .venv/.takeback-dev
	scripts/services run $(RUN)/python -m mutants $(ARGS)

bench: .venv/.takeback-dev
	scripts/services packages restic borgbackup
	scripts/services run $(RUN)/python -m bench $(ARGS)

clean:
	rm -rf .venv .agents .cua .soak build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# One stamp for running takeback, one for working on it; both grow old when what they were made from changes.
.venv/.takeback-run: pyproject.toml constraints.txt scripts/venv
	scripts/venv
	@touch $@

.venv/.takeback-dev: pyproject.toml constraints.txt scripts/venv
	scripts/venv dev
	@touch $@ .venv/.takeback-run

.venv/.takeback-fuzz: pyproject.toml constraints.txt scripts/venv
	scripts/venv fuzz
	@touch $@ .venv/.takeback-dev .venv/.takeback-run
