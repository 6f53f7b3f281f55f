"""Generators, coroutines and async generators that are alive at the same time."""

import asyncio


def numbers(n):
    for i in range(n):
        yield i


def delegating(n):
    yield from numbers(n)


def interleaved():
    a, b, c = numbers(9), numbers(9), numbers(9)
    for each in (a, b, a, c, b, a, c, c):
        next(each)
    a.close()
    b.close()
    c.close()


def chained():
    a, b = delegating(9), delegating(9)
    for each in (a, b, b, a):
        next(each)
    return a, b


async def worker(rounds):
    for _ in range(rounds):
        await asyncio.sleep(0)


async def source(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


async def consumer():
    async for _ in source(2):
        pass


async def tasks():
    await asyncio.gather(worker(3), worker(3))
    await asyncio.gather(consumer(), consumer())


interleaved()
kept = chained()
asyncio.run(tasks())
