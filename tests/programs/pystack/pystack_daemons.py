"""Ends while daemon threads run Python and wait, all of them sampled.

`pystack_daemons.py LIBRARY`: prints the number of threads; no walk may crash."""

import ctypes
import sys
import threading
import time

library = ctypes.PyDLL(sys.argv[1])
assert library.ps_find()
ready = threading.Barrier(5)


def busy(waits):
    library.ps_start(100)
    ready.wait()
    while True:
        time.sleep(0.0001) if waits else sum(range(50))


for index in range(4):
    threading.Thread(target=busy, args=(index % 2 == 0,), daemon=True).start()
ready.wait()
library.ps_start(100)
time.sleep(0.05)
print(threading.active_count(), flush=True)
library.ps_ends_quietly()
