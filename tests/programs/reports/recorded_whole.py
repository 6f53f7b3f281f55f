"""A little of everything a recording holds: recursion, generators, exceptions, threads
with threads; with "daemon" one that is left running, with "fork" a forked child, with "kill"
an end by SIGKILL within calls."""

import os
import signal
import sys
import threading


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def numbers(n):
    for i in range(n):
        yield i


class Summer:
    def total(self):
        return sum(numbers(5))


def work():
    for _ in range(20):
        Summer().total()


def nest():
    inner = threading.Thread(target=work, name="inner")
    inner.start()
    inner.join()
    work()


def fail(n):
    if n == 0:
        raise ValueError
    fail(n - 1)


def fork():
    pid = os.fork()
    if pid == 0:
        fib(5)
        os._exit(0)
    os.waitpid(pid, 0)


def daemon():
    has_begun = threading.Event()

    def stay():
        has_begun.set()
        threading.Event().wait()

    threading.Thread(target=stay, name="daemon", daemon=True).start()
    has_begun.wait()


def kill():
    fib(3)
    os.kill(os.getpid(), signal.SIGKILL)


def main(end):
    threads = [threading.Thread(target=nest, name=f"outer {i}") for i in range(2)]
    for thread in threads:
        thread.start()
    fib(12)
    for thread in threads:
        thread.join()
    try:
        fail(3)
    except ValueError:
        pass
    if end == "fork":
        fork()
    elif end == "daemon":
        daemon()
    elif end == "kill":
        kill()


main(sys.argv[1])
