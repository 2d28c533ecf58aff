#!/usr/bin/env python3
"""Checks the stacks of the given cases without gdb: every return address lies in
the dumped memory and behind a BL or BLX, and addr2line names the same functions
and lines. Prints what differs and exits 1 if anything does."""
import glob
import re
import struct
import subprocess
import sys


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def recordings(case):
    """Pairs of a core and its true stack: crash.core and want.txt, or X.core and X.txt."""
    for want in sorted(glob.glob(case + "/*.txt")):
        core = want.replace("/want.txt", "/crash.txt")[:-4] + ".core"
        yield core, want


def read_want(path):
    """Chains of (kind, pc, function, where), innermost first, one per frame; the
    flag is set where pc is exact rather than a return address."""
    chains, chain, exact = [], [], True
    with open(path) as lines:
        for line in list(lines)[1:]:
            kind, pc, rest = line.split(None, 2)
            if kind == "exception":
                exact = True
                continue
            function, where = rest.rsplit(None, 1)
            chain.append((kind, int(pc, 16), function.strip(), where))
            if kind == "frame":
                chains.append((chain, exact))
                chain, exact = [], False
    return chains


def calls(image):
    """Addresses behind the call instructions of an image."""
    after = set()
    for line in run("arm-none-eabi-objdump", "-d", image).splitlines():
        m = re.match(r" *([0-9a-f]+):\t([0-9a-f ]+)\tblx?(?!\w)", line)
        if m:
            after.add(int(m[1], 16) + len(m[2].replace(" ", "")) // 2)
    return after


def check_case(case):
    image, after = case + "/fw.elf", calls(case + "/fw.elf")
    for core, want in recordings(case):
        for problem in check_stack(image, after, core, want):
            yield "%s: %s" % (want, problem)


def check_stack(image, after, path, want):
    with open(path, "rb") as f:
        core = f.read()
    for chain, exact in read_want(want):
        pc, known = chain[-1][1], chain[-1][2] != "-"
        if not exact and pc not in after:
            yield "0x%08x is behind no call" % pc
        if not exact and not any(struct.pack("<I", pc | t) in core for t in (0, 1)):
            yield "return address 0x%08x is not in the dump" % pc
        if known and chain[-1][3] != "-":
            out = run("arm-none-eabi-addr2line", "-fiCe", image, hex(pc if exact else pc - 1)).split("\n")
            found = [where.split(" ")[0] for where in out[1::2] if where]
            if found != [where for _, _, _, where in chain]:
                yield "addr2line has %s for 0x%08x" % (", ".join(found), pc)


def main():
    failed = False
    for case in sys.argv[1:]:
        for problem in check_case(case):
            print(problem)
            failed = True
    sys.exit(failed)


main()
