"""Steps through calls from C back to Python: `pystack_steps.py LIBRARY [greenlet]` prints how
many steps had which outcome, and some of those that were not right, as JSON."""

import ctypes
import json
import sys

library = ctypes.CDLL(sys.argv[1])
holding = ctypes.PyDLL(sys.argv[1])
library.ps_steps_fault.restype = ctypes.c_char_p
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int)
OUTCOMES = ["right", "wrong", "doubtful", "lost", "torn", "foreign"]


def other(count):
    return count + 1


def produce():
    yield 1
    yield 2


def innermost():
    total = other(1)
    for each in produce():
        total = other(each)
    return sum(map(other, [total]))


def middle():
    return library.ps_call(inner_pointer) + other(1)


def outermost():
    return library.ps_call(middle_pointer) + other(1)


def steps():
    holding.ps_steps_begin()
    outermost()
    holding.ps_steps_end()


def main():
    functions = [outermost, middle, innermost]
    codes = (ctypes.c_uint64 * len(functions))(*(id(each.__code__) for each in functions))
    outermost()  # what is done once is done
    assert holding.ps_steps_prepare(codes, ctypes.c_size_t(len(functions)))
    if "greenlet" in sys.argv:
        import greenlet

        greenlet.greenlet(steps).switch()
    else:
        steps()
    told = {name: library.ps_steps_count(i) for i, name in enumerate(OUTCOMES)}
    found = [library.ps_steps_fault(ctypes.c_size_t(i)) for i in range(8)]
    told["faults"] = [text.decode() for text in found if text]
    print(json.dumps(told))


inner_pointer, middle_pointer = CALLBACK(innermost), CALLBACK(middle)
main()
