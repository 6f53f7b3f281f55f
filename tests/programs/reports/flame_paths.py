"""Call paths of every sort that the page draws: recursion, two callers of one, memory, threads."""

import sys
import threading


def leaf(steps):
    return sum(i * i for i in range(steps))


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def solve(steps):
    return leaf(steps) + fibonacci(8)


def refine(depth):
    leaf(2000)
    if depth > 0:
        solve(1000)
        refine(depth - 1)


def grow():
    return [bytearray(100_000) for _ in range(40)]


def work():
    solve(200_000)  # wide in the page, whatever else the machine has to do
    refine(3)
    return grow()


work()
threads = [threading.Thread(target=work, name=f"worker {i}") for i in range(int(sys.argv[1]))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
