"""Coroutines, async generators and asyncio tasks."""

import asyncio
import contextlib
import gc


def leaf(n=0):
    return n + 1


class Step:
    """An awaitable that gives control away once."""

    def __await__(self):
        leaf()
        received = yield "step"
        return received


async def steps(n):
    for _ in range(n):
        await Step()
        leaf()
    return n


async def nested(depth):
    if depth == 0:
        return await steps(3)
    return leaf(await nested(depth - 1))


def drive(coroutine, value=None):
    while True:
        try:
            coroutine.send(value)
        except StopIteration as stop:
            return stop.value


def case_driven_by_hand():
    drive(steps(4))
    drive(nested(4))


async def careful():
    try:
        await Step()
    except ValueError:
        leaf()
        await Step()
    finally:
        leaf()


def case_throw_and_close():
    coroutine = careful()
    coroutine.send(None)
    coroutine.throw(ValueError)
    coroutine.close()
    unstarted = careful()
    unstarted.close()
    thrown = careful()
    thrown.send(None)
    try:
        thrown.throw(KeyError)
    except KeyError:
        leaf()


async def numbers(n):
    for i in range(n):
        await Step()
        yield leaf(i)


async def consume(n):
    async for _ in numbers(n):
        leaf()
    return [i async for i in numbers(2)]


async def abandon():
    generator = numbers(5)
    await generator.__anext__()
    await generator.aclose()


async def guarded():
    try:
        yield 1
        yield 2
    except ValueError:
        yield leaf()
    finally:
        leaf()


async def throw_into():
    generator = guarded()
    await generator.asend(None)
    await generator.athrow(ValueError)
    with contextlib.suppress(StopAsyncIteration):
        await generator.asend(None)


def case_async_generators():
    drive(consume(3))
    drive(abandon())
    drive(throw_into())


class Resource:
    async def __aenter__(self):
        await Step()
        return self

    async def __aexit__(self, kind, error, traceback):
        leaf()
        await Step()


async def use_resource(raises):
    async with Resource():
        leaf()
        if raises:
            raise ValueError
    return leaf()


def case_async_with():
    drive(use_resource(False))
    try:
        drive(use_resource(True))
    except ValueError:
        leaf()


async def worker(number, rounds):
    for _ in range(rounds):
        leaf(number)
        await asyncio.sleep(0)
    return number


async def failing():
    await asyncio.sleep(0)
    raise ValueError("failed")


async def cancelled():
    try:
        await asyncio.sleep(1000)
    finally:
        leaf()


async def tasks():
    results = await asyncio.gather(*(worker(i, i + 1) for i in range(4)))
    assert results == [0, 1, 2, 3]
    results = await asyncio.gather(failing(), worker(9, 2), return_exceptions=True)
    assert isinstance(results[0], ValueError)
    task = asyncio.ensure_future(cancelled())
    await asyncio.sleep(0)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    queue = asyncio.Queue()
    producer = asyncio.ensure_future(produce(queue))
    while await queue.get() is not None:
        leaf()
    await producer


async def produce(queue):
    for i in range(3):
        await queue.put(i)
    await queue.put(None)


def case_asyncio():
    asyncio.run(tasks())


CASES = [value for name, value in list(globals().items()) if name.startswith("case_")]


def main():
    gc.disable()
    for case in CASES:
        case()
    gc.collect()


if __name__ == "__main__":
    main()
