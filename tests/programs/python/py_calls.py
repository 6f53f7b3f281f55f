"""Calls of every kind that a Python function can be: recursion, exceptions, classes."""

import functools
import sys


def leaf(n=0):
    return n + 1


def nested(depth):
    return leaf(depth) if depth == 0 else nested(depth - 1) + leaf(depth)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def case_recursion():
    nested(20)
    fib(12)
    for _ in range(50):
        leaf()


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def case_mutual_recursion():
    is_even(11)
    is_odd(8)


def raise_at(depth, error):
    if depth == 0:
        raise error("bottom")
    return raise_at(depth - 1, error)


def swallow(depth, error):
    try:
        raise_at(depth, error)
    except error:
        return leaf()


def pass_on(depth):
    try:
        raise_at(depth, KeyError)
    except KeyError as problem:
        leaf()
        raise ValueError("other") from problem


def handle_in_the_middle(depth):
    if depth == 5:
        try:
            handle_in_the_middle(depth - 1)
        except ZeroDivisionError:
            return leaf()
    if depth == 0:
        1 / 0
    return handle_in_the_middle(depth - 1)


def case_exceptions():
    swallow(30, ValueError)
    swallow(0, KeyError)
    for depth in range(4):
        try:
            pass_on(depth)
        except ValueError:
            leaf()
    handle_in_the_middle(8)
    try:
        raise_at(3, KeyboardInterrupt)
    except BaseException:
        leaf()
    try:
        leaf(1, 2, 3)  # fails before the frame begins
    except TypeError:
        leaf()


def return_in_finally(depth):
    try:
        raise_at(depth, ValueError)
    finally:
        return leaf()


def clean_up():
    leaf()


def with_finally(depth, raises):
    try:
        if raises:
            raise_at(depth, ValueError)
        return leaf()
    finally:
        clean_up()


class Context:
    def __init__(self, swallows):
        self.swallows = swallows

    def __enter__(self):
        leaf()
        return self

    def __exit__(self, kind, error, traceback):
        clean_up()
        return self.swallows


def with_context(swallows, raises):
    with Context(swallows), Context(False):
        if raises:
            raise_at(2, ValueError)
        leaf()


def case_finally():
    return_in_finally(3)
    for raises in (False, True):
        try:
            with_finally(4, raises)
        except ValueError:
            leaf()
        for swallows in (False, True):
            try:
                with_context(swallows, raises)
            except ValueError:
                leaf()


def exit_at(depth):
    if depth == 0:
        sys.exit(3)
    try:
        exit_at(depth - 1)
    finally:
        leaf()


def case_system_exit():
    try:
        exit_at(6)
    except SystemExit:
        leaf()


def double(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        function(*args, **kwargs)
        return function(*args, **kwargs)

    return wrapper


@double
@double
def decorated(n):
    return leaf(n)


def make_adder(n):
    total = 0

    def add(k):
        nonlocal total
        total += k * n
        return total

    return add


def case_closures_and_decorators():
    decorated(1)
    one, two = make_adder(1), make_adder(2)
    for i in range(5):
        one(i)
        two(i)
    (lambda n: leaf(n))(1)
    functools.reduce(lambda a, b: leaf(a) + b, range(6))


class Descriptor:
    def __set_name__(self, owner, name):
        leaf()

    def __get__(self, instance, owner):
        return leaf()

    def __set__(self, instance, value):
        leaf(value)


class Meta(type):
    def __new__(mcs, name, bases, namespace, **options):
        leaf()
        return super().__new__(mcs, name, bases, namespace)

    def __init__(cls, name, bases, namespace, **options):
        super().__init__(name, bases, namespace)

    def __call__(cls, *args):
        leaf()
        return super().__call__(*args)

    @classmethod
    def __prepare__(mcs, name, bases, **options):
        leaf()
        return {}


class Simple:
    def __init__(self, value):
        self.value = leaf(value)


class Indexed:
    def __init__(self):
        self.items = {}

    def __getitem__(self, key):
        return leaf(key)

    def __setitem__(self, key, value):
        leaf(value)

    def __len__(self):
        return leaf()

    def __iter__(self):
        return iter([1, 2])

    def __contains__(self, key):
        return bool(leaf())

    def __getattr__(self, name):
        return leaf()

    def __call__(self, n):
        return leaf(n)

    def __eq__(self, other):
        return leaf() == 1

    def __hash__(self):
        return leaf()

    def __bool__(self):
        return leaf() > 0

    def __add__(self, other):
        return leaf(other)

    def __radd__(self, other):
        return leaf(other)


def make_class(n):
    class Local(metaclass=Meta, option=n):
        value = leaf(n)
        field = Descriptor()

        def __init__(self, k):
            self.field = k

        @property
        def squared(self):
            return leaf() ** 2

        @squared.setter
        def squared(self, value):
            leaf(value)

        @staticmethod
        def static(k):
            return leaf(k)

        @classmethod
        def create(cls, k):
            return cls(k)

        def method(self):
            return self.squared + self.field

    return Local


def case_classes():
    local = make_class(3)
    for k in range(40):
        item = local.create(k)
        item.squared = item.method()
        local.static(k)
    derived = type("Derived", (local,), {"method": lambda self: leaf()})
    derived(1).method()


def make_simple(count):
    for i in range(count):
        Simple(i)


def case_many_constructors():
    """Long enough for the interpreter to specialise the call of __init__."""
    make_simple(300)


def case_special_methods():
    indexed = Indexed()
    for i in range(60):
        indexed[i] = indexed[i + 1]
        i in indexed
        indexed.missing
        indexed(i)
    len(indexed)
    list(indexed)
    {indexed: 1}[indexed]
    indexed == indexed
    indexed + 1
    1 + indexed
    bool(indexed)


def case_comprehensions():
    [leaf(i) for i in range(5)]
    {leaf(i) for i in range(5)}
    {leaf(i): leaf(i) for i in range(5)}
    [[leaf(j) for j in range(i)] for i in range(4)]
    try:
        [leaf(1 // (2 - i)) for i in range(5)]
    except ZeroDivisionError:
        leaf()


def with_defaults(a, b=2, *rest, key=3, **named):
    return a


def case_argument_forms():
    with_defaults(1)
    with_defaults(1, 2, 3, 4, key=5, other=6)
    with_defaults(*[1, 2], **{"key": 3})
    functools.partial(with_defaults, 1, key=2)(3)
    Simple.__init__(Simple.__new__(Simple), 1)


CASES = [value for name, value in list(globals().items()) if name.startswith("case_")]


def main():
    for case in CASES:
        case()


if __name__ == "__main__":
    main()
