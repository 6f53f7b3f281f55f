"""Imports are regions: one for each module, with its body and all that runs because of it below."""

import collector_runs as runs
import pytest
import support

FILES = {
    "py_main.py": """
import importlib
import py_package.deep
import py_package.deep
from py_package import sibling, value

def later():
    import py_lazy
    return py_lazy.answer()

def missing():
    try:
        import py_nowhere
    except ImportError:
        pass

later()
later()
missing()
importlib.import_module("py_package.named")
importlib.import_module("py_package.named")
importlib.reload(sibling)
numbers = sorted([3, 1], key=lambda n: [n - i for i in range(n)][0])
""",
    "py_package/__init__.py": "value = 1\ndef own():\n    return 1\nown()\n",
    "py_package/deep.py": "import py_circle\n",
    "py_package/sibling.py": "seen = (lambda: 1)()\n",
    "py_package/named.py": "",
    "py_circle.py": "import py_round\ndef used():\n    pass\n",
    "py_round.py": "import py_circle\n",
    "py_lazy.py": "def answer():\n    return 42\n",
}


OWN = {name.rpartition("/")[2] for name in FILES}


@pytest.fixture
def program(tmp_path):
    for name, text in FILES.items():
        (tmp_path / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "source" / name).write_text(text)
    return tmp_path / "source" / "py_main.py"


def short(tree):
    """{name: [count, tree]} of what is the program's: functions of the library are taken away."""
    found = {}
    for label, (count, children) in tree.items():
        name, _, place = label.partition("@")
        is_import = name.startswith("import ")
        is_own = name.startswith("import py_") if is_import else place.split(":")[0] in OWN
        is_own = is_own and (place[:2] != "__" or name in ("own", "<module>"))
        if is_own:
            runs.add(found, {name: [count, short(children)]})
        elif not is_import:
            runs.add(found, short(children))
    return found


def once(below=None):
    return [1, below or {}]


def imported(name, below=None):
    return {f"import {name}": once({"<module>": once(below)})}


def being_imported(name):
    return {f"import {name}": once()}


def expected(python):
    lambdas = {"<lambda>": once()}
    listcomp = {} if python.number >= (3, 12) else {"<listcomp>": [2, {}]}
    return {
        "<module>": once(
            {
                "import py_package.deep": once(
                    {
                        **imported("py_package", {"own": once()}),
                        "<module>": once(
                            imported("py_circle", imported("py_round", being_imported("py_circle")))
                        ),
                    }
                ),
                **imported("py_package.sibling", lambdas),
                "later": [2, {**imported("py_lazy"), "answer": [2, {}]}],
                "missing": once({"import py_nowhere": once()}),
                # The second call finds it loaded, and is an import all the same.
                "import py_package.named": [2, {"<module>": once()}],
                "<module>": once(lambdas),  # run again
                "<lambda>": [2, listcomp],
            }
        )
    }


@pytest.mark.alike_versions
def test_every_import_is_a_region(python, program, tmp_path):
    """Both views of each instrumenter, and each view alone of the default."""
    for instrumenter in runs.instrumenters(python):
        modes = runs.MODES if instrumenter == runs.default(python) else ["both"]
        for mode in modes:
            recorded = runs.record(
                python, instrumenter, [program], tmp_path / instrumenter / mode, mode=mode
            )
            assert recorded.unmatched() == 0
            for view in runs.MODE_VIEWS[mode]:
                tree = getattr(recorded, view)()["MainThread"]
                assert short(tree) == expected(python), (instrumenter, mode)


def machinery(tree):
    """Labels of what is not shown unasked."""
    found = set()
    for label, (_, children) in tree.items():
        if "@<frozen importlib" in label or "@<frozen zipimport" in label:
            found.add(label.partition("@")[0])
        found |= machinery(children)
    return found


@pytest.mark.alike_versions
def test_the_machinery_is_folded_into_them(python, program, tmp_path):
    recorded = runs.record(python, "auto", [program], tmp_path / "folded")
    assert machinery(recorded.profile()["MainThread"]) == set()
    recorded = runs.record(
        python, "auto", [program], tmp_path / "shown", options=["-MI", "importlib._boot"]
    )
    shown = machinery(recorded.profile()["MainThread"])
    assert {"_find_spec", "exec_module"} <= shown and "_find_and_load" not in shown


@pytest.mark.alike_versions
def test_a_hidden_import_hides_what_runs_because_of_it(python, program, tmp_path):
    for instrumenter in runs.instrumenters(python):
        recorded = runs.record(
            python, instrumenter, [program], tmp_path / instrumenter, options=["-E", "^import$"]
        )
        names = runs.counts(recorded.profile())
        assert not any(name.startswith("import ") for name in names)
        assert (names["<module>"], names.get("own"), names["answer"]) == (1, None, 2)


THREADS = """
import threading
started = threading.Barrier(2)

def load(name):
    started.wait()
    __import__(name)

threads = [threading.Thread(target=load, args=(name,), name=name) for name in ("py_a", "py_b")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.mark.alike_versions("3.12")
def test_each_thread_has_its_own(python, tmp_path):
    for name in ("py_a", "py_b"):
        (tmp_path / f"{name}.py").write_text("import py_shared\n")
    (tmp_path / "py_shared.py").write_text("import time\ntime.sleep(0.05)\n")
    (tmp_path / "py_threads_import.py").write_text(THREADS)
    for instrumenter in runs.instrumenters(python):
        recorded = runs.record(
            python,
            instrumenter,
            [tmp_path / "py_threads_import.py"],
            tmp_path / instrumenter,
            mode="both",
        )
        assert recorded.unmatched() == 0
        bodies = 0
        for name in ("py_a", "py_b"):
            (load,) = runs.of_program(recorded.profile())[name].values()
            tree = load[1]
            for step in (f"import {name}", "<module>", "import py_shared"):
                (tree,) = (node[1] for label, node in tree.items() if label.startswith(step))
            bodies += sum(label.startswith("<module>") for label in tree)
        assert bodies == 1, instrumenter


CODE = "f = lambda: 1\nf()\n"


@pytest.mark.parametrize("way", ["-c", "-"])
def test_code_without_a_file(python, way, tmp_path):
    words = ["-c", CODE] if way == "-c" else ["-"]
    finished = support.run_kymo_python(
        python, ["-q", "--", *words], cwd=tmp_path, input=None if way == "-c" else CODE
    )
    assert finished.returncode == 0, finished.stderr
    calls = support.region_calls(tmp_path / "out")
    assert (calls["<module>"], calls["<lambda>"]) == (1, 1)


@pytest.mark.parametrize("name", ["encoder.py", "own_decoder.py", "threading.py"])
def test_files_named_like_the_library(python, name, tmp_path):
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / name).write_text("def work():\n    pass\nfor _ in range(3):\n    work()\n")
    finished = support.run_kymo_python(python, ["-q", "--", folder / name], cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert support.region_calls(tmp_path / "out")["work"] == 3
