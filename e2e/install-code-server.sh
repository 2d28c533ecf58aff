#!/bin/sh
# Installs code-server, the VS Code that the end-to-end test drives, into a
# cache folder outside the repository and prints the path of its entry script.
#
#   e2e/install-code-server.sh [FOLDER]
#
# FOLDER defaults to ${XDG_CACHE_HOME:-$HOME/.cache}/pushmask/code-server.
# A finished installation of the same version is left as it is.
#
# Needs Node 20 with its headers (the nodejs.org tarball and the NodeSource
# package have them) and, on Debian: g++ make python3 ripgrep.
# See README.md for the packages of the test itself.
#
# npm cannot install code-server in one step here: its own scripts refuse to
# run as root, download a ripgrep binary and build kerberos, which nothing in
# the test uses. So scripts stay off and the native modules that the server
# loads are built one by one, which is what those scripts would do.
set -eu

version=4.100.3
target=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/pushmask/code-server}
entry=$target/node_modules/code-server/out/node/entry.js
stamp=$target/.installed

fail() {
	echo "install-code-server: $*" >&2
	exit 1
}

if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$version $(node -p process.versions.modules)" ]; then
	echo "$entry"
	exit 0
fi

case $(node --version 2>/dev/null || true) in
v20.*) ;;
*) fail "code-server $version needs Node 20, found '$(node --version 2>/dev/null || echo none)'" ;;
esac
for tool in npm g++ make python3; do
	command -v "$tool" >/dev/null || fail "'$tool' is missing: apt-get install g++ make python3"
done
nodedir=$(node -p 'require("path").resolve(process.execPath, "../..")')
[ -f "$nodedir/include/node/node.h" ] || fail "no Node headers in $nodedir/include/node"
nodegyp=$(npm root --global)/npm/node_modules/node-gyp/bin/node-gyp.js
[ -f "$nodegyp" ] || fail "npm's own node-gyp is not at $nodegyp"

# Everything but the last line of standard output is progress.
exec 3>&1 1>&2

rm -rf "$target"
mkdir -p "$target"
cd "$target"
log=$target/install.log
quiet() {
	"$@" >>"$log" 2>&1 || {
		tail -n 40 "$log"
		fail "'$*' failed; the whole log is $log"
	}
}

echo '{"private": true}' >package.json
echo "code-server $version: packages"
quiet npm install "code-server@$version" --ignore-scripts --no-audit --no-fund
cd node_modules/code-server
echo "code-server $version: building argon2"
(cd ../argon2 && quiet node ../@mapbox/node-pre-gyp/bin/node-pre-gyp rebuild --build-from-source --nodedir="$nodedir")

cd lib/vscode
quiet npm install --omit=dev --ignore-scripts --no-audit --no-fund
for module in @vscode/spdlog native-watchdog node-pty @parcel/watcher; do
	echo "code-server $version: building $module"
	(cd "node_modules/$module" && quiet node "$nodegyp" rebuild --nodedir="$nodedir")
done
ln -sfn node_modules node_modules.asar
ln -sf code-linux.sh bin/remote-cli/code-server
ln -sf browser-linux.sh bin/helpers/browser.sh

# Workspace file search (workspace.findFiles) runs ripgrep.
if rg=$(command -v rg); then
	mkdir -p node_modules/@vscode/ripgrep/bin
	ln -sf "$rg" node_modules/@vscode/ripgrep/bin/rg
else
	fail "'rg' is missing: apt-get install ripgrep"
fi

cd "$target"
node "$entry" --version >>"$log" 2>&1 || fail "code-server does not start; see $log"
echo "$version $(node -p process.versions.modules)" >"$stamp"
echo "$entry" >&3
