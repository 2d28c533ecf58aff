# Prints what gdb makes of the expressions that a file lists: what their macros
# expand to, and what they come to, two lines each.
import gdb


def said(command):
    try:
        return gdb.execute(command, to_string=True).strip().replace("\n", " ")
    except gdb.error as e:
        return "error: %s" % e


for line in open(EXPRESSIONS):
    expr = line.strip()
    print("=== " + said("macro expand " + expr).replace("expands to:", "").strip())
    print("=== " + said("output " + expr))
