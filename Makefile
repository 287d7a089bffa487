# Everything a developer or a player types. `make` alone lists it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What pip installed stands as long as none of these changed.
INSTALLED := $(VENV)/.installed
SOURCES := pyproject.toml constraints.txt $(wildcard */pyproject.toml)
# What npm installs to check the web page. Nobody needs it to play: without npm, all else is checked.
PAGE_BIN := tests/web/node_modules/.bin
PAGE_TOOLS := tests/web/node_modules/.installed

.DEFAULT_GOAL := help
.PHONY: help setup play serve test exe kernels soak cluster fuzz attack check options types format clean
.PHONY: bench bench-peers bench-search bench-messages bench-page bench-strength

help: ## list what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-14s %s\n", $$1, $$2 }'

setup: $(INSTALLED) ## install everything into .venv, the command `parlour` among it

$(INSTALLED): $(SOURCES)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Parlour needs Python 3.11 or newer: make setup PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo "This Python has no venv: on Debian, apt-get install python3-venv"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Setting up .venv (once; about a minute) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --group dev \
		--editable ./protocol --editable './server[fast,cluster,swiss]' --editable ./client
	@touch $@

$(PAGE_TOOLS): tests/web/package.json
	@command -v npm >/dev/null \
		&& npm install --prefix tests/web --no-package-lock --no-audit --no-fund --loglevel error \
		&& touch $@ \
		|| { echo "The web page's form, types and accessibility are not checked: that takes npm (on Debian, apt-get install npm)"; \
			test -z "$$CI"; }

play: $(INSTALLED) ## play tic-tac-toe against a minimax bot, here in this terminal
	@$(BIN)/parlour play tictactoe --vs minimax

serve: $(INSTALLED) ## host a server on this machine
	@$(BIN)/parlour serve

test: $(INSTALLED) $(PAGE_TOOLS) ## run the whole test suite
	@$(BIN)/python -m scripts.run_tests -n 4 --dist worksteal -m "not exe" -rs --ignore tests/mutations

exe: $(INSTALLED) ## build the terminal client as one file, dist/parlour, and try it
	@$(BIN)/python scripts/exe.py
	@$(BIN)/python -m pytest -q tests/client/tui/test_exe.py

kernels: $(INSTALLED) ## compile what bots search with, lest the first search or test wait for it
	@$(BIN)/parlour compile

soak: $(INSTALLED) ## simulate whole servers, seed after seed (SEEDS=, MINUTES=, FIRST=; SEED= replays one)
	@SEED=$(SEED) SEEDS=$(SEEDS) MINUTES=$(MINUTES) FIRST=$(FIRST) $(BIN)/python -m tests.sim

cluster: $(INSTALLED) ## kill, pause and cut off three nodes while people play (FAULTS=, SEED=, PICTURE=)
	@$(BIN)/python -m bench.faults --faults $(or $(FAULTS),200) $(if $(SEED),--seed $(SEED)) \
		$(if $(PICTURE),--picture $(PICTURE))

attack: $(INSTALLED) ## attack a server, and see what honest people notice (ROWS=, SECONDS=)
	@$(BIN)/python -m bench.attack $(ROWS) $(if $(SECONDS),--seconds $(SECONDS))

fuzz: $(INSTALLED) ## send a server a million odd things, led by what they reach (INPUTS=; FILE= replays one)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --group fuzz
	@$(BIN)/python -m tests.fuzz --inputs $(or $(INPUTS),1000000) $(if $(FILE),--file $(FILE))

check: $(INSTALLED) $(PAGE_TOOLS) ## lint, types, import contracts, and that mutations still apply; all of it, then fail
	@code=0; \
	$(BIN)/ruff check . || code=1; \
	$(BIN)/ruff format --check . || code=1; \
	$(BIN)/mypy || code=1; \
	$(BIN)/lint-imports --no-cache || code=1; \
	! test -e $(PAGE_TOOLS) || $(PAGE_BIN)/biome check --error-on-warnings || code=1; \
	! test -e $(PAGE_TOOLS) || $(PAGE_BIN)/tsc --project tests/web || code=1; \
	$(BIN)/python -m pytest -q tests/mutations || code=1; \
	exit $$code

options: $(INSTALLED) ## write a room's settings anew for the command line and the SDK
	@$(BIN)/python scripts/setting_options.py
	@$(BIN)/ruff format --quiet client/parlour_client

types: $(INSTALLED) ## write anew what the web page and docs/protocol.md take from the protocol
	@$(BIN)/python scripts/page_types.py

format: $(INSTALLED) $(PAGE_TOOLS) ## let ruff put the code in order, and Biome the web page's
	@$(BIN)/ruff check --fix --exit-zero --silent .
	@$(BIN)/ruff format .
	@! test -e $(PAGE_TOOLS) || $(PAGE_BIN)/biome check --write --log-level error

bench: $(INSTALLED) ## measure moves a second and latency beside a stock echo server, and each game's move
	@$(BIN)/python -m bench
	@$(BIN)/python -m bench moves

bench-peers: $(INSTALLED) ## the same beside Colyseus and boardgame.io, which npm installs
	@test -d bench/peers/node_modules \
		|| npm install --prefix bench/peers --no-package-lock --no-audit --no-fund --loglevel error
	@$(BIN)/python -m bench peers

bench-search: $(INSTALLED) ## measure the searches: solver, engine, endings, stopping
	@$(BIN)/python -m bench search

bench-messages: $(INSTALLED) ## measure how long each command keeps the server's event loop
	@$(BIN)/python -m bench messages

bench-page: $(INSTALLED) ## measure the web page: its weight, how soon a table is there, a large board
	@$(BIN)/python -m bench page

bench-strength: $(INSTALLED) ## let the levels play matches, each other and OpenSpiel
	@$(BIN)/python -m bench strength

clean: ## remove what was built and installed here
	rm -rf $(VENV) tests/web/node_modules build dist .mypy_cache .ruff_cache .hypothesis */*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
