#!/bin/sh
# Builds the firmware that tests of live targets debug. Usage: build.sh [CASE...]
# Needs arm-none-eabi-gcc 12.2 (Debian 12: gcc-arm-none-eabi). See README.md.
set -eu
export LC_ALL=C
cd "$(dirname "$0")"

m0="-mcpu=cortex-m0 -mthumb"
m3="-mcpu=cortex-m3 -mthumb"
m4f="-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"
m7="-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16"
m33="-mcpu=cortex-m33 -mthumb -mfloat-abi=soft"
a15="-mcpu=cortex-a15 -mfloat-abi=soft"

common="-ffreestanding -fno-tree-loop-distribute-patterns -ffunction-sections -fdata-sections
  -fno-unwind-tables -fno-asynchronous-unwind-tables -Wall -Wextra -Werror -Iapp -Iboard"
application="app/main.c app/steps.c app/shapes.cpp app/lines.S"

objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT

# compile SOURCE FLAGS...
compile() {
  source=$1
  shift
  case $source in
  *.cpp) language="-std=c++17 -fno-rtti -fno-exceptions -fno-threadsafe-statics" ;;
  *.S) language="-Wa,--debug-prefix-map=$PWD=/live" ;;
  *) language=-std=c11 ;;
  esac
  arm-none-eabi-gcc $language $common -ffile-prefix-map="$PWD"=/live -frandom-seed="$source" \
    "$@" -c "$source" -o "$objects/$(basename "$source").o"
}

# build CASE SCRIPT "FLAGS" STARTUP: nolines.S gets no -g
build() {
  name=$1 script=$2 flags=$3 startup=$4
  rm -rf "$name" "$objects"
  mkdir -p "$objects" "$name"
  for source in $application $startup board/semihosting.c; do
    compile "$source" $flags
  done
  compile app/nolines.S $flags -g0
}

# link FLAGS...: what was built last
link() {
  arm-none-eabi-gcc "$@" -nostdlib -Lboard -T"$script" \
    -Wl,--gc-sections,--no-warn-rwx-segments "$objects"/*.o -lgcc -o "$name/fw.elf"
}

case_m3_O0() { build m3-O0 mps2.ld "$m3 -O0 -g -gdwarf-5" board/mprofile.c; link $m3; }
case_m3_O2() { build m3-O2 mps2.ld "$m3 -O2 -g -gdwarf-5" board/mprofile.c; link $m3; }
case_m4f_Og() { build m4f-Og mps2.ld "$m4f -Og -g -gdwarf-4" board/mprofile.c; link $m4f; }
case_m7_O2() { build m7-O2 mps2.ld "$m7 -O2 -g -gdwarf-5" board/mprofile.c; link $m7; }
case_m33_O0() { build m33-O0 an505.ld "$m33 -O0 -g -gdwarf-5" board/mprofile.c; link $m33; }
case_m33_two() { build m33-two an505.ld "$m33 -O1 -g -gdwarf-5 -DSECOND_CORE" board/mprofile.c; link $m33; }
case_m0_Os() { build m0-Os mps2.ld "$m0 -Os -g -gdwarf-5" board/mprofile.c; link $m0; }
case_a15_O0() {
  build a15-O0 virt.ld "$a15 -marm -O0 -g -gdwarf-5" board/aprofile.c
  compile app/steps.c $a15 -mthumb -O0 -g -gdwarf-5
  link $a15 -marm
}

for name in ${*:-m3-O0 m3-O2 m4f-Og m7-O2 m33-O0 m33-two m0-Os a15-O0}; do
  "case_$(echo "$name" | tr - _)"
done
