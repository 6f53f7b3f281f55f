"""Recording begun and ended in odd places: nested, deep inside a stack, in two threads."""

import threading

import kymo
from kymo.user import start_thread_trace, stop_thread_trace


def leaf():
    return 1


def deep(n, action):
    leaf()
    if n == 0:
        action()
    else:
        deep(n - 1, action)
    leaf()


def nested_starts():
    kymo.start()
    leaf()
    kymo.start()
    leaf()
    kymo.stop()
    leaf()
    kymo.stop()
    leaf()  # not recorded
    kymo.stop()  # one too many
    leaf()


def start_deep():
    """Begun at depth 4 and ended outside: only what is entered in between counts."""
    deep(3, kymo.start)
    after_start()
    kymo.stop()


def after_start():
    leaf()


def stop_deep():
    """Begun outside and ended at depth 4: what is open then is closed."""
    kymo.start()
    deep(3, kymo.stop)
    leaf()  # not recorded


def again():
    """As the two before, many times: what is left over from one is not another's."""
    for _ in range(50):
        deep(1, kymo.start)
        leaf()
        deep(1, kymo.stop)


def restart_deep():
    kymo.start()
    deep(2, lambda: (kymo.stop(), kymo.start()))
    after_restart()
    kymo.stop()


def after_restart():
    leaf()


def exception_through_scopes():
    try:
        with kymo.profile():
            with kymo.profile():
                fail()
    except ValueError:
        leaf()  # not recorded


def fail():
    raise ValueError


@kymo.profile()
def decorated(n):
    return decorated(n - 1) if n else leaf()


@kymo.profile()
def generator(n):
    for _ in range(n):
        yield leaf()


def generator_scope():
    """Only its own steps are recorded, not what its caller does in between."""
    for _ in generator(3):
        leaf()


@kymo.noprofile()
def silent(n):
    leaf()
    return silent(n - 1) if n else 0


def paused_calls():
    with kymo.profile():
        leaf()
        silent(2)
        leaf()


def pause_inside():
    stop_thread_trace()
    leaf()
    return 1


def resume_inside():
    leaf()
    start_thread_trace()
    return leaf()


def recursive_pause(n):
    """Entered twice before the pause and twice during it."""
    if n == 2:
        stop_thread_trace()
    if n:
        recursive_pause(n - 1)
    leaf()
    if n == 2:
        start_thread_trace()
        after_pause()


def after_pause():
    leaf()


def pauses_across_calls():
    with kymo.profile():
        pause_inside()
        resume_inside()
        after_pause()
        recursive_pause(3)
        after_pause()


def wait_in_scope(mine, other, function):
    with kymo.profile():
        mine.set()
        other.wait()
        function()


def in_first():
    leaf()


def in_second():
    leaf()


def two_threads():
    """Two scopes at the same time in two threads: both see what both do."""
    one, two = threading.Event(), threading.Event()
    arguments = ((one, two, in_first), (two, one, in_second))
    threads = [threading.Thread(target=wait_in_scope, args=each) for each in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def regions():
    with kymo.profile():
        with kymo.region("outer"):
            leaf()
            stop_thread_trace()
            inner = kymo.region("inner")  # begun in a pause: not recorded
            inner.start()
            start_thread_trace()
            leaf()
            inner.stop()
        with kymo.region("paused at its end"):
            stop_thread_trace()
        start_thread_trace()
        leaf()
    with kymo.region("without calls"):
        leaf()  # not recorded, but the region is


for scope in (
    nested_starts,
    start_deep,
    stop_deep,
    again,
    restart_deep,
    exception_through_scopes,
    generator_scope,
    paused_calls,
    pauses_across_calls,
    two_threads,
    regions,
):
    with kymo.region(scope.__name__):
        scope()
decorated(2)
print("done")
