"""Threads that all want the GIL, one that hardly does; prints what each got done."""

import sys
import threading
import time


def hog(end):
    total = 0
    while time.perf_counter() < end:
        for i in range(1000):
            total += i
    return total


def sleeper(end):
    while time.perf_counter() < end:
        time.sleep(0.01)


end = time.perf_counter() + float(sys.argv[1])
threads = [threading.Thread(target=hog, args=(end,)) for _ in range(3)]
threads.append(threading.Thread(target=sleeper, args=(end,)))
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
