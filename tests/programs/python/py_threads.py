"""Threads: of threading and of _thread, named, nested, ended by exceptions and exits."""

import _thread
import builtins
import queue
import sys
import threading

# Where there is none, it is no function of Python either.
attach_oracle = getattr(builtins, "attach_oracle", int)


def leaf(n=0):
    return n + 1


def work(n):
    for i in range(n):
        leaf(i)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def run_all(threads):
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def case_named():
    run_all([threading.Thread(target=work, args=(i + 1,), name=f"worker {i}") for i in range(5)])


def case_busy_together():
    run_all([threading.Thread(target=fib, args=(12,), name=f"fib {i}") for i in range(4)])


class Derived(threading.Thread):
    def run(self):
        work(3)


def case_derived():
    thread = Derived(name="derived")
    thread.start()
    thread.join()


def start_another(depth):
    leaf()
    if depth:
        thread = threading.Thread(target=start_another, args=(depth - 1,), name=f"level {depth}")
        thread.start()
        thread.join()


def case_threads_of_threads():
    start_another(3)


def fail():
    leaf()
    raise ValueError("in a thread")


def leave():
    leaf()
    sys.exit(5)


def case_ended_by_exceptions():
    threading.excepthook = lambda args: None
    run_all(
        [threading.Thread(target=fail, name="fails"), threading.Thread(target=leave, name="exits")]
    )


def raw_work(n):
    work(n)


raw = lambda done, n: (attach_oracle(), raw_work(n), done.release())


def case_raw_threads():
    for n in range(3):
        done = _thread.allocate_lock()
        done.acquire()
        _thread.start_new_thread(raw, (done, n))
        done.acquire()


def consume(jobs, results):
    while True:
        job = jobs.get()
        if job is None:
            return
        results.append(leaf(job))


def case_queue():
    jobs, results = queue.Queue(), []
    thread = threading.Thread(target=consume, args=(jobs, results), name="consumer")
    thread.start()
    for i in range(10):
        jobs.put(i)
    jobs.put(None)
    thread.join()
    assert len(results) == 10


def numbers(n):
    for i in range(n):
        yield leaf(i)


def take(generator, count):
    for _ in range(count):
        next(generator)


def case_generator_moves_between_threads():
    generator = numbers(20)
    take(generator, 3)
    for i in range(3):
        run_all([threading.Thread(target=take, args=(generator, i + 1), name=f"taker {i}")])
    list(generator)


CASES = [value for name, value in list(globals().items()) if name.startswith("case_")]


def main():
    for case in CASES:
        case()


if __name__ == "__main__":
    main()
