"""Python called from C: sort keys, callbacks, finalizers, hooks of the interpreter."""

import atexit  # as weakref.finalize() would
import ctypes
import functools
import gc
import itertools
import json
import operator
import pickle
import re
import weakref


def leaf(n=0):
    return n + 1


def key(value):
    return leaf(-value)


def compare(a, b):
    leaf()
    return (a > b) - (a < b)


def case_sorting():
    sorted([3, 1, 2], key=key)
    [3, 1, 2].sort(key=functools.partial(key))
    sorted([3, 1, 2], key=functools.cmp_to_key(compare))
    max([1, 5, 2], key=key)
    list(itertools.groupby([1, 1, 2], key=key))


def is_odd(n):
    return leaf(n) % 2 == 0


def case_mapping():
    list(map(leaf, range(4)))
    list(map(functools.partial(leaf), range(3)))
    list(filter(is_odd, range(5)))
    functools.reduce(compare, [1, 2, 3])
    list(itertools.starmap(compare, [(1, 2), (3, 4)]))
    list(itertools.takewhile(is_odd, [1, 3, 4, 5]))
    operator.methodcaller("run", 3)(Runner())
    list(iter(Counter(), 3))


class Runner:
    def run(self, n):
        return leaf(n)


class Counter:
    n = 0

    def __call__(self):
        self.n += 1
        return self.n


def failing_key(value):
    leaf()
    raise ValueError("key")


def case_exceptions_through_c():
    for function in (failing_key, functools.partial(failing_key)):
        try:
            sorted([1, 2], key=function)
        except ValueError:
            leaf()
    try:
        list(map(failing_key, [1]))
    except ValueError:
        leaf()


def replace(match):
    return str(leaf(int(match.group())))


def case_regex():
    assert re.sub(r"\d", replace, "1a2b3") == "2a3b4"


def hook(pairs):
    leaf()
    return dict(pairs)


def default(value):
    leaf()
    return str(value)


def case_json():
    json.loads('{"a": {"b": 1}}', object_pairs_hook=hook)
    json.dumps({"a": object}, default=default)


CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int)


def case_ctypes():
    compare_type = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int)
    )
    numbers = (ctypes.c_int * 5)(3, 1, 5, 2, 4)
    libc = ctypes.CDLL(None)
    libc.qsort(numbers, 5, ctypes.sizeof(ctypes.c_int), compare_type(compare_pointers))
    assert list(numbers) == [1, 2, 3, 4, 5]
    CALLBACK(compare)(1, 2)


def compare_pointers(a, b):
    return compare(a[0], b[0])


class Finalized:
    def __init__(self):
        self.itself = self

    def __del__(self):
        leaf()


class Failing:
    def __del__(self):
        leaf()
        raise ValueError("ignored")


def on_death(reference):
    leaf()


def case_finalizers():
    for _ in range(5):
        Finalized()
    gc.collect()
    simple = Runner()
    reference = weakref.ref(simple, on_death)
    weakref.finalize(simple, leaf, 3)
    del simple
    gc.collect()
    del reference


def case_gc_callbacks():
    def on_gc(phase, info):
        leaf()

    gc.callbacks.append(on_gc)
    gc.collect()
    gc.callbacks.remove(on_gc)


class Pickled:
    def __init__(self, n=1):
        self.n = n

    def __reduce__(self):
        leaf()
        return Pickled, (self.n,)


class Stateful:
    def __getstate__(self):
        leaf()
        return {"n": 1}

    def __setstate__(self, state):
        leaf()


def case_pickle():
    pickle.loads(pickle.dumps([Pickled(2), Stateful()]))


@functools.lru_cache(maxsize=None)
def cached(n):
    return leaf(n)


class Lazy:
    def __init__(self):
        self._value = None

    def value(self):
        return leaf()

    value = property(value)

    def __format__(self, spec):
        return str(leaf())

    def __str__(self):
        return str(leaf())

    def __repr__(self):
        return str(leaf())

    def __index__(self):
        return leaf()

    def __lt__(self, other):
        return bool(leaf())

    def __iter__(self):
        return self

    def __next__(self):
        leaf()
        raise StopIteration


def case_caches_and_slots():
    for i in range(3):
        cached(i % 2)
    lazy = Lazy()
    lazy.value
    f"{lazy} {lazy!r} {lazy!s}"
    [1, 2, 3][lazy]
    sorted([lazy, Lazy()])
    list(lazy)
    print(lazy, file=Sink())
    hash(lazy)
    isinstance(lazy, Lazy)
    operator.attrgetter("value")(lazy)


class Sink:
    def write(self, text):
        return leaf()


CASES = [value for name, value in list(globals().items()) if name.startswith("case_")]


def main():
    gc.disable()
    for case in CASES:
        case()
    gc.collect()


if __name__ == "__main__":
    main()
