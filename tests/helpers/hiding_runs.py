"""Shared by the tests of signal hiding: bare programs, and the same under a high rate of sampling
signals, which they must not notice."""

import functools
import subprocess

import lifecycle_runs
import support

LIBRARIES = support.BUILD / "lib"
SHIELD = LIBRARIES / "libkymo-signal_hiding.so"

compile = lifecycle_runs.compile


@functools.lru_cache(maxsize=None)
def storm():
    """A library that interrupts as sampling does, two thousand times a second."""
    return compile(
        "hiding_storm.c",
        "-shared",
        "-fPIC",
        "-D_GNU_SOURCE",
        f"-I{support.REPOSITORY / 'src'}",
        f"-L{LIBRARIES}",
        f"-Wl,-rpath,{LIBRARIES}",
        "-Wl,--no-as-needed",
        "-lkymo",
        "-ldl",
    )


def run(program, cwd, preload=(), env=None, timeout=support.TIMEOUT_S, **options):
    own = {"LD_PRELOAD": ":".join(str(path) for path in preload)} if preload else {}
    own.update(env or {})
    return subprocess.run(
        [str(part) for part in program],
        cwd=str(cwd),
        env=support.clean_environment(cwd, own),
        capture_output=True,
        text=True,
        timeout=timeout,
        **options,
    )


def run_stormed(program, cwd, env=None, **options):
    return run(program, cwd, [storm(), SHIELD], env, **options)


def check(program, cwd, status=5, env=None):
    """The output must be the same under the signals; returns it."""
    bare = run(program, cwd)
    stormed = run_stormed(program, cwd, env)
    assert bare.returncode == status, bare
    assert stormed.returncode == bare.returncode, stormed
    assert stormed.stdout == bare.stdout
    assert stormed.stderr == bare.stderr
    return bare.stdout
