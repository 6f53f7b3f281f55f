"""C functions of every kind, called in every way."""

import collections
import io
import itertools
import math
import operator
import re
import struct
import time
import zlib


# Compiling it is not what is counted.
re.compile("x")


def key(n):
    return -n


class Text(str):
    pass


class Derived(list):
    def append(self, item):
        super().append(item)


def builtins_functions():
    len([1])
    abs(-1)
    max(1, 2)
    isinstance(1, int)
    sorted([2, 1], key=key)
    print(end="")
    getattr(1, "real")
    iter([1])
    next(iter([1]))
    hash("x")


def methods():
    items = []
    items.append(1)
    items.extend([2])
    items.sort(key=key)
    items.pop()
    "a b".split()
    " ".join(["a"])
    {}.get(1)
    {}.update(a=1)
    b"x".hex()
    (1).bit_length()
    {1}.add(2)
    collections.deque([1]).popleft()
    io.StringIO().write("x")
    Text("abc").upper()
    Derived().append(1)
    "x".encode()


def bound_and_unbound():
    append = [].append
    append(1)
    list.append([], 2)
    str.upper("x")
    dict.fromkeys([1])
    {}.fromkeys([2])
    bytes.fromhex("00")
    int.from_bytes(b"1", "big")
    str.maketrans("a", "b")


def module_functions():
    math.sqrt(2.0)
    zlib.crc32(b"x")
    struct.pack("i", 1)
    time.time()
    operator.add(1, 2)
    re.compile("x").match("x")
    itertools.chain.from_iterable([[1]])


def unpacked():
    arguments = [[1, 2]]
    len(*arguments)
    "{}".format(*arguments)
    dict(**{"a": 1})
    sorted(*arguments, **{"key": key})


def raising():
    for call in (lambda: [].pop(), lambda: {}.pop(1), lambda: int("x"), lambda: math.sqrt(-1)):
        try:
            call()
        except (IndexError, KeyError, ValueError):
            pass
    try:
        sorted([1, 2], key=fail)
    except ZeroDivisionError:
        pass
    try:
        next(iter([]))
    except StopIteration:
        pass


def fail(n):
    return 1 / 0


def main():
    for _ in range(3):
        builtins_functions()
        methods()
        bound_and_unbound()
        module_functions()
        unpacked()
        raising()


if __name__ == "__main__":
    main()
