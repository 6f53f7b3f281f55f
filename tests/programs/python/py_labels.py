"""Calls with arguments of every form."""

import functools


def plain(a, b=2):
    return a


def stars(a, *rest, key=1, **named):
    return a


def keyword_only(*, key):
    return key


def positional_only(a, b, /, c):
    return a


def captured(n):
    return (lambda: n)()


def changed(n):
    n += 1
    return inner(n)


def inner(n):
    return n


def deleted(n):
    del n
    return inner(1)


class Thing:
    def __repr__(self):
        return inner("thing")

    def method(self, n):
        return n

    @classmethod
    def create(cls, n):
        return n

    @staticmethod
    def static(n):
        return n


class Unprintable:
    def __repr__(self):
        raise ValueError("no")


class Exiting:
    def __repr__(self):
        raise SystemExit(5)


def take(value):
    return 1


def generate(n):
    while n:
        yield n
        n -= 1


def recursive(n):
    return recursive(n - 1) if n else 0


def fails(n):
    if n == 0:
        raise ValueError
    fails(n - 1)


@functools.lru_cache(maxsize=None)
def cached(n):
    return n


def many():
    for i in range(300):
        take(i)


plain(1)
plain(1, b="x")
stars(1, 2, 3, key=4, other=5)
stars(0)
keyword_only(key=None)
positional_only(1, 2, 3)
captured(7)
changed(1)
deleted(1)
Thing().method(2)
Thing.create(3)
Thing.static(4)
take(Unprintable())
take("x" * 500)
take("two\nlines")
take([1, [2, {"three": 3.5}]])
take(range)
take("ünïcödé \ud800")
list(generate(2))
recursive(2)
try:
    fails(2)
except ValueError:
    pass
cached(1)
cached(1)
many()
print("done")
