#!/usr/bin/env bash
# Builds the command for every platform the extension ships for.
set -euo pipefail
cd "$(dirname "$0")/.."
for platform in linux/amd64 linux/arm64 linux/arm darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
	echo "build $platform"
	CGO_ENABLED=0 GOOS=${platform%/*} GOARCH=${platform#*/} go build -o /dev/null ./cmd/pushmask
done
