"""Does what it is told, line by line, from inside of its functions, and says "ok"."""

import sys

import kymo


def leaf():
    pass


def work(count):
    for _ in range(count):
        leaf()


def numbers():
    while True:
        yield leaf()


def say():
    sys.stdout.write("ok\n")
    sys.stdout.flush()


def nested():
    obey()


def obey():
    """Says that it is there, and obeys until it is told to return."""
    generator = numbers()
    say()
    for line in iter(sys.stdin.readline, ""):
        command, _, rest = line.strip().partition(" ")
        if command == "return":
            return
        if command == "call":
            obey()
        elif command == "nest":
            nested()
        elif command == "inside":
            with kymo.region(rest):
                obey()
        elif command == "work":
            work(int(rest))
        elif command == "next":
            next(generator)
        elif command == "region":
            with kymo.region(rest):
                leaf()
        if command not in ("call", "nest", "inside"):
            say()


obey()
