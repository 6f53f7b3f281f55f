"""Python's and C's regions in one another; the library annotate_plugin.c is the argument."""

import ctypes
import sys

import kymo

library = ctypes.CDLL(sys.argv[1])


def python_function():
    with kymo.region("shared"):
        return library.plugin_run()


with kymo.region("outer"):
    results = [python_function() for _ in range(3)]
    library.plugin_leaves_open()
try:
    kymo.user.pop_region("never begun")
except RuntimeError as error:
    print(error)
print(results)
