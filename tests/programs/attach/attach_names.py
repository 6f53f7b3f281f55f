"""Threads of all kinds of names, for those who watch from outside.  Ends when its standard input
does."""

import sys
import threading

stopped = threading.Event()


class Named(threading.Thread):
    """An object with attributes of its own, named after it was made."""

    def __init__(self, number):
        super().__init__()
        self.extra = number
        self.name = f"näm {number}"

    def run(self):
        stopped.wait()


threads = [Named(number) for number in range(3)]
threads.append(threading.Thread(target=stopped.wait, name="a plain one"))
threads.append(threading.Thread(target=stopped.wait, name="with a dictionary"))
threads[-1].__dict__["further"] = 1
threads.append(threading.Thread(target=stopped.wait, name="x" * 200))
for thread in threads:
    thread.start()
sys.stdout.write("ready\n")
sys.stdout.flush()
sys.stdin.readline()
threads[0].name = "named anew"
sys.stdout.write("renamed\n")
sys.stdout.flush()
sys.stdin.read()
stopped.set()
