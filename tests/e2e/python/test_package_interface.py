"""The interface of the package, used from programs that run without the command line: what
is recorded, what decorators leave alone, how profilers nest."""

import textwrap

import pytest
import support

pytestmark = pytest.mark.alike_versions


@pytest.fixture
def program(tmp_path):
    """program(python, text): run it; its CompletedProcess and the calls of its run."""

    def run(python, text, *, options=None, env=None, status=0):
        (tmp_path / "program.py").write_text(textwrap.dedent(text))
        environment = {
            "PYTHONPATH": support.PACKAGE_DIR,
            "KYMO_OUTPUT_PATH": tmp_path / "out",
            "KYMO_TIME_OUTPUT": "OFF",
            "KYMO_QUIET": "ON",
            **(env or {}),
        }
        command = [python.executable] + ([] if options is None else ["-m", "kymo", *options])
        result = support.run([*command, "program.py"], cwd=tmp_path, env=environment)
        assert (result.returncode, result.stderr) == (status, ""), result.stderr
        recorded = (tmp_path / "out").exists()
        result.calls = support.region_calls(tmp_path / "out") if recorded else None
        return result

    return run


HEAD = """
import kymo
def leaf(): return 1
def twice(): return leaf() + leaf()
def other(): return leaf()
"""

# What threads call of the library is not what is counted.
WITHOUT_THREADING = """
import threading
from kymo.profiler import config
config.exclude_modules += ["/threading.py$"]
"""

# What each program records, by function.
RECORDED = {
    "decorator": (
        "@kymo.profile\ndef f(): return twice()\nf(); other()",
        {"f": 1, "twice": 1, "leaf": 2},
    ),
    "decorator_called": (
        "@kymo.profile()\ndef f(): return twice()\nf(); f()",
        {"f": 2, "twice": 2, "leaf": 4},
    ),
    "profiler_class": ("@kymo.Profiler()\ndef f(): return leaf()\nf()", {"f": 1, "leaf": 1}),
    "block": ("with kymo.profile:\n  twice()\nother()", {"twice": 1, "leaf": 2}),
    "block_called": ("with kymo.profile():\n  twice()\nother()", {"twice": 1, "leaf": 2}),
    "block_of_class": (
        "with kymo.Profiler() as p:\n  twice()\np.stop(); other()",
        {"twice": 1, "leaf": 2},
    ),
    "explicit": (
        "p = kymo.Profiler()\np.start(); twice(); p.stop(); other()",
        {"twice": 1, "leaf": 2},
    ),
    "shortcuts": ("kymo.start(); twice(); kymo.stop(); other()", {"twice": 1, "leaf": 2}),
    "user_trace": (
        "import kymo.user as u\nu.start_trace(); twice(); u.stop_trace(); other()",
        {"twice": 1, "leaf": 2},
    ),
    "user_stop_holds_profilers": (
        "import kymo.user as u\n@kymo.profile\ndef f(): return leaf()\n"
        "f(); u.stop_trace(); f()\nwith kymo.profile: twice()\nkymo.start(); twice(); kymo.stop()\n"
        "with kymo.region('work'): f()\nu.start_trace(); f(); other()",
        {"f": 2, "leaf": 2, "work": 1},
    ),
    "user_stops_count": (
        "import kymo.user as u\nu.stop_trace(); u.stop_trace(); u.start_trace()\n"
        "with kymo.profile: other()\nu.start_trace()\nwith kymo.profile: twice()\n"
        "u.start_trace(); u.start_trace(); u.stop_trace(); leaf(); u.stop_trace(); other()\n"
        "with kymo.profile: leaf()",
        {"twice": 1, "leaf": 4},
    ),
    "user_stop_inside": (
        "import kymo.user as u\nkymo.start()\n"
        "def f():\n  u.stop_trace(); other(); u.start_trace()\n  leaf()\n"
        "f(); twice(); kymo.stop(); other()",
        {"f": 1, "leaf": 3, "twice": 1},
    ),
    "user_stop_outlasts_others": (
        "import kymo.user as u\nkymo.start(); u.stop_trace(); kymo.stop(); u.start_trace()\n"
        "other()\nwith kymo.profile: twice()",
        {"twice": 1, "leaf": 2},
    ),
    "thread_trace": (
        "import kymo.user as u\nwith kymo.profile:\n  u.stop_thread_trace()\n"
        "  other()\n  u.start_thread_trace()\n  twice()",
        {"twice": 1, "leaf": 2},
    ),
    "nested_objects": (
        "with kymo.Profiler():\n  with kymo.Profiler():\n    other()\n  twice()\nother()",
        {"other": 1, "twice": 1, "leaf": 3},
    ),
    "nested_decorators": (
        "@kymo.profile\ndef f(n): return f(n - 1) if n else twice()\nf(3); other()",
        {"f": 4, "twice": 1, "leaf": 2},
    ),
    "second_object_stops": (
        "a, b = kymo.Profiler(), kymo.Profiler()\na.start(); b.start()\n"
        "b.stop(); twice(); a.stop(); other()",
        {"twice": 1, "leaf": 2},
    ),
    "stray_stop": (
        "a, b = kymo.Profiler(), kymo.Profiler()\na.start(); b.stop(); b.stop()\ntwice(); a.stop()",
        {"twice": 1, "leaf": 2},
    ),
    "noprofile_block": (
        "with kymo.profile:\n  with kymo.noprofile:\n    other()\n  twice()",
        {"twice": 1, "leaf": 2},
    ),
    "noprofile_decorator": (
        "@kymo.noprofile()\ndef quiet(): other()\nwith kymo.profile:\n  quiet(); twice()",
        {"twice": 1, "leaf": 2},
    ),
    "noprofile_nested": (
        "with kymo.profile:\n  with kymo.noprofile():\n    with kymo.noprofile:\n"
        "      other()\n    other()\n  twice()",
        {"twice": 1, "leaf": 2},
    ),
    "noprofile_alone": (
        "with kymo.noprofile:\n  other()\nwith kymo.profile:\n  twice()",
        {"twice": 1, "leaf": 2},
    ),
    "profile_in_noprofile": (
        "with kymo.noprofile:\n  with kymo.profile:\n    other()\nwith kymo.profile:\n  twice()",
        {"twice": 1, "leaf": 2},
    ),
    "exception": (
        "@kymo.profile\ndef f():\n  leaf()\n  raise KeyError\n"
        "try: f()\nexcept KeyError: pass\nother()",
        {"f": 1, "leaf": 1},
    ),
    "exception_in_block": (
        "try:\n  with kymo.profile:\n    leaf()\n    1 / 0\n"
        "except ZeroDivisionError: pass\nother()",
        {"leaf": 1},
    ),
    "exception_in_noprofile": (
        "@kymo.noprofile\ndef f(): raise KeyError\n"
        "with kymo.profile:\n  try: f()\n  except KeyError: pass\n"
        "  twice()",
        {"twice": 1, "leaf": 2},
    ),
    "method": (
        "class C:\n  @kymo.profile\n  def f(self): return leaf()\nassert C().f() == 1",
        {"C.f": 1, "leaf": 1},
    ),
    "static": (
        "class C:\n  @staticmethod\n  @kymo.profile\n  def f(): return leaf()\n"
        "assert C.f() == C().f() == 1",
        {"C.f": 2, "leaf": 2},
    ),
    "static_inside": (
        "class C:\n  @kymo.profile\n  @staticmethod\n  def f(): return leaf()\n"
        "assert C.f() == C().f() == 1",
        {"C.f": 2, "leaf": 2},
    ),
    "classmethod_inside": (
        "class C:\n  @kymo.profile\n  @classmethod\n"
        "  def f(cls): return cls, leaf()\nassert C.f() == (C, 1)",
        {"C.f": 1, "leaf": 1},
    ),
    "property": (
        "class C:\n  @property\n  @kymo.profile\n  def f(self): return leaf()\nassert C().f == 1",
        {"C.f": 1, "leaf": 1},
    ),
    "partial": (
        "from functools import partial\ndef g(a, b): return leaf() + a + b\n"
        "assert kymo.profile(partial(g, 1))(2) == 4",
        {"g": 1, "leaf": 1},
    ),
    "runcall": (
        "assert kymo.Profiler().runcall(lambda n: twice() + n, 5) == 7",
        {"<lambda>": 1, "twice": 1, "leaf": 2},
    ),
    "run": (
        "p = kymo.Profiler()\nassert p.run('x = twice()') is p and x == 2",
        {"<module>": 1, "twice": 1, "leaf": 2},
    ),
    "runctx": (
        "n = {'twice': twice}\nkymo.Profiler().runctx('y = twice()', n, n)\nassert n['y'] == 2",
        {"<module>": 1, "twice": 1, "leaf": 2},
    ),
    "condition": (
        "ok = []\nkymo.Profiler.condition(lambda: ok)\nwith kymo.profile: other()\n"
        "ok.append(1)\nwith kymo.profile: twice()\n"
        "kymo.Profiler.condition(lambda: 1 / 0)\nwith kymo.profile: other()\n"
        "kymo.Profiler.condition(None)\nwith kymo.profile: leaf()",
        {"twice": 1, "leaf": 3},
    ),
    "threads": (
        WITHOUT_THREADING + "with kymo.profile:\n"
        "  ts = list(map(lambda i: threading.Thread(target=leaf), range(5)))\n"
        "  for t in ts: t.start()\n"
        "  for t in ts: t.join()",
        {"<lambda>": 5, "leaf": 5},
    ),
    "thread_started_before": (
        WITHOUT_THREADING + "go, stop = threading.Event(), threading.Event()\n"
        "def late():\n  go.wait(); twice(); stop.set()\n"
        "t = threading.Thread(target=late); t.start()\n"
        "with kymo.profile:\n  go.set(); stop.wait()\nt.join()",
        {"twice": 1, "leaf": 2},
    ),
    "filter": (
        "from kymo.profiler import config\nconfig.restrict_functions += ['^leaf$']\n"
        "with kymo.profile: twice()",
        {"leaf": 2},
    ),
    "filter_later": (
        "from kymo.profiler import config\nwith kymo.profile: twice()\n"
        "config.exclude_functions += ['^leaf$']\nwith kymo.profile: twice()",
        {"twice": 2, "leaf": 2},
    ),
    "arguments": (
        "from kymo.profiler import config\nconfig.include_args = True\n"
        "def g(a, *rest, key=2, **named): leaf()\n"
        "with kymo.profile: g(1, 2, key='k', x=[3])",
        {"g(a=1, key='k', *rest=(2,), **named={'x': [3]})": 1, "leaf()": 1},
    ),
    "region": ("with kymo.region('work'):\n  twice()", {"work": 1}),
    "region_profiled": (
        "with kymo.profile:\n  with kymo.region('work'): twice()",
        {"work": 1, "twice": 1, "leaf": 2},
    ),
    "region_decorator": ("@kymo.region('work')\ndef f(): return leaf()\nf(); f()", {"work": 2}),
    "region_explicit": (
        "r = kymo.user.Region('work')\nr.start(); r.stop()\nassert r.runcall(leaf) == 1",
        {"work": 2},
    ),
    "region_functions": (
        "from kymo.user import push_region, pop_region\n"
        "assert push_region('a') == 0; push_region('b')\n"
        "pop_region('b'); pop_region('a')",
        {"a": 1, "b": 1},
    ),
    "region_exception": (
        "@kymo.region('work')\ndef f(): 1 / 0\ntry: f()\n"
        "except ZeroDivisionError: pass\nwith kymo.region('next'): pass",
        {"work": 1, "next": 1},
    ),
}


def comparable(calls, python):
    """Up to 3.10 functions have no qualified names in their code."""
    if python.number >= (3, 11):
        return calls
    return {
        name.rpartition(".")[2] if "(" not in name else name: count for name, count in calls.items()
    }


@pytest.mark.parametrize("name", RECORDED)
def test_records_exactly(program, python, name):
    text, expected = RECORDED[name]
    calls = program(python, HEAD + text + "\n").calls
    calls = {
        key: count for key, count in calls.items() if key.rpartition(".")[2] not in STANDARD_LIBRARY
    }
    assert calls == comparable(expected, python)


# Of the threading module, which the programs above call where recording is on.
STANDARD_LIBRARY = {
    "wait",
    "set",
    "is_set",
    "notify",
    "notify_all",
    "__enter__",
    "__exit__",
    "_is_owned",
    "_release_save",
    "add",
    "_acquire_restore",
    "join",
    "__init__",
}


def test_import_starts_nothing(program, python):
    text = """
        import sys
        before = set(sys.modules), sys.getprofile(), sys.gettrace()
        import kymo
        assert sys.getprofile() is before[1] and sys.gettrace() is before[2]
        new = set(sys.modules) - before[0]
        assert new <= {"kymo", "__future__"}, new
        assert dir(kymo) and kymo.__version__
        assert not kymo.is_initialized() and not kymo.is_finalized()
        assert not kymo.Profiler.is_enabled()
        assert "kymo._native" not in sys.modules
        """
    assert program(python, text).calls is None


@pytest.mark.parametrize("name", ["nothing", "config", "unused"])
def test_nothing_is_written_without_use(program, python, name):
    text = {
        "nothing": "import kymo",
        "config": "from kymo.profiler import config\nconfig.include_args = True",
        "unused": "import kymo\n@kymo.profile\ndef f(): pass",
    }[name]
    assert program(python, text).calls is None


def test_import_costs_little(program, python, tmp_path):
    """Under 5 ms more than an empty package, both from compiled files."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "__init__.py").write_text("")
    text = """
        import subprocess, sys
        def best(name):
            code = ("import time; a = time.perf_counter(); import %s; "
                    "print(time.perf_counter() - a)" % name)
            run = [sys.executable, "-c", code]
            return min(float(subprocess.check_output(run)) for i in range(8))
        assert best("kymo") < best("empty") + 0.005
        """
    program(
        python,
        text,
        env={"PYTHONDONTWRITEBYTECODE": None, "PYTHONPYCACHEPREFIX": tmp_path / "cache"},
    )


def test_life_cycle(program, python):
    text = """
        import sys
        import kymo
        kymo.initialize("name")
        assert kymo.is_initialized() and not kymo.is_finalized()
        kymo.initialize(["again"])
        assert not kymo.Profiler.is_enabled()
        def f(): pass
        with kymo.profile:
            assert kymo.Profiler.is_enabled() and kymo.profiler.config._is_running
            f()
        assert not kymo.Profiler.is_enabled()
        kymo.finalize()
        kymo.finalize()
        assert kymo.is_initialized() and kymo.is_finalized()
        with kymo.profile:
            f()
        with kymo.region("late"):
            f()
        kymo.stop()
        try:
            kymo.initialize()
        except RuntimeError as error:
            assert "closed already" in str(error)
        else:
            assert False
        """
    assert program(python, text).calls == {"f": 1}


def test_finalize_inside_a_block(program, python):
    text = """
        import kymo
        def f(): pass
        with kymo.profile:
            f()
            kymo.finalize()
            f()
        f()
        """
    assert program(python, text).calls == {"f": 1}


def test_hooks_are_as_before(program, python):
    text = """
        import sys, threading, _thread
        import kymo
        def f(): pass
        def mine(*arguments): return None
        before = (_thread.start_new_thread, threading._profile_hook, threading._trace_hook)
        for install, get in ((sys.setprofile, sys.getprofile), (sys.settrace, sys.gettrace)):
            with kymo.profile:
                f()
            assert get() is None
            install(mine)
            with kymo.profile:
                f()
            assert get() is mine
            install(None)
        kymo.finalize()
        assert before == (_thread.start_new_thread, threading._profile_hook,
                          threading._trace_hook)
        """
    program(python, text)


def test_decorators_keep_the_function(program, python):
    text = '''
        import inspect, functools
        import kymo
        def make(decorate):
            @decorate
            def f(a: int, b: str = "x", *rest: int, key: bool = False) -> float:
                """What f does."""
                return (a, b, rest, key)
            f.mark = 1
            return f
        plain = make(lambda function: function)
        for decorate in (kymo.profile, kymo.profile(), kymo.noprofile, kymo.region("r")):
            f = make(decorate)
            for name in ("__name__", "__qualname__", "__doc__", "__module__",
                         "__annotations__", "mark"):
                assert getattr(f, name) == getattr(plain, name), name
            assert inspect.signature(f) == inspect.signature(plain)
            assert f.__wrapped__ is not f
            assert f(1, "y", 2, key=True) == (1, "y", (2,), True)
            def g(): yield 1
            async def c(): return 1
            async def a(): yield 1
            assert inspect.isgeneratorfunction(decorate(g))
            assert inspect.iscoroutinefunction(decorate(c))
            assert inspect.isasyncgenfunction(decorate(a))
        '''
    program(python, text)


@pytest.mark.parametrize(
    "text, words",
    [
        ("kymo.profile(3)", "cannot decorate 3"),
        ("kymo.profile(int)", "decorate the methods of class 'int'"),
        ("kymo.Profiler(lambda: 1)", "write @kymo.Profiler()"),
        ("kymo.region(lambda: 1)", 'write @kymo.region("name")'),
        ("kymo.user.push_region(3)", "a region's name is a string"),
    ],
)
def test_wrong_use_is_explained(program, python, text, words):
    program(
        python,
        f"import kymo\ntry: {text}\n"
        f"except TypeError as e: assert {words!r} in str(e), e\nelse: assert False\n",
    )


def test_region_out_of_order(program, python):
    text = """
        import kymo
        from kymo.user import push_region, pop_region
        push_region("outer")
        push_region("inner")
        try:
            pop_region("outer")
        except RuntimeError as error:
            assert "outer" in str(error) and "\\n" not in str(error)
        else:
            assert False
        pop_region("inner")
        pop_region("outer")
        try:
            kymo.user.Region("never").stop()
        except RuntimeError:
            pass
        else:
            assert False
        """
    assert program(python, text).calls == {"outer": 1, "inner": 1}


def test_block_out_of_order_lets_the_program_run_on(python, tmp_path):
    (tmp_path / "program.py").write_text(
        textwrap.dedent("""
        import kymo
        with kymo.region("outer"):
            kymo.user.push_region("left open")
        with kymo.region("outer"):
            kymo.user.push_region("left open")
        print("still here")
        """)
    )
    result = support.run_bare_python(
        python,
        ["program.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": support.PACKAGE_DIR, "KYMO_QUIET": "ON"},
    )
    assert (result.returncode, result.stdout) == (0, "still here\n")
    assert result.stderr.count("\n") == 1 and "outer" in result.stderr


def test_builtins(program, python):
    text = """
        def leaf(): pass
        @profile
        def f(): leaf()
        @profile()
        def g(): leaf()
        @trace
        def h(): leaf()
        @noprofile
        def quiet(): leaf()
        @notrace()
        def silent(): leaf()
        f(); g(); h(); leaf()
        with profile: leaf(); quiet(); silent()
        with profile(): leaf()
        """
    calls = program(python, text, options=["-q", "-b"]).calls
    assert calls == {"f": 1, "g": 1, "h": 1, "leaf": 5}


def test_noinstrumenter_leaves_starting_to_the_program(program, python):
    text = """
        import kymo
        def leaf(): pass
        leaf()
        with kymo.profile: leaf()
        with kymo.region("mark"): leaf()
        """
    assert program(python, text, options=["-q", "--noinstrumenter"]).calls == {"leaf": 1, "mark": 1}


def test_program_can_switch_the_command_lines_recording_off(program, python):
    text = """
        import kymo
        def leaf(): pass
        def main():
            leaf()
            kymo.stop()
            leaf()
            kymo.start()
            leaf()
            with kymo.noprofile:
                leaf()
            with kymo.profile:
                leaf()
            leaf()
        main()
        """
    assert program(python, text, options=["-q"]).calls["leaf"] == 4


def test_program_runs_on_when_nothing_can_be_recorded(python, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "program.py").write_text(
        "import kymo, sys\n@kymo.profile\ndef f(): return 3\n"
        "print(f(), f(), kymo.is_initialized())\n"
        "with kymo.region('r'), kymo.noprofile: pass\nsys.exit(4)\n"
    )
    environment = {"KYMO_OUTPUT_PATH": tmp_path / "file" / "out", "PYTHONPATH": support.PACKAGE_DIR}
    for options in ([], ["-m", "kymo"], ["-m", "kymo", "-b"]):
        result = support.run_bare_python(
            python, [*options, "program.py"], cwd=tmp_path, env=environment
        )
        assert (result.returncode, result.stdout) == (4, "3 3 False\n")
        assert result.stderr.startswith("kymo: ") and result.stderr.count("\n") == 1
        assert "runs on unprofiled" in result.stderr


def test_switched_off_by_setting(python, tmp_path):
    (tmp_path / "program.py").write_text("import kymo\nwith kymo.profile: print(1)\n")
    for options in ([], ["-m", "kymo"]):
        result = support.run_bare_python(
            python,
            [*options, "program.py"],
            cwd=tmp_path,
            env={"KYMO_ENABLED": "OFF", "PYTHONPATH": support.PACKAGE_DIR},
        )
        assert (result.returncode, result.stdout, result.stderr) == (0, "1\n", "")
    assert sorted(tmp_path.iterdir()) == [tmp_path / "program.py"]


def test_regions_are_objects(profile, python, tmp_path):
    """Made by position and by name, of subclasses too; none is left behind."""
    code = """if True:
        import gc, sys
        import kymo
        class Mine(kymo.Region):
            def __init__(self, label): self.more = label
        for kind in kymo.Region, Mine:
            before = sys.getrefcount(kind)
            for _ in range(1000):
                with kind("named") as region:
                    assert region.label == "named"
                with kind(label="named"):
                    pass
            del region
            gc.collect()
            assert abs(sys.getrefcount(kind) - before) < 10, kind
        assert Mine("x").more == "x"
        for arguments in ((), ("a", "b"), (1,)):
            try:
                kymo.region(*arguments)
            except TypeError:
                continue
            raise AssertionError(arguments)
        try:
            kymo.region(name="x")
        except TypeError:
            pass
        else:
            raise AssertionError("a keyword that is none")
    """
    result = profile(python, ["-c", code])
    assert result.returncode == 0, result.stderr
    assert support.region_calls(tmp_path / "out")["named"] == 4000
