"""Threads that wait for each other, for those who watch from outside.  Ends when its standard input
does.  A word: "clear" = no two of them wait for each other."""

import os
import sys
import threading
import time

plain = threading.Lock()
recursive = threading.RLock()
taken = threading.Lock()
shared = threading.Lock()
behind = threading.Condition(shared)
condition = threading.Condition()
ready = []
IS_CLEAR = "clear" in sys.argv


def meet():
    ready.append(1)
    while len(ready) < 2:
        time.sleep(0.001)


def first(password="hunter2", limit=-3, *rest, ratio=0.1, **more):
    items = [1, 2.5, "t\xe9\x1bxt", b"by\n", None, True, (1,), {}]
    table = {"token": "abc", "n": 7, "url": "https://bob:geheim@host/"}
    large, deep = 10**30, [[[[[1]]]]]
    late = None

    def inner():
        return items, late

    with plain:
        meet()
        if not IS_CLEAR:
            recursive.acquire()  # first waits
        sys.stdin.read()
    return table, large, deep, inner, rest, more, limit, ratio, password
    del undefined


def second():
    with recursive, recursive:
        meet()
        with plain:  # second waits
            pass


def holder():
    with behind:  # by a Condition
        sys.stdin.read()


def waiter():
    with shared:
        pass


def taker():
    taken.acquire()
    sys.stdin.read()


def asker():
    while not taken.locked():
        time.sleep(0.001)
    with taken:
        pass


def notified():
    with condition:
        condition.wait()


for function in (first, second, holder, taker, asker, notified):
    threading.Thread(target=function, name=function.__name__, daemon=True).start()
while not shared.locked():
    time.sleep(0.001)
threading.Thread(target=waiter, name="waiter", daemon=True).start()
sys.stdout.write("ready\n")
sys.stdout.flush()
sys.stdin.read()
os._exit(7)
