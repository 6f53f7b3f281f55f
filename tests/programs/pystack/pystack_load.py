"""Works in many ways while timers walk its stack, then tells each walk that cannot be.

`pystack_load.py LIBRARY MICROSECONDS THREADS SECONDS`: prints JSON with the number of walks
by status, those in which a function is called by one that never calls it, and how many stacks
of native and Python frames were merged, not certain and certain.
"""

import ctypes
import functools
import gc
import json
import re
import sys
import threading
import time
import types

# Who calls whom.  "fresh" is code that is gone when the walks are looked at: what was made
# by exec().
CALLERS = {
    "main": {"<module>"},
    "thread_main": {"main", "run"},
    "work": {"thread_main"},
    "fib": {"work", "fib"},
    "numbers": {"total", "chained", "<listcomp>"},
    "chained": {"total"},
    "total": {"work"},
    "inner": {"middle"},
    "middle": {"outer"},
    "outer": {"drive"},
    "drive": {"work"},
    "key": {"sorting"},
    "compare": {"sorting"},
    "sorting": {"work"},
    "replace": {"sub"},
    "substitute": {"work"},
    "fresh": {"executing"},
    "executing": {"work"},
    "deep": {"work", "deep"},
    "__init__": {"classes", "<listcomp>"},
    "__len__": {"classes", "<listcomp>"},
    "Local": {"classes"},
    "<listcomp>": {"classes", "total"},
    "classes": {"work"},
    "waiting": {"work"},
}


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def numbers(count):
    for number in range(count):
        yield number


def chained(count):
    yield from numbers(count)


def total():
    return sum(numbers(40)) + sum(chained(40)) + sum([n for n in numbers(10)])


@types.coroutine
def inner():
    yield 1


async def middle():
    await inner()


async def outer():
    for _ in range(4):
        await middle()


def drive():
    coroutine = outer()
    try:
        while True:
            coroutine.send(None)
    except StopIteration:
        pass


def key(value):
    return -value


def compare(a, b):
    return a - b


def sorting():
    sorted(range(20), key=key)
    sorted(range(20), key=functools.cmp_to_key(compare))


def replace(match):
    return match.group(0) * 2


def substitute():
    re.sub("a", replace, "banana")


def executing():
    scope = {}
    exec("def fresh():\n    return sum(range(5))\n", scope)
    scope["fresh"]()


def deep(n):
    if n:
        deep(n - 1)


class Plain:
    def __init__(self):
        self.value = [1]

    def __len__(self):
        return 3


def classes():
    class Local(Plain):
        member = 3

    return [len(Plain()) for _ in range(10)], len(Local())


def waiting():
    time.sleep(0.0002)


def work():
    fib(9)
    total()
    drive()
    sorting()
    substitute()
    executing()
    deep(150)
    classes()
    waiting()


def thread_main(library, microseconds, end):
    library.ps_start(microseconds)
    while time.monotonic() < end:
        work()


def read_samples(library):
    """(status, [code address, innermost first]) of each walk."""
    library.ps_samples.restype = ctypes.POINTER(ctypes.c_uint64)
    library.ps_used.restype = ctypes.c_uint64
    words, used = library.ps_samples(), library.ps_used()
    at = 0
    while at < used:
        status, count = words[at + 1], words[at + 2]
        yield status, [words[at + 3 + 4 * i] for i in range(count)]
        at += 3 + 4 * count


def known_codes():
    """Names of all code objects that are alive, by address."""
    names, stack = {}, [f.__code__ for f in gc.get_objects() if hasattr(f, "__code__")]
    stack.append(sys._getframe(2).f_code)
    while stack:
        code = stack.pop()
        if id(code) not in names and isinstance(code, types.CodeType):
            names[id(code)] = code.co_name
            stack += code.co_consts
    return names


def fault(names, addresses):
    """What cannot be in a stack, None = nothing."""
    stack = [names.get(address, "fresh") for address in addresses]
    if "thread_main" not in stack:
        return None  # a thread that begins or ends, or the main one that waits for it
    for child, parent in zip(stack, stack[1:]):
        if child in CALLERS and parent not in CALLERS[child]:
            return f"{parent} -> {child} in {stack}"
    return None if stack[-1] in ("<module>", "_bootstrap") else f"begins wrongly: {stack}"


def main():
    library = ctypes.PyDLL(sys.argv[1])
    assert library.ps_find()
    microseconds, count, seconds = int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    end = time.monotonic() + seconds
    arguments = (library, microseconds, end)
    re.sub("a", replace, "")  # later it finds what it has compiled
    threads = [threading.Thread(target=thread_main, args=arguments) for _ in range(count - 1)]
    for thread in threads:
        thread.start()
    thread_main(*arguments)
    for thread in threads:
        thread.join()
    library.ps_stop()
    names = known_codes()
    statuses, faults, seen = {}, [], set()
    for status, addresses in read_samples(library):
        statuses[status] = statuses.get(status, 0) + 1
        seen.update(names.get(address, "fresh") for address in addresses)
        found = fault(names, addresses)
        if found and len(faults) < 5:
            faults.append(found)
    told = {"statuses": statuses, "faults": faults, "seen": sorted(seen)}
    told["merges"] = [library.ps_merges(certain) for certain in range(2)]
    print(json.dumps(told))


main()
