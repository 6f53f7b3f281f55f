"""Frame evaluation shared with another tool: a library made of py_evaluator.c."""

import ctypes
import sys

import kymo

tool = ctypes.CDLL(sys.argv[1])
api = ctypes.pythonapi
get, set_ = api._PyInterpreterState_GetEvalFrameFunc, api._PyInterpreterState_SetEvalFrameFunc
get.restype = ctypes.c_void_p
get.argtypes = [ctypes.c_void_p]
set_.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
api.PyInterpreterState_Get.restype = ctypes.c_void_p
interpreter = api.PyInterpreterState_Get()
evaluate = ctypes.cast(tool.evaluate, ctypes.c_void_p).value
before = ctypes.c_void_p.in_dll(tool, "before")
count = ctypes.c_long.in_dll(tool, "count")


def install():
    before.value = get(interpreter)
    set_(interpreter, evaluate)


def remove():
    assert get(interpreter) == evaluate
    set_(interpreter, before.value)


def recorded(n):
    return n if n < 2 else recorded(n - 1) + recorded(n - 2)


def not_recorded(n):
    return n if n < 2 else not_recorded(n - 1) + not_recorded(n - 2)


own = get(interpreter)

# There before us: we call it.
install()
with kymo.profile():
    recorded(5)
assert count.value >= 15
assert get(interpreter) == evaluate
not_recorded(5)
remove()

# There after us, and left in place when we stop: it calls us.
kymo.start()
install()
recorded(5)
kymo.stop()
not_recorded(5)
kymo.start()
recorded(5)
kymo.stop()
not_recorded(5)
assert get(interpreter) == evaluate

# Gone while we rest: it puts us back, and we pass everything through.
remove()
not_recorded(5)
with kymo.profile():
    recorded(5)
assert get(interpreter) == own
not_recorded(5)
print("done")
