"""One thread after the other, each of which lives for about two milliseconds.  Ends when its
standard input does."""

import select
import sys
import threading
import time


def leaf():
    end = time.perf_counter() + 0.002
    while time.perf_counter() < end:
        sum(range(100))


def brief():
    leaf()


sys.stdout.write("ready\n")
sys.stdout.flush()
while not select.select([sys.stdin], [], [], 0)[0]:
    threads = [threading.Thread(target=brief) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
