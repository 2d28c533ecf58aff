#!/bin/sh
# Builds meter.elf with arm-none-eabi-gcc 12.2. The result is committed: the
# tests name its addresses.
set -eu
cd "$(dirname "$0")"
arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O1 -g -std=c11 -ffreestanding -nostdlib \
    -ffile-prefix-map="$PWD=/home/build/meter" -Wl,-Ttext=0x08000000 -Wl,-Tdata=0x20000000 \
    -Wl,--entry=reset -Wl,--build-id=none -o meter.elf src/meter.c
