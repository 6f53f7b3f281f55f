"""Threads that run already when recording starts, and end in, or outlive, it."""

import threading

import kymo


def work(n):
    return n if n < 2 else work(n - 1) + work(n - 2)


def wait_then_work(ready, go, done):
    ready.release()
    go.wait()
    work(5)
    done.release()


def wait_and_outlive(ready, go, done):
    wait_then_work(ready, go, done)
    over.wait()
    work(5)  # not recorded any more


def start(function, name, count):
    for number in range(count):
        thread = threading.Thread(
            target=function, args=(ready, go, done), name=f"{name} {number}", daemon=True
        )
        thread.start()
        ready.acquire()
        threads.append(thread)


threads = []
ready, done = threading.Semaphore(0), threading.Semaphore(0)
go, over = threading.Event(), threading.Event()
start(wait_then_work, "ends", 3)
start(wait_and_outlive, "outlives", 3)
with kymo.profile():
    go.set()
    for _ in threads:
        done.acquire()
over.set()
for thread in threads:
    thread.join()
print("done")
