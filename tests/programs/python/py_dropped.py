"""Generators and coroutines that nobody finishes: the interpreter does, when they die."""

import gc


def leaf():
    return 1


def plain():
    yield 1
    yield 2


def careful():
    try:
        yield 1
        yield 2
    finally:
        leaf()


def catching():
    try:
        yield 1
    except GeneratorExit:
        leaf()


class Step:
    def __await__(self):
        yield 1


async def waiting():
    try:
        await Step()
    finally:
        leaf()


def drop_unstarted():
    for _ in range(10):
        plain()


def drop_started():
    for _ in range(10):
        next(plain())


def drop_careful():
    for _ in range(10):
        next(careful())


def drop_catching():
    for _ in range(10):
        next(catching())


def drop_in_cycle():
    for _ in range(10):
        generator = careful()
        cycle = [generator]
        cycle.append(cycle)
        next(generator)
    del generator, cycle
    gc.collect()


def drop_coroutine():
    for _ in range(10):
        waiting().send(None)


def main():
    gc.disable()
    drop_unstarted()
    drop_started()
    drop_careful()
    drop_catching()
    drop_in_cycle()
    drop_coroutine()


main()
