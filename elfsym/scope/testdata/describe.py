# Run by gdb: what gdb knows of the variables at each address of the file PCS,
# of the variables outside of functions in those units, and of their types. The
# test writes the same from DWARF.
import re

import gdb

out = []
types = {}


cplusplus = False


def name_of(t):
    # In C++ the words are left out, as "whatis" does.
    s = str(t)
    if cplusplus:
        s = re.sub(r'\b(struct|class|union|enum) (?!\{)', '', s)
    return re.sub(r'\*mut fn .*?(; \d+\])?$', r'*mut fn\1', s) if RUST else s


def size_of(t):
    try:
        s = t.strip_typedefs()
        if s.code == gdb.TYPE_CODE_ARRAY and s.dynamic or s.code in (gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_METHOD):
            return '-'
        if s.code == gdb.TYPE_CODE_ARRAY and s.range()[1] == -1 and s.sizeof == 0:
            return '0'
        return str(t.sizeof)
    except (gdb.error, RuntimeError):
        return '-'


def add_type(t, depth=0):
    t = t.unqualified()
    if depth > 40:
        return
    if t.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF, gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_TYPEDEF):
        add_type(t.strip_typedefs() if t.code == gdb.TYPE_CODE_TYPEDEF else t.target(), depth + 1)
        return
    if t.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION, gdb.TYPE_CODE_ENUM) or not t.tag or t.tag in types:
        return
    lines = types[t.tag] = []
    fields = t.fields()
    if RUST and t.dynamic: # a variant part, which gdb makes other fields of
        return
    if not fields:
        types[t.tag] = None
        return
    lines.append('%s' % size_of(t))
    for f in fields:
        if t.code == gdb.TYPE_CODE_ENUM:
            lines.append('%s = %d' % (f.name.split('::')[-1], f.enumval))
            continue
        if not hasattr(f, 'bitpos'):
            lines.append('static %s : %s' % (f.name, name_of(f.type)))
        else:
            if f.is_base_class:
                name = '<base>'
            elif f.artificial:
                name = '<artificial>'
            else:
                name = f.name or ''
            try:
                pos = str(int(f.bitpos))
            except (TypeError, gdb.error):
                pos = '-'
            lines.append('%s %s:%d : %s' % (name, pos, f.bitsize, name_of(f.type)))
        add_type(f.type, depth + 1)


def variable(s):
    add_type(s.type)
    gone = ' gone' if s.addr_class == gdb.SYMBOL_LOC_OPTIMIZED_OUT else ''
    return '%s %s : %s [%s] line %d%s' % ('arg' if s.is_argument else 'var', s.print_name, name_of(s.type), size_of(s.type), s.line, gone)


if RUST:
    gdb.execute('set language rust')
symtabs = {}
for line in open(PCS):
    pc = int(line, 0)
    block = gdb.block_for_pc(pc)
    sal = gdb.find_pc_line(pc)
    if sal.symtab:
        symtabs[sal.symtab.filename, sal.symtab.static_block().start] = sal.symtab
        cplusplus = not sal.symtab.filename.endswith('.c')
    if block is None or block.is_global or block.is_static:
        continue
    names, found = '', []
    while block and not block.is_static:
        for s in block:
            if s.is_variable or s.is_argument or s.is_constant:
                if s.addr_class in (gdb.SYMBOL_LOC_TYPEDEF, gdb.SYMBOL_LOC_BLOCK, gdb.SYMBOL_LOC_LABEL):
                    continue
                found.append(variable(s))
        if block.function:
            names = block.function.print_name.split('(')[0]
            for f in sorted(found):
                out.append('0x%x %s %s' % (pc, names, f))
            found = []
        block = block.superblock
    out.append('0x%x in %s' % (pc, names))

seen = set()
for symtab in symtabs.values():
    for block in (symtab.global_block(), symtab.static_block()):
        for s in block:
            if not (s.is_variable or s.is_constant) or s.type is None or s.addr_class == gdb.SYMBOL_LOC_CONST and s.type.code == gdb.TYPE_CODE_ENUM:
                continue
            add_type(s.type)
            try:
                address = s.value().address
                address = '0x%x' % int(address) if address is not None else '-'
            except gdb.error:
                address = '-'
            entry = 'global %s : %s [%s] %s' % (s.print_name, name_of(s.type), size_of(s.type), address)
            if entry not in seen:
                seen.add(entry)
                out.append(entry)

for tag in sorted(types):
    if types[tag] is None:
        continue
    for line in types[tag]:
        out.append('type %s | %s' % (tag, line))

print('\n'.join(out))
