#!/usr/bin/env bash
# Runs every static check and lists those that failed.
set -uo pipefail
cd "$(dirname "$0")/.."

failed=()

# try COMMAND...: runs a check and remembers a failure.
try() {
	echo "$*"
	"$@" || failed+=("$*")
}

formatted() {
	local list
	list=$(gofmt -l ./*.go cmd core dap elfsym internal lsp testdata tools)
	[ -z "$list" ] || { echo "run gofmt -w on:" $list; return 1; }
}

try formatted
try go vet ./...
try go tool -modfile=tools/go.mod staticcheck ./...
try go -C tools vet ./...
try go -C tools test ./...
try go mod tidy -diff
try go -C tools mod tidy -diff
try go -C tools run ./notices -check
try npm run check

if [ ${#failed[@]} -ne 0 ]; then
	printf 'failed: %s\n' "${failed[@]}"
	exit 1
fi
