"""What gdb thinks of the variables of a core: one line of JSON for each scalar,
[frame, variable, path, type of the variable, type, value]. Frames count from the
youngest, -1 is what GLOBALS names: expressions, one a line."""
import gdb
import json
import os

MAX_DEPTH = 6
MAX_ELEMENTS = 12
MAX_LEAVES = 400


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
            if v.is_optimized_out:
                self.add(path, v.type, "<optimized out>")
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
        print("VALUE " + json.dumps([frame, variable, path, str(v.type), t, value]))


def locals_of(n, frame):
    seen = {}
    try:
        block = frame.block()
    except RuntimeError:
        return
    while block is not None and not block.is_static and not block.is_global:
        for symbol in block:
            if not (symbol.is_variable or symbol.is_argument):
                continue
            k = seen.get(symbol.name, 0)
            seen[symbol.name] = k + 1
            try:
                emit(n, "%s#%d" % (symbol.name, k), symbol.value(frame))
            except (gdb.error, TypeError, RuntimeError) as e:
                print("VALUE " + json.dumps([n, "%s#%d" % (symbol.name, k), "", "", "", "<error> " + str(e)]))
        if block.function is not None:
            break
        block = block.superblock


def main():
    frame, n = gdb.newest_frame(), 0
    while frame is not None and n < 100:
        kind = {gdb.NORMAL_FRAME: "frame", gdb.INLINE_FRAME: "inline"}.get(frame.type(), "other")
        print("FRAME " + json.dumps([n, kind, frame.pc(), frame.name() or ""]))
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
            expr = line.rstrip("\n")
            try:
                emit(-1, expr, gdb.parse_and_eval(expr))
            except gdb.error as e:
                print("VALUE " + json.dumps([-1, expr, "", "", "", "<error> " + str(e)]))


main()
