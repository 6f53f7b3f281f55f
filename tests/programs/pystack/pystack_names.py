"""Compares what is read of code objects, and of the GIL, with what Python says of them.

`pystack_names.py LIBRARY`: prints the number of code objects compared, the faults, and what
was found of the GIL, as JSON.
"""

import ctypes
import gc
import json
import sys
import threading
import time
import types

library = ctypes.PyDLL(sys.argv[1])
released = ctypes.CDLL(sys.argv[1])
assert library.ps_find()
library.ps_code.argtypes = [ctypes.c_uint64]
library.ps_code_lines.restype = ctypes.c_void_p
library.ps_thread.restype = ctypes.c_uint64
for name in ("name", "qualname", "filename"):
    getattr(library, f"ps_code_{name}").restype = ctypes.c_char_p
MAX = 1023  # bytes of a text


def cut(text):
    """UTF-8 as it should be cut: between characters."""
    raw = text.replace("\0", "\ufffd").encode("utf-8", "surrogatepass")
    end = min(len(raw), MAX)
    while end < len(raw) and raw[end] & 0xC0 == 0x80:
        end -= 1
    return raw[:end]


def own_codes():
    """Functions whose names are of each kind a text can have."""
    names = ["naïve", "имя", "𝒻𝓃", "x" * 3000, "é" * 800, "я" * 700, "𝒻" * 500, "a" + "é" * 800]
    for text in names:
        scope = {}
        source = "\n" * 70000 + "class Ä:\n    def NAME(self):\n        yield 1\n"
        exec(compile(source.replace("NAME", text), f"/täst/{text}.py", "exec"), scope)
        yield next(iter(value for value in vars(scope["Ä"]).values() if callable(value))).__code__
    code = own_codes.__code__
    if hasattr(code, "replace"):
        yield code.replace(co_name="lone \udc80 surrogate", co_filename="\ud800")
        yield code.replace(co_name="", co_filename="with\0NUL")


def all_codes():
    stack = [value.__code__ for value in gc.get_objects() if isinstance(value, types.FunctionType)]
    stack += list(own_codes())
    seen = {}
    while stack:
        code = stack.pop()
        if isinstance(code, types.CodeType) and id(code) not in seen:
            seen[id(code)] = code
            stack += code.co_consts
    return seen.values()


def compare(code):
    if not library.ps_code(id(code)):
        return f"{code!r}: not read"
    lines = code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab
    found = [library.ps_code_name(), library.ps_code_filename()]
    wanted = [cut(code.co_name), cut(code.co_filename)]
    found += [library.ps_code_first_line(), library.ps_code_flags()]
    wanted += [code.co_firstlineno, code.co_flags]
    if len(lines) <= 65536:
        found.append(ctypes.string_at(library.ps_code_lines(), library.ps_code_lines_size()))
        wanted.append(lines)
    found.append(library.ps_code_qualname())
    wanted.append(cut(getattr(code, "co_qualname", "")))
    return None if found == wanted else f"{code!r}: {found} {wanted}"[:1000]


def gil():
    """What is told of the GIL by a thread that has it, and of one that waits for it."""
    words = (ctypes.c_uint64 * 5)()
    assert library.ps_gil(words)
    address, size, condition, switching, holder = words
    told = {"holds": holder == library.ps_thread()}
    told["inside"] = address < condition < switching < address + size
    assert released.ps_gil(words)
    told["released"] = words[4] != library.ps_thread()
    tids, end = [], threading.Event()

    def spin():
        with open("/proc/thread-self/stat") as file:
            tids.append(file.read().split()[0])
        while not end.is_set():
            pass

    threads = [threading.Thread(target=spin) for _ in range(3)]
    for thread in threads:
        thread.start()
    told["waits"] = waits_seen(tids, condition)
    end.set()
    for thread in threads:
        thread.join()
    return told


def waits_seen(tids, condition):
    """True when a thread was seen that waits for the GIL: in a futex of its condition."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for tid in list(tids):
            with open(f"/proc/self/task/{tid}/syscall") as file:
                words = file.read().split()
            if words[0] == "202" and condition <= int(words[1], 16) < condition + 48:
                return True
    return False


def main():
    codes = all_codes()
    faults = [fault for fault in map(compare, codes) if fault]
    not_codes = [id(value) for value in (main, "text", 1, [], library)]
    read = [value for value in (*not_codes, 8, 4096, 2**63, 12345) if library.ps_code(value)]
    print(json.dumps({"count": len(codes), "faults": faults[:5], "read": read, "gil": gil()}))


main()
