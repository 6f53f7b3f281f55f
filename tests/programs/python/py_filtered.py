"""A small program with two helper modules, for rules about which functions are shown."""

import py_filtered_encoder as encoder
import py_filtered_helper as helper


def leaf(n=0):
    return len(str(n))


def middle(n):
    leaf(n)
    return helper.outer(n) + leaf(n)


def recursive(n):
    leaf(n)
    return recursive(n - 1) if n else helper.call(leaf, n)


def callback(n):
    return leaf(n)


def sort(items):
    return sorted(items, key=callback)


def fail(n):
    leaf(n)
    if n:
        fail(n - 1)
    raise ValueError(n)


def swallow():
    try:
        fail(3)
    except ValueError:
        leaf()


def generate(n):
    for i in range(n):
        yield leaf(i)


def run():
    middle(1)
    recursive(3)
    sort([3, 1, 2])
    swallow()
    sum(generate(3))
    [helper.inner(i) for i in range(2)]
    (lambda: leaf())()
    encoder.encode(2)
    exec("leaf(); helper.inner(3)", globals())
    exec(compile("def made():\n    return leaf()\nmade()", "<generated>", "exec"), globals())


run()
leaf()
