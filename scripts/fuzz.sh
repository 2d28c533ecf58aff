#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time each (default 20s).
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-20s}
targets=$(grep -rnoE '^func Fuzz[A-Za-z0-9_]*' --include='*_test.go' --exclude-dir=node_modules . |
	sed -E 's|^(.*)/[^/]*:[0-9]+:func (.*)$|\1 \2|' | sort -u)
while read -r dir name; do
	echo "fuzz $dir $name"
	go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" "$dir"
done <<<"$targets"
