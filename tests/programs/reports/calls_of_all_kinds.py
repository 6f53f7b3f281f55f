"""Deterministic calls of every kind that function tables tell apart: recursion, mutual
recursion, generators, callbacks from C, exceptions, classes, built-ins."""


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def numbers(n):
    for i in range(n):
        yield i


def nested(n):
    if n:
        yield from nested(n - 1)
        yield n


class Shape:
    def __init__(self, size):
        self.size = size

    def area(self):
        return square(self.size)

    def key(self, value):
        return -value


def square(x):
    return abs(x) * abs(x)


def fail(depth):
    if depth == 0:
        raise ValueError("deep")
    fail(depth - 1)


def use_builtins():
    found = []
    for i in range(7):
        found.append(len(str(i)))
    found.sort()
    return isinstance(found, list)


def diamond_left():
    return square(3) + fib(4)


def diamond_right():
    return square(4) + fib(3)


def main():
    fib(10)
    is_even(9)
    sum(numbers(5))
    sum(nested(4))
    for size in (3, 1, 2):
        shape = Shape(size)
        shape.area()
    sorted((3, 1, 2), key=shape.key)
    try:
        fail(4)
    except ValueError:
        pass
    use_builtins()
    diamond_left()
    diamond_right()


if __name__ == "__main__":
    main()
