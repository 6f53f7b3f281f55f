"""Ways for a process to end: endings.py KIND."""

import atexit
import os
import signal
import sys
import threading
import time


def leaf():
    pass


def work():
    for _ in range(100):
        leaf()


def returns():
    pass


def exits():
    sys.exit(5)


def exits_with_text():
    sys.exit("a last word")


def leaves():
    os._exit(6)


def raises():
    raise ValueError("uncaught")


class Raiser:
    def __call__(self):
        raise ValueError("uncaught")

    def __repr__(self):  # the interpreter prints it: no address, so that runs compare
        return "raiser"


def raises_at_exit():
    atexit.register(Raiser())


def exits_in_thread():
    thread = threading.Thread(target=sys.exit, args=(3,))
    thread.start()
    thread.join()


def daemon_thread():
    started = threading.Event()

    def spin():
        while True:
            leaf()
            started.set()

    threading.Thread(target=spin, daemon=True).start()
    started.wait()


def daemon_sleeps():
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


def thread_outlives_main():
    threading.Thread(target=lambda: (time.sleep(0.1), work())).start()


def aborts():
    os.abort()


def segfaults():
    os.kill(os.getpid(), signal.SIGSEGV)


def terminated():
    os.kill(os.getpid(), signal.SIGTERM)


def interrupted():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def del_at_shutdown():
    class Late:
        def __del__(self):
            leaf()

    globals()["late"] = Late()


if __name__ == "__main__":
    kind = globals()[sys.argv[1]]
    work()
    print("worked", flush=True)
    kind()
