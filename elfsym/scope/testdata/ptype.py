# Prints what gdb says of the types that a file lists: "ptype" and "ptype /o" of
# each, between lines that name it.
import gdb

for name in open(NAMES):
    name = name.strip()
    for flag in ("", "/o "):
        print("=== %s%s" % (flag, name))
        try:
            print(gdb.execute("ptype %s%s" % (flag, name), to_string=True).rstrip())
        except gdb.error as e:
            print("error: %s" % e)
