"""Greenlets that switch in the midst of calls of C functions, at all depths."""

import greenlet


def key(worker, depth):
    def one(x):
        if depth > 0 and x % 3 == 0:
            return sum(map(key(worker, depth - 1), range(x % 5 + 1)))
        if x % 2:
            worker.parent.switch(x)
        return -x * 7 % 13

    return one


def body(n):
    self = greenlet.getcurrent()
    total = 0
    for round in range(6):
        data = sorted(range(12), key=key(self, n % 7))
        total = total * 31 + data[0] + data[-1]
        total %= 1000003
        try:
            if round % 2:
                self.parent.switch("r")
                raise ValueError(round)
        except ValueError as e:
            total += e.args[0]
    return total


def deep(d, workers):
    if d > 0:
        return sum(map(lambda _: deep(d - 1, workers), [0]))
    switched = 0
    for w in workers:
        if not w.dead:
            w.switch()
            switched += 1
    return switched


workers = [greenlet.greenlet(body) for _ in range(40)]
results = {}
for i, w in enumerate(workers):
    deep_start = i % 9

    def start(d):
        if d:
            return list(map(lambda _: start(d - 1), [0]))[0]
        return w.switch(i)

    start(deep_start)
total = 0
rounds = 0
while True:
    n = deep(rounds % 17, workers)
    total += n
    rounds += 1
    if not n:
        break
print("switches", total, rounds)
