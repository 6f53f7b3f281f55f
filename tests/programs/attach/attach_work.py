"""Work of known shares for those who watch from outside: hot() takes two thirds of it.

Ends when its standard input does, with what it has computed and status 7.  Further words:
  calls   short calls of all kinds instead, whose possible stacks are known
  child   also start one child of the same kind
"""

import ctypes
import subprocess
import sys
import threading
import time

stopped = threading.Event()


def hot(n):
    total = 0
    for i in range(n):
        total += i * i  # line of hot
    return total


def cold(n):
    total = 0
    for i in range(n):
        total += i * i  # line of cold
    return total


def work():
    while not stopped.is_set():
        hot(20000)
        cold(10000)


def leaf_a():
    return 1


def leaf_b():
    return 2


def middle_a():
    for _ in range(3):
        leaf_a()


def middle_b():
    for _ in range(3):
        leaf_b()


def wide(a, b, c, d, e, f, g):
    first, second, third = a, b, c
    return leaf_a() + first + second + third


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def generator():
    for _ in range(5):
        yield leaf_b()


def calls():
    while not stopped.is_set():
        middle_a()
        middle_b()
        wide(1, 2, 3, 4, 5, 6, 7)
        fib(7)
        list(generator())


def sleeper():
    ctypes.CDLL(None).prctl(15, b"the sleeper", 0, 0, 0)  # PR_SET_NAME
    while not stopped.is_set():
        time.sleep(0.02)


def reader():
    sys.stdin.read()
    stopped.set()


def main():
    words = sys.argv[1:]
    threads = [threading.Thread(target=each, daemon=True) for each in (sleeper, reader)]
    for thread in threads:
        thread.start()
    child = None
    if "child" in words:
        child = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
    print("ready", flush=True)
    if "calls" in words:
        calls()
    else:
        work()
    if child:
        child.stdin.close()
        child.wait()
    print(hot(1000) + cold(1000))
    sys.exit(7)


main()
