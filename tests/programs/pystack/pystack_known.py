"""Waits in a known stack, for an observer outside.

`pystack_known.py LIBRARY` prints where to look (the addresses of ps_addresses() and the
thread state) and waits for the end of its input.
"""

import ctypes
import sys

library = ctypes.PyDLL(sys.argv[1])
library.ps_thread.restype = ctypes.c_uint64


def waits_here():
    sys.stdin.read()


def calls_it():
    waits_here()


class Wächter:
    def ruft(self):
        yield calls_it()


def main():
    assert library.ps_find()
    words = (ctypes.c_uint64 * 5)()
    library.ps_addresses(words)
    print(*words, library.ps_thread(), flush=True)
    list(Wächter().ruft())


main()
