# The test command is "make test"; it installs what it needs.

FUZZTIME ?= 20s
MUTATIONS ?= 20000

.DEFAULT_GOAL := help
.PHONY: help build test check fuzz mutate e2e fixtures oracle bench package notices

help: ## list the targets
	@sed -n 's/^\([a-z][a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

build: ## build the command into build/pushmask
	CGO_ENABLED=0 go build -trimpath -o build/pushmask ./cmd/pushmask

test: ## install what the tests need and run all of them
	@scripts/test.sh

check: node_modules/.package-lock.json ## gofmt, vet, staticcheck, module files, TypeScript, notices
	@scripts/check.sh

fuzz: ## run every fuzz target for FUZZTIME (20s)
	@scripts/fuzz.sh $(FUZZTIME)

mutate: ## open MUTATIONS (20000) damaged artefacts of each kind within bounds of time and memory
	PUSHMASK_MUTATIONS=$(MUTATIONS) go test ./core/session -run TestMutations -v -timeout 60m

e2e: node_modules/.package-lock.json package ## drive the extension in a real VS Code (see e2e/README.md)
	npm run e2e

fixtures: ## rebuild the firmware of testdata and record its crashes under QEMU
	testdata/firmware/build.sh

oracle: ## compare the unwinder with the truth at every step of all builds (docs/unwinding.md)
	go test ./core/coretest/oracle -run TestOracle -all -v -timeout 90m

bench: ## run the Go benchmarks
	go test -run '^$$' -bench . -benchmem ./...

package: node_modules/.package-lock.json ## build the extension's VSIX with the command inside
	npm run package

notices: node_modules/.package-lock.json ## write THIRD_PARTY_NOTICES from the module and package lists
	go -C tools run ./notices

node_modules/.package-lock.json: package.json package-lock.json vscode-extension/package.json
	npm ci --ignore-scripts --no-audit --no-fund
	@touch $@
