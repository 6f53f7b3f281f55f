"""Python programs under `kymo run`: Python, C and users' regions in one tree, every process
recorded once, and the program as without Kymo."""

import functools
import json
import signal
import subprocess
import textwrap

import pytest
import support

pytestmark = pytest.mark.alike_versions


@functools.lru_cache(maxsize=None)
def library(directory):
    path = directory / "liblibrary.so"
    source = support.program("py_native_library.c")
    include = support.REPOSITORY / "include"
    command = ["cc", "-shared", "-fPIC", "-I", include, source, "-o", path]
    subprocess.run([str(part) for part in command], check=True)
    return path


@pytest.fixture
def write(tmp_path):
    """write(text): a script in the test's folder, with what all of them begin with."""

    def write(text):
        script = tmp_path / "script.py"
        script.write_text(textwrap.dedent(text))
        return script

    return write


def run(python, script, tmp_path, *options, env=None, arguments=()):
    command = ["run", "-q", "-o", tmp_path / "out", "--time-output=OFF", *options, "--"]
    return support.run_kymo(
        [*command, python.executable, script, *arguments], cwd=tmp_path, env=env
    )


def paths(directory):
    """{"a/b/c": calls} of all call paths of all processes."""
    result = support.run_kymo(
        ["report", directory, "--tree", "--format", "json", "--top", "0"], cwd=directory
    )
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert not [loss for loss in report["losses"] if "did not match" in loss], report["losses"]
    found, open_names = {}, []
    for row in report["paths"]:
        if not row["calls"]:  # what is in no region
            continue
        open_names[row["depth"] :] = [row["name"]]
        path = "/".join(open_names)
        found[path] = found.get(path, 0) + row["calls"]
    return found


def calls_of(directory, name):
    return sum(calls for path, calls in paths(directory).items() if path.endswith("/" + name))


ENDINGS = {
    "return": ("", 0),
    "exit": ("import sys; sys.exit(3)", 3),
    "raise": ("raise ValueError('no')", 1),
    "_exit": ("import os; os._exit(4)", 4),
    "text": ("raise SystemExit('text')", 1),
    "killed": ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
    "abort": ("import os; os.abort()", -signal.SIGABRT),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_ends_as_without(python, write, tmp_path, ending):
    code, status = ENDINGS[ending]
    script = write(f"def work():\n    return 1\nwork()\nprint('out', flush=True)\n{code}\n")
    bare = support.run_bare_python(python, [script], cwd=tmp_path)
    recorded = run(python, script, tmp_path)
    assert (recorded.returncode, recorded.stdout, recorded.stderr) == (
        bare.returncode,
        bare.stdout,
        bare.stderr,
    )
    assert bare.returncode == status
    assert calls_of(tmp_path / "out", "work") == 1
    (recording,) = support.find_recordings(tmp_path / "out")
    if status >= 0:
        assert support.decode(recording).header.exit_status == status


def test_one_tree(python, write, tmp_path):
    """Python calls C, C calls back, each below the other."""
    script = write(f"""
        import ctypes
        library = ctypes.CDLL({str(library(tmp_path))!r})
        @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
        def back(value):
            return double(value)
        def double(value):
            return 2 * value
        def main():
            for value in range(10):
                assert library.outer(back, value) == 2 * value
        main()
        """)
    result = run(python, script, tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    found = {path: calls for path, calls in paths(tmp_path / "out").items() if "in C" in path}
    (root,) = {path.split("/")[0] for path in found}
    assert found == {
        f"{root}/<module>/main/outer in C": 10,
        f"{root}/<module>/main/outer in C/inner in C": 10,
        f"{root}/<module>/main/outer in C/inner in C/back": 10,
        f"{root}/<module>/main/outer in C/inner in C/back/double": 10,
    }


def test_regions_of_both(python, write, tmp_path):
    """kymo.region in Python around and inside of regions in C."""
    script = write(f"""
        import ctypes, kymo
        library = ctypes.CDLL({str(library(tmp_path))!r})
        @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
        def back(value):
            with kymo.region("inner in Python"):
                return value
        with kymo.region("outer in Python"):
            library.outer(back, 1)
        """)
    result = run(python, script, tmp_path, env={"PYTHONPATH": support.PACKAGE_DIR})
    assert (result.returncode, result.stderr) == (0, "")
    wanted = "outer in Python/outer in C/inner in C/back/inner in Python"
    assert [path for path in paths(tmp_path / "out") if path.endswith(wanted)]


INSTRUMENTERS = ["auto", "cProfile", "profile", "cTrace", "trace"]


@pytest.mark.parametrize("instrumenter", INSTRUMENTERS)
def test_switched_off_and_on(python, write, tmp_path, instrumenter):
    """What is called while recording is off leaves nothing, and does no harm to the rest."""
    script = write(f"""
        import ctypes
        library = ctypes.CDLL({str(library(tmp_path))!r})
        def work(depth):
            return work(depth - 1) if depth else 0
        def unseen():
            work(3)
            library.record(1)
        def generate():
            for i in range(4):
                work(0)
                yield i
        def main():
            for i in range(5):
                work(2)
                library.record(0)
                work(1)
                unseen()
                work(4)
            for i in generate():
                library.record(i % 2)
            library.record(1)
            work(0)
        main()
        """)
    env = {"KYMO_PYTHON_INSTRUMENTER": instrumenter}
    result = run(python, script, tmp_path, env=env)
    assert (result.returncode, result.stderr) == (0, "")
    # 5 x (3 + 5), of the generator's four the first and those behind a start, and the last.
    assert calls_of(tmp_path / "out", "work") == 5 * 8 + 3
    assert calls_of(tmp_path / "out", "unseen") == 0


def test_leaves_python_out(python, write, tmp_path):
    script = write("def work():\n    return 1\nwork()\n")
    result = run(python, script, tmp_path, "--no-python")
    assert (result.returncode, result.stderr) == (0, "")
    assert len(paths(tmp_path / "out")) == 1


CHILDREN = {
    "subprocess": """
        import subprocess, sys
        for i in range(3):
            subprocess.check_call([sys.executable, "-c", "import work; work.work()"])
        """,
    "shell": """
        import os, sys
        for i in range(3):
            os.system(sys.executable + " -c 'import work; work.work()'")
        """,
    "fork": """
        import os, work
        for i in range(3):
            child = os.fork()
            if not child:
                work.work()
                os._exit(0)
            os.waitpid(child, 0)
        """,
    "exec": """
        import os, sys
        for i in range(3):
            child = os.fork()
            if not child:
                os.execv(sys.executable, [sys.executable, "-c", "import work; work.work()"])
            os.waitpid(child, 0)
        """,
    "multiprocessing": """
        import multiprocessing, work
        if __name__ == "__main__":
            for method in ("fork", "spawn", "forkserver"):
                context = multiprocessing.get_context(method)
                process = context.Process(target=work.work)
                process.start()
                process.join()
        """,
}


@pytest.mark.parametrize("kind", CHILDREN)
def test_children(python, write, tmp_path, kind):
    (tmp_path / "work.py").write_text("def work():\n    return 1\n")
    result = run(python, write(CHILDREN[kind]), tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert calls_of(tmp_path / "out", "work") == 3
    pids = {}
    for path in support.find_recordings(tmp_path / "out"):
        header = support.decode(path).header
        pids[header.pid] = header.parent_pid
    roots = [pid for pid, parent in pids.items() if parent not in pids]
    assert len(roots) == 1 and len(pids) >= 4


def test_threads_have_their_names(python, write, tmp_path):
    script = write("""
        import threading
        def work():
            return 1
        threads = [threading.Thread(target=work, name=f"worker {i}") for i in range(3)]
        for each in threads: each.start()
        for each in threads: each.join()
        """)
    result = run(python, script, tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert calls_of(tmp_path / "out", "work") == 3
    (path,) = support.find_recordings(tmp_path / "out")
    recording = support.decode(path)
    names = {recording.string(thread.name) for thread in recording.threads.values()}
    assert {"worker 0", "worker 1", "worker 2"} <= names


def test_settings_reach_python(python, write, tmp_path):
    script = write("def work():\n    return 1\ndef other():\n    return work()\nother()\n")
    result = run(python, script, tmp_path, "--python-function-exclude=^other$")
    assert (result.returncode, result.stderr) == (0, "")
    assert calls_of(tmp_path / "out", "work") == 0
    assert len(paths(tmp_path / "out")) >= 1
