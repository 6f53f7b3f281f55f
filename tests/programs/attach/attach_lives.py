"""A program that changes while it is watched: words on standard input, one a line.

thread      start a thread that works and end it again
fork        fork a child that works as this does, until it is killed
exec        become this program anew
other       become sleep(1)
exit        end with status 7
"""

import os
import sys
import threading
import time


def before_exec():
    total = 0
    for i in range(20000):
        total += i
    return total


def after_exec():
    total = 0
    for i in range(20000):
        total += i
    return total


def brief():
    end = time.monotonic() + 0.25
    while time.monotonic() < end:
        before_exec()


def forked():
    while True:
        before_exec()


def work(function, words):
    while not words:
        function()
    return words.pop(0)


def reader(words):
    for line in sys.stdin:
        words.append(line.strip())
    words.append("exit")


def main():
    words = []
    threading.Thread(target=reader, args=(words,), daemon=True).start()
    print("ready", flush=True)
    function = after_exec if "again" in sys.argv else before_exec
    while True:
        word = work(function, words)
        if word == "thread":
            thread = threading.Thread(target=brief)
            thread.start()
            thread.join()
        elif word == "fork":
            if os.fork() == 0:
                forked()
        elif word == "exec":
            os.execv(sys.executable, [sys.executable, __file__, "again"])
        elif word == "other":
            os.execvp("sleep", ["sleep", "30"])
        elif word == "exit":
            sys.exit(7)
        print("done", flush=True)


main()
