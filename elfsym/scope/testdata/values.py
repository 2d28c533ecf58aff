# Run by gdb: the values of the variables in scope in each core of the file CORES,
# flattened to numbers. The test writes the same from DWARF.
import struct

import gdb

out = []
ELEMENTS = 6


def scalar(v, bits):
    t = v.type.strip_typedefs()
    if t.code == gdb.TYPE_CODE_FLT:
        if t.sizeof not in (4, 8):
            return '?'
        f = float(v)
        return 'nan' if f != f else struct.pack('<f' if t.sizeof == 4 else '<d', f).hex()
    return '%x' % (int(v) & ((1 << bits) - 1))


def flatten(v, bits=0, depth=0):
    try:
        t = v.type.strip_typedefs()
        if v.is_optimized_out:
            return ['gone']
        if t.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            return ['%x' % int(v.referenced_value().address)]
        if t.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            if depth > 3:
                return ['...']
            r = []
            for f in t.fields():
                if hasattr(f, 'bitpos') and not f.is_base_class:
                    r += flatten(v[f], f.bitsize, depth + 1)
            return r
        if t.code == gdb.TYPE_CODE_ARRAY:
            if 'vector_size' in str(t) or depth > 3:
                return ['...']
            lo, hi = t.range()
            r = ['[%d]' % (hi - lo + 1)] if t.dynamic or depth == 0 else []
            for i in range(lo, min(hi + 1, lo + ELEMENTS)):
                r += flatten(v[i], 0, depth + 1)
            return r
        if t.code in (gdb.TYPE_CODE_COMPLEX, gdb.TYPE_CODE_MEMBERPTR, gdb.TYPE_CODE_METHODPTR, gdb.TYPE_CODE_VOID):
            return ['?']
        return [scalar(v, bits or t.sizeof * 8)]
    except (gdb.error, gdb.MemoryError, OverflowError) as e:
        return ['gone' if 'optimized out' in str(e) or 'entry' in str(e) or 'implicit' in str(e) else 'error']


for line in open(CORES):
    path = line.strip()
    gdb.execute('core-file ' + path, to_string=True)
    frame = gdb.newest_frame()
    block = frame.block()
    pc = frame.pc()
    while block and not block.is_static:
        for s in block:
            if not (s.is_variable or s.is_argument or s.is_constant) or s.type is None:
                continue
            try:
                v = s.value(frame)
                text = ' '.join(flatten(v))
            except gdb.error as e:
                text = 'gone' if 'optimized out' in str(e) or 'entry' in str(e) else 'error'
            if 'error' in text:
                text = 'error'
            out.append('0x%x %s line %d = %s' % (pc, s.print_name, s.line, text))
        if block.function and frame.type() == gdb.INLINE_FRAME:
            frame = frame.older()
        block = block.superblock

print('\n'.join(out))
