"""Records one crash from QEMU. Runs inside gdb-multiarch; build.sh starts both.

Attaches to the loopback stub, runs the firmware to its crash and writes
  crash.core   ELF core: registers, all of the RAM and, on M-profile, the System
               Control Space, by a writer that shares nothing with pushmask
  gdb.core     what gdb's generate-core-file makes of the same stop (GCORE=1)
  want.txt     the true stack, as gdb unwinds the live machine with CFI

The environment configures it:
  PORT   port of the stub               OUT    folder to write to
  STOP   location to stop at            SKIP   how often to pass it before
  RAM    start:length, hex              M      1 on M-profile
  TITLE  first line of want.txt         CHAIN  functions expected, youngest first, with ; between
  RETURN 1: gdb cannot unwind the hardware frame; it is undone here first
  LAST   the thread's entry; gdb goes on below it
  NAME   base name of the files, crash.core and want.txt become NAME.core and NAME.txt
  SET    VARIABLE=VALUE, set where main begins
  UNTRUE 1: the exception frame could not be stored; there is no true stack to write
"""
import os
import struct

import gdb

PT_LOAD, PT_NOTE = 1, 4
NT_PRSTATUS, NT_ARM_VFP = 1, 0x400
NT_PUSHMASK_REGS = 1
SIGTRAP = 5
EXCEPTIONS = {2: "NMI", 3: "HardFault", 4: "MemManage", 5: "BusFault", 6: "UsageFault",
              7: "SecureFault", 11: "SVCall", 12: "DebugMonitor", 14: "PendSV", 15: "SysTick"}
CORE_REGISTERS = ["r%d" % i for i in range(13)] + ["sp", "lr", "pc"]

# SYSm of MRS (Armv7-M ARM B5.2.2, Armv8-M ARM D1.2): what gdb cannot see through
# QEMU's stub is read by running one MRS per register in borrowed RAM.
SYSM = {"msp": 8, "psp": 9, "primask": 16, "control": 20}
SYSM_MAIN = {"basepri": 17, "faultmask": 19}
SYSM_V8 = {"msplim": 10, "psplim": 11}

# What a crash handler would save of the System Control Space: CPUID to AFSR, CPACR,
# and the floating-point context registers FPCCR, FPCAR, FPDSCR.
SCS_RANGES = [(0xE000ED00, 0x40), (0xE000ED88, 4), (0xE000EF34, 12)]


def env(name, default=""):
    return os.environ.get(name, default)


def raw_register(frame, name):
    return int(frame.read_register(name).format_string(format="z"), 16)


def status_register(frame):
    for name in ("xpsr", "cpsr"):
        try:
            return raw_register(frame, name)
        except ValueError:
            continue
    raise gdb.GdbError("no status register")


def note(name, kind, desc):
    """An ELF note: name and descriptor are padded to words (System V gABI)."""
    def pad(b):
        return b + bytes(-len(b) % 4)
    name = name.encode() + b"\0"
    return struct.pack("<III", len(name), len(desc), kind) + pad(name) + pad(desc)


def prstatus(frame):
    """struct elf_prstatus of 32-bit ARM Linux: 148 bytes, registers at 72."""
    head = struct.pack("<3iHH2I4i8i", SIGTRAP, 0, 0, SIGTRAP, 0, 0, 0, 1, 0, 1, 1, *[0] * 8)
    regs = [raw_register(frame, r) for r in CORE_REGISTERS] + [status_register(frame), 0]
    desc = head + struct.pack("<18I", *regs) + struct.pack("<i", 0)
    assert len(desc) == 148
    return note("CORE", NT_PRSTATUS, desc)


def vfp(frame):
    """struct user_vfp of ARM Linux: d0-d31, FPSCR. Absent without an FPU."""
    desc = b""
    for i in range(32):
        try:
            desc += struct.pack("<Q", raw_register(frame, "d%d" % i))
        except ValueError:
            if i == 0:
                return b""
            desc += bytes(8)
    return note("LINUX", NT_ARM_VFP, desc + struct.pack("<I", raw_register(frame, "fpscr")))


def special_registers(scratch):
    """Reads the registers that only MRS can read. The machine must be privileged."""
    inferior = gdb.selected_inferior()
    saved_code = bytes(inferior.read_memory(scratch, 4))
    saved = {r: gdb.parse_and_eval("(unsigned)$" + r) for r in ("r0", "pc")}
    wanted = dict(SYSM)
    cpuid, = struct.unpack("<I", bytes(inferior.read_memory(0xE000ED00, 4)))
    if cpuid >> 4 & 0xFFF not in (0xC20, 0xC60, 0xD20):  # not Cortex-M0, M0+, M23
        wanted.update(SYSM_MAIN)
    if cpuid >> 4 & 0xFF0 == 0xD20:
        wanted.update(SYSM_V8)
    values = {}
    for name, sysm in wanted.items():
        inferior.write_memory(scratch, struct.pack("<HH", 0xF3EF, 0x8000 | sysm))
        gdb.execute("set var $pc = %d" % scratch)
        gdb.execute("stepi", to_string=True)
        values[name] = int(gdb.parse_and_eval("(unsigned)$r0"))
    inferior.write_memory(scratch, saved_code)
    for name, value in saved.items():
        gdb.execute("set var $%s = %d" % (name, int(value)))
    return values


def special_note(values):
    """Our own note: {name padded to 12 bytes, u32 value} for each register."""
    desc = b"".join(n.encode().ljust(12, b"\0") + struct.pack("<I", v) for n, v in values.items())
    return note("PUSHMASK", NT_PUSHMASK_REGS, desc)


def write_core(path, notes, memory):
    headers = 52 + 32 * (1 + len(memory))
    offset = headers + len(notes)
    program = struct.pack("<8I", PT_NOTE, headers, 0, 0, len(notes), 0, 4, 4)
    for addr, data in memory:
        program += struct.pack("<8I", PT_LOAD, offset, addr, 0, len(data), len(data), 6, 1)
        offset += len(data)
    ident = b"\x7fELF\x01\x01\x01" + bytes(9)
    ehdr = ident + struct.pack("<HHIIIIIHHHHHH", 4, 40, 1, 0, 52, 0, 0x05000000, 52, 32,
                               1 + len(memory), 0, 0, 0)
    with open(path, "wb") as out:
        out.write(ehdr + program + notes + b"".join(data for _, data in memory))


def gdb_core(path):
    """Has gdb write its core, and takes the path of this checkout out of NT_PRPSINFO."""
    gdb.execute("generate-core-file " + path, to_string=True)
    with open(path, "r+b") as core:
        data = core.read()
        image = gdb.current_progspace().filename.encode()
        args = data.index(image[:79])  # pr_psargs: 80 bytes
        core.seek(args)
        core.write(os.path.join("/firmware", env("OUT"), "fw.elf").encode().ljust(80, b"\0"))


def exception_name(frame):
    """Name of the exception whose handler frame is (IPSR, Armv7-M ARM B1.5.2)."""
    number = status_register(frame) & 0x1FF
    return EXCEPTIONS.get(number) or "IRQ%d" % (number - 16)


def function_at(frame):
    """The frame's function. gdb takes address 0 for the functions that the linker
    has dropped, whose DWARF stays at 0; the symbol table knows better."""
    symbol = gdb.execute("info symbol %d" % frame.pc(), to_string=True)
    if frame.name() is None or symbol.startswith("vectors "):
        return None
    return without_parameters(frame.name())


def without_parameters(name):
    """"a::f<b(c)>(int)" -> "a::f<b(c)>"; gdb adds them to templates only."""
    if not name.endswith(")") or name.endswith("operator()"):
        return name
    depth = 0
    for i in range(len(name) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(name[i], 0)
        if depth == 0:
            return name[:i] or name
    return name


def true_stack():
    """One line per frame: kind, PC, function, file:line."""
    lines, frame, younger = [], gdb.newest_frame(), None
    while frame is not None and frame.is_valid():
        if frame.type() == gdb.SIGTRAMP_FRAME:
            lines.append(("exception", "-", exception_name(younger), "-"))
            frame = frame.older()
            continue
        if frame.type() == gdb.TAILCALL_FRAME:  # from DWARF call sites; not on the stack
            frame = frame.older()
            continue
        younger = frame
        function, sal = function_at(frame), frame.find_sal()
        where = "-"
        if function and sal.symtab:
            where = "%s:%d" % (os.path.join("/firmware", sal.symtab.filename), sal.line)
        kind = "inline" if frame.type() == gdb.INLINE_FRAME else "frame"
        lines.append((kind, "0x%08x" % (frame.pc() & ~1), function or "-", where))
        if kind == "frame" and function == env("LAST"):
            break
        frame = frame.older()
    return lines


def undo_exception(psp):
    """Gives gdb the registers that the exception at its entry has stacked
    (Armv7-M ARM B1.5.6). xPSR stays: a change of mode would switch stacks."""
    frame = gdb.newest_frame()
    exc_return = raw_register(frame, "lr")
    sp = psp if exc_return & 4 else raw_register(frame, "sp")
    stacked = struct.unpack("<8I", bytes(gdb.selected_inferior().read_memory(sp, 32)))
    size = 0x20 if exc_return & 0x10 else 0x68
    size += 4 if stacked[7] & 1 << 9 else 0
    names = ("r0", "r1", "r2", "r3", "r12", "lr", "pc")
    for name, value in zip(names + ("sp",), stacked[:7] + (sp + size,)):
        gdb.execute("set var $%s = %d" % (name, value))


def write_want(path, lines):
    with open(path, "w") as out:
        out.write("# %s\n" % env("TITLE"))
        for line in lines:
            out.write(("%-9s %-10s %s %s" % line).rstrip() + "\n")


def run_to_stop():
    for setting in ("pagination off", "confirm off", "backtrace past-main on", "osabi none"):
        gdb.execute("set " + setting)
    gdb.execute("target remote 127.0.0.1:" + env("PORT"), to_string=True)
    if env("SET"):
        gdb.Breakpoint("main", temporary=True)
        gdb.execute("continue", to_string=True)
        gdb.execute("set var " + env("SET"))
    stop = gdb.Breakpoint(env("STOP"))
    stop.ignore_count = int(env("SKIP", "0"))
    gdb.execute("continue", to_string=True)
    stop.delete()


def check_chain(lines):
    found = [function for kind, _, function, _ in lines if kind != "exception" and function != "-"]
    if found != env("CHAIN").split(";"):
        raise gdb.GdbError("%s: stack is %s" % (env("OUT"), ";".join(found)))


def main():
    out, m_profile = env("OUT"), env("M") == "1"
    run_to_stop()

    ram, length = (int(n, 16) for n in env("RAM").split(":"))
    ranges = [(ram, length)] + (SCS_RANGES if m_profile else [])
    memory = [(a, bytes(gdb.selected_inferior().read_memory(a, n))) for a, n in ranges]
    notes = prstatus(gdb.newest_frame()) + vfp(gdb.newest_frame())
    lines = [] if env("UNTRUE") == "1" else true_stack()
    if env("GCORE") == "1":
        gdb_core(os.path.join(out, "gdb.core"))
    if m_profile:
        special = special_registers(ram)
        notes += special_note(special)
    if env("RETURN") == "1":
        undo_exception(special["psp"])
        lines = lines[:1] + [("exception", "-", exception_name(gdb.newest_frame()), "-")] + true_stack()
    write_core(os.path.join(out, env("NAME", "crash") + ".core"), notes, memory)
    if lines:
        check_chain(lines)
        write_want(os.path.join(out, env("NAME", "want") + ".txt"), lines)
    gdb.execute("kill")


try:
    main()
except Exception as problem:  # gdb would exit 0 on it
    print("record.py: %s" % problem)
    gdb.execute("quit 1")
