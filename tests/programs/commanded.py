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


def nested(depth):
    obey(depth)


def obey(depth):
    generator = numbers()
    while True:
        line = sys.stdin.readline()
        command, _, rest = line.strip().partition(" ")
        if command == "work":
            work(int(rest))
        elif command == "next":
            next(generator)
        elif command == "call":
            sys.stdout.write("ok\n")
            sys.stdout.flush()
            obey(depth + 1)
        elif command == "nest":
            sys.stdout.write("ok\n")
            sys.stdout.flush()
            nested(depth + 1)
        elif command == "region":
            with kymo.region(rest):
                leaf()
        elif command == "inside":
            sys.stdout.write("ok\n")
            sys.stdout.flush()
            with kymo.region(rest):
                obey(depth + 1)
        elif not line or command == "return":
            return
        sys.stdout.write("ok\n")
        sys.stdout.flush()


obey(0)
