"""The interface of the package, used from programs that run without the command line: what
is recorded, what decorators leave alone, how profilers nest."""

import textwrap

import pytest
import support

pytestmark = pytest.mark.alike_versions


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
        assert "continues unprofiled" in result.stderr


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
