#!/usr/bin/env python3
"""Check what the built libraries show and need: `check_exports.py BUILD`.

libkymo.so lives in other people's processes: it may define nothing there but its own
names and may bring nothing along but libc.  The preloaded collectors define functions of
the C library, which they wrap, and nothing else.  Prints one line for each fault and
exits with 1 when there is any.
"""

import ctypes
import re
import subprocess
import sys
from pathlib import Path

# The dynamic loader is listed where thread-locals are used; it is there anyway.
ALWAYS_THERE = re.compile(r"^(libc\.so\.6|libc\.musl-.*|ld-linux.*|ld-musl.*)$")


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def exported(path):
    """Names a library defines for others."""
    lines = output_of("nm", "-D", "--defined-only", str(path)).splitlines()
    # Absolute ones are names of versions.
    return [line.split()[-1].split("@")[0] for line in lines if line.split()[-2] != "A"]


def needed(path):
    """Libraries the loader brings along with it."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-dW", str(path)))


def check(path, names, libraries):
    for name in exported(path):
        if not re.match(names, name):
            yield f"{path.name} exports '{name}'"
    for library in needed(path):
        if not ALWAYS_THERE.match(library) and library not in libraries:
            yield f"{path.name} needs {library}"


# What sanitizers and debuggers look for in a program, and `kymo attach` in one it has let the
# library into.
ASKED_FOR = re.compile(
    r"__asan_default_options$|__tsan_default_suppressions$|kymo_funcpatch_"
    r"|__jit_debug_(descriptor|register_code)$"
)


def check_wrappers(path):
    """A preloaded collector shows what libc has, too, and nothing of its own."""
    libc = ctypes.CDLL(None)
    for name in exported(path):
        if not ASKED_FOR.match(name) and not hasattr(libc, name):
            yield f"{path.name} exports '{name}', which the C library does not have"
    yield from check(path, "", ("libkymo.so",))


def main():
    build = Path(sys.argv[1])
    modules = sorted((build / "python" / "kymo").glob("_native.*.so"))
    found = list(check(build / "lib" / "libkymo.so", r"kymo_|ticks_read_fallback$", ()))
    for collector in sorted((build / "lib").glob("libkymo-*.so")):
        found += check_wrappers(collector)
    for module in modules:
        found += check(module, r"PyInit__native$", ("libkymo.so",))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
