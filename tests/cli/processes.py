"""Two threads, and a forked child that is recorded as well."""

import os
import threading


def step():
    return sum(range(100))


def worker():
    for _ in range(3):
        step()


def child():
    step()


def main():
    threads = [threading.Thread(target=worker) for _ in range(2)]
    for thread in threads:
        thread.start()
        thread.join()
    pid = os.fork()
    if pid == 0:
        child()
        return
    assert os.waitpid(pid, 0)[1] == 0


main()
