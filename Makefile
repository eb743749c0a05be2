# Everything that is built, tested and measured. `make` alone lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

TOOL  := go tool -modfile=tools.mod
PEER  := wasm/dist/peer.wasm
STAMP := .cache
LISTEN ?= 127.0.0.1:8080
SOAK_WORLDS ?= 10000
FUZZ_FOR ?= 20s

GO_FILES := $(wildcard $(shell git ls-files -co --exclude-standard '*.go' 'go.mod' 'go.sum'))
JS_FILES := $(wildcard $(shell git ls-files -co --exclude-standard 'js/src/*' 'js/*.json' 'js/*.mjs'))
PG_FILES := $(wildcard $(shell git ls-files -co --exclude-standard 'playground/src/*' 'playground/*.json' 'playground/*.mjs'))

# What a run of tests says, without the tests that pass: counts, skips with their
# reasons, failures.
BRIEFLY := grep --line-buffered -vE '^(=== (RUN|PAUSE|CONT|NAME)| *--- PASS|PASS$$)'

.PHONY: help run build test lint fmt gen check-gen bench soak size setup wasm js playground clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 14

run: build ## build everything and serve the playground; the first job runs without further set-up
	bin/shoal up --listen $(LISTEN)

build: bin/shoal ## build bin/shoal with the peer module, the SDK and the playground inside

test: setup build ## install what the tests need, and run them all
	$(MAKE) lint check-gen size
	go test -v -timeout 20m $$(go list ./... | grep -v -e /js/e2e -e /playground/e2e -e /examples/goweb -e /docs/blocks) | $(BRIEFLY)
	cd js && npm test
	go test -v -timeout 30m -p 1 ./js/e2e/... ./playground/e2e/... ./examples/goweb ./docs/blocks | $(BRIEFLY)

lint: $(STAMP)/js $(STAMP)/playground $(STAMP)/tools ## formatters and linters
	@bad="$$($(TOOL) gofumpt -l $(filter %.go,$(GO_FILES)))"; if [ -n "$$bad" ]; then echo "not gofumpt clean:"; echo "$$bad"; exit 1; fi
	go vet ./...
	GOOS=wasip1 GOARCH=wasm go vet ./wasm/peer ./sdk/...
	GOOS=js GOARCH=wasm go vet ./wasm/web ./examples/goweb ./js/e2e/goweb/testdata/pools
	$(TOOL) staticcheck ./...
	cd js && npm run --silent check
	cd playground && npm run --silent check

fmt: $(STAMP)/js $(STAMP)/tools ## format everything
	$(TOOL) gofumpt -w $(filter %.go,$(GO_FILES))
	js/node_modules/.bin/biome check --write js playground

gen: ## write generated code and documents
	go generate ./sdk/wire
	go test ./sdk/wire -run Golden -update
	go test ./docs/blocks -run TestThePageOf -update

check-gen: ## fail if generated code is not up to date
	go generate ./sdk/wire
	@git diff --exit-code --stat -- sdk/wire docs/wire.md js/src/wire.gen.ts

size: $(PEER) ## what a page downloads, against the budgets
	go run ./wasm/size $(PEER)

bench: build ## measure, and print with the machine
	go test -run '^$$' -bench . -timeout 60m ./bench
	go test -run '^$$' -bench 'AddMoments|AddNaively' ./sdk/fold
	go test -run '^$$' -bench 'LeasesWithJournal' ./signal

soak: setup build ## what takes long: many random worlds, large files, and every fuzz target for a while
	go test -timeout 80m ./sdk/sim -run RandomWorlds -worlds $(SOAK_WORLDS) -seed 100000
	SHOAL_SOAK=1 go test -v -timeout 80m ./js/e2e/bigfile | $(BRIEFLY)
	@for p in $$(go list ./sdk/... ./signal/... ./wasm/programs/...); do \
	  for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
	    echo "$$p $$f"; go test $$p -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZ_FOR); \
	  done; \
	done

setup: $(STAMP)/apt $(STAMP)/js $(STAMP)/playground $(STAMP)/programs $(STAMP)/wild $(STAMP)/tools ## install what is missing: browsers, npm packages, Go tools

wasm: $(PEER) ## build the peer module

js: js/dist/index.js ## build the SDK

playground: playground/dist/index.html ## build the playground

clean: ## remove what was built
	rm -rf bin $(STAMP) js/dist $(PEER) $$(find playground/dist -mindepth 1 ! -name README.md)

$(STAMP)/apt: .ci/install
	bash .ci/install
	@mkdir -p $(@D) && touch $@

$(STAMP)/js: js/package-lock.json
	cd js && npm ci --no-audit --no-fund
	@mkdir -p $(@D) && touch $@

$(STAMP)/playground: playground/package-lock.json
	cd playground && npm ci --no-audit --no-fund
	@mkdir -p $(@D) && touch $@

$(STAMP)/programs: wasm/programs/package-lock.json
	cd wasm/programs && npm ci --no-audit --no-fund
	@mkdir -p $(@D) && touch $@

# The bundlers that the SDK is tested behind. No package of theirs runs a script.
$(STAMP)/wild: js/e2e/wild/fixtures/package-lock.json
	cd js/e2e/wild/fixtures && npm ci --no-audit --no-fund --ignore-scripts
	@mkdir -p $(@D) && touch $@

$(STAMP)/tools: tools.mod
	$(TOOL) gofumpt -version >/dev/null
	$(TOOL) staticcheck -version >/dev/null
	@mkdir -p $(@D) && touch $@

# Inlining is off where calls are cheaper than bytes on the way to a page.
$(PEER): $(GO_FILES) wasm/peer/build.flags
	@mkdir -p $(STAMP)
	GOOS=wasip1 GOARCH=wasm go build $$(cat wasm/peer/build.flags) -o $(STAMP)/peer.wasm ./wasm/peer
	go run ./wasm/pack $(STAMP)/peer.wasm $@

js/dist/index.js: $(PEER) $(STAMP)/js $(JS_FILES)
	cd js && npm run --silent build

playground/dist/index.html: js/dist/index.js $(STAMP)/playground $(PG_FILES)
	cd playground && npm run --silent build

bin/shoal: $(PEER) playground/dist/index.html $(GO_FILES)
	go build -trimpath -o $@ .
