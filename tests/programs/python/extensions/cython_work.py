"""Waits for its standard input to end, called by functions of a Cython module.

The first word is the folder of the module cython_work_module, made of cython_work.pyx.
"""

import sys

sys.path.insert(0, sys.argv[1])

import cython_work_module


def wait():
    print("ready", flush=True)
    sys.stdin.read()
    return 1


assert cython_work_module.outer(wait) == 2
