"""Greenlets: several stacks on one thread."""

import threading

import greenlet


def leaf(n=0):
    return n + 1


def ping():
    for i in range(10):
        leaf(i)
        pong_greenlet.switch()


def pong():
    for i in range(10):
        nested(i % 3)
        ping_greenlet.switch()


def nested(depth):
    return leaf(depth) if depth == 0 else nested(depth - 1)


def case_ping_pong():
    global ping_greenlet, pong_greenlet
    ping_greenlet = greenlet.greenlet(ping)
    pong_greenlet = greenlet.greenlet(pong)
    ping_greenlet.switch()
    leaf()
    while not ping_greenlet.dead:
        ping_greenlet.switch()
    while not pong_greenlet.dead:
        pong_greenlet.switch()


def give_away(value):
    parent = greenlet.getcurrent().parent
    for i in range(value):
        parent.switch(leaf(i))
    return None


def case_many():
    greenlets = [greenlet.greenlet(give_away) for _ in range(20)]
    for i, each in enumerate(greenlets):
        each.switch(i % 4)
    while greenlets:
        greenlets = [each for each in greenlets if not each.dead]
        for each in greenlets:
            each.switch()


def fail(depth):
    if depth == 0:
        greenlet.getcurrent().parent.switch("suspended")
        raise ValueError("from a greenlet")
    fail(depth - 1)


def case_exceptions():
    failing = greenlet.greenlet(fail)
    failing.switch(3)
    try:
        failing.switch()
    except ValueError:
        leaf()
    thrown = greenlet.greenlet(fail)
    thrown.switch(2)
    try:
        thrown.throw(KeyError)
    except KeyError:
        leaf()
    killed = greenlet.greenlet(fail)
    killed.switch(2)
    killed.throw()
    unstarted = greenlet.greenlet(fail)
    unstarted.throw(greenlet.GreenletExit)


def inner():
    leaf()
    greenlet.getcurrent().parent.switch()
    leaf()


def outer():
    child = greenlet.greenlet(inner)
    child.switch()
    nested(2)
    child.switch()


def case_nested():
    greenlet.greenlet(outer).switch()


def numbers(n):
    for i in range(n):
        greenlet.getcurrent().parent.switch(leaf(i))
        yield i


def sum_up():
    return sum(numbers(4))


def case_switch_inside_generator():
    child = greenlet.greenlet(sum_up)
    while not child.dead:
        child.switch()


def in_thread():
    child = greenlet.greenlet(give_away)
    child.switch(3)
    while not child.dead:
        child.switch()


def case_in_threads():
    threads = [threading.Thread(target=in_thread, name=f"thread {i}") for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


CASES = [value for name, value in list(globals().items()) if name.startswith("case_")]


def main():
    for case in CASES:
        case()


if __name__ == "__main__":
    main()
