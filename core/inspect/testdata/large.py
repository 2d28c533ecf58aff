"""What gdb needs to show the arguments and locals of a frame: FRAME, counted from
the youngest. Prints the time of the first look, with what it reads of the ELF for
it, and of one of twenty looks after it, in nanoseconds."""
import gdb
import os
import time


def look():
    gdb.execute("frame " + os.environ["FRAME"], to_string=True)
    return gdb.execute("info args", to_string=True) + gdb.execute("info locals", to_string=True)


start = time.perf_counter_ns()
text = look()
first = time.perf_counter_ns() - start
start = time.perf_counter_ns()
for _ in range(20):
    look()
print("LOOK", first, (time.perf_counter_ns() - start) // 20, len(text.splitlines()))
