"""Python code whose stacks are known: sampled_python.py KIND SECONDS."""

import ctypes
import sys
import threading
import time

END = time.perf_counter() + float(sys.argv[2])


def spin(count):
    total = 0
    for i in range(count):
        total += i * i
    return total


def is_over():
    return time.perf_counter() >= END


def light():
    spin(300)


def heavy():
    spin(2700)


def shares():
    """Nine tenths of the time below heavy()."""
    while not is_over():
        heavy()
        light()


def compare(left, right):
    spin(2000)
    return left[0] - right[0]


def callbacks():
    """compare() is called by qsort() of the C library, which callbacks() calls."""
    library = ctypes.CDLL(None)
    pointer = ctypes.POINTER(ctypes.c_int)
    function = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer)(compare)
    library.qsort.restype = None
    numbers = (ctypes.c_int * 8)(*range(8, 0, -1))
    while not is_over():
        library.qsort(numbers, 8, ctypes.sizeof(ctypes.c_int), function)


def produce():
    while True:
        yield spin(2000)


def generators():
    source = produce()
    while not is_over():
        next(source)


def gil():
    """Two threads that compute, and the main one, which waits for them."""

    def compute():
        while not is_over():
            spin(2000)

    threads = [threading.Thread(target=compute) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def sleeping():
    while not is_over():
        time.sleep(0.05)


def deep():
    def descend(depth):
        if depth:
            return descend(depth - 1)
        while not is_over():
            spin(2000)

    sys.setrecursionlimit(3000)
    descend(900)


def greenlets():
    """Two greenlets in turns, from different depths."""
    import greenlet

    def near():
        while not is_over():
            spin(1000)
            far_one.switch()

    def farther():
        while not is_over():
            spin(1000)
            near_one.switch()

    def far():
        farther()

    near_one, far_one = greenlet.greenlet(near), greenlet.greenlet(far)
    near_one.switch()


globals()[sys.argv[1]]()
