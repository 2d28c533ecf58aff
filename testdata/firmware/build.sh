#!/bin/sh
# Builds the firmware and records its crashes. Usage: build.sh [CASE...]
# Needs arm-none-eabi-gcc 12.2, qemu-system-arm 7.2, gdb-multiarch 13, python3
# (Debian 12: gcc-arm-none-eabi qemu-system-arm gdb-multiarch). See README.md.
set -eu
export LC_ALL=C
cd "$(dirname "$0")"

application="app/packet.c app/sensor.c app/filter.c app/sampler.c app/check.c"
station="app/main.c $application"
support="board/board.c board/libc.c"
mps2="board/startup.c $support"

# What the link receives: start byte, command, payload length, payload, checksum.
ping="0x7e,1,0,0x7f"
calibrate_wind="0x7e,2,3,3,0xc8,0,0x4e"
calibrate_temperature="0x7e,2,3,0,0xc8,0,0x4b"
notify="0x7e,3,1,9,0x8b"
stream_temperature="0x7e,4,1,0,0x83"
stream_wind="0x7e,4,1,3,0x86"
selftest="0x7e,5,1,5,0x89"

m0="-mcpu=cortex-m0 -mthumb"
m3="-mcpu=cortex-m3 -mthumb"
m4f="-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"
m7="-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16"
m33="-mcpu=cortex-m33 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16"
a15="-mcpu=cortex-a15 -mfpu=vfpv4 -mfloat-abi=hard"

common="-ffreestanding -fno-tree-loop-distribute-patterns -ffunction-sections -fdata-sections
  -Wall -Wextra -Werror -Iapp -Iboard"

# compile OBJECT SOURCE FLAGS...
compile() {
  object=$1 source=$2
  shift 2
  case $source in
  *.cpp) language="-std=c++17 -fno-rtti -fno-threadsafe-statics -fexceptions" ;;
  *) language=-std=c11 ;;
  esac
  arm-none-eabi-gcc $language $common -ffile-prefix-map="$PWD"=/firmware \
    -frandom-seed="$source" "$@" -c "$source" -o "$object"
}

# link CASE SCRIPT FLAGS...: everything in $objects
link() {
  name=$1 script=$2
  shift 2
  arm-none-eabi-gcc "$@" -nostdlib -Lboard -T"$script" \
    -Wl,--gc-sections,--no-warn-rwx-segments,--build-id "$objects"/*.o -lgcc -o "$name/fw.elf"
}

# build CASE SCRIPT LINK_BYTES "FLAGS" SOURCES...
build() {
  name=$1 script=$2 bytes=$3 flags=$4
  shift 4
  rm -rf "$objects" "$name"
  mkdir -p "$objects" "$name"
  for source in "$@"; do
    compile "$objects/$(basename "$source").o" "$source" $flags -DLINK_BYTES="$bytes"
  done
  link "$name" "$script" $flags
}

# record CASE MACHINE STOP CHAIN TITLE [NAME=VALUE...]; see record.py
record() {
  name=$1 machine=$2 stop=$3 chain=$4 title=$5
  shift 5
  port=$((20000 + $$ % 20000))
  qemu-system-arm -M "$machine" -nodefaults -display none -icount 3,sleep=off \
    -S -gdb "tcp:127.0.0.1:$port" -kernel "$name/fw.elf" 2>"$objects/qemu.log" &
  qemu=$!
  sleep 0.5
  status=0
  env RAM=20000000:1000 M=1 PORT="$port" OUT="$name" STOP="$stop" CHAIN="$chain" TITLE="$title" "$@" \
    timeout 20 gdb-multiarch -nx -q -batch -x record.py "$name/fw.elf" >"$objects/gdb.log" 2>&1 || status=$?
  kill "$qemu" 2>/dev/null || true
  wait "$qemu" 2>/dev/null || true
  if [ "$status" != 0 ]; then
    cat "$objects/qemu.log" "$objects/gdb.log" >&2
    exit 1
  fi
  ./check.py "$name"
}

# strip_case CASE FROM OBJCOPY_FLAG TITLE SED_SCRIPT: the crash of FROM with a poorer ELF
strip_case() {
  rm -rf "$1"
  mkdir "$1"
  arm-none-eabi-objcopy "$3" "$2/fw.elf" "$1/fw.elf"
  cp "$2/crash.core" "$1/crash.core"
  sed -e "1s/.*/# $4/" -e "$5" "$2/want.txt" >"$1/want.txt"
}

parser="dispatch;parse;packet_receive;poll_link;main;Reset_Handler"
filter="read_raw;scaled_sample;filter_mean;sensor_calibrate;calibrate"

case_demo() {
  build demo mps2.ld "$ping,$calibrate_wind" "$m4f -O2 -g -gdwarf-4" $station $mps2
  record demo mps2-an386 '*HardFault_Handler' "HardFault_Handler;$filter;$parser" \
    "Cortex-M4F, gcc -O2, DWARF 4: bus error, exception frame with FP registers" GCORE=1
}

case_m0_Os() {
  build m0-Os mps2.ld "$ping,$calibrate_wind" "$m0 -Os -g -gdwarf-5" $station $mps2
  record m0-Os microbit '*HardFault_Handler' "HardFault_Handler;$filter;$parser" \
    "Cortex-M0, gcc -Os, DWARF 5: bus error"
}

case_m3_O0() {
  build m3-O0 mps2.ld "$ping,$calibrate_wind" "$m3 -O0 -g -gdwarf-5" $station $mps2
  record m3-O0 mps2-an385 '*HardFault_Handler' "HardFault_Handler;$filter;$parser" \
    "Cortex-M3, gcc -O0, DWARF 5: bus error, frame pointer r7 everywhere"
}

case_m7_Og() {
  build m7-Og mps2.ld "$ping,$calibrate_wind" "$m7 -Og -g -gdwarf-5" $station $mps2
  record m7-Og mps2-an500 '*HardFault_Handler' "HardFault_Handler;$filter;$parser" \
    "Cortex-M7, gcc -Og, DWARF 5: bus error"
}

case_m33_O2() {
  build m33-O2 an505.ld "$ping,$calibrate_wind" "$m33 -O2 -g -gdwarf-4" $station $mps2
  record m33-O2 mps2-an505 '*HardFault_Handler' "HardFault_Handler;$filter;$parser" \
    "Cortex-M33, secure state, gcc -O2, DWARF 4: bus error" RAM=38000000:1000
}

case_interrupt() {
  build interrupt mps2.ld "$ping,$stream_temperature" "$m4f -Os -g -gdwarf-5" $station $mps2
  record interrupt mps2-an386 store \
    "store;tick;SysTick_Handler;board_idle;sampler_run;$parser" \
    "Cortex-M4F, gcc -Os, DWARF 5: stopped in a function that the SysTick handler calls" SKIP=1
}

case_nested() {
  build nested mps2.ld "$ping,$stream_wind" "$m3 -O2 -g -gdwarf-4" $station $mps2
  record nested mps2-an385 '*HardFault_Handler' \
    "HardFault_Handler;read_raw;scaled_sample;filter_mean;sensor_sample;tick;SysTick_Handler;board_idle;sampler_run;$parser" \
    "Cortex-M3, gcc -O2, DWARF 4: bus error inside the SysTick handler"
}

case_process_stack() {
  build process-stack mps2.ld "$ping,$calibrate_wind" "$m4f -O2 -g -gdwarf-5" \
    app/task_main.c app/task.c $application $mps2
  record process-stack mps2-an386 '*HardFault_Handler' \
    "HardFault_Handler;$filter;dispatch;parse;packet_receive;station_task" \
    "Cortex-M4F, gcc -O2, DWARF 5: bus error in a task on the process stack" RETURN=1 LAST=station_task GCORE=1
}

case_null_call() {
  build null-call mps2.ld "$ping,$notify" "$m3 -O2 -g -gdwarf-5" $station $mps2
  record null-call mps2-an385 '*HardFault_Handler' "HardFault_Handler;notify;$parser" \
    "Cortex-M3, gcc -O2, DWARF 5: call through a null function pointer" RETURN=1
}

case_assert() {
  build assert mps2.ld "$ping,$selftest" "$m3 -O2 -g -gdwarf-5" $station $mps2
  record assert mps2-an385 '*halt+2' "halt;abort;check_failed;selftest;parse;packet_receive;poll_link;main;Reset_Handler" \
    "Cortex-M3, gcc -O2, DWARF 5: failed check, no returns behind the calls; dispatch left by a tail call"
}

case_cpp() {
  ns=station anon="station::(anonymous namespace)"
  build cpp mps2.ld "$ping" "$m3 -O2 -g -gdwarf-5" app/station.cpp $mps2
  record cpp mps2-an385 '*HardFault_Handler' \
    "HardFault_Handler;$ns::Ring<$ns::Reading, 4u>::at;$ns::Trend::evaluate;$anon::Evaluate::operator();$anon::accumulate<$anon::Evaluate>;$anon::Station::summary;main;Reset_Handler" \
    "Cortex-M3, g++ -O2, DWARF 5, EHABI tables: trap in a method of a template"
}

case_a32() {
  build a32 virt.ld "$ping,$calibrate_temperature" "$a15 -marm -O2 -g -gdwarf-4" \
    $station board/startup_a32.c $support
  compile "$objects/sensor.c.o" app/sensor.c $a15 -mthumb -O2 -g -gdwarf-4 -DLINK_BYTES="$ping"
  link a32 virt.ld $a15 -marm
  record a32 virt filter.c:13 \
    "scaled_sample;filter_mean;sensor_calibrate;calibrate;dispatch;parse;packet_receive;poll_link;main;start;Reset_Handler" \
    "Cortex-A15, A32 and T32, gcc -O2, DWARF 4: halted in a deep call" RAM=41000000:1000 M=0 SKIP=2
}

case_a32_faults() {
  build a32-faults virt.ld 0 "$a15 -marm -O1 -g -gdwarf-5" app/faults.c board/vectors_a32.c board/startup_a32.c $support
  record a32-faults virt Data_Handler "" "Cortex-A15, read of an address where nothing is" \
    RAM=41000000:1000 M=0 NAME=unmapped SET=selected_fault=11 UNTRUE=1
  record a32-faults virt Undefined_Handler "" "Cortex-A15, undefined instruction" \
    RAM=41000000:1000 M=0 NAME=undefined SET=selected_fault=8 UNTRUE=1
  record a32-faults virt Prefetch_Handler "" "Cortex-A15, call of an address where no memory is" \
    RAM=41000000:1000 M=0 NAME=wild-call SET=selected_fault=4 UNTRUE=1
}

# The next two share the crash of demo, which has to be recorded before.
case_no_debug() {
  strip_case no-debug demo --strip-debug "demo without DWARF: no lines, no inlined functions" \
    '/^inline/d; s/ [^ ]*:[0-9]*$/ -/'
}

case_no_symbols() {
  strip_case no-symbols demo --strip-all "demo without DWARF and symbols: no names" \
    '/^inline/d; s/^\(frame *[^ ]*\) .*/\1 - -/'
}

# fault NAME NUMBER CHAIN TITLE [NAME=VALUE...]: one mistake of app/faults.c
fault() {
  name=$1 number=$2 chain=$3 title=$4
  shift 4
  record faults mps2-an386 '*HardFault_Handler' "HardFault_Handler;$chain;main;Reset_Handler" "$title" \
    NAME="$name" SET="selected_fault=$number" "$@"
}

case_faults() {
  build faults mps2.ld 0 "$m4f -O1 -g -gdwarf-5" app/faults.c $mps2
  fault null-read 1 "scaled;run" "read through a null pointer"
  fault null-write 2 "set_offset;run" "write through a null pointer"
  fault null-call 3 "emit;run" "call through a null pointer" RETURN=1
  fault wild-call 4 "emit;run" "call of an address where no memory is" RETURN=1
  fault never-code 5 "emit;run" "call of an address that never holds code" RETURN=1
  fault divide 6 "mean;run" "division by zero"
  fault unaligned 7 "stamp;run" "load of two words that is not aligned"
  fault undefined 8 "unknown;run" "undefined instruction"
  fault trap 9 "run" "__builtin_trap"
  fault unmapped 11 "status;run" "read of an address where nothing is"
  fault no-fpu 12 "run" "floating point with the FPU off"
  fault constant 13 "set_limit;run" "write to constants that the MPU protects"
  fault overflow 10 "" "recursion into a guard region of the MPU" UNTRUE=1
}

case_stack_limit() {
  build stack-limit an505.ld 0 "$m33 -O1 -g -gdwarf-5" app/faults.c $mps2
  record stack-limit mps2-an505 '*HardFault_Handler' "" "Cortex-M33, recursion below MSPLIM" \
    RAM=38000000:1000 NAME=overflow SET=selected_fault=10 UNTRUE=1
}

objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT

for name in ${*:-demo m0-Os m3-O0 m7-Og m33-O2 interrupt nested process-stack null-call assert cpp a32 faults stack-limit a32-faults no-debug no-symbols}; do
  "case_$(echo "$name" | tr - _)"
done
