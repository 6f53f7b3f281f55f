def inner(n):
    return abs(n)


def outer(n):
    return inner(n) + inner(n + 1)


def call(function, n):
    inner(n)
    return function(n)
