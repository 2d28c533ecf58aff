#!/usr/bin/env bash
# Installs the packages of packages.txt that are missing. Exit status 3: some
# are missing and cannot be installed from here; the command that would do it
# has been printed.
set -euo pipefail
cd "$(dirname "$0")"

mapfile -t wanted < <(grep -v '^#' packages.txt)
missing=()
for p in "${wanted[@]}"; do
	if ! dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed$'; then
		missing+=("$p")
	fi
done
if [ ${#missing[@]} -eq 0 ]; then
	echo "all ${#wanted[@]} packages are installed"
	exit 0
fi

if ! command -v apt-get >/dev/null; then
	echo "this is no Debian system; the tests use: ${missing[*]}"
	exit 3
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if ! sudo -n true 2>/dev/null; then
		echo "packages are missing; install them with:"
		echo "  sudo apt-get install --no-install-recommends ${missing[*]}"
		exit 3
	fi
	as_root=(sudo -n)
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y
	-o Acquire::Retries=3 -o DPkg::Lock::Timeout=120)
echo "installing ${missing[*]}"
"${apt[@]}" update
"${apt[@]}" install --no-install-recommends "${missing[@]}"
