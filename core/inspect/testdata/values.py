"""What gdb thinks of the variables of a stopped program: one line of JSON for each
scalar, [stop, frame, variable, path, type of the variable, type, value], and for
each frame, [stop, frame, kind, PC, name, S16 to S31]. Frames
count from the youngest, -1 is what GLOBALS names: expression, qualified name and
address, one a line. Expressions that gdb cannot parse are looked up by name and address.

The program is a core, or what TARGET, the address of a GDB stub, runs. That is
stopped STOPS times at BREAKS, locations as gdb takes them, and its memory at RAM, a
list of ADDRESS+SIZE, and its registers at each stop are left in the folder OUT."""
import gdb
import json
import os
import struct

MAX_DEPTH = 6
MAX_ELEMENTS = 12
MAX_LEAVES = 400
STOP = 0
AGGREGATES = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION, gdb.TYPE_CODE_ARRAY)


class Leaves:
    """The scalars of one value."""

    def __init__(self):
        self.out = []

    def add(self, path, t, value):
        if len(self.out) < MAX_LEAVES:
            self.out.append((path, str(t), value))

    def walk(self, v, path, depth):
        if depth > MAX_DEPTH or len(self.out) >= MAX_LEAVES:
            return
        t = v.type.strip_typedefs()
        try:
            # That of an aggregate says whether a part of it is.
            if t.code not in AGGREGATES and v.is_optimized_out:
                self.add(path, v.type, "<optimized out>")
                return
            if t.code == gdb.TYPE_CODE_PTR and "synthetic pointer" in v.format_string():
                self.add(path, v.type, "<synthetic pointer>")
                return
            self.inner(v, t, path, depth)
        except gdb.MemoryError:
            self.add(path, v.type, "<memory>")
        except gdb.error as e:
            self.add(path, v.type, "<error> " + str(e))

    def inner(self, v, t, path, depth):
        code = t.code
        if code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            for f in t.fields():
                if not hasattr(f, "bitpos"):
                    continue  # static
                if f.artificial and not f.name:
                    continue  # what tells the variants of an enumeration of Rust apart
                name = "<" + str(f.type) + ">" if f.is_base_class else (f.name or "")
                self.walk(v[f], path + "." + name, depth + 1)
        elif code == gdb.TYPE_CODE_ARRAY:
            lo, hi = t.range()
            for i in range(lo, min(hi + 1, lo + MAX_ELEMENTS)):
                self.walk(v[i], path + "[%d]" % i, depth + 1)
        elif code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            v.fetch_lazy()
            self.add(path, v.type, str(int(v.referenced_value().address)))
        elif code == gdb.TYPE_CODE_FLT:
            v.fetch_lazy()
            self.add(path, v.type, "%r" % float(v))
        elif code == gdb.TYPE_CODE_COMPLEX:
            gdb.set_convenience_variable("whole", v)
            self.walk(gdb.parse_and_eval("$_creal($whole)"), path + ".real", depth + 1)
            self.walk(gdb.parse_and_eval("$_cimag($whole)"), path + ".imag", depth + 1)
        elif code == gdb.TYPE_CODE_INT and t.sizeof > 8:
            self.add(path, v.type, v.format_string(format="d" if t.is_signed else "u"))
        elif code in (gdb.TYPE_CODE_FIXED_POINT, gdb.TYPE_CODE_METHODPTR):
            self.add(path, v.type, v.format_string())
        elif code == gdb.TYPE_CODE_MEMBERPTR:
            self.add(path, v.type, str(int(v.cast(gdb.lookup_type("int")))))
        elif code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM,
                      gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_FLAGS):
            v.fetch_lazy()
            self.add(path, v.type, str(int(v)))
        else:
            self.add(path, v.type, "<kind> %d" % code)


def emit(frame, variable, v):
    leaves = Leaves()
    try:
        leaves.walk(v, "", 0)
    except (gdb.error, RuntimeError) as e:
        leaves.add("", v.type, "<error> " + str(e))
    for path, t, value in leaves.out:
        print("VALUE " + json.dumps([STOP, frame, variable, path, str(v.type), t, value]))


def locals_of(n, frame):
    seen = {}
    try:
        block = frame.block()
    except RuntimeError:
        return
    while block is not None and not block.is_static and not block.is_global:
        for symbol in block:
            constant = symbol.is_constant and symbol.type.strip_typedefs().code != gdb.TYPE_CODE_ENUM
            if not (symbol.is_variable or symbol.is_argument or constant):
                continue
            k = seen.get(symbol.name, 0)
            seen[symbol.name] = k + 1
            try:
                emit(n, "%s#%d" % (symbol.name, k), symbol.value(frame))
            except (gdb.error, TypeError, RuntimeError) as e:
                print("VALUE " + json.dumps([STOP, n, "%s#%d" % (symbol.name, k), "", "", "", "<error> " + str(e)]))
        if block.function is not None:
            break
        block = block.superblock


def high_floats(frame):
    """S16 to S31 of a frame, none without an FPU. gdb finds them by the names in
    the frame tables: gcc's are of S registers, clang's of D registers."""
    try:
        if os.environ["FLOATS"] == "d":
            pairs = [struct.pack("<d", float(frame.read_register("d%d" % i))) for i in range(8, 16)]
            return [word for pair in pairs for word in struct.unpack("<II", pair)]
        values = [float(frame.read_register("s%d" % i)) for i in range(16, 32)]
        return [struct.unpack("<I", struct.pack("<f", v))[0] for v in values]
    except (gdb.error, ValueError):
        return []


def evaluate(expr, name, address):
    try:
        return gdb.parse_and_eval(expr)
    except gdb.error:
        for symbol in gdb.lookup_static_symbols(name) + [gdb.lookup_global_symbol(name)]:
            if symbol is not None and (address == 0 or symbol.value().address == address):
                return symbol.value()
        raise


def core_registers(frame):
    """r4 to r11 of a frame."""
    try:
        return [int(frame.read_register("r%d" % i)) & 0xFFFFFFFF for i in range(4, 12)]
    except gdb.error:
        return []


def look():
    frame, n = gdb.newest_frame(), 0
    while frame is not None and n < 100:
        kind = {gdb.NORMAL_FRAME: "frame", gdb.INLINE_FRAME: "inline"}.get(frame.type(), "other")
        print("FRAME " + json.dumps([STOP, n, kind, frame.pc(), frame.name() or "", core_registers(frame), high_floats(frame)]))
        frame.select()
        locals_of(n, frame)
        try:
            frame = frame.older()
        except gdb.error:
            break
        n += 1
    gdb.newest_frame().select()
    with open(os.environ["GLOBALS"]) as names:
        for line in names:
            expr, name, address = line.rstrip("\n").split("\t")
            try:
                emit(-1, expr, evaluate(expr, name, int(address)))
            except gdb.error as e:
                print("VALUE " + json.dumps([STOP, -1, expr, "", "", "", "<error> " + str(e)]))


def save(path):
    for where in os.environ["RAM"].split():
        address, size = (int(n, 16) for n in where.split("+"))
        try:
            data = bytes(gdb.selected_inferior().read_memory(address, size))
        except gdb.MemoryError:
            continue  # of the other security state
        with open("%s.%08x.ram" % (path, address), "wb") as out:
            out.write(data)
    frame = gdb.newest_frame()
    with open(path + ".regs", "w") as out:
        for r in frame.architecture().registers("general"):
            out.write("%s %d\n" % (r.name, int(frame.read_register(r.name)) & 0xFFFFFFFF))
        try:
            for i in range(16):
                low, high = struct.unpack("<II", struct.pack("<d", float(frame.read_register("d%d" % i))))
                out.write("s%d %d\ns%d %d\n" % (2 * i, low, 2 * i + 1, high))
        except (gdb.error, ValueError):
            pass  # no FPU


def main():
    global STOP
    target = os.environ.get("TARGET")
    if not target:
        look()
        return
    gdb.execute("target remote " + target)
    for where in os.environ["BREAKS"].split():
        gdb.execute("break " + where)
    for STOP in range(int(os.environ["STOPS"])):
        gdb.execute("continue")
        save(os.path.join(os.environ["OUT"], str(STOP)))
        look()


main()
