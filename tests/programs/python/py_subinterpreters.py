"""Interpreters beside the main one, which are not recorded."""

import sys

try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters

CODE = """
def not_recorded(n):
    return n if n < 2 else not_recorded(n - 1) + not_recorded(n - 2)

def numbers(n):
    for i in range(n):
        yield not_recorded(i)

assert not_recorded(6) == 8
assert sum(numbers(4)) == 4
"""


def recorded(n):
    return n if n < 2 else recorded(n - 1) + recorded(n - 2)


def run_others():
    made = [interpreters.create() for _ in range(3)]
    for each in made:
        for _ in range(2):
            recorded(3)
            result = interpreters.run_string(each, CODE)
            assert result is None, result
    for each in made:
        interpreters.destroy(each)


run_others()
recorded(3)
print("done")
