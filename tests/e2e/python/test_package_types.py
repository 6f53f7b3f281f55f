"""The annotations of the package hold under `mypy --strict`, and a program that uses the
interface is understood by it."""

import sys
import textwrap

import pytest
import support

CONSUMER = """
    from __future__ import annotations
    from collections.abc import AsyncIterator, Iterator
    import kymo
    from kymo import profile, noprofile, region
    from kymo.profiler import Config, config
    from kymo.user import Region, push_region, pop_region

    @profile
    def bare(n: int) -> str:
        return str(n)

    @profile()
    def called(n: int) -> str:
        return str(n)

    @noprofile
    def quiet(n: int) -> str:
        return str(n)

    @region("name")
    async def work(n: int) -> str:
        return str(n)

    @kymo.Profiler()
    def steps(n: int) -> Iterator[int]:
        yield n

    class Thing:
        @profile
        def method(self, n: int) -> int:
            return n

        @property
        @profile
        def value(self) -> int:
            return 1

    a: str = bare(1) + called(2) + quiet(3)
    b: int = Thing().method(1) + Thing().value + sum(steps(3))

    with profile, profile() as p, noprofile, region("x") as r:
        p.stop()
        r.start()

    c: int = p.runcall(len, "abc") + push_region("a") + pop_region("a")
    config.include_args = True
    config.restrict_functions += ["fib", "run"]
    Config.verbosity = 1
    kymo.initialize(["program"])
    kymo.initialize("program")
    d: bool = kymo.is_initialized() and kymo.is_finalized() and p.is_enabled()
    kymo.Profiler.condition(lambda: True)
    kymo.start()
    kymo.stop()
    kymo.finalize()
    """

# One mistake each: a type checker that sees nothing would accept them.
MISTAKES = [
    "bare('text')",
    "x: int = called(1)",
    "kymo.nonesuch",
    "region(3)",
    "config.include_args = 'yes'",
    "config.nonesuch = 1",
    "kymo.finalize(1)",
    "y: int = Thing().method('text')",
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """What mypy has found out of the standard library and the package, for all tests."""
    return tmp_path_factory.mktemp("mypy")


def mypy(cwd, cache, *arguments):
    return support.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--no-error-summary",
            "--cache-dir",
            cache,
            *arguments,
        ],
        cwd=cwd,
        env={"MYPYPATH": support.REPOSITORY / "python"},
    )


@pytest.fixture
def place(tmp_path):
    pytest.importorskip("mypy")
    return tmp_path


def test_package_is_typed(place, cache):
    result = mypy(place, cache, "-p", "kymo")
    assert (result.returncode, result.stdout) == (0, "")
    assert (support.PACKAGE_DIR / "kymo" / "py.typed").exists()


def test_program_is_understood(place, cache):
    (place / "consumer.py").write_text(textwrap.dedent(CONSUMER))
    result = mypy(place, cache, "consumer.py")
    assert (result.returncode, result.stdout) == (0, "")


def test_mistakes_are_found(place, cache):
    text = textwrap.dedent(CONSUMER)
    (place / "consumer.py").write_text(text + "\n".join(MISTAKES) + "\n")
    result = mypy(place, cache, "consumer.py")
    first = text.count("\n") + 1
    found = {int(line.split(":")[1]) for line in result.stdout.splitlines() if ": error:" in line}
    assert found == set(range(first, first + len(MISTAKES))), result.stdout
