# The whole workflow, the same on a laptop and in CI. `make` alone lists the targets.
#
# Every target can be repeated, sets up what it needs (Scripts/setup, packages in Scripts/packages.txt) and says
# little when there is nothing to do. SwiftPM does the building; where make knows that nothing has changed since
# it last did, it is not even asked.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

# What swift format reads.
SWIFT_TEXT := Sources Tests Benchmarks Package.swift

# What a build depends on. Directories are among them: theirs is the change when a file goes away.
INPUTS := Package.swift $(shell find Sources)
TEST_INPUTS := $(INPUTS) $(shell find Tests Benchmarks)

# Left behind by each build that succeeded, dated to its start; gone when what was built is.
DEBUG_BUILT := .build/debug/made
RELEASE_BUILT := .build/release/made
LAB_BUILT := .build/release/made-lab

# `make test FILTER=Journal` runs the tests whose name contains it.
FILTER :=

# `make trace STORY=dead` records one of the stories in Tests/TraceTests/Stories.
STORY :=

.PHONY: help
help: ## this list
	@awk -F ': .*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

.PHONY: demo
demo: setup-run $(RELEASE_BUILT) ## provision a simulated building: 12 rooms done, 1 deliberate failure
	@Scripts/demo

.PHONY: build
build: $(DEBUG_BUILT) ## build everything with its tests, for development

.PHONY: release
release: $(RELEASE_BUILT) ## build .build/release/roboprov, which runs without a Swift installation

# Where it is installed, and a directory in front of that for those who make packages of it.
PREFIX := /usr/local
DESTDIR :=

# As root there may be no Swift on the PATH: what `make release` built is installed, and nothing is built.
.PHONY: install
install: ## install what `make release` built, with manual pages and completions, under PREFIX=/usr/local
	@Scripts/install '$(PREFIX)' '$(DESTDIR)'

.PHONY: uninstall
uninstall: ## remove what `make install` installed under PREFIX=/usr/local
	@Scripts/install --remove '$(PREFIX)' '$(DESTDIR)'

.PHONY: deb
deb: setup-deb $(RELEASE_BUILT) ## build a Debian package in .build-deb, and check it with lintian
	@Scripts/deb

.PHONY: test-deb
test-deb: ## install what `make deb` built in a clean Debian 12, use it there, and remove it; needs root
	@Scripts/test-deb

.PHONY: test
test: setup-test venv $(DEBUG_BUILT) ## run every test, or those that FILTER=NAME selects
	@# Many tests speak to programs in real time: more at once than this, and two busy cores keep them waiting.
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6 \
	swift test --skip-build --disable-xctest $(if $(FILTER),--filter '$(FILTER)')

# `make test` has 40 of these. A failure names the seed; SEED=<that> KILLS=1 has it again.
KILLS := 200
SEED := 1

.PHONY: test-kill
test-kill: setup-test $(DEBUG_BUILT) ## kill the program KILLS=200 times at random instants, beginning with SEED=1
	KILLS=$(KILLS) KILL_SEED=$(SEED) SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6 \
	swift test --skip-build --disable-xctest --filter KillAtRandomTests

# `make test` has 24 of these, drawn by SEED; there are 1,710.
HOSTILE := 1710

.PHONY: test-hostile
test-hostile: setup-test $(DEBUG_BUILT) ## run against an org.bluez that does wrong, at HOSTILE=1710 points of a session
	HOSTILE=$(HOSTILE) HOSTILE_SEED=$(SEED) SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6 \
	swift test --skip-build --disable-xctest --filter HostileStackTests

# `make test` has 500 of these.
MUTATIONS := 10000

.PHONY: test-schema
test-schema: setup-test venv $(DEBUG_BUILT) ## hold the manifests' schema against the parser on MUTATIONS=10000 changed manifests, by SEED=1
	MUTATIONS=$(MUTATIONS) MUTATIONS_SEED=$(SEED) swift test --skip-build --disable-xctest --filter ManifestSchemaTests

# The pages, and the pictures and PDFs that the browser made of them, stay in .build-page, to be looked at.
PAGES := .build-page

.PHONY: test-page
test-page: setup-page $(DEBUG_BUILT) ## look at building.html in a real browser: screen, phone, keyboard, paper
	@ROBOPROV_PAGES=$(CURDIR)/$(PAGES) swift test --skip-build --disable-xctest --filter BuildingPageFiles
	@PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 Tests/Page/test_page.py $(CURDIR)/$(PAGES)

# Everything with one kernel, then a share of it with another. `make test-radio KERNEL=linux-image-6.12-amd64` takes
# that one for whatever is selected.
KERNEL :=
OTHER_KERNEL := linux-image-6.12-amd64

.PHONY: test-radio
test-radio: setup-radio $(RELEASE_BUILT) $(LAB_BUILT) ## provision through the real BlueZ, in a virtual machine: FILTER=NAME selects
	@Tests/RadioLab/run $(if $(KERNEL),--kernel $(KERNEL)) $(FILTER)
	@$(if $(FILTER)$(KERNEL),,Tests/RadioLab/run --kernel $(OTHER_KERNEL) test_short test_conformance)

.PHONY: test-radio-short
test-radio-short: setup-radio $(RELEASE_BUILT) ## a bounded share of that: 12 rooms, 3 of them with a fault; one of each family
	@Tests/RadioLab/run --short $(FILTER)

.PHONY: bench-radio
bench-radio: setup-radio $(RELEASE_BUILT) ## measure roboprov on the real stack, beside a script of the same job; half an hour
	@Tests/RadioLab/run --measure building faulty_building

.PHONY: trace
trace: setup-radio ## record anew what the real BlueZ says, which the virtual one is held to: STORY=NAME selects
	Scripts/build -c release --product bluez-trace --static-swift-stdlib
	@Tests/RadioLab/run --record $(STORY)

.PHONY: bench
bench: setup-run $(RELEASE_BUILT) ## measure it in virtual buildings, as docs/performance.md has it; a few minutes
	@Scripts/venv .build-bench/venv Benchmarks/requirements.txt
	Scripts/build -c release --product roboprov-bench --static-swift-stdlib
	@.build/release/roboprov-bench

# Of each building in which a rule was broken the seed is printed: BUILDINGS=1 SEED=<that> has it again.
# DISTURBANCES=short-outages draws nothing but outages of adapters and the stack of 20 to 900 ms.
BUILDINGS := 2000
DISTURBANCES := all

.PHONY: campaign
campaign: $(RELEASE_BUILT) $(DEBUG_BUILT) ## provision BUILDINGS=2000 random buildings in virtual time, beginning with SEED=1
	@Scripts/campaign $(BUILDINGS) $(SEED) $(DISTURBANCES)

# One of those in Tests/Fuzz/Corpora.
TARGET :=
SECONDS := 60

.PHONY: fuzz
fuzz: setup-build ## search TARGET=NAME for inputs that break it, for SECONDS=60 (docs/reliability.md)
	@Scripts/fuzz run '$(TARGET)' $(SECONDS)

.PHONY: fuzz-minimise
fuzz-minimise: setup-build ## make the corpus of TARGET=NAME the least that reaches as much
	@Scripts/fuzz minimise '$(TARGET)'

.PHONY: fuzz-short
fuzz-short: setup-build ## a bounded share of that: each corpus, then 3 s of each target
	@Scripts/fuzz short

# `make sanitize FILTER=DBusTests` runs these tests alone, under both.
.PHONY: sanitize
sanitize: setup-test venv ## run the tests under the address sanitizer, then those of threads under the thread sanitizer
	@Scripts/sanitize address '$(FILTER)'
	@Scripts/sanitize thread '$(FILTER)'

# One of those in Tests/Mutants/mutants.toml.
MUTANT :=

.PHONY: mutants
mutants: setup-lint setup-build ## make the program wrong in one place at a time, which a test must notice: MUTANT=NAME selects
	@Scripts/mutants run $(MUTANT)

.PHONY: lint
lint: setup-lint ## check layout and house rules
	@status=0; \
	pyflakes3 Tests Scripts/mutants Scripts/check-links || status=1; \
	Scripts/mutants check || status=1; \
	Scripts/check-links --self-test && Scripts/check-links || status=1; \
	swift format lint -r -p --strict $(SWIFT_TEXT) || status=1; \
	Scripts/house-rules || status=1; \
	exit $$status

.PHONY: format
format: setup-swift ## lay out the Swift sources
	@swift format -i -r -p $(SWIFT_TEXT)

.PHONY: venv
venv: setup-test ## set up the Python of the interoperability tests, in .build-interop/venv
	@Scripts/interop-venv

.PHONY: clean
clean: ## remove everything that was built; reports stay
	rm -rf .build .build-*

# --- What the above stand on ---

$(DEBUG_BUILT): $(TEST_INPUTS) | setup-build
	@mkdir -p .build && touch .build/made
	Scripts/build --build-tests
	@mv .build/made $@

# With the Swift runtime inside: it runs on any Debian 12 that has libdbus-1-3, libyaml-0-2, libgcrypt20 and libminizip1.
# Another commit is another program, since --version prints it; little is compiled again for that.
COMMITS := $(wildcard $(shell git rev-parse --git-path logs/HEAD 2>/dev/null))

$(RELEASE_BUILT): $(INPUTS) $(COMMITS) | setup-build
	@mkdir -p .build && touch .build/made
	Scripts/build -c release --product roboprov --static-swift-stdlib
	@mv .build/made $@

# What examines BlueZ's `Central` in the radio lab.
$(LAB_BUILT): $(INPUTS) $(shell find Tests/CentralConformance Tests/RadioLab/Conformance) | setup-build
	@mkdir -p .build && touch .build/made
	Scripts/build -c release --product bluez-conformance --static-swift-stdlib
	@mv .build/made $@

.PHONY: setup-swift setup-lint setup-build setup-run setup-test setup-deb setup-page setup-radio
setup-swift:
	@Scripts/setup
setup-lint:
	@Scripts/setup lint
setup-build:
	@Scripts/setup build
setup-run:
	@Scripts/setup build run
setup-test:
	@Scripts/setup build run test
setup-deb:
	@Scripts/setup build run deb
setup-page:
	@Scripts/setup build page
setup-radio:
	@Scripts/setup build radio
	@Scripts/venv .build-lab/venv Tests/RadioLab/requirements.txt
