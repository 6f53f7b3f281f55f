"""Samples itself in known lines; prints how many samples fell where, as JSON.

`pystack_lines.py LIBRARY`: {"hot": {line: samples}, "callers": {line: samples}, and the
lines that are right}.
"""

import ctypes
import dis
import json
import sys
import time


def spin(end):
    while time.monotonic() < end: sum(range(30)), [1] * 3, str(end)  # fmt: skip # noqa: E701


def caller(end):
    before = end + 1
    spin(end)
    return before


def line_of(code, offset):
    if hasattr(code, "co_lines"):
        return next((line for a, b, line in code.co_lines() if a <= offset < b), None)
    line = code.co_firstlineno
    for start, number in dis.findlinestarts(code):
        line = number if start <= offset else line
    return line


def main():
    library = ctypes.PyDLL(sys.argv[1])
    assert library.ps_find()
    library.ps_samples.restype = ctypes.POINTER(ctypes.c_uint64)
    library.ps_used.restype = ctypes.c_uint64
    library.ps_start(200)
    caller(time.monotonic() + 0.4)
    library.ps_stop()
    hot, callers, at = {}, {}, 0
    words = library.ps_samples()
    while at < library.ps_used():
        frames = [(words[at + 3 + 4 * i], words[at + 4 + 4 * i]) for i in range(words[at + 2])]
        at += 3 + 4 * len(frames)
        for (code, offset), (above, call) in zip(frames, frames[1:]):
            if code == id(spin.__code__):
                line = line_of(spin.__code__, offset)
                hot[line] = hot.get(line, 0) + 1
                assert above == id(caller.__code__)
                line = line_of(caller.__code__, call)
                callers[line] = callers.get(line, 0) + 1
    right = [spin.__code__.co_firstlineno + 1, caller.__code__.co_firstlineno + 2]
    print(json.dumps({"hot": hot, "callers": callers, "right": right}))


main()
