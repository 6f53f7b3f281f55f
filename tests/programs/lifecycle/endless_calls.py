"""Calls in fixed proportions, in several threads, until it is killed: 3 middle() in an
outer(), 5 leaf() in a middle()."""

import sys
import threading


def leaf():
    pass


def middle():
    for _ in range(5):
        leaf()


def outer():
    for _ in range(3):
        middle()


def work():
    while True:
        outer()


for _ in range(int(sys.argv[1]) - 1):
    threading.Thread(target=work, daemon=True).start()
print("ready", flush=True)
work()
