"""`python -m kymo` against the bare interpreter: what a program prints, how it ends and what
it sees of itself are the same, byte for byte; and what the command line refuses."""

import re
import signal
import textwrap

import pytest
import support

pytestmark = pytest.mark.alike_versions

# name: the program; every one runs as a script.
SCRIPTS = {
    "empty": "",
    "arguments": "import sys; print(sys.argv, sys.path, __file__, __name__)",
    "namespace": "import sys\nprint(__doc__, __spec__, __package__, __cached__)\n"
    "print(list(globals()), __builtins__, type(__loader__), vars(__loader__))",
    "main_module": "import sys\nx = 5\nmain = sys.modules['__main__']\n"
    "print(main.x, main.__dict__ is globals(), main)",
    "pickling": """
        import pickle
        class Point:
            def __init__(self): self.x = 1
        if __name__ == "__main__":
            print(pickle.loads(pickle.dumps(Point())).x, Point.__module__)
        """,
    "exit_none": "import sys; sys.exit()",
    "exit_number": "import sys; sys.exit(3)",
    "exit_large_number": "import sys; sys.exit(256 + 7)",
    "exit_negative": "import sys; sys.exit(-1)",
    "exit_text": "import sys; sys.exit('no such thing')",
    "exit_true": "import sys; sys.exit(True)",
    "exit_float": "import sys; sys.exit(2.5)",
    "exit_tuple": "import sys; sys.exit((1, 2))",
    "exit_raised": "raise SystemExit",
    "exit_subclass": "class Stop(SystemExit): pass\nraise Stop(9)",
    "exit_builtin": "exit(4)",
    "exit_in_function": "import sys\ndef leave(): sys.exit(6)\nleave()",
    "exit_in_exit_handler": "import atexit, sys\natexit.register(sys.exit, 5)\nprint('main')",
    "uncaught": "def fail(): return 1 / 0\nfail()",
    "uncaught_chain": """
        def convert(text):
            try:
                return int(text)
            except ValueError as error:
                raise KeyError(text) from error
        def outer():
            try:
                convert("x")
            except KeyError:
                raise RuntimeError("outer")
        outer()
        """,
    "uncaught_class": "class Odd(Exception):\n  def __str__(self): raise ValueError\nraise Odd()",
    "uncaught_base": "class Deep(BaseException): pass\nraise Deep('down')",
    "uncaught_in_import": "import broken",
    "uncaught_recursion": "def dive(n): return dive(n + 1)\ndive(0)",
    "uncaught_in_generator": "def steps():\n  yield 1\n  raise KeyError('k')\nprint(list(steps()))",
    "interrupt": "raise KeyboardInterrupt",
    "interrupt_signal": "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
    "import time; time.sleep(5)",
    "syntax_error": "print('never')\nif True print('x')\n",
    "syntax_error_last_line": "x = (1,\n",
    "indentation_error": "def f():\nreturn 1\n",
    "tab_error": "if True:\n\tx = 1\n        y = 2\n",
    "not_utf8": b"print('never')\nx = '\xff\xfe'\n",
    "latin1": b"# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))\n",
    "bom": b"\xef\xbb\xbfprint('bom')\n",
    "unknown_encoding": b"# -*- coding: nonesuch -*-\nprint(1)\n",
    "no_final_newline": "print(1)",
    "future": "from __future__ import annotations\n"
    "def f(x: undefined): pass\nprint(f.__annotations__)",
    "annotations": "x: int = 1\nprint(__annotations__)",
    "docstring": "'''The text.'''\nprint(__doc__)",
    "excepthook": "import sys\ndef hook(kind, value, tb):\n"
    "  print('hook', kind, value, tb.tb_frame.f_code.co_name, tb.tb_next, __file__[-9:])\n"
    "sys.excepthook = hook\n1/0",
    "excepthook_fails": "import sys\ndef hook(*a): raise ValueError('hook')\n"
    "sys.excepthook = hook\n1/0",
    "excepthook_exits": "import sys\ndef hook(*a): sys.exit(12)\nsys.excepthook = hook\n1/0",
    "excepthook_deleted": "import sys\ndel sys.excepthook\n1/0",
    "excepthook_restored": "import atexit, sys\n"
    "atexit.register(lambda: print(sys.excepthook is sys.__excepthook__))\n1/0",
    "last_traceback": "import atexit, sys\ndef look():\n"
    "  tb = sys.last_traceback\n  print(sys.last_type, sys.last_value, tb.tb_lineno, tb.tb_next)\n"
    "  print(sys.last_value.__traceback__ is tb)\n"
    "atexit.register(look)\n1/0",
    "stderr_none": "import sys\nsys.stderr = None\n1/0",
    "stdout_none": "import sys\nsys.stdout = None\nsys.exit(3)",
    "stack": "import sys\nframe, depth = sys._getframe(), 0\nwhile frame:\n"
    "  frame, depth = frame.f_back, depth + 1\nprint(depth)",
    "stack_printed": "import traceback\ndef f(): traceback.print_stack()\nf()",
    "stack_inspected": "import inspect\nprint([each.function for each in inspect.stack()])",
    "warning_level": "import warnings\nwarnings.warn('w', stacklevel=1)\n"
    "def f(): warnings.warn('v', stacklevel=3)\nf()",
    "recursion_depth": """
        import sys
        def depth():
            try:
                return depth() + 1
            except RecursionError:
                return 1
        print(sys.getrecursionlimit(), depth())
        sys.setrecursionlimit(2000)
        print(depth())
        """,
    "modules": "import sys\n"
    "print(sorted(m for m in sys.modules if m.split('.')[0] not in ('kymo', '__future__',"
    " 'atexit')))",
    "thread_exit": "import sys, threading\nt = threading.Thread(target=sys.exit, args=(3,))\n"
    "t.start(); t.join(); print('main')",
    "thread_outlives_main": """
        import threading, time
        def late():
            time.sleep(0.2)
            print("late", "__file__" in globals())
        threading.Thread(target=late).start()
        print("main")
        """,
    "thread_fails": "import threading\ndef f(): raise KeyError('t')\n"
    "t = threading.Thread(target=f, name='T'); t.start(); t.join(); print('main')",
    "thread_daemon": "import threading, time\n"
    "threading.Thread(target=time.sleep, args=(30,), daemon=True).start(); print('main')",
    "thread_identity": "import threading\nprint(threading.current_thread() is"
    " threading.main_thread(), threading.current_thread().name, threading.active_count())",
    "exit_handlers": "import atexit\nfor i in range(3): atexit.register(print, i)\nprint('main')",
    "exit_handler_fails": "import atexit\ndef f(): 1/0\natexit.register(f)\nprint('main')",
    "exit_handlers_see_file": "import atexit\n"
    "atexit.register(lambda: print('__file__' in globals(), '__cached__' in globals()))",
    "del_at_shutdown": "class A:\n  def __del__(self): print('gone')\na = A()\nprint('main')",
    "hard_exit": "import os, sys\nprint('out'); sys.stdout.flush(); os._exit(11)",
    "killed": "import os, signal\nprint('out', flush=True)\nos.kill(os.getpid(), signal.SIGTERM)",
    "aborted": "import os\nprint('out', flush=True)\nos.abort()",
    "reads_stdin": "import sys\nprint(input(), sys.stdin.read())",
    "hooks_seen": "import sys, threading\nprint(sys.gettrace())",
    "flags": "import sys\nprint(sys.flags, sys.warnoptions, sys._xoptions)",
    "original_arguments": "import sys\nprint(getattr(sys, 'orig_argv', None))",
    "subprocess": "import subprocess, sys\n"
    "print(subprocess.run([sys.executable, '-c', 'import sys; print(sys.argv, sys.path); '\n"
    "  'sys.exit(7)'], stdout=subprocess.PIPE).stdout.decode())",
    "asyncio": "import asyncio\nasync def f():\n  await asyncio.sleep(0)\n  return 3\n"
    "print(asyncio.run(f()))",
}

# How a program can be named besides as a script: (arguments, standard input).
OTHER_TARGETS = {
    "module": (["-m", "pkg.part", "a", "-b"], None),
    "module_attached": (["-mpkg.part", "a"], None),
    "package": (["-m", "pkg", "x"], None),
    "module_missing": (["-m", "nonesuch"], None),
    "module_in_missing": (["-m", "nonesuch.part"], None),
    "package_without_main": (["-m", "empty_pkg"], None),
    "module_fails": (["-m", "failing"], None),
    "module_of_library": (["-m", "json.tool"], '{"a": [1, 2]}'),
    "code": (
        ["-c", "import sys; print(sys.argv, sys.path, list(globals()))", "a", "-c", "--"],
        None,
    ),
    "code_attached": (["-cprint(1)", "a"], None),
    "code_fails": (["-c", "\nimport sys\ndef f(): return [][1]\nf()\n"], None),
    "code_syntax_error": (["-c", "print(1"], None),
    "code_exits": (["-c", "raise SystemExit(8)"], None),
    "code_interrupt": (["-c", "raise KeyboardInterrupt"], None),
    "stdin": (
        ["-", "a"],
        "import sys\nprint(sys.argv, sys.path, list(globals()), __file__)\n1/0\n",
    ),
    "stdin_reads": (["-"], "print(repr(input()))\n"),
    "stdin_syntax_error": (["-"], "x = = 1\n"),
    "folder": (["folder", "a"], None),
    "folder_slash": (["./folder/", "a"], None),
    "dotted": (["./sub/../failing.py"], None),
    "linked": (["sub/linked.py"], None),
    "shadowing": (["shadow/main.py"], None),
    "compiled": (["compiled.pyc", "a"], None),
    "zip": (["program.zip", "a"], None),
}


def without_addresses(text):
    """Addresses of objects differ from run to run."""
    return re.sub(r"\b0x[0-9a-f]+", "0x", text)


# The two ways in: what kymo-python starts, and the module.
WRAPPER = [support.PACKAGE_DIR / "kymo" / "_start.py"]
MODULE = ["-m", "kymo"]


def compare(place, python, arguments, flags=(), input=None, starts=(WRAPPER,)):
    """Run under Kymo and without, and check that nothing tells the two apart."""
    environment = {"PYTHONPATH": support.PACKAGE_DIR, "KYMO_OUTPUT_PATH": place / "out"}
    command = [python.executable, *flags]
    bare = support.run([*command, *arguments], cwd=place, env=environment, input=input)
    for start in starts:
        words = [*command, *start, "-q", *arguments]
        seen = support.run(words, cwd=place, env=environment, input=input)
        assert without_addresses(seen.stderr) == without_addresses(bare.stderr)
        assert without_addresses(seen.stdout) == without_addresses(bare.stdout)
        assert seen.returncode == bare.returncode
    return seen


@pytest.mark.newest_version
@pytest.mark.parametrize("name", SCRIPTS)
def test_script_is_as_without_kymo(place, python, name):
    text = SCRIPTS[name]
    program = textwrap.dedent(text).encode() if isinstance(text, str) else text
    (place / "program.py").write_bytes(program)
    input = "first\nsecond\n" if name == "reads_stdin" else None
    compare(place, python, ["program.py", "a", "-v", "--", "b c"], input=input)


@pytest.mark.newest_version
@pytest.mark.parametrize("name", OTHER_TARGETS)
def test_target_is_as_without_kymo(place, python, name):
    arguments, input = OTHER_TARGETS[name]
    if name == "linked":
        (place / "sub" / "linked.py").symlink_to("../failing.py")
    if name == "compiled":
        support.run(
            [
                python.executable,
                "-c",
                "import py_compile; py_compile.compile('failing.py', 'compiled.pyc')",
            ],
            cwd=place,
        )
    if name == "zip":
        support.run([python.executable, "-m", "zipapp", "folder", "-o", "program.zip"], cwd=place)
    compare(place, python, arguments, input=input, starts=(WRAPPER, MODULE))


# Modules of the standard library that an interpreter may or may not have loaded when a
# program begins, and what is imported to run one.
SHADOWS = """
    _collections_abc abc argparse ast atexit bisect collections contextlib copyreg dis
    enum functools importlib inspect io json keyword kymo linecache opcode operator os
    pathlib pkgutil re reprlib runpy signal site subprocess textwrap threading token
    tokenize traceback types typing warnings weakref zipfile
"""


@pytest.mark.parametrize("script", ["prints", "broken"])
def test_files_of_the_current_folder_are_not_run(place, python, script):
    text = {"prints": "import sys\nprint(sys.path[0], __file__)\n", "broken": "def f(:\n"}
    (place / "sub" / "program.py").write_text(text[script])
    for name in SHADOWS.split():
        (place / f"{name}.py").write_text(f"raise SystemExit('./{name}.py was run')\n")
    compare(place, python, ["sub/program.py"])


@pytest.mark.parametrize("target", [["program.py"], ["broken.py"], ["-c", "  print(1)"]])
def test_files_beside_the_program_are_run_as_without_kymo(place, python, target):
    (place / "program.py").write_text("import sys\nprint(sys.path[0], __file__)\n")
    (place / "broken.py").write_text("def f(:\n")
    for name in SHADOWS.split():
        (place / f"{name}.py").write_text(f"raise SystemExit('./{name}.py was run')\n")
    compare(place, python, target)


def test_margins_are_taken_off_as_textwrap_does(place, python):
    (place / "program.py").write_text(
        "import random, textwrap\nfrom kymo import _program\nrandom.seed(7)\n"
        "for _ in range(3000):\n"
        "    text = ''.join(random.choice('  \\t\\t\\nab') for _ in range(random.randrange(30)))\n"
        "    assert _program._dedent(text) == textwrap.dedent(text), repr(text)\n"
    )
    environment = {"PYTHONPATH": support.PACKAGE_DIR}
    result = support.run([python.executable, "program.py"], cwd=place, env=environment)
    assert result.returncode == 0, result.stderr


@pytest.mark.newest_version
@pytest.mark.parametrize(
    "flags", [["-O"], ["-B", "-u"], ["-W", "error"], ["-X", "dev"], ["-bb"]], ids=" ".join
)
def test_interpreter_flags_are_the_programs(place, python, flags):
    (place / "program.py").write_text(
        "import sys\nprint(sys.flags, sys.warnoptions, __debug__, getattr(sys, 'orig_argv', 0))\n"
    )
    compare(place, python, ["program.py"], flags=flags, starts=(WRAPPER, MODULE))


def test_comparison_notices_differences(place, python):
    (place / "program.py").write_text("import sys\nprint('kymo._session' in sys.modules)\n")
    with pytest.raises(AssertionError):
        compare(place, python, ["program.py"])


def test_interrupt_ends_by_the_signal(place, python):
    (place / "program.py").write_text("raise KeyboardInterrupt\n")
    assert compare(place, python, ["program.py"]).returncode == -signal.SIGINT


SHOW = "exec(open('show.py').read())"

# Options of Kymo, the program, what the program must get.
SPLITS = {
    "options_of_the_program": ([], ["show.py"], ["-b", "--help", "-c", "x"]),
    "separator": (["--"], ["show.py"], ["-b"]),
    "separator_of_the_program": ([], ["show.py"], ["--", "-b"]),
    "one_pattern": (["-E", "none"], ["show.py"], ["x"]),
    "many_patterns": (["-E", "none", "no"], ["show.py"], ["x", "y.py"]),
    "many_patterns_separated": (["-E", "none", "failing.py", "--"], ["show.py"], ["x"]),
    "patterns_before_option": (["-E", "a", "b", "-MI", "c.py", "--"], ["show.py"], ["x"]),
    "file_pattern_and_script": (["-ME", "part.py"], ["show.py"], ["x"]),
    "pattern_attached": (["--function-exclude=none"], ["show.py"], ["x"]),
    "labels": (["--label", "args", "file"], ["show.py"], ["x"]),
    "labels_none": (["--label"], ["show.py"], ["x"]),
    "labels_attached": (["--label=args,line"], ["show.py"], ["x"]),
    "boolean": (["-F", "on", "--trace-c", "off"], ["show.py"], ["on"]),
    "boolean_bare": (["-F"], ["show.py"], ["x"]),
    "verbosity": (["-v", "0", "-v0", "--verbosity=0"], ["show.py"], ["1"]),
    "abbreviated": (["--noinst"], ["show.py"], ["x"]),
    "code_after_separator": (["--"], ["-c", SHOW], ["x"]),
    "code_after_list": (["-I", "f"], ["-c", SHOW], ["x"]),
    "config_and_code": (["-c", "empty.cfg"], ["-c", SHOW], ["x"]),
    "module_after_list": (["-I", "f"], ["-m", "show"], ["x"]),
    "stdin_after_list": (["-I", "f"], ["-"], ["x"]),
    "settings": (["--set", "SUMMARY=OFF", "-o", "elsewhere"], ["show.py"], ["x"]),
    "instrumenter": (["--instrumenter-type", "dummy"], ["show.py"], ["x"]),
    "setup": (["-s", "setup.py"], ["show.py"], ["x"]),
}


@pytest.mark.newest_version
@pytest.mark.parametrize("name", SPLITS)
def test_program_gets_its_own_arguments(place, python, name):
    (place / "show.py").write_text("import sys\nprint(sys.argv[1:])\n")
    (place / "empty.cfg").write_text("")
    (place / "setup.py").write_text("import sys\nassert sys.argv[1:] == ['x']\n")
    options, program, arguments = SPLITS[name]
    result = support.run_kymo_python(
        python,
        ["-q", *options, *program, *arguments],
        cwd=place,
        input=(place / "show.py").read_text(),
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"{arguments}\n"


def test_setup_shares_the_namespace_of_the_program(place, python):
    (place / "setup.py").write_text("given = 3\nprint(__name__, __file__)\n")
    (place / "program.py").write_text("print(given, __file__[-10:])\n")
    result = support.run_kymo_python(python, ["-q", "-s", "setup.py", "program.py"], cwd=place)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "__main__ setup.py\n3 program.py\n"


def test_setup_that_fails_shows_only_its_own_frames(place, python):
    result = support.run_kymo_python(python, ["-q", "-s", "failing.py", "pkg/part.py"], cwd=place)
    assert (result.returncode, result.stdout) == (1, "")
    assert "LookupError: f" in result.stderr and "kymo" not in result.stderr
