# entrepot: run, test and build. Needed: Go, and for the tests PostgreSQL's binaries, Chromium and PHP (make postgres browser php promtool).

GO      ?= go
BIN     := bin/entrepot
# The version is CHANGELOG's newest heading; what make build builds says that it is no release, and from which commit it comes.
RELEASE := $(shell awk '/^## / { print $$2; exit }' CHANGELOG.md)
COMMIT  := $(shell git describe --always --dirty --exclude '*' 2>/dev/null)
VERSION ?= $(RELEASE)-dev$(addprefix .,$(COMMIT))
LDFLAGS := -s -w -X main.Version=$(VERSION)

# Tests, analysis and program are built with the same flags, so that each package is compiled once.
export CGO_ENABLED ?= 0
export GOFLAGS ?= -trimpath

# Compiler, linker and tests collect garbage as seldom as the service does: compiling takes a fifth less processor time.
quick quick-rules quick-script test all-tests race check: export GOGC ?= 400

# The race detector needs a C compiler and costs much time: it runs where goroutines of our own meet, on both engines where a package has
# goroutines for each of them. SQLite's own code is left out of it, or the tests would take three times as long.
RACE_ENGINES := ./internal/db/... ./internal/limits
RACE_SQLITE  := ./internal/base/secretbox ./internal/accounts ./internal/worker ./internal/server
RACE         := CGO_ENABLED=1 $(GO) test -race -gcflags=modernc.org/...=-race=false -short -vet=off -p 1 -timeout 30m

.PHONY: help run demo quick quick-rules quick-script test all-tests race crash failover platforms parallel check bench grown postgres browser php promtool shots build release release-check acme helm-lint clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## run the service here, with http and loopback allowed (data in ./data)
	$(GO) run ./cmd/entrepot serve --dev

demo: ## run a sample shop in a temporary store
	$(GO) run ./cmd/entrepot demo

# What a change of a rule breaks first: packages of pure rules and of nouns, and the black-box scripts whose names match S.
QUICK := $(addprefix ./internal/,base/apijson base/jsonvalue base/money base/overload base/regional orders catalog stock customers)
S     ?= 41
quick: ## in seconds: the rules, and the black-box scripts S=41 (orders) against the program, on SQLite
	@$(MAKE) --no-print-directory -j2 quick-rules quick-script
quick-rules:
	@ENTREPOT_TEST_ENGINES=sqlite $(GO) test -short -vet=off $(QUICK)
quick-script:
	@ENTREPOT_TEST_ENGINES=sqlite $(GO) test -vet=off ./test/blackbox -run 'TestScripts/sqlite/scripts/$(S)'

# Packages that take minutes begin first: the others fill what they leave idle. go vet has looked already.
LONGEST_FIRST := ./internal/dashboard ./test/platforms ./internal/api ./test/blackbox ./internal/db ./internal/commerce ./internal/verify \
	./test/floods ./test/crash ./test/clients ./internal/worker

# Stores of tests are in RAM where there is room for them: creating the hundreds of files of a PostgreSQL database takes
# a quarter less processor time there. A folder from which no program may be started does not serve.
RAM := /dev/shm
TEST_TMPDIR = $(shell probe=$$(mktemp $(RAM)/entrepot.XXXXXX 2>/dev/null) && \
	{ cp /bin/true $$probe && chmod +x $$probe && $$probe && test $$(df -Pk $(RAM) | awk 'NR == 2 { print $$4 }') -ge 6000000 && echo $(RAM); \
	rm -f $$probe; })

test: postgres browser php promtool build ## go vet and every test, on SQLite and PostgreSQL
	$(GO) vet ./...
	$(MAKE) -j2 all-tests race

# They run side by side: tests wait for much, above all for what they have made to happen.
all-tests:
	TMPDIR=$${TMPDIR:-$(TEST_TMPDIR)} ENTREPOT_TEST_BINARY=$(CURDIR)/$(BIN) $(GO) test -vet=off -p 4 -timeout 60m $(LONGEST_FIRST) ./...
race:
	@if command -v "$$($(GO) env CC)" >/dev/null 2>&1; then set -ex; \
		ENTREPOT_TEST_ENGINES=sqlite,postgres $(RACE) $(RACE_ENGINES); \
		ENTREPOT_TEST_ENGINES=sqlite $(RACE) $(RACE_SQLITE); \
	else echo "no C compiler: the race detector is left out"; fi

# A module of its own, so that the test authority's modules are none of the service's; -mod=mod follows a change of its go.mod.
acme: postgres ## have the service order certificates from Pebble, the authority that Let's Encrypt tests clients with
	cd test/acme && $(GO) test -mod=mod -count=1 -timeout 10m .

KILLS ?= 200
PAUSES ?= 30
crash: postgres ## kill the service KILLS times on each engine under load, pause it PAUSES times, and audit what it left
	$(GO) test ./test/crash -skip 'TestPrimaryFails|TestStandbyIsAway' -count=1 -timeout 3h -v -kills $(KILLS) -pauses $(PAUSES)

ROUNDS ?= 20
failover: postgres ## kill PostgreSQL's primary ROUNDS times under load, promote its standby each time, and audit what is left
	$(GO) test ./test/crash -run 'TestPrimaryFails|TestStandbyIsAway' -count=1 -timeout 2h -v -rounds $(ROUNDS) -within 10s

platforms: postgres ## 500 products and 200 orders with a shop of each platform, on each engine, and what that took
	$(GO) test ./test/platforms -count=1 -timeout 2h -v -run 'TestStory$$' -full

DURATION ?= 60s
parallel: postgres ## everything at once for DURATION on each engine, no answer slower than 2 s (a machine of its own)
	$(GO) test ./test/parallel -count=1 -timeout 2h -v -duration $(DURATION) -slowest 2s

check: ## what must hold before a change is merged: format, staticcheck, modules, the build, every test
	@unformatted=$$(gofmt -l cmd internal test examples docs release); if [ -n "$$unformatted" ]; then echo "not formatted:"; echo "$$unformatted"; exit 1; fi
	$(GO) tool staticcheck ./...
	$(GO) mod verify
	$(MAKE) test acme

BENCHTIME ?= 3s
bench: build ## measure this machine: the service beside the bare database driver (the baseline), BENCHTIME each
	$(BIN) bench all --here --baseline sqlite --baseline-dir bin --duration $(BENCHTIME)

ROWS ?= 1000000
grown: postgres ## fill an account with ROWS orders and products on each engine, and measure its lists, searches and figures
	$(GO) test ./test/grown -count=1 -timeout 3h -v -rows $(ROWS) -times 20

SUDO = $(if $(filter 0,$(shell id -u)),,sudo)
postgres: ## install PostgreSQL's binaries and PgBouncer for the tests if they are missing
	@if { [ -n "$$ENTREPOT_TEST_POSTGRES$$ENTREPOT_POSTGRES_BIN" ] || command -v postgres >/dev/null 2>&1 || \
			ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; } && \
		{ command -v pgbouncer >/dev/null 2>&1 || [ -x /usr/sbin/pgbouncer ]; }; then :; \
	elif command -v apt-get >/dev/null 2>&1; then \
		$(SUDO) apt-get update -q && $(SUDO) apt-get install -qy --no-install-recommends postgresql pgbouncer; \
	else echo "install PostgreSQL 14 or newer, or name a server in ENTREPOT_TEST_POSTGRES; and install PgBouncer"; exit 1; fi

AXE := .browser/node_modules/axe-core/axe.min.js
browser: ## install Chromium, a font and axe-core for the dashboard's tests if they are missing
	@if command -v chromium-headless-shell >/dev/null 2>&1; then :; \
	elif command -v apt-get >/dev/null 2>&1 && $(SUDO) apt-get update -q && \
		{ $(SUDO) apt-get install -qy --no-install-recommends chromium-headless-shell fonts-inter || \
			command -v chromium >/dev/null 2>&1 || $(SUDO) apt-get install -qy --no-install-recommends chromium fonts-inter; }; then :; \
	elif command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1; then :; \
	else echo "install Chromium"; exit 1; fi
	@[ -f $(AXE) ] || npm install --silent --no-audit --no-fund --prefix .browser axe-core@4.14.1

php: ## install PHP's command line with curl, for the tests of its samples and modules, if it is missing
	@if command -v php >/dev/null 2>&1 && php -m | grep -qx curl; then :; \
	elif command -v apt-get >/dev/null 2>&1 && $(SUDO) apt-get update -q && $(SUDO) apt-get install -qy --no-install-recommends php-cli php-curl; then :; \
	else echo "install PHP 8 for the command line, with its curl extension"; exit 1; fi

# The checker alone: the package would also start a server.
promtool: ## install Prometheus' checker of metrics and rules for the tests if it is missing
	@if command -v promtool >/dev/null 2>&1; then :; \
	elif command -v apt-get >/dev/null 2>&1 && dir=$$(mktemp -d) && cd $$dir && $(SUDO) apt-get update -q && \
		apt-get download -q prometheus && dpkg -x prometheus_*.deb . && $(SUDO) install usr/bin/promtool /usr/local/bin && rm -r $$dir; then :; \
	else echo "promtool is not installed: metrics and alerts are not checked by it"; fi

shots: browser ## pictures of every page of the dashboard in shots/, and those of the documents in docs/pictures/; all rules of axe-core on each
	$(GO) test ./internal/dashboard -run 'TestShots|TestPictures|TestEveryPageIsAccessible|TestStagesOfAnImportAreAccessible' -count=1 -timeout 20m -shots $(CURDIR)/shots -pictures $(CURDIR)/docs/pictures

# No profile (default.pgo): orders and lists gain nothing that can be measured, bulk writes some per cent.
build: ## build bin/entrepot
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/entrepot

MAINTAINER ?=
release: ## build all that is published into dist/, MAINTAINER='Name <address>' in the packages: programs, archives, images, chart, checksums
	cd release && $(GO) run . -source .. -out ../dist $(if $(MAINTAINER),-maintainer '$(MAINTAINER)')

# RELEASE_TEST='-dist ../dist' tries what make release has built, -every every target, -cold a second build without Go's cache.
RELEASE_TEST ?=
release-check: ## try what is published as its users do: packages, images, chart, samples; as root, in minutes
	@echo "not part of make check: it compiles the packagers and Kubernetes' types, and packs fifty megabytes several times"
	cd release && $(GO) vet . && $(GO) test -count=1 -timeout 60m -v . $(RELEASE_TEST)

HELM_VERSION := v3.22.0
helm-lint: ## check the Helm chart with helm itself, which is built first (minutes)
	@[ -x .helm/helm ] || GOBIN=$(CURDIR)/.helm $(GO) install helm.sh/helm/v3/cmd/helm@$(HELM_VERSION)
	.helm/helm lint --strict deploy/helm/entrepot $(HELM_VALUES)
	.helm/helm template shop deploy/helm/entrepot --kube-version 1.30 $(HELM_VALUES) >/dev/null
HELM_VALUES := --set image.repository=registry.invalid/entrepot --set database.url=postgres://db/entrepot --set masterKey.value=AAAA

clean: ## remove what was built
	rm -rf bin dist .helm
