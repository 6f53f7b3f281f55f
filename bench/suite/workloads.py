"""What is measured: each workload is a function of a size and the Python calls it makes.

Runs inside every interpreter from 3.8 on, so it imports nothing."""


def fib(n):
    """Recursion: calls and little else."""
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def _count_fib(n):
    a, b = 1, 1
    for _ in range(n):
        a, b = b, a + b + 1
    return a


class Account:
    """Methods, attributes and small built-ins, as object-oriented programs have them."""

    def __init__(self, owner):
        self.owner = owner
        self.balance = 0
        self.history = []

    def deposit(self, amount):
        self.check(amount)
        self.balance += amount
        self.history.append(amount)
        return self

    def check(self, amount):
        if not isinstance(amount, int):
            raise TypeError(amount)
        return amount >= 0

    def total(self):
        return sum(self.history[-4:])


def methods(n):
    accounts = [Account(str(i)) for i in range(8)]
    for i in range(n):
        account = accounts[i & 7]
        account.deposit(i)
        if len(account.history) > 16:
            del account.history[:8]
        account.total()
    return accounts


def _numbers(n):
    for i in range(n):
        yield i


def _even(numbers):
    for number in numbers:
        if not number & 1:
            yield number


def generators(n):
    """Resumes of nested generators."""
    return sum(1 for _ in _even(_numbers(n)))


def builtins(n):
    """C functions only: untraced they must cost nothing."""
    items = []
    for i in range(n):
        items.append(i)
        if len(items) > 64:
            items.clear()
        abs(i)
        min(i, 3)
    return items


# name: (function, size, calls of recorded Python functions)
WORKLOADS = {
    "recursion": (fib, 22, _count_fib(22)),
    "methods": (methods, 15000, 3 * 15000 + 1 + 8),
    "generators": (generators, 30000, 30001 + 15001 + 1),
    "builtins": (builtins, 150000, 1),
}
