#!/bin/sh
# Builds the fixtures of this folder with arm-none-eabi-gcc 12.2 and clang 16.
# What comes before the first period of a name is the name of its golden file.
set -e
cd "$(dirname "$0")"
link="-nostdlib -nostartfiles -T flash.ld -Wl,--gc-sections,--build-id=none,--nmagic"
gcc="arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 -ffunction-sections $link"
for v in 2 3 4 5; do
    $gcc -gdwarf-$v -fdebug-prefix-map="$PWD"=/build inline.c -o inline.dwarf$v.elf
done
$gcc -gdwarf-5 -gdwarf64 -fdebug-prefix-map="$PWD"=/build inline.c -o inline.dwarf64.elf
# A live function at address 0, where the discarded ones are too.
$(echo "$gcc" | sed s/flash.ld/itcm.ld/) -gdwarf-4 -fdebug-prefix-map="$PWD"=/build inline.c -o itcm.elf
for c in zlib zlib-gnu zstd; do
    arm-none-eabi-objcopy --compress-debug-sections=$c inline.dwarf5.elf inline.$c.elf
done
$gcc -gdwarf-4 -fdebug-prefix-map="$PWD"='C:\build\fw' inline.c -o windows.elf
$gcc -gdwarf-5 -O1 -fno-exceptions -fno-rtti -fdebug-prefix-map="$PWD"=/build shapes.cc -o shapes-gcc.elf
for v in 4 5; do
    clang-16 --target=arm-none-eabi -mcpu=cortex-m3 -mthumb -O2 -ffunction-sections -gdwarf-$v \
        -ffile-prefix-map="$PWD"=/build -fdebug-compilation-dir=/build -c shapes.cc -o clang.o
    ld.lld-16 -T flash.ld --gc-sections --build-id=none --nmagic clang.o -o shapes-clang.dwarf$v.elf
done
rm -f clang.o
