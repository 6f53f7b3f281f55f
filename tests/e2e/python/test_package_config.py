"""The configuration, labels with arguments, and lists as settings write them: tried inside
each interpreter, one process a topic."""

import textwrap

import pytest
import support

pytestmark = pytest.mark.alike_versions


def check(python, cwd, text, env=None):
    """Run statements that assert; nothing may be printed."""
    (cwd / "check.py").write_text(textwrap.dedent(text))
    result = support.run_bare_python(
        python,
        ["check.py"],
        cwd=cwd,
        env={
            "PYTHONPATH": support.PACKAGE_DIR,
            "KYMO_QUIET": "ON",
            "KYMO_TIME_OUTPUT": "OFF",
            "KYMO_OUTPUT_PATH": cwd / "out",
            **(env or {}),
        },
    )
    assert result.stderr == ""
    assert (result.returncode, result.stdout) == (0, "")


def test_defaults(python, tmp_path):
    check(
        python,
        tmp_path,
        """
        from kymo.profiler import Config, config
        assert Config is config
        assert config.values() == dict(
            trace_c=False, include_internal=False, include_args=False, include_line=False,
            include_filename=False, full_filepath=False, annotate_trace=False, verbosity=0,
            restrict_functions=[], restrict_modules=[], include_functions=[], include_modules=[],
            exclude_functions=[], exclude_modules=[])
        assert config._is_running is False
        assert "include_args=False" in repr(config)
        """,
    )


def test_lists_only_grow_by_assignment(python, tmp_path):
    check(
        python,
        tmp_path,
        """
        from kymo.profiler import config
        config.restrict_functions += ["fib", "run"]
        assert config.restrict_functions == ["fib", "run"]
        config.restrict_functions = ["run", "other"]
        assert config.restrict_functions == ["fib", "run", "other"]
        config.exclude_functions = []
        assert config.exclude_functions == []
        config.exclude_functions = ("a",)
        assert config.exclude_functions == ["a"]
        config.exclude_functions.clear()
        assert config.exclude_functions == []
        """,
    )


def test_wrong_values_are_refused(python, tmp_path):
    check(
        python,
        tmp_path,
        """
        from kymo.profiler import config
        def refuses(error, words, name, value):
            try:
                setattr(config, name, value)
            except error as raised:
                assert words in str(raised), raised
            else:
                assert False, name
        refuses(AttributeError, "no field 'include_arg'", "include_arg", True)
        refuses(TypeError, "include_args takes True or False", "include_args", "yes")
        refuses(TypeError, "verbosity takes a whole number", "verbosity", 1.5)
        refuses(TypeError, "takes a list of patterns", "exclude_functions", "one")
        refuses(TypeError, "takes a list of patterns", "exclude_functions", [1])
        refuses(TypeError, "takes a list of patterns", "exclude_functions", None)
        config.include_args = 1
        assert config.include_args is True
        """,
    )


def test_wrong_pattern_is_said_at_the_start(python, tmp_path):
    check(
        python,
        tmp_path,
        """
        import kymo
        ran = []
        kymo.profiler.config.exclude_functions += ["("]
        @kymo.profile
        def f():
            ran.append(1)
        try:
            f()
        except ValueError as error:
            assert "'('" in str(error) and "\\n" not in str(error)
        else:
            assert False
        assert not kymo.Profiler.is_enabled()
        kymo.profiler.config.exclude_functions.remove("(")
        f()
        assert ran == [1] and not kymo.Profiler.is_enabled()
        """,
    )


def test_settings_reach_the_configuration(python, tmp_path):
    check(
        python,
        tmp_path,
        """
        import kymo
        from kymo.profiler import config
        config.include_line = False           # the program's own word counts
        config.exclude_functions += ["own"]
        kymo.initialize()
        assert config.include_args and config.include_filename and not config.include_line
        assert config.trace_c and not config.full_filepath and config.verbosity == 0
        assert config.exclude_functions == ["^x y$", "b", "own"]
        assert config.exclude_modules == []
        """,
        env={
            "KYMO_PYTHON_LABEL": "args,file,line",
            "KYMO_PYTHON_TRACE_C": "yes",
            "KYMO_PYTHON_FUNCTION_EXCLUDE": "'^x y$', b",
        },
    )


def test_changes_take_effect_at_the_next_start(python, tmp_path):
    check(
        python,
        tmp_path,
        """
        import kymo
        from kymo.profiler import config
        def before(): pass
        def after(): pass
        with kymo.profile:
            config.exclude_functions += ["^(before|after)$"]
            before()
            with kymo.profile:
                after()
        """,
    )
    assert support.region_calls(tmp_path / "out") == {"before": 1}


def test_update_takes_effect_at_once(python, tmp_path):
    check(
        python,
        tmp_path,
        """
        import kymo
        from kymo.profiler import config
        def before(): pass
        def after(): pass
        with kymo.profile as p:
            before()
            config.exclude_functions += ["^after$"]
            p.update()
            after()
        """,
    )
    assert support.region_calls(tmp_path / "out") == {"before": 1}


def test_list_settings_are_read_as_they_are_written(python, tmp_path):
    check(
        python,
        tmp_path,
        """
        from kymo._lists import join_list, split_list
        assert split_list(" a,b;c\\td\\n") == ["a", "b", "c", "d"]
        assert split_list("'a b' \\"c,d\\" e'f") == ["a b", "c,d", "e'f"]
        assert split_list("'open") == ["'open"]
        assert split_list("") == split_list(" ,;") == []
        for items in (["^<.*>$"], ["a b", "c,d", "e;f"], ["'x'", '"y"'], ["it's", "a'b c"], []):
            assert split_list(join_list(items)) == items, items
        """,
    )


def test_labels_with_arguments(python, tmp_path):
    check(
        python,
        tmp_path,
        """
        import sys
        from kymo._labels import format_arguments
        def label(): return format_arguments(sys._getframe(1))
        def none(): return label()
        def plain(n): return label()
        def many(a, b=2, *rest, key=3, **named): return label()
        def stars(*a, **k): return label()
        def only(*, key): return label()
        def local(a):
            b = 5
            return label()
        def closure(a):
            text = label()
            (lambda: a)()
            return text
        def gone(a, b):
            del a
            return label()
        class Bad:
            def __repr__(self): raise RuntimeError
        class Lines:
            def __repr__(self): return "a\\n   b"
        class Method:
            def m(self, x): return label()
            def __repr__(self): return "<M>"
        assert none() == "()"
        assert plain(5) == plain(n=5) == "(n=5)"
        assert many(1) == "(a=1, b=2, key=3, *rest=(), **named={})"
        assert many(1, "x", 4, key=[5], z=6) == (
            "(a=1, b='x', key=[5], *rest=(4,), **named={'z': 6})")
        assert stars(1, x=2) == "(*a=(1,), **k={'x': 2})"
        assert only(key=1) == "(key=1)"
        assert local(1) == closure(1) == "(a=1)"
        assert gone(1, 2) == "(b=2)"
        assert plain(Bad()) == "(n=<?>)"
        assert plain(Lines()) == "(n=a b)"
        assert Method().m(1) == "(self=<M>, x=1)"
        for long in ("x" * 10**7, b"x" * 10**7, [7] * 10**6, (8,) * 10**6,
                     {i: i for i in range(99)}):
            text = plain(long)
            assert len(text) == len("(n=)") + 120 and text.endswith("...)"), text
        loop = []
        loop.append(loop)
        assert plain(loop) == "(n=[[...]])"
        """,
    )


@pytest.mark.parametrize("name", ["start", "region", "noprofile", "initialize"])
def test_interface_without_a_native_module(python, tmp_path, name):
    """Importing works; the first use says what is missing."""
    use = {
        "start": "kymo.start()",
        "region": "kymo.region('r')",
        "noprofile": "kymo.noprofile.start()",
        "initialize": "kymo.initialize()",
    }[name]
    copy_without_native(tmp_path)
    check(
        python,
        tmp_path,
        f"""
        import kymo
        @kymo.profile
        def f(): pass
        kymo.profiler.config.include_args = True
        try:
            {use}
        except kymo.NativeModuleError as error:
            assert isinstance(error, ImportError)
            text = str(error)
        else:
            assert False
        assert "no native module for Python {python} (it has one for 3.7" in text, text
        assert "-DKYMO_PYTHON_VERSIONS={python}" in text and "\\n" not in text
        """,
        env={"PYTHONPATH": tmp_path / "copy"},
    )


def test_command_line_without_a_native_module(python, tmp_path):
    copy_without_native(tmp_path)
    (tmp_path / "program.py").write_text("print('ran')\n")
    result = support.run_bare_python(
        python, ["-m", "kymo", "program.py"], cwd=tmp_path, env={"PYTHONPATH": tmp_path / "copy"}
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"kymo: Kymo has no native module for Python {python} ")


def test_broken_native_module_is_named(python, tmp_path):
    copy_without_native(tmp_path)
    check(
        python,
        tmp_path,
        """
        import _imp, os, kymo
        suffix = _imp.extension_suffixes()[0]
        path = os.path.join(os.path.dirname(kymo.__file__), "_native" + suffix)
        open(path, "w").close()
        try:
            kymo.start()
        except kymo.NativeModuleError as error:
            assert "cannot load Kymo's native module" in str(error)
            assert "too short" in str(error)
        else:
            assert False
        """,
        env={"PYTHONPATH": tmp_path / "copy"},
    )


def test_free_threaded_build_is_refused(python, tmp_path):
    check(
        python,
        tmp_path,
        f"""
        import sys
        from kymo._errors import explain_native
        sys.abiflags += "t"
        text = explain_native(ImportError("x"), "/")
        assert "does not support the free-threaded build of Python {python}" in text
        sys.implementation.name = "pypy"
        assert "CPython only; this interpreter is pypy" in explain_native(ImportError("x"), "/")
        """,
    )


def copy_without_native(tmp_path):
    """A package in copy/ with a native module for Python 3.7 only."""
    import shutil

    shutil.copytree(
        support.PACKAGE_DIR / "kymo",
        tmp_path / "copy" / "kymo",
        ignore=shutil.ignore_patterns("*.so"),
    )
    (tmp_path / "copy" / "kymo" / "_native.cpython-37m-x86_64-linux-gnu.so").write_text("")
    (tmp_path / "copy" / "kymo" / "_native.cpython-37-x86_64-linux-gnu.so").write_text("")


def test_version_is_that_of_the_build(newest_python, tmp_path):
    text = (support.REPOSITORY / "CMakeLists.txt").read_text()
    version = text.partition("project(kymo VERSION ")[2].partition(" ")[0]
    check(newest_python, tmp_path, f"import kymo\nassert kymo.__version__ == {version!r}")
