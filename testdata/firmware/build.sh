#!/bin/sh
# Builds the firmware and records its crashes. Usage: build.sh [CASE...]
# Needs arm-none-eabi-gcc 12.2, qemu-system-arm 7.2, gdb-multiarch 13 (Debian 12:
# gcc-arm-none-eabi qemu-system-arm gdb-multiarch). See README.md.
set -eu
cd "$(dirname "$0")"

application="app/main.c app/packet.c app/sensor.c app/filter.c app/sampler.c app/check.c"
board="board/startup.c board/board.c board/libc.c"
ping="0x7e,1,0,0x7f"
calibrate_wind="0x7e,2,3,3,0xc8,0,0x4e"

m4f="-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"

# build CASE LINK_BYTES LINKER_SCRIPT FLAGS... SOURCES...
build() {
  name=$1 bytes=$2 script=$3
  shift 3
  mkdir -p "$name"
  arm-none-eabi-gcc -std=c11 -Wall -Wextra -Werror -ffreestanding \
    -fno-tree-loop-distribute-patterns -ffunction-sections -fdata-sections \
    -ffile-prefix-map="$PWD"=/firmware -frandom-seed="$name" \
    -Iapp -Iboard -DLINK_BYTES="$bytes" "$@" \
    -nostdlib -Lboard -T"$script" -Wl,--gc-sections,--no-warn-rwx-segments,--build-id -lgcc -o "$name/fw.elf"
}

# record CASE MACHINE STOP CHAIN TITLE; SKIP, GCORE, RAM and M from the environment
record() {
  name=$1 machine=$2 stop=$3 chain=$4 title=$5
  port=$((20000 + $$ % 20000))
  qemu-system-arm -M "$machine" -display none -serial null -monitor none \
    -S -gdb "tcp:127.0.0.1:$port" -kernel "$name/fw.elf" &
  qemu=$!
  sleep 0.5
  status=0
  env PORT="$port" OUT="$name" STOP="$stop" CHAIN="$chain" TITLE="$title" \
    RAM="${RAM:-20000000:1000}" M="${M:-1}" SKIP="${SKIP:-0}" GCORE="${GCORE:-0}" \
    timeout 20 gdb-multiarch -nx -q -batch -x record.py "$name/fw.elf" >"$name/record.log" 2>&1 || status=$?
  kill "$qemu" 2>/dev/null || true
  wait "$qemu" 2>/dev/null || true
  if [ "$status" != 0 ]; then
    cat "$name/record.log" >&2
    exit 1
  fi
  rm "$name/record.log"
}

parser="calibrate,dispatch,parse,packet_receive,poll_link,main,Reset_Handler"

case_demo() {
  build demo "$ping,$calibrate_wind" mps2.ld $m4f -O2 -g -gdwarf-4 $application $board
  GCORE=1 record demo mps2-an386 '*HardFault_Handler' \
    "HardFault_Handler,read_raw,scaled_sample,filter_mean,sensor_calibrate,$parser" \
    "Cortex-M4F, gcc -O2: bus error five calls below the parser, frame with FP registers"
}

for name in ${*:-demo}; do
  "case_$name"
done
