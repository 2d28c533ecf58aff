#!/bin/sh
# Builds the images of a case into a folder. Usage: build.sh CASE FOLDER
# Needs arm-none-eabi-gcc. See README.md.
set -eu
export LC_ALL=C
name=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "$0")"

m0="-mcpu=cortex-m0 -mthumb"
m3="-mcpu=cortex-m3 -mthumb"
m33="-mcpu=cortex-m33 -mthumb -mfloat-abi=soft"

objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT

# image FILE SCRIPT "SOURCES" FLAGS...: links $libraries too
libraries=
image() {
  file=$1 script=$2 sources=$3
  shift 3
  rm -f "$objects"/*.o
  for source in $sources; do
    arm-none-eabi-gcc -std=c11 -g -ffreestanding -fno-tree-loop-distribute-patterns -ffunction-sections -fdata-sections \
      -fno-unwind-tables -fno-asynchronous-unwind-tables --param=min-pagesize=0 -Wall -Wextra -Werror -Iboard -Irom -Isecure \
      -ffile-prefix-map="$PWD"=/images -frandom-seed="$source" \
      "$@" -c "$source" -o "$objects/$(echo "$source" | tr / -).o"
  done
  mkdir -p "$(dirname "$out/$file")"
  arm-none-eabi-gcc "$@" -nostdlib -Lboard -T"$script" -Wl,--gc-sections,--no-warn-rwx-segments \
    "$objects"/*.o $libraries -lgcc -o "$out/$file"
}

boot() { image "$1" boot.ld "board/start.c boot/main.c" $flags; }
app() { image "$1" app.ld "board/start.c app/main.c" $flags; }

# rom FLAGS...: the whole of it, and what vendors give away: symbols and DWARF
# without contents, addresses of functions.
rom() {
  image rom.elf rom.ld rom/rom.c "$@" -Wl,--entry=0
  arm-none-eabi-objcopy --only-keep-debug "$out/rom.elf" "$out/rom-debug.elf"
  arm-none-eabi-nm "$out/rom.elf" | sed -n 's/^\([0-9a-f]*\) T \(.*\)$/.global \2\n.set \2, 0x\1 + 1\n.type \2, %function/p' >"$objects/rom.s"
  arm-none-eabi-as "$objects/rom.s" -o "$objects/rom.o"
  echo "SECTIONS { }" >"$objects/none.ld"
  arm-none-eabi-ld --entry=0 -T"$objects/none.ld" "$objects/rom.o" -o "$out/rom-symbols.elf"
  rm "$objects/rom.o"
}

# placed: an app.elf that is linked at 0, and what it is in memory elsewhere
placed() {
  image app.elf placed.ld "board/start.c app/main.c" $flags -fpie -pie -Wl,--no-dynamic-linker
  arm-none-eabi-objcopy -O binary "$out/app.elf" "$out/app.bin"
}

# secure, nonsecure: the gates go from the one to the other as a library of addresses
secure() {
  image secure.elf secure.ld "board/start.c secure/main.c" $flags -mcmse \
    "-Wl,--cmse-implib,--out-implib=$objects/gates.lib"
}
nonsecure() {
  libraries="$objects/gates.lib"
  image nonsecure.elf nonsecure.ld "board/start.c nonsecure/main.c" $flags
}

case $name in
m3-O0) flags="$m3 -O0"; boot boot.elf; app app.elf ;;
m3-O2) flags="$m3 -O2"; boot boot.elf; app app.elf ;;
m0-Os) flags="$m0 -Os"; boot boot.elf; app app.elf ;;
m3-zephyr) flags="$m3 -Os"; boot mcuboot/zephyr/zephyr.elf; app app/zephyr/zephyr.elf ;;
m3-rom)
  flags="$m3 -O2"
  rom $flags
  boot boot.elf
  flags="$flags -DROM -Wl,--just-symbols=$out/rom.elf"
  app app.elf
  ;;
m3-placed) flags="$m3 -O1 -DPLACED"; boot boot.elf; placed ;;
m33-O0) flags="$m33 -O0"; secure; nonsecure ;;
m33-O2) flags="$m33 -O2"; secure; nonsecure ;;
*) echo "build.sh: no case $name" >&2; exit 2 ;;
esac
