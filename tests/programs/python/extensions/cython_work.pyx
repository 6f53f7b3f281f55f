# cython: language_level=3
"""Functions of each kind that Cython makes, on the way to a callback; see cython_work.py."""


cdef class Wheel:
    cdef object callback

    def __cinit__(self, callback):
        self.callback = callback

    cdef object run(self):
        value = self.callback()  # line of run
        return value

    def turn(self):
        return self.run()  # line of turn


cdef object pass_on(callback):
    wheel = Wheel(callback)
    return wheel.turn()  # line of pass_on


def spin(callback, int count=1):
    total = count
    total += pass_on(callback)  # line of spin
    return total


def outer(callback):
    def inner():
        return spin(callback)  # line of inner

    return inner()  # line of outer
