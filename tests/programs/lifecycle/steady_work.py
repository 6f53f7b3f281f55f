"""Enough calls and regions to make the recording grow, between two files of its own.

The first line on stdout and the exit status tell whether the program itself was disturbed."""

import os
import sys
import threading


def leaf(n):
    return n + 1


def work(rounds):
    total = 0
    for i in range(rounds):
        total = leaf(total)
    return total


def make_paths(count):
    """As many regions and call paths as make the tables grow."""
    source = "\n".join(f"def made_{i}(): pass" for i in range(count))
    namespace = {}
    exec(compile(source, "<made>", "exec"), namespace)
    for i in range(count):
        namespace[f"made_{i}"]()


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60000
    threads = [threading.Thread(target=work, args=(rounds,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    total = work(rounds)
    make_paths(3000)
    for thread in threads:
        thread.join()
    with open("own-file", "w") as file:
        file.write("x" * 100)
    print("total", total, os.path.getsize("own-file"))
    sys.stderr.write("to stderr\n")
    sys.exit(5)


main()
