"""For tests/e2e/python/test_python_lines.py: the lines of every instruction of many code objects, as
this interpreter knows them, against python_line() of the library that is named.

Prints the number of instructions compared, or the first that differ.  Kept to the syntax of
Python 3.8.
"""

import argparse
import ast
import asyncio.base_events
import ctypes
import dis
import inspect
import json.decoder
import sys
import types
import typing

MODULES = (argparse, ast, asyncio.base_events, dis, inspect, json.decoder, types, typing)


def far_apart(lines):
    """A function with gaps of many lines, and an expression that spans them backwards."""
    gap = "\n" * lines
    return f"def f(a):\n    x = 1{gap}\n    y = g({gap}\n a,{gap}\n  h(a){gap})\n    return (x{gap}\n + y)\n"


def many_calls(count):
    """One expression over many lines, and much code on one line."""
    chain = "".join(f"\n  .call({i},\n    {i} + b)" for i in range(count))
    return (
        f"def f(a, b):\n  return (a{chain})\ndef g(a):\n  return [{', '.join(['a + 1'] * count)}]\n"
    )


NASTY = (
    "",
    "pass",
    "def empty(): pass",
    "def documented():\n    'text'\n",
    far_apart(1),
    far_apart(126),
    far_apart(127),
    far_apart(128),
    far_apart(129),
    far_apart(255),
    far_apart(256),
    far_apart(3000),
    many_calls(3),
    many_calls(300),
    "@first(\n 1)\n@second\n\n\ndef f(\n   a,\n  b=g(\n1)):\n    return a\n",
    "x = [\n i\n for i in\n range(3)\n if i\n for j\n in i]\ny = {k:\n v for k,\n v in\n z}\n",
    "def g():\n    try:\n        yield 1\n    except (A,\n            B) as e:\n        raise\n"
    "    finally:\n        with a as b, \\\n          c as d:\n            del b\n",
    "async def h(a):\n    async with a as b:\n        async for c in b:\n            await c\n"
    "    return [d async for d in\n   a]\n",
    "class C(A,\n   metaclass=M):\n    a: int = 1\n    def m(self): return super().m(\n  1)\n",
    "while a:\n  if b:\n    continue\n  elif c: break\n  else:\n    d = lambda: (\n\n 1)\n",
    "def f():\n    for x in y:\n        if x:\n            return 1\n        else:\n            pass\n",
    "assert a, (\n'message'\n)\nf'''{a\n}{b:>{c}}\n'''\n",
    "a = b if c \\\n  else d\nfrom os import (path,\n   sep)\nglobal_ = 1; local = 2\n",
)


def codes_in(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_in(constant)


def all_codes():
    for module in MODULES:
        with open(module.__file__, encoding="utf-8") as source:
            yield from codes_in(compile(source.read(), module.__file__, "exec"))
    for text in NASTY:
        for optimize in (0, 2):
            yield from codes_in(compile(text, "nasty", "exec", optimize=optimize))
    # Another first line than the source's, as of functions that were moved.
    yield compile(far_apart(200), "moved", "exec").replace(co_firstlineno=70000)


def known_lines(code):
    """The line of each byte of the code, 0 for none."""
    size = len(code.co_code)
    lines = [0] * size
    if sys.version_info >= (3, 10):
        for start, end, line in code.co_lines():
            lines[start:end] = [line or 0] * (end - start)
        return lines[:size]
    starts = [(offset, line) for offset, line in dis.findlinestarts(code)]
    for (start, line), (end, _) in zip(starts, starts[1:] + [(size, 0)]):
        lines[start:end] = [line] * (end - start)
    return lines


def differences(code, library):
    table = code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab
    version = sys.version_info[0] << 8 | sys.version_info[1]
    for offset, line in enumerate(known_lines(code)):
        found = library.python_line(version, table, len(table), code.co_firstlineno, offset)
        if found != line:
            yield f"{code.co_filename}:{code.co_name} at {offset}: {found}, not {line}"


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.python_line.restype = ctypes.c_uint32
    library.python_line.argtypes = (
        ctypes.c_uint16,
        ctypes.c_char_p,
        ctypes.c_size_t,
        ctypes.c_uint32,
        ctypes.c_uint32,
    )
    codes = list(all_codes())
    wrong = [text for code in codes for text in differences(code, library)]
    if wrong:
        sys.exit("\n".join(wrong[:20]))
    print(len(codes), sum(len(code.co_code) for code in codes))


if __name__ == "__main__":
    main()
