#!/bin/sh
# Builds views.rs for a bare machine with one version of rustc, core and alloc
# from their sources: views-VERSION.elf.gz, what TestRust shows the types of.
#
# Usage: build.sh VERSION RUSTC LIBRARY
# Debian 12: rustc and rust-src are of 1.63 (LIBRARY is
# /usr/src/rustc-1.63.0/library), rustc-web and rust-web-src of 1.96.
# Needs arm-none-eabi-gcc 12.2 too. Sections that the test does not need are left
# out.
set -eu
version=$1 rustc=$2 library=$3
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RUSTC_BOOTSTRAP=1 # core and alloc use what is not stable
target="--target thumbv7m-none-eabi -L $work --out-dir $work -C panic=abort"
sysroot="$target -C opt-level=1 -Z force-unstable-if-unmarked --cap-lints allow --crate-type rlib"
edition=2021
features=
case $version in
1.63) features="-Z crate-attr=feature(default_alloc_error_handler)" ;;
*) edition=2024 ;;
esac

# newlib and libgcc have what compiler_builtins would.
printf '#![feature(compiler_builtins)]\n#![compiler_builtins]\n#![no_std]\n' >"$work/builtins.rs"
$rustc --edition $edition --crate-name core $sysroot "$library/core/src/lib.rs"
$rustc --edition 2021 --crate-name compiler_builtins $sysroot "$work/builtins.rs"
$rustc --edition $edition --crate-name alloc $sysroot "$library/alloc/src/lib.rs"
options="--edition 2021 $target -g -C opt-level=0 -C overflow-checks=off -A warnings"
$rustc --crate-name heapless --crate-type rlib $options --remap-path-prefix "$PWD"=/views heapless.rs
$rustc --crate-name views --crate-type staticlib --extern heapless $options $features --remap-path-prefix "$PWD"=/views views.rs

machine="-mcpu=cortex-m3 -mthumb"
arm-none-eabi-gcc $machine -c ../program/startup.c -o "$work/startup.o"
arm-none-eabi-gcc $machine -nostartfiles -T ../program/program.ld -Wl,--gc-sections -specs=nano.specs \
  "$work/startup.o" "$work/libviews.a" -o "$work/whole.elf"
keep=
for section in info abbrev str loc ranges loclists rnglists line_str; do
  keep="$keep --keep-section=.debug_$section"
done
arm-none-eabi-objcopy --strip-all --keep-symbol=main --keep-symbol=stop_here $keep -R .comment "$work/whole.elf" "$work/views.elf"
gzip -9nc "$work/views.elf" >"views-$version.elf.gz"
