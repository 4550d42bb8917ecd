# The whole workflow, the same on a laptop and in CI. `make` alone lists the targets.
#
# Every target can be repeated, installs what it needs (Scripts/setup, packages in Scripts/packages.txt) and prints
# little if there is nothing to do. SwiftPM builds; make skips it if no input has changed since the last build.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

# The inputs of swift format.
SWIFT_TEXT := Sources Tests Benchmarks Campaigns Package.swift

# The inputs of a build. They include directories, which change when a file is removed.
INPUTS := Package.swift $(shell find Sources)
TEST_INPUTS := $(INPUTS) $(shell find Tests Benchmarks Campaigns)

# Stamps of successful builds, with the time at which the build started. They are removed with the build.
DEBUG_BUILT := .build/debug/made
PROGRAM_BUILT := .build-demo/made
RELEASE_BUILT := .build/release/made
LAB_BUILT := .build/release/made-lab

# `make test FILTER=Journal` runs the tests whose name contains it.
FILTER :=

# `make trace SCENARIO=dead` records one of the scenarios in Tests/TraceTests/Scenarios.
SCENARIO :=

.PHONY: help
help: ## this list
	@awk -F ': .*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

.PHONY: demo
demo: setup-run $(PROGRAM_BUILT) ## provision a simulated building: 12 rooms done, 1 deliberate failure
	@Scripts/demo

.PHONY: build
build: $(DEBUG_BUILT) ## build everything with its tests, for development

.PHONY: release
release: $(RELEASE_BUILT) ## build .build/release/roboprov, which runs without a Swift installation

# The installation directory, and a directory to prepend to it for package builds.
PREFIX := /usr/local
DESTDIR :=

# Installs what `make release` built and builds nothing, because root may have no Swift on the PATH.
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
test-deb: ## install what `make deb` built in a clean Debian 12 and 13, use it there, and remove it; needs root
	@Scripts/test-deb bookworm
	@Scripts/test-deb trixie

.PHONY: dist
dist: deb ## make what a release offers for download in .build-dist: package, archive, SBOM, notes, SHA-256 sums
	@Scripts/dist

.PHONY: test
test: setup-test venv $(DEBUG_BUILT) ## run the tests that need no virtual machine and no browser, or those that FILTER=NAME selects
	@Scripts/test $(if $(FILTER),--filter '$(FILTER)')

# The number of runs of `make test-repeated`, and the share of one processor in percent that they get.
RUNS := 20
PERCENT :=

.PHONY: test-repeated
test-repeated: setup-test venv $(DEBUG_BUILT) ## run all tests RUNS=20 times, with PERCENT=10 of one processor: a test must not depend on its speed
	@Scripts/test-repeated $(RUNS) $(PERCENT)

.PHONY: check
check: lint setup-test $(DEBUG_BUILT) ## after each change: lint, and the tests of the changed targets and those above them
	@Scripts/check-changed

# `make test` runs a part of each of these sweeps.
.PHONY: test-all
test-all: test-radio-short test-page test-long ## a share of the radio lab, the page, and every sweep as a whole
	@$(MAKE) --no-print-directory test

.PHONY: test-instructions
test-instructions: setup-test $(DEBUG_BUILT) ## count the instructions of a fixed run in virtual time: 5 % more than recorded fail
	@Scripts/instructions

.PHONY: test-long
test-long: setup-test venv $(DEBUG_BUILT) ## the sweeps as a whole: histories, random buildings, misconduct at every point, kills, partitions
	@LONG=1 HOSTILE=$(HOSTILE) KILLS=40 STARTS=100 Scripts/test --filter \
	'GatewayStartTests|HistoryScenarios|BuildingHistoryTests|CampaignTests|^StackTests.HostileStackTests|KillAtRandomTests|GatewayTests/partitioned'

# `make test` runs 10 of these, `make test-long` 40. A failure names its seed; SEED=<seed> KILLS=1 repeats it.
KILLS := 200
SEED := 1

.PHONY: test-kill
test-kill: setup-test $(DEBUG_BUILT) ## kill the program KILLS=200 times at random instants, starting with SEED=1
	@KILLS=$(KILLS) KILL_SEED=$(SEED) Scripts/test --filter KillAtRandomTests

# `make test` makes 20 of these, `make test-long` 100. A failure names its seed, which stands for five starts.
STARTS := 500

.PHONY: test-starts
test-starts: setup-test $(DEBUG_BUILT) ## start STARTS=500 times with three gateways that fail at random moments, from SEED=1: each start must end
	@STARTS=$(STARTS) START_SEED=$(SEED) Scripts/test --filter GatewayStartTests

# `make test` runs 7 of these, `make test-long` 300. A failure names its seed and, with MINIMISE=1, the steps that can be left out.
HISTORIES := 2000
MINIMISE :=

.PHONY: test-histories
test-histories: setup-test $(DEBUG_BUILT) ## compare all outputs after each step of HISTORIES=2000 random histories, from SEED=1; 30 minutes
	@HISTORIES=$(HISTORIES) HISTORY_SEED=$(SEED) HISTORY_MINIMISE=$(MINIMISE) Scripts/test --filter BuildingHistoryTests

# `make test` runs 100 of these 1,710, drawn by SEED.
HOSTILE := 1710

.PHONY: test-hostile
test-hostile: setup-test $(DEBUG_BUILT) ## run with an org.bluez that misbehaves at HOSTILE=1710 points of a session
	@HOSTILE=$(HOSTILE) HOSTILE_SEED=$(SEED) Scripts/test --filter HostileStackTests

# `make test` runs 500 of these.
MUTATIONS := 10000

.PHONY: test-schema
test-schema: setup-test venv $(DEBUG_BUILT) ## compare the manifest schema with the parser on MUTATIONS=10000 mutated manifests, from SEED=1
	@MUTATIONS=$(MUTATIONS) MUTATIONS_SEED=$(SEED) Scripts/test --filter ManifestSchemaTests

# The pages, and the browser's screenshots and PDFs of them, stay in .build-page for inspection.
PAGES := .build-page

.PHONY: test-page
test-page: setup-page $(DEBUG_BUILT) ## check building.html in a real browser: screen, phone, keyboard, print
	@ROBOPROV_PAGES=$(CURDIR)/$(PAGES) Scripts/test --filter BuildingPageFiles
	@ROBOPROV_PAGES=$(CURDIR)/$(PAGES) PYTHONPYCACHEPREFIX=$(CURDIR)/.build-python/pycache \
	.build-python/venv/bin/pytest Tests/Page -v

.PHONY: pictures
pictures: setup-page setup-test $(DEBUG_BUILT) ## make the pictures of README.md anew, from a real run on a virtual building
	@Scripts/pictures .build/debug/roboprov

# All tests with one guest, then with the other. GUEST=13 selects a release of Debian, KERNEL=linux-image-6.12-amd64 another
# kernel of it (of 12 without GUEST). The other targets use 12 by default.
GUEST :=
KERNEL :=
LAB_OPTIONS = $(if $(GUEST),--guest $(GUEST)) $(if $(KERNEL),--kernel $(KERNEL))

.PHONY: test-radio
test-radio: setup-radio $(RELEASE_BUILT) $(LAB_BUILT) ## provision through the real BlueZ, in a virtual machine: FILTER=NAME selects
	@status=0; for guest in $(or $(GUEST),$(if $(KERNEL),12,12 13)); do \
	  Tests/RadioLab/run --guest $$guest $(if $(KERNEL),--kernel $(KERNEL)) $(if $(FILTER),-k '$(FILTER)') || status=1; \
	done; exit $$status

.PHONY: test-radio-short
test-radio-short: setup-radio $(RELEASE_BUILT) ## a bounded part of that: 12 rooms, 3 of them with a fault; one of each family
	@Tests/RadioLab/run -m short $(LAB_OPTIONS) $(if $(FILTER),-k '$(FILTER)')

.PHONY: bench-radio
bench-radio: setup-radio $(RELEASE_BUILT) ## measure roboprov on the real BlueZ beside a script that does the same job; 30 minutes
	@Tests/RadioLab/run -m measure -n 0 -s $(LAB_OPTIONS) -k '$(or $(FILTER),measure_building or measure_faulty_building)'

.PHONY: trace
trace: setup-radio ## record how the real BlueZ behaves, for the tests of the virtual BlueZ: SCENARIO=NAME selects
	Scripts/build -c release --product bluez-trace --static-swift-stdlib
	@Tests/RadioLab/run -m record -n 0 -s $(LAB_OPTIONS) $(if $(SCENARIO),-k '$(SCENARIO)')

.PHONY: bench
bench: setup-run $(RELEASE_BUILT) ## measure roboprov in virtual buildings, and beside scripts (docs/internals/performance.md); 30 minutes
	@Scripts/venv .build-bench/venv Benchmarks/requirements.txt
	Scripts/build -c release --product roboprov-bench --static-swift-stdlib
	@.build/release/roboprov-bench

# The photos of each kind.
PHOTOS := 18

.PHONY: bench-photos
bench-photos: setup-run $(RELEASE_BUILT) ## measure the share of photos of labels that is read, PHOTOS=18 of each kind
	@Scripts/venv .build-bench/photos Tests/Photos/requirements.txt
	@.build-bench/photos/bin/python3 Tests/Photos/measure.py $(PHOTOS) .build/release/roboprov

# The rooms that are done by each way.
ROOMS := 10

.PHONY: bench-phone
bench-phone: setup-run setup-page $(RELEASE_BUILT) ## measure a person's taps, keys and time at ROOMS=10 rooms, on a phone and at the terminal; 20 minutes
	Scripts/build -c release --product roboprov-bench --static-swift-stdlib
	@ROBOPROV_PROGRAM=$(CURDIR)/.build/release/roboprov PYTHONPATH=Tests/Photos PYTHONPYCACHEPREFIX=$(CURDIR)/.build-python/pycache \
	.build-python/venv/bin/python3 Tests/Page/measure_phone.py $(ROOMS) .build/release/roboprov-bench

# A violated rule prints the seed of its building; BUILDINGS=1 SEED=<seed> repeats it.
# DISTURBANCES=short-outages draws only outages of adapters and the stack, of 20 to 900 ms.
BUILDINGS := 2000
DISTURBANCES := all

.PHONY: campaign
campaign: setup-build $(DEBUG_BUILT) ## provision BUILDINGS=2000 random buildings in virtual time, starting with SEED=1
	Scripts/build -c release --product roboprov-campaign --static-swift-stdlib
	@Scripts/campaign $(BUILDINGS) $(SEED) $(DISTURBANCES)

.PHONY: proto
proto: setup-proto ## generate Sources/EspMessages/EspMessages.pb.swift from EspMessages.proto
	swift package resolve
	swift build --package-path .build/checkouts/swift-protobuf --scratch-path .build-proto --product protoc-gen-swift
	cd Sources/EspMessages && protoc --plugin=../../.build-proto/debug/protoc-gen-swift --swift_opt=Visibility=Package \
	  --swift_opt=UseAccessLevelOnImports=true --swift_out=. EspMessages.proto

# A target: one of the folders in Tests/Fuzz/Corpora.
TARGET :=
SECONDS := 60

.PHONY: fuzz
fuzz: setup-build ## fuzz TARGET=NAME for SECONDS=60 (Tests/Fuzz/README.md)
	@Scripts/fuzz run '$(TARGET)' $(SECONDS)

.PHONY: fuzz-minimise
fuzz-minimise: setup-build ## reduce the corpus of TARGET=NAME to the smallest one of equal coverage
	@Scripts/fuzz minimise '$(TARGET)'

.PHONY: fuzz-short
fuzz-short: setup-build ## replay each corpus, then fuzz each target for 3 s
	@Scripts/fuzz short

# `make sanitize FILTER=DBusTests` runs only these tests, under both sanitizers.
.PHONY: sanitize
sanitize: setup-test venv ## run all tests under the address sanitizer, and the concurrency tests under the thread sanitizer
	@Scripts/sanitize address '$(FILTER)'
	@Scripts/sanitize thread '$(FILTER)'

# A name in Tests/Mutants/mutants.toml. With SHARE=500, that many random changes instead, drawn with SEED.
MUTANT :=
SHARE :=

.PHONY: mutants
mutants: setup-lint setup-build ## check that the tests detect each wrong change in Tests/Mutants/mutants.toml: MUTANT=NAME selects; SHARE=500 draws random ones
	@if [ -n '$(SHARE)' ]; then Scripts/random-mutants '$(SHARE)' '$(SEED)'; else Scripts/mutants run '$(MUTANT)'; fi

# The seed is the date, so that each night draws other changes and other buildings.
.PHONY: nightly
nightly: ## what CI leaves out: the table of mutants and 500 random ones, random buildings, sanitizers, the package
	@$(MAKE) --no-print-directory mutants
	@$(MAKE) --no-print-directory mutants SHARE=500 SEED=$$(date +%Y%m%d)
	@$(MAKE) --no-print-directory campaign SEED=$$(date +%Y%m%d)
	@$(MAKE) --no-print-directory sanitize
	@$(MAKE) --no-print-directory deb test-deb

.PHONY: lint
lint: setup-lint ## check layout, types of the Python, house rules, the table of mutants, links, folders for circles, and the C for aarch64
	@status=0; \
	.build-python/venv/bin/ruff check --quiet || status=1; \
	.build-python/venv/bin/ruff format --check --quiet || status=1; \
	.build-python/venv/bin/mypy --no-error-summary || status=1; \
	Scripts/mutants check || status=1; \
	Scripts/check-links --self-test && Scripts/check-links || status=1; \
	Scripts/folders --self-test && Scripts/folders --check || status=1; \
	swift format lint -r -p --strict $(SWIFT_TEXT) || status=1; \
	Scripts/house-rules || status=1; \
	Scripts/check-arm || status=1; \
	exit $$status

.PHONY: format
format: setup-lint ## format the Swift and Python sources
	@swift format -i -r -p $(SWIFT_TEXT)
	@.build-python/venv/bin/ruff format --quiet

.PHONY: venv
venv: setup-test ## set up the Python environment of the interoperability tests in .build-interop/venv
	@Scripts/interop-venv

.PHONY: clean
clean: ## remove all build products; reports stay
	rm -rf .build .build-*

# --- Builds and setup ---

$(DEBUG_BUILT): $(TEST_INPUTS) | setup-build
	@mkdir -p .build && touch .build/made
	Scripts/build --build-tests
	@mv .build/made $@

# The program without its tests, for a quick first result. Its own build has no index, which would take a third of the time;
# the build with tests needs one, because SwiftPM finds the tests in it.
$(PROGRAM_BUILT): $(INPUTS) | setup-build
	@mkdir -p .build-demo && touch .build-demo/making
	Scripts/build --product roboprov --scratch-path .build-demo --disable-index-store
	@mv .build-demo/making $@

# Contains the Swift runtime: it runs on any Debian 12 or later that has libdbus-1-3, libyaml-0-2, libgcrypt20, libqrencode4,
# libglib2.0-0 and zlib1g.
# A new commit needs a new build, because --version prints the commit. Little is compiled again.
COMMITS := $(wildcard $(shell git rev-parse --git-path logs/HEAD 2>/dev/null))

$(RELEASE_BUILT): $(INPUTS) $(COMMITS) | setup-build
	@mkdir -p .build && touch .build/made
	Scripts/build -c release --product roboprov --static-swift-stdlib
	@[ "$$(stat -c %s .build/release/roboprov)" -lt 40000000 ] || \
	  { echo 'The program has more than 40 MB: it contains ICU (docs/internals/architecture.md, "Dependencies").' >&2; exit 1; }
	@mv .build/made $@

# The conformance tests of the BlueZ `Central` in the radio lab.
$(LAB_BUILT): $(INPUTS) $(shell find Tests/CentralConformance Tests/RadioLab/Conformance) | setup-build
	@mkdir -p .build && touch .build/made
	Scripts/build -c release --product bluez-conformance --static-swift-stdlib
	@mv .build/made $@

.PHONY: setup-swift setup-lint setup-build setup-run setup-test setup-deb setup-page setup-radio setup-proto
setup-swift:
	@Scripts/setup
setup-lint:
	@Scripts/setup build lint
	@Scripts/venv .build-python/venv Tests/requirements.txt
setup-build:
	@Scripts/setup build
setup-run:
	@Scripts/setup build run
setup-test:
	@Scripts/setup build run test
setup-deb:
	@Scripts/setup build run deb
setup-proto:
	@Scripts/setup build proto
setup-page:
	@Scripts/setup build page
	@Scripts/venv .build-python/venv Tests/requirements.txt
setup-radio:
	@Scripts/setup build radio
	@Scripts/venv .build-python/venv Tests/requirements.txt
