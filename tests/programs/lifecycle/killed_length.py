"""Says "ready", then calls functions or waits in one call until it is killed."""

import sys
import time


def leaf():
    pass


def work():
    while True:
        leaf()


def rest():
    time.sleep(600)


for _ in range(1000):
    leaf()
print("ready", flush=True)
work() if sys.argv[1] == "calls" else rest()
