"""What tests of the package and of its command line are given."""

import textwrap

import pytest
import support


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


BESIDE = {
    "broken.py": "import json\nraise OSError(2, 'gone')\n",
    "queue.py": "local = True\n",
    "pkg/__init__.py": "print('package', __name__)\n",
    "pkg/__main__.py": "import sys\n"
    "print(__name__, __package__, __spec__.name, sys.argv, __file__)\n"
    "import pkg.part\nsys.exit(5)\n",
    "pkg/part.py": "import sys\nprint('part', __name__, sys.argv[1:], len(sys.path))\n",
    "empty_pkg/__init__.py": "",
    "failing.py": "def f(): raise LookupError('f')\nf()\n",
    "folder/__main__.py": "import sys, helper\nprint(__name__, sys.argv, sys.path[0], __file__)\n"
    "print(__spec__.name, __package__ == '')\nhelper.fail()\n",
    "folder/helper.py": "def fail(): raise ValueError('in folder')\n",
    # Named as modules that `python -m` needs and a script does not.
    "shadow/main.py": "import contextlib, pkgutil, runpy, typing\n"
    "print([hasattr(m, 'local') for m in (contextlib, pkgutil, runpy, typing)])\n",
    "shadow/contextlib.py": "local = True\n",
    "shadow/pkgutil.py": "local = True\n",
    "shadow/runpy.py": "local = True\n",
    "shadow/typing.py": "local = True\n",
}


@pytest.fixture
def place(tmp_path):
    """A folder with the files that the programs use."""
    for name, text in BESIDE.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (tmp_path / "sub").mkdir()
    return tmp_path
