"""Programs that go to the limits: large_numbers.py KIND NUMBER."""

import sys
import threading


def leaf():
    pass


def threads(number):
    """Threads over the whole run, twenty at a time."""
    while number > 0:
        batch = [threading.Thread(target=leaf) for _ in range(min(20, number))]
        for thread in batch:
            thread.start()
        for thread in batch:
            thread.join()
        number -= len(batch)


def wait_then_leaf(gate):
    gate.wait()
    leaf()


def threads_at_once(number):
    gate = threading.Event()
    threading.stack_size(256 << 10)
    batch = [threading.Thread(target=wait_then_leaf, args=(gate,)) for _ in range(number)]
    for thread in batch:
        thread.start()
    gate.set()
    for thread in batch:
        thread.join()


def down(number):
    return 0 if number == 0 else down(number - 1) + 1


def depth(number):
    sys.setrecursionlimit(number + 1000)
    print(down(number))


def depth_in_thread(number):
    """Before 3.11 a Python call uses the C stack, so it has to be a large one."""
    threading.stack_size(1 << 29)
    thread = threading.Thread(target=depth, args=(number,))
    thread.start()
    thread.join()


def a(level):
    if level:
        a(level - 1)
        b(level - 1)


def b(level):
    if level:
        a(level - 1)
        b(level - 1)


def paths(level):
    """2 ** (level + 1) - 1 distinct paths."""
    a(level)


KINDS = {each.__name__: each for each in (threads, threads_at_once, depth, depth_in_thread, paths)}

if __name__ == "__main__":
    KINDS[sys.argv[1]](int(sys.argv[2]))
    print("done")
