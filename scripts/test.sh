#!/usr/bin/env bash
# Installs what the tests need and runs all of them, stage by stage. A stage
# that fails does not keep the later ones from running. The last lines repeat
# the results of the Go packages and of every stage. Exit status 1 when a
# stage failed, and, with CI=true, also when one was skipped.
set -uo pipefail
cd "$(dirname "$0")/.."
exec </dev/null

for tool in go node npm; do
	if ! command -v "$tool" >/dev/null; then
		echo "make test needs Go 1.26 and Node 20; $tool is not in PATH" >&2
		exit 1
	fi
done

mkdir -p build
if [ ! -w "${HOME:-/nonexistent}" ]; then
	export HOME="$PWD/build/home" # caches of go and npm
	mkdir -p "$HOME"
fi
# A checkout owned by somebody else must not fail on git's ownership check.
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-buildvcs=false"

results=()
failed=0
skipped=0

# stage NAME SECONDS COMMAND...: runs a command under a time limit.
stage() {
	local name=$1 limit=$2 status=0 start=$SECONDS
	shift 2
	printf '\n=== %s (limit %d s): %s\n' "$name" "$limit" "$*"
	timeout --kill-after=10 "$limit" "$@" || status=$?
	local verdict=ok
	case $status in
	0) ;;
	124 | 137) verdict="FAILED (over its limit of $limit s)" ;;
	*) verdict="FAILED (exit status $status)" ;;
	esac
	[ "$status" -eq 0 ] || failed=1
	results+=("$(printf '%-12s %4d s  %s' "$name" $((SECONDS - start)) "$verdict")")
	printf -- '--- %s: %s\n' "$name" "$verdict"
	return "$status"
}

# skip NAME REASON: records a stage that cannot run here.
skip() {
	printf '\n=== %s: SKIPPED, %s\n' "$1" "$2"
	results+=("$(printf '%-12s         SKIPPED, %s' "$1" "$2")")
	skipped=1
}

printf '\n=== packages\n'
packages=yes
scripts/packages.sh
case $? in
0) ;;
3)
	packages=no
	skip packages "see its output; Go tests that need the packages skip themselves"
	;;
*)
	packages=no
	failed=1
	results+=("packages             FAILED (see its output)")
	;;
esac
race=-race
if ! command -v gcc >/dev/null; then
	race=
	skip race "there is no C compiler, which the race detector needs"
fi

stage npm 300 npm ci --ignore-scripts --no-audit --no-fund
stage check 600 make --no-print-directory check
stage go 840 go -C tools run ./testreport $race -timeout 13m ./...
stage cross 600 scripts/cross.sh
# The seeds of the fuzz targets ran with the Go tests. Fuzzing itself finds
# another thing every time and is "make fuzz": these results are repeatable.
stage npm-test 120 npm test
if stage package 300 npm run package; then
	if [ "$packages" = yes ]; then
		stage e2e 900 npm run e2e
	else
		skip e2e "packages are missing"
	fi
else
	skip e2e "there is no VSIX"
fi

printf '\n=== Go packages\n'
cat build/go-test.txt
printf '\n=== stages\n'
printf '%s\n' "${results[@]}"
if [ "$failed" -ne 0 ]; then
	exit 1
fi
if [ "$skipped" -ne 0 ] && [ "${CI:-}" = true ]; then
	echo "CI=true: a skipped stage counts as a failure"
	exit 1
fi
