"""Prints everything a program can find out about the functions that a profiler may want: those
that start threads and end processes, and every function of the modules that are loaded."""

import _thread
import inspect
import os
import pickle
import posix
import sys
import threading

NAMES = [
    (_thread, "start_new_thread"),
    (_thread, "start_new"),
    (_thread, "start_joinable_thread"),
    (threading, "_start_new_thread"),
    (threading, "_start_joinable_thread"),
    (os, "_exit"),
    (posix, "_exit"),
]


def describe(function):
    try:
        signature = str(inspect.signature(function))
    except ValueError:
        signature = "none"
    return (
        type(function),
        repr(function).split(" at 0x")[0],
        function.__module__,
        function.__qualname__,
        function.__doc__,
        signature,
        pickle.loads(pickle.dumps(function)) is function,
    )


def describe_module(module):
    """Names and kinds of what is in it; what differs from run to run is left out."""
    return sorted((name, type(value).__name__) for name, value in vars(module).items())


def refused(call, *arguments, **keywords):
    try:
        call(*arguments, **keywords)
    except Exception as error:
        print(type(error).__name__, error)


for module, name in NAMES:
    if hasattr(module, name):
        print(name, describe(getattr(module, name)))
print(os._exit is posix._exit)
for module in ("os", "posix", "_thread", "threading", "sys", "builtins", "gc", "atexit", "signal"):
    print(module, describe_module(__import__(module)))

seen = []
thread = threading.Thread(target=lambda: seen.append(threading.current_thread().name), name="one")
thread.start()
thread.join()
print(seen, [type(each).__name__ for each in threading.enumerate()])

refused(os._exit)
refused(os._exit, "x")
refused(os._exit, 1, 2)
refused(os._exit, other=1)
refused(os._exit, 2**70)
refused(_thread.start_new_thread)
refused(_thread.start_new_thread, 3, ())
refused(_thread.start_new_thread, print, 3)
sys.stdout.flush()
os._exit(status=300)
