# Every target installs what it needs into .venv, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# setuptools warns that data directories look like packages, and some versions of pip repeat that.
PIP := PYTHONWARNINGS=ignore $(BIN)/python -m pip --disable-pip-version-check --quiet
# The tests start hundreds of processes. Without bytecode each compiles the modules that it loads,
# and pytest rewrites the assertions of all tests in each of its workers.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo crawl soak soak-kills soak-watch soak-join simulate fuzz audit test check format docs docs-site \
	coverage check-deploy test-min bench bench-speed consumers scale clean

demo: $(VENV)/.installed
	$(BIN)/python -m forest_crawler demo

# make crawl FEEDS=list.txt: a list, OPML or URLs; further options in ARGS.
crawl: $(VENV)/.installed
	$(BIN)/python -m forest_crawler crawl $(FEEDS) $(ARGS)

# Kills a running crawl 200 times, then lets `--watch` follow 1,000 feeds for 8 simulated hours.
# Both check that every article is there once; `make soak-watch SOAK="--hours 1 --feeds 100"`.
soak: soak-kills soak-watch soak-join

soak-kills: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.soak

# Four processes share a store on PostgreSQL: undisturbed, and with kills, a stop and a restart.
soak-join: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.join
	$(BIN)/python -m benchmarks.join --chaos

soak-watch: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.watch_soak $(SOAK)

# Simulates 10,000 crawls with faults, kills and recovery, and checks every step; `SEEDS=…` for
# more, `python -m tests.simulation --seed N` replays one.
SEEDS ?= 10000
simulate: $(VENV)/.installed-dev
	$(BIN)/python -m tests.simulation --seeds $(SEEDS)

# Fuzzes the readers of untrusted input, ten minutes each; FUZZ="robots -t 60" for one of them.
fuzz: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.fuzz $(FUZZ)

# An SBOM (CycloneDX) of what is installed, in outputs/sbom.json, and its known vulnerabilities.
# Strict: a package that the registry knows nothing about is a failure, not a pass.
audit: $(VENV)/.installed
	$(PIP) install pip-audit cyclonedx-bom
	mkdir -p outputs
	$(BIN)/cyclonedx-py environment $(BIN)/python --output-file outputs/sbom.json
	$(BIN)/python -m pip freeze --exclude-editable > outputs/audited.txt
	$(BIN)/pip-audit --strict --no-deps --disable-pip --requirement outputs/audited.txt

# The tests of a file share crawls and servers, so they run on one worker; slow files start first.
test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder

# Lines and branches that the tests run, in all their processes: a table, and htmlcov/index.html.
# Measuring costs time, memory and files, so tests of such limits may fail; `make test` decides.
coverage: $(VENV)/.installed-dev
	-$(BIN)/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder --cov --cov-report=
	$(BIN)/python -m coverage html --quiet
	$(BIN)/python -m coverage report --skip-covered --sort=cover

# Checks the Kubernetes manifest against the schemas of a release, strictly: no unknown field.
check-deploy: $(VENV)/.installed
	$(PIP) install kubernetes-validate
	$(BIN)/kubernetes-validate --strict deploy/kubernetes.yaml

# The tests with the lowest versions that pyproject.toml allows, in a virtualenv of their own.
# Types are checked with present versions only: older releases come with fewer annotations.
MIN_VENV := .venv-min
MIN_TESTS ?= tests
test-min: $(MIN_VENV)/.installed
	$(MIN_VENV)/bin/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder -k "not type_checker" $(MIN_TESTS)

check: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy

format: $(VENV)/.installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Writes the current outputs into the documents' examples; a test compares them.
docs: $(VENV)/.installed-dev
	$(BIN)/python tests/test_documents.py

# The documents as a site, in site/; any warning, such as a broken link, is an error.
docs-site: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks

# What a page costs us and others, in CPU time, on the labelled sets of FOREST_BENCH.
# SPEED="big9 --step 3" for a part of them.
bench-speed: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.speed $(SPEED)

# Runs the programs that exported rules are for, on loopback, where a local copy is named by its
# variable: GRABY=…/vendor/autoload.php MINIFLUX=…/miniflux FRESHRSS=… FEEDIRON=… RSS_BRIDGE=…
# FEED_VALIDATOR=… (checkouts); newsboat from the path. The others are named as skipped.
consumers: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.consumers $(CONSUMERS)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(PIP) install --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(PIP) install --editable ".[dev]"
	@touch $@ $(VENV)/.installed

$(MIN_VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(MIN_VENV)
	$(MIN_VENV)/bin/python -m pip --disable-pip-version-check --quiet install uv
	$(MIN_VENV)/bin/uv pip install --quiet --python $(MIN_VENV)/bin/python \
		--resolution lowest-direct --editable ".[dev]"
	@touch $@

# Spark and a stand-in for S3: without them their tests are skipped.
scale: $(VENV)/.installed-scale

$(VENV)/.installed-scale: pyproject.toml | $(BIN)/python
	$(PIP) install --editable ".[dev,dev-scale]"
	@touch $@ $(VENV)/.installed $(VENV)/.installed-dev

$(VENV)/.installed-docs: pyproject.toml | $(BIN)/python
	$(PIP) install --editable ".[docs]"
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: pyproject.toml | $(BIN)/python
	$(PIP) install --editable ".[dev,bench]"
	@touch $@ $(VENV)/.installed $(VENV)/.installed-dev

clean:
	rm -rf $(VENV) $(MIN_VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage htmlcov site
