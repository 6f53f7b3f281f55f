"""Compares walks of its own stack with what Python says of it, in many situations.

`pystack_truth.py LIBRARY`: prints JSON {situation: [depth, ...]} of those that agree, and,
under "faults", the others.
"""

import asyncio
import contextlib
import ctypes
import functools
import gc
import json
import re
import sys
import threading

CAPACITY = 6000
library = ctypes.PyDLL(sys.argv[1])
library.ps_here.argtypes = [ctypes.c_void_p, ctypes.c_long]
library.ps_reason.restype = ctypes.c_char_p
agreed, faults = {}, []
if not library.ps_find():
    raise SystemExit(library.ps_reason())


def line_of(code, offset):
    """The line of an instruction, as dis has it."""
    if hasattr(code, "co_lines"):
        for start, end, line in code.co_lines():
            if start <= offset < end:
                return line
        return None
    import dis

    line = code.co_firstlineno
    for start, number in dis.findlinestarts(code):
        if start <= offset:
            line = number
    return line


def compare(situation, words, count, frame):
    """The innermost frame has come to another line by now: check() walked on its third."""
    frames = []
    while frame:
        frames.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    walked = [(words[1 + 4 * i], words[2 + 4 * i]) for i in range(count)]
    wanted = [(id(code), offset) for code, offset in frames]
    right = words[0] == 0 and walked[1:] == wanted[1:] and walked[0][0] == wanted[0][0]
    code = frames[0][0]
    right = right and line_of(code, walked[0][1]) == code.co_firstlineno + 2
    entries = [words[3 + 4 * i] for i in range(count)]
    if right and entries[-1] == 1:
        agreed.setdefault(situation, []).append(count)
    else:
        names = [code.co_name for code, _ in frames]
        faults.append([situation, words[0], walked[:20], wanted[:20], names[:20], entries[:20]])


def check(situation, result=None):
    words = (ctypes.c_uint64 * (1 + 4 * CAPACITY))()
    count, frame = library.ps_here(words, CAPACITY), sys._getframe()
    compare(situation, words, count, frame)
    return result


def recursion(n, situation):
    if n:
        recursion(n - 1, situation)
    else:
        check(situation)


def generator(situation):
    try:
        check(situation)
        yield 1
        check(situation)
        yield 2
    finally:
        check(situation)


def delegating():
    yield from generator("yield from")


def generators():
    list(generator("generator"))
    list(delegating())
    closed = generator("generator that is closed")
    next(closed)
    closed.close()
    thrown = generator("generator that is thrown into")
    next(thrown)
    with contextlib.suppress(ValueError):
        thrown.throw(ValueError())
    for _ in (check("generator expression") for _ in range(2)):
        pass
    first = generator("generator in a for loop")
    for _ in first:
        check("body of a for loop")


async def asynchronous():
    await asyncio.sleep(0)
    check("coroutine")
    async for _ in asynchronous_generator():
        check("async for")
    await asyncio.gather(awaited(), awaited())


async def awaited():
    await asyncio.sleep(0)
    check("gathered coroutine")


async def asynchronous_generator():
    for _ in range(2):
        check("async generator")
        yield 1


class Meta(type):
    def __call__(cls, *args):
        check("metaclass")
        return super().__call__(*args)


class Sample(metaclass=Meta):
    check("class body")

    def __init__(self):
        check("__init__")

    @property
    def attribute(self):
        return check("property", 3)

    def __del__(self):
        check("__del__")

    def __add__(self, other):
        return check("operator", 1)

    def __getattr__(self, name):
        return check("__getattr__", 2)

    def __enter__(self):
        check("__enter__")

    def __exit__(self, *exception):
        check("__exit__")


def objects():
    for _ in range(60):  # long enough to be specialised
        sample = Sample()
        sample + 1
        sample.attribute, sample.missing
        with sample:
            pass


class Simple:
    def __init__(self):
        check("specialised __init__")


def many_simple():
    for _ in range(100):
        Simple()


def from_c():
    sorted([1, 2, 3], key=lambda value: check("key of sorted", value))
    sorted([1, 2], key=functools.cmp_to_key(lambda a, b: check("comparison", 0)))
    re.sub("a", lambda match: check("replacement", "b"), "banana")
    list(map(lambda value: check("map", value), [1, 2]))
    functools.reduce(lambda a, b: check("reduce", a), [1, 2, 3])
    callback = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: check("callback of ctypes", 0))
    callback()
    functools.partial(check, "partial")()
    functools.lru_cache(lambda: check("lru_cache"))()
    eval("check('eval')")
    exec("def fresh():\n    check('exec')\nfresh()\n", {"check": check})
    [check("list comprehension") for _ in range(2)]
    {check("dict comprehension"): 1 for _ in range(2)}
    gc.callbacks.append(collected)
    gc.collect()
    gc.callbacks.remove(collected)


def collected(phase, information):
    check("callback of the collector")


def traced():
    sys.settrace(lambda *arguments: None)
    check("settrace")
    sys.settrace(None)
    sys.setprofile(lambda *arguments: None)
    check("setprofile")
    sys.setprofile(None)


def names():
    scope = {"check": check}
    exec("def naïve():\n    check('latin')\nnaïve()\n", scope)
    exec("def имя():\n    check('cyrillic')\nимя()\n", scope)
    exec("def 𝒻():\n    check('wide')\n𝒻()\n", scope)


def deep():
    sys.setrecursionlimit(20000)
    recursion(900, "deep")
    thread = threading.Thread(target=recursion, args=(3000, "very deep"))
    threading.stack_size(256 << 20)
    thread.start()
    thread.join()


def closures():
    value = 1

    def inner():
        check("closure")
        return value

    inner()


def greenlets():
    try:
        import greenlet
    except ImportError:
        return

    def second():
        check("second greenlet")
        first.switch()
        check("second greenlet again")

    def other():
        check("greenlet")
        greenlet.greenlet(second).switch()
        check("greenlet again")

    first = greenlet.greenlet(other)
    first.switch()
    check("back in the main greenlet")


INSIDE = """
import ctypes, sys
library = ctypes.PyDLL(path)
def inside(n):
    if n:
        return inside(n - 1)
    words, frame, wanted = (ctypes.c_uint64 * 100)(), sys._getframe(), []
    count = library.ps_here(ctypes.byref(words), 20)
    while frame:
        wanted.append(id(frame.f_code))
        frame = frame.f_back
    assert [words[1 + 4 * i] for i in range(count)] == wanted, (count, words[:9], wanted)
    assert count == 5
inside(3)
"""


def subinterpreters():
    """To 3.11, where modules like ctypes can be had in them."""
    if sys.version_info >= (3, 12):
        return
    import _xxsubinterpreters

    other = _xxsubinterpreters.create()
    try:
        _xxsubinterpreters.run_string(other, INSIDE, {"path": sys.argv[1]})
        agreed["subinterpreter"] = [5]
    except Exception as error:
        faults.append(["subinterpreter", str(error)])
    _xxsubinterpreters.destroy(other)
    check("after a subinterpreter")


def main():
    assert library.ps_version() >> 16 == sys.hexversion >> 16
    check("module")
    recursion(10, "recursion")
    generators()
    asyncio.run(asynchronous())
    objects()
    many_simple()
    from_c()
    traced()
    names()
    closures()
    greenlets()
    subinterpreters()
    deep()
    print(json.dumps({**agreed, "faults": faults}))


if __name__ == "__main__":
    main()
