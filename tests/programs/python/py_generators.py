"""Generators: advanced, sent to, thrown into, closed, delegated to, left unfinished."""

import contextlib
import gc


def leaf(n=0):
    return n + 1


def count(n):
    for i in range(n):
        leaf(i)
        yield i


def case_finished():
    list(count(10))
    sum(count(3))
    for _ in count(0):
        pass


def case_never_started():
    generators = [count(5) for _ in range(4)]
    for each in generators:
        each.close()


def case_never_finished():
    first, second = count(9), count(9)
    next(first)
    next(second)
    next(first)
    first.close()
    next(second)
    second.close()


def echo():
    received = None
    while True:
        received = yield leaf(received or 0)
        if received == 7:
            return "seven"


def case_send():
    generator = echo()
    next(generator)
    for i in range(5):
        generator.send(i)
    try:
        generator.send(7)
    except StopIteration as stop:
        assert stop.value == "seven"
    try:
        next(generator)  # exhausted: its frame is not entered
    except StopIteration:
        leaf()


def stubborn():
    while True:
        try:
            yield leaf()
        except ValueError:
            leaf()


def fragile():
    try:
        yield 1
        yield 2
    finally:
        leaf()


def case_throw():
    generator = stubborn()
    next(generator)
    generator.throw(ValueError)
    generator.throw(ValueError("again"))
    try:
        generator.throw(KeyError)
    except KeyError:
        leaf()
    early = fragile()
    try:
        early.throw(KeyError)
    except KeyError:
        leaf()
    late = fragile()
    next(late)
    try:
        late.throw(KeyError("late"))
    except KeyError:
        leaf()


def case_close():
    generator = fragile()
    next(generator)
    generator.close()
    generator.close()
    finished = count(1)
    list(finished)
    finished.close()
    generator = stubborn()
    next(generator)
    generator.close()


def delegate(depth, n):
    if depth == 0:
        result = yield from count(n)
    else:
        result = yield from delegate(depth - 1, n)
    leaf(depth)
    return result


def delegate_to_echo():
    result = yield from echo()
    leaf()
    return result


def delegate_to_list():
    yield from [1, 2, 3]
    leaf()


def case_yield_from():
    list(delegate(4, 6))
    list(delegate_to_list())
    generator = delegate_to_echo()
    next(generator)
    generator.send(1)
    try:
        generator.send(7)
    except StopIteration:
        leaf()


def delegate_to_stubborn():
    yield from stubborn()


def case_throw_through_yield_from():
    generator = delegate_to_stubborn()
    next(generator)
    generator.throw(ValueError)
    try:
        generator.throw(KeyError)
    except KeyError:
        leaf()


def delegate_to_fragile():
    yield from fragile()


def case_close_through_yield_from():
    generator = delegate_to_fragile()
    next(generator)
    generator.close()


def fail_after(n):
    yield from count(n)
    raise ValueError("end")


def case_raising():
    try:
        list(fail_after(3))
    except ValueError:
        leaf()
    try:
        list(delegate_and_fail())
    except ZeroDivisionError:
        leaf()


def delegate_and_fail():
    yield from count(2)
    yield 1 / 0


def case_expressions():
    sum(leaf(i) for i in range(6))
    list(leaf(i) for i in count(4))
    any(leaf(i) > 3 for i in range(10))
    max((leaf(i) for i in range(3)), key=lambda value: leaf(value))


def tree(depth):
    if depth:
        yield from tree(depth - 1)
        yield depth
        yield from tree(depth - 1)


def case_recursive():
    assert sum(1 for _ in tree(5)) == 31


def case_interleaved():
    generators = [count(i + 2) for i in range(5)]
    while generators:
        generators = [each for each in generators if next(each, None) is not None]


@contextlib.contextmanager
def scope():
    leaf()
    try:
        yield
    except ValueError:
        leaf()
    finally:
        leaf()


def case_context_managers():
    with scope():
        leaf()
    with scope():
        raise ValueError
    try:
        with scope():
            raise KeyError
    except KeyError:
        leaf()


def consume_in_call(generator):
    return next(generator)


def case_moved_between_callers():
    generator = count(6)
    next(generator)
    consume_in_call(generator)
    for _ in generator:
        break
    consume_in_call(generator)
    list(generator)


def unpack(a, b, c):
    return leaf(a)


def case_unpacked():
    unpack(*count(3))
    a, *b = count(4)
    dict(enumerate(count(2)))
    for _ in zip(count(3), count(5)):
        pass


class Chain:
    def __iter__(self):
        yield leaf()
        yield from count(2)


def case_iter_methods():
    list(Chain())
    first, *_ = Chain()
    2 in Chain()


CASES = [value for name, value in list(globals().items()) if name.startswith("case_")]


def main():
    gc.disable()
    for case in CASES:
        case()
    gc.collect()


if __name__ == "__main__":
    main()
