"""A program's own hooks before, inside and after a stretch that is recorded."""

import sys
import threading

import kymo

seen = []


def own(frame, event, argument):
    if frame.f_code.co_filename == __file__:
        seen.append((event, frame.f_code.co_name))
    return own


def leaf():
    return 1


def enter_and_leave(getter, setter):
    setter(own)
    with kymo.profile():
        leaf()
        assert getter() is own
    assert getter() is own
    leaf()
    setter(None)


def set_inside(getter, setter):
    with kymo.profile():
        leaf()
        setter(own)
        leaf()
    assert getter() is own
    leaf()
    setter(None)
    assert getter() is None


def in_another_thread(setter):
    """A thread with a hook of its own, and one without, run while recording starts."""
    ready, go, done = threading.Semaphore(0), threading.Event(), []

    def wait(function):
        setter(function)
        ready.release()
        go.wait()
        in_thread()
        done.append(1)

    threads = [threading.Thread(target=wait, args=(each,)) for each in (own, None)]
    for thread in threads:
        thread.start()
        ready.acquire()
    with kymo.profile():
        go.set()
        for thread in threads:
            thread.join()
    assert done == [1, 1]


def in_thread():
    return leaf()


def future_threads(setter, name):
    setter(own)
    with kymo.profile():
        assert getattr(threading, name) is own
        thread = threading.Thread(target=in_thread)
        thread.start()
        thread.join()
    assert getattr(threading, name) is own
    setter(None)


def nothing_left():
    with kymo.profile():
        leaf()
    assert sys.getprofile() is None
    assert sys.gettrace() is None
    assert threading._profile_hook is None
    assert threading._trace_hook is None


for getter, setter in ((sys.getprofile, sys.setprofile), (sys.gettrace, sys.settrace)):
    enter_and_leave(getter, setter)
    set_inside(getter, setter)
    in_another_thread(setter)
future_threads(threading.setprofile, "_profile_hook")
future_threads(threading.settrace, "_trace_hook")
nothing_left()
print(sum(name == "leaf" and event == "call" for event, name in seen))
print(sum(name == "in_thread" and event == "call" for event, name in seen))
