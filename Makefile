.DELETE_ON_ERROR:
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
# A CPU build for continuous integration; the package itself takes torch 2.7.1 to 2.14
TORCH := torch==2.13.0
WORKERS ?= 2

export OMP_NUM_THREADS := 1

.PHONY: demo test lint programs fuzz cases bench bench-quick bench-clean-up bench-guards mutants lock clean help

help:
	@echo "make demo            train a small GPT on many shapes with one compilation (writes demo/)"
	@echo "make test            run the tests"
	@echo "make lint            ruff and mypy"
	@echo "make programs        run small programs of every kind against eager"
	@echo "make fuzz            run 10,000 random programs against eager (FUZZ=\"--programs N --seed N --prove\")"
	@echo "make cases           specializations of every test case beside the allowed number"
	@echo "make bench           compile times and sweeps over shapes beside all peers (writes docs/benchmark.*)"
	@echo "make bench-quick     the same for a few workloads, one compilation each (writes build/benchmark.*)"
	@echo "make bench-clean-up  time of the clean-up pass as traces grow"
	@echo "make bench-guards    time of a cache hit by number of guards and of specializations (writes build/guards.json)"
	@echo "make mutants         mutation testing of the clean-up pass"
	@echo "make lock            record the sources of the patched upstream objects"

$(VENV)/installed: pyproject.toml hatch_build.py packaging/thunder_symbolic.pth packaging/thunder_symbolic.start
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade "pip>=24"
	$(BIN)/pip install --quiet $(TORCH)
	$(BIN)/pip install --quiet --editable ".[bench,demo,lint,test]"
	touch $@

demo: $(VENV)/installed
	$(BIN)/python examples/train.py

test: $(VENV)/installed
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q

lint: $(VENV)/installed
	$(BIN)/ruff check thunder thunder_symbolic examples benchmarks hatch_build.py
	$(BIN)/ruff format --check thunder thunder_symbolic examples benchmarks hatch_build.py
	$(BIN)/mypy
	# Under a name of its own, so that its imports of thunder and torch are the installed ones
	mkdir -p build/typed && ln -sfn ../../thunder build/typed/patches
	cd build/typed && ../../$(BIN)/mypy --config-file ../../pyproject.toml --explicit-package-bases \
		patches/core patches/clang patches/executors patches/extend patches/torch patches/transforms patches/__root__.py patches/symbolic.py

programs: $(VENV)/installed
	$(BIN)/python thunder/tests/run_programs.py

fuzz: $(VENV)/installed
	$(BIN)/python thunder/tests/run_fuzz.py $(FUZZ)

cases: $(VENV)/installed
	$(BIN)/python benchmarks/specializations.py

bench: $(VENV)/installed
	$(BIN)/python benchmarks/bench.py

bench-quick: $(VENV)/installed
	$(BIN)/python benchmarks/bench.py --quick

bench-clean-up: $(VENV)/installed
	$(BIN)/python benchmarks/clean_up_scaling.py

bench-guards: $(VENV)/installed
	$(BIN)/python benchmarks/guards.py

mutants: $(VENV)/installed
	$(BIN)/python benchmarks/mutants.py

lock: $(VENV)/installed
	$(BIN)/python -m thunder_symbolic.sources

clean:
	rm -rf $(VENV) demo dist build
