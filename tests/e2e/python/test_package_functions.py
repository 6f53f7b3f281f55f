"""Decorated generators, coroutines and async generators behave as undecorated ones, and
their region is open only while they run."""

import json
import textwrap

import pytest
import support

# Each program is run with every decorator and without; what it prints must not differ.
PROGRAMS = {
    "send_throw_close": """
        @decorate
        def steps(log):
            try:
                got = yield 1
                log.append(got)
                try:
                    yield 2
                except KeyError as error:
                    log.append(repr(error))
                    yield 3
            finally:
                log.append("closed")
            return "result"
        log = []
        g = steps(log)
        print(next(g), g.send("sent"), g.throw(KeyError("k")))
        try:
            next(g)
        except StopIteration as stop:
            print(stop.value, log)
        log = []
        g = steps(log); next(g); g.close(); print(log)
        g = steps(log); g.close(); print(log)
        def outer():
            print((yield from steps([])))
        print(list(outer()))
        """,
    "generator_fails": """
        @decorate
        def steps():
            yield 1
            raise ValueError("in generator")
        try:
            list(steps())
        except ValueError as error:
            print(error, error.__context__, error.__cause__)
        @decorate
        def stops():
            yield 1
            raise StopIteration
        try:
            list(stops())
        except RuntimeError as error:
            print(error, repr(error.__cause__))
        """,
    "generator_ignores_exit": """
        @decorate
        def stubborn():
            while True:
                try:
                    yield 1
                except GeneratorExit:
                    pass
        g = stubborn()
        next(g)
        try:
            g.close()
        except RuntimeError as error:
            print(error)
        try:
            g.throw(StopIteration)
        except RuntimeError as error:
            print(error)
        import os, sys
        sys.stdout.flush()
        os._exit(0)
        """,
    "exit_thrown": """
        @decorate
        def steps():
            try:
                yield 1
            except GeneratorExit:
                print("exit")
                return
        g = steps()
        next(g)
        try:
            g.throw(GeneratorExit)
        except BaseException as error:
            print(type(error))
        """,
    "coroutine": """
        import asyncio
        @decorate
        async def work(n):
            await asyncio.sleep(0.001 * n)
            if n == 2:
                raise KeyError(n)
            return n
        @decorate
        async def main():
            print(await asyncio.gather(*(work(n) for n in range(4)), return_exceptions=True))
            task = asyncio.ensure_future(work(1000))
            await asyncio.sleep(0)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                print("cancelled")
            try:
                await asyncio.wait_for(work(1000), 0.001)
            except asyncio.TimeoutError:
                print("timeout")
            return "done"
        print(asyncio.run(main()))
        """,
    "async_generator": """
        import asyncio
        @decorate
        async def ticks(n, log):
            try:
                for i in range(n):
                    await asyncio.sleep(0)
                    try:
                        got = yield i
                        log.append(got)
                    except KeyError:
                        yield "caught"
            finally:
                await asyncio.sleep(0)
                log.append("closed")
        async def main():
            log = []
            print([i async for i in ticks(3, log)], log)
            g = ticks(5, log)
            print(await g.asend(None), await g.asend("a"), await g.athrow(KeyError), log)
            await g.aclose()
            print(log)
            g = ticks(1, log)
            await g.asend(None)
            try:
                await g.athrow(ValueError("thrown"))
            except ValueError as error:
                print(error, log)
            try:
                await g.asend(None)
            except StopAsyncIteration:
                print("over")
        asyncio.run(main())
        """,
    "async_with": """
        import asyncio, contextlib
        @contextlib.asynccontextmanager
        @decorate
        async def resource():
            print("open")
            try:
                yield 1
            finally:
                print("close")
        @contextlib.contextmanager
        @decorate
        def plain():
            try:
                yield 2
            except KeyError:
                print("handled")
        async def main():
            async with resource() as r:
                print(r)
            with plain():
                raise KeyError
        asyncio.run(main())
        """,
    "awaitable_by_hand": """
        import types
        @types.coroutine
        def wait(value):
            got = yield value
            return got
        @decorate
        async def work():
            return await wait("ask")
        c = work()
        print(c.send(None))
        try:
            c.send("answer")
        except StopIteration as stop:
            print(stop.value)
        c = work(); c.send(None); c.close()
        """,
}

DECORATORS = {
    "profile": "import kymo\ndecorate = kymo.profile\n",
    "noprofile": "import kymo\ndecorate = kymo.noprofile\n",
    "region": "import kymo\ndecorate = kymo.region('r')\n",
}


def run(python, cwd, text):
    (cwd / "program.py").write_text(text)
    result = support.run_bare_python(
        python,
        ["program.py"],
        cwd=cwd,
        env={
            "PYTHONPATH": support.PACKAGE_DIR,
            "KYMO_OUTPUT_PATH": cwd / "out",
            "KYMO_TIME_OUTPUT": "OFF",
            "KYMO_QUIET": "ON",
        },
    )
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


@pytest.mark.alike_versions
@pytest.mark.parametrize("name", PROGRAMS)
def test_decorated_behaves_as_undecorated(python, tmp_path, name):
    text = textwrap.dedent(PROGRAMS[name])
    expected = run(python, tmp_path, "def decorate(function): return function\n" + text)
    assert expected
    for decorator, definition in DECORATORS.items():
        assert run(python, tmp_path, definition + text) == expected, decorator


# The regions open around each mark, as `kymo report` counts them: one entry a resume.
STEPS = {
    "generator": (
        """
        @kymo.region("in")
        def steps():
            for i in range(3):
                yield i
        for i in steps():
            with kymo.region("out"):
                pass
        """,
        {"in": 4, "out": 3},
    ),
    "coroutine": (
        """
        import asyncio
        @kymo.region("in")
        async def work():
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        async def main():
            await asyncio.gather(*(work() for i in range(5)))
        asyncio.run(main())
        """,
        {"in": 15},
    ),
    "async_generator": (
        """
        import asyncio
        @kymo.region("in")
        async def ticks():
            for i in range(3):
                yield i
        async def main():
            async for i in ticks():
                with kymo.region("out"):
                    pass
        asyncio.run(main())
        """,
        {"in": 4, "out": 3},
    ),
    "interleaved": (
        """
        import asyncio
        def task(name, other):
            @kymo.region(name)
            async def work():
                for i in range(3):
                    with kymo.region("in " + name):
                        pass
                    await asyncio.sleep(0)
            return work()
        async def main():
            await asyncio.gather(task("a", "b"), task("b", "a"))
        asyncio.run(main())
        """,
        {"a": 4, "b": 4, "in a": 3, "in b": 3},
    ),
    "left_suspended": (
        """
        @kymo.region("in")
        def steps():
            while True:
                yield
        for i in range(3):
            g = steps()
            next(g)
            with kymo.region("out"):
                pass
            del g
        """,
        {"in": 6, "out": 3},
    ),
}


@pytest.mark.alike_versions
@pytest.mark.parametrize("name", STEPS)
def test_region_is_open_only_while_running(python, tmp_path, name):
    text, expected = STEPS[name]
    run(python, tmp_path, "import kymo\n" + textwrap.dedent(text))
    assert support.region_calls(tmp_path / "out") == expected
    if "out" in expected:
        query = ["report", tmp_path / "out", "--callees", "in", "--format", "json"]
        inside = support.run_kymo(query, cwd=tmp_path)
        assert json.loads(inside.stdout)["callees"] == []
