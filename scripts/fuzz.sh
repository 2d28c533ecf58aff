#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time each (default 20s)
# and lists those that failed.
set -uo pipefail
cd "$(dirname "$0")/.."
time=${1:-20s}
failed=()
while read -r dir name; do
	echo "fuzz $dir $name"
	# Inputs of some 20 KB are not worth a minute each to make them smaller.
	go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 100x "$dir" || failed+=("$dir $name")
done < <(grep -rnoE '^func Fuzz[A-Za-z0-9_]*' --include='*_test.go' --exclude-dir=node_modules . |
	sed -E 's|^(.*)/[^/]*:[0-9]+:func (.*)$|\1 \2|' | sort -u)
if [ ${#failed[@]} -ne 0 ]; then
	printf 'failed: %s\n' "${failed[@]}"
	exit 1
fi
