#!/usr/bin/env bash
# Builds the command for each operating system that the extension ships for,
# one of them with 32-bit integers.
set -euo pipefail
cd "$(dirname "$0")/.."
for platform in linux/arm darwin/arm64 windows/amd64; do
	echo "build $platform"
	CGO_ENABLED=0 GOOS=${platform%/*} GOARCH=${platform#*/} go build -o /dev/null ./cmd/pushmask
done
