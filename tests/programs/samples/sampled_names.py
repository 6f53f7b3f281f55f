"""Threads that threading has names for: one computes, one sleeps, one is named anew, one is started
without threading, and one has a name that is too long for the kernel."""

import _thread
import threading
import time


def compute(until):
    while time.monotonic() < until:
        sum(range(1000))


def nap(until):
    while time.monotonic() < until:
        time.sleep(0.01)


def renamed(until):
    nap(until - 0.7)
    threading.current_thread().name = "named anew"
    nap(until)


class Named(threading.Thread):
    """An object with attributes of its own, named after it was made."""

    def __init__(self, until):
        super().__init__()
        self.until = until
        self.name = "näm"

    def run(self):
        nap(self.until)


end = time.monotonic() + 1
threads = [
    threading.Thread(target=compute, args=(end,), name="the one that computes"),
    threading.Thread(target=nap, args=(end,), name="sleeper"),
    threading.Thread(target=renamed, args=(end,), name="first name"),
    Named(end),
]
_thread.start_new_thread(nap, (end,))
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
time.sleep(0.05)
