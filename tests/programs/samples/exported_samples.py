"""For tests/e2e/reports/test_export_samples.py: two threads, one in Python and one in C code."""

import threading
import time
import zlib

UNTIL = time.monotonic() + 0.6


def spin(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


def compute():
    while time.monotonic() < UNTIL:
        spin(2000)


def compress():
    data = bytes(range(256)) * 400
    while time.monotonic() < UNTIL:
        zlib.compress(data)


threads = [threading.Thread(target=each, name=each.__name__) for each in (compute, compress)]
for thread in threads:
    thread.start()
time.sleep(0.3)
for thread in threads:
    thread.join()
