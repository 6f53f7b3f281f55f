"""Prints its own native and Python frames in one stack, in three situations, as JSON.

`pystack_merge.py LIBRARY`: {situation: {"certain": ..., "end": ..., "frames": [...]}}, each
frame "py:name" or the name of the exported native function, "?" without one.
"""

import ctypes
import functools
import json
import sys

library = ctypes.PyDLL(sys.argv[1])
assert library.ps_find()
CALLBACK = ctypes.PYFUNCTYPE(ctypes.c_int)
results = {}


class Symbol(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p)]
    _fields_ += [("name", ctypes.c_char_p), ("address", ctypes.c_void_p)]


def native_name(address):
    symbol = Symbol()
    ctypes.CDLL(None).dladdr(ctypes.c_void_p(address), ctypes.byref(symbol))
    return (symbol.name or b"?").decode()


def look(situation):
    words = (ctypes.c_uint64 * 5000)()
    count, frame, names = library.ps_merged(words), sys._getframe(), {}
    while frame:
        names[id(frame.f_code)] = frame.f_code.co_name
        frame = frame.f_back
    pairs = [(words[2 + 2 * i], words[3 + 2 * i]) for i in range(count)]
    frames = ["py:" + names[at] if is_python else native_name(at) for is_python, at in pairs]
    results[situation] = {"certain": words[0], "end": words[1], "frames": frames}
    return 0


def called_back():
    return look("callback")


def caller():
    return library.ps_call(CALLBACK(called_back))


def generator():
    yield look("generator")


def consumer():
    return list(generator())


def sorting():
    return sorted([1, 2], key=functools.partial(keyed))


def keyed(value):
    return look("key")


def main():
    caller()
    consumer()
    sorting()
    print(json.dumps(results))


main()
