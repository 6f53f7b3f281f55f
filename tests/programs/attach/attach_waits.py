"""Threads that wait for what is no object of Python's.  A word says for what:

  mutexes  "first" and "second" have a mutex of the C library each and wait for the other's; "asker"
           waits for that of "first", whose address is printed
  gil      "asker" waits for the GIL, which the main thread has while it reads standard input

Ends when its standard input does.
"""

import ctypes
import os
import sys
import threading
import time

Mutex = ctypes.c_uint64 * 8  # all zero: a mutex that nobody has


def take(mutex):
    ctypes.CDLL(None).pthread_mutex_lock(ctypes.byref(mutex))


def hold_and_take(own, other, barrier):
    take(own)
    barrier.wait()
    take(other)  # of both


def mutexes():
    a, b, barrier = Mutex(), Mutex(), threading.Barrier(3)
    for name, arguments in (("first", (a, b, barrier)), ("second", (b, a, barrier))):
        threading.Thread(target=hold_and_take, args=arguments, name=name, daemon=True).start()
    barrier.wait()
    threading.Thread(target=take, args=(a,), name="asker", daemon=True).start()
    print(f"ready\n{ctypes.addressof(a):#x}", flush=True)
    sys.stdin.read()


def ask():
    while True:
        time.sleep(0.001)


def gil():
    threading.Thread(target=ask, name="asker", daemon=True).start()
    read, byte = ctypes.PyDLL(None).read, ctypes.create_string_buffer(1)
    print("ready", flush=True)
    read(0, byte, 1)  # by the GIL's holder


{"mutexes": mutexes, "gil": gil}[sys.argv[1]]()
os._exit(7)
