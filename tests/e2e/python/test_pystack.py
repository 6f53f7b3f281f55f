"""Python's stack as it is read from memory: of the process itself, and of another one."""

import platform
import subprocess
import sysconfig

import pystack_runs
import pytest
import support

pytestmark = pytest.mark.every_version  # of each the layouts in memory are its own

LAYOUTS = support.REPOSITORY / "tools" / "python_layouts.py"

OK, NONE, TORN = "0", "1", "2"


def query(python, expression):
    """What an expression is in an interpreter, as text."""
    code = f"import sys, sysconfig; print({expression})"
    return subprocess.check_output([python.executable, "-c", code], text=True).strip()


def test_table_agrees_with_the_headers(python, newest_python, tmp_path):
    include = query(python, "sysconfig.get_paths()['include']")
    command = [newest_python.executable, LAYOUTS, "--check", include]
    done = support.run(command, cwd=tmp_path)
    if "no headers" in done.stderr:
        pytest.skip(f"there are no headers of {python.version}")
    assert done.stdout == f"{python.version} agrees\n"
    assert done.returncode == 0


def test_table_that_differs_is_told(tmp_path):
    script = LAYOUTS.read_text()
    changed = script.replace("offsetof(PyThreadState, interp)", "offsetof(PyThreadState, prev)")
    assert changed != script
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "changed.py").write_text(changed)
    table = tmp_path / "src" / "pystack" / "pylayout_table.def"
    table.parent.mkdir(parents=True)
    table.write_text((support.REPOSITORY / "src/pystack/pylayout_table.def").read_text())
    headers = sysconfig.get_paths()["include"]
    command = [support.interpreters()[-1].executable, tmp_path / "tools/changed.py", "--check"]
    done = support.run([*command, headers], cwd=tmp_path)
    if "no headers" in done.stderr:
        pytest.skip("this interpreter has no headers")
    assert done.returncode == 1 and "differs" in done.stdout


def test_walks_agree_with_python(python, tmp_path):
    packages = {"PYTHONPATH": support.target_packages(python)}
    told = pystack_runs.run_program(
        python.executable, "pystack_truth.py", cwd=tmp_path, env=packages
    )
    assert told.pop("faults") == []
    assert len(told) >= 44
    assert ("subinterpreter" in told) == (python.number < (3, 12))
    assert told["deep"] == [905] and told["very deep"] == [3005]
    assert len(told["specialised __init__"]) == 100


def test_static_interpreter(static_python, tmp_path):
    """The system's Python, where it is linked with its library and stripped."""
    told = pystack_runs.run_program(static_python, "pystack_truth.py", cwd=tmp_path)
    assert told["faults"] == []


def test_every_walk_under_load_is_possible(python, tmp_path):
    told = pystack_runs.run_program(python.executable, "pystack_load.py", 150, 3, 0.6, cwd=tmp_path)
    assert told["faults"] == []
    counts = told["statuses"]
    assert counts[OK] > 300
    assert counts.get(TORN, 0) <= 0.01 * counts[OK] + 3
    expected = {"fib", "numbers", "inner", "key", "compare", "replace", "deep", "__init__"}
    assert len(expected & set(told["seen"])) >= 6
    doubtful, certain = told["merges"]
    assert certain > 0.9 * counts[OK] and doubtful <= 0.005 * certain + 2


def test_samples_know_their_line(python, tmp_path):
    told = pystack_runs.run_program(python.executable, "pystack_lines.py", cwd=tmp_path)
    hot, call = map(str, told["right"])
    samples = sum(told["hot"].values())
    assert samples > 100
    assert told["hot"][hot] >= 0.99 * samples
    assert told["callers"] == {call: samples}


def test_code_objects_and_the_gil(python, tmp_path):
    told = pystack_runs.run_program(python.executable, "pystack_names.py", cwd=tmp_path)
    assert told["faults"] == [] and told["read"] == []
    assert told["count"] > 1000
    assert told["gil"] == {"holds": True, "inside": True, "released": True, "waits": True}


def test_native_and_python_frames_in_one_stack(python, tmp_path):
    told = pystack_runs.run_program(python.executable, "pystack_merge.py", cwd=tmp_path)
    for situation in told.values():
        assert situation["certain"] == 1 and situation["end"] == 0
        assert not any("EvalFrameDefault" in frame for frame in situation["frames"])
        assert situation["frames"][0] == "ps_merged" and situation["frames"][-1] == "_start"
    python_frames = {
        name: [frame for frame in told[name]["frames"] if frame.startswith("py:")] for name in told
    }
    tail = ["py:main", "py:<module>"]
    assert python_frames == {
        "callback": ["py:look", "py:called_back", "py:caller", *tail],
        "generator": ["py:look", "py:generator", "py:consumer", *tail],
        "key": ["py:look", "py:keyed", "py:sorting", *tail],
    }
    frames = told["callback"]["frames"]
    assert frames.index("py:called_back") < frames.index("ps_call") < frames.index("py:caller")
    if python.number >= (3, 11):  # one evaluation runs both
        assert frames.index("py:look") + 1 == frames.index("py:called_back")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the trap flag is that processor's")
@pytest.mark.parametrize("place", ["thread", "greenlet"])
def test_every_instruction_has_a_whole_stack(python, tmp_path, place):
    """C calls back to Python: each frame stands where it is, wherever the thread is met."""
    env = {"PYTHONPATH": support.target_packages(python)}
    if place == "greenlet":
        probe = [python.executable, "-c", "import greenlet"]
        if support.run(probe, cwd=tmp_path, env=env).returncode:
            pytest.skip("this interpreter has no greenlet")
    told = pystack_runs.run_program(
        python.executable,
        "pystack_steps.py",
        place,
        cwd=tmp_path,
        env=env,
        source="pystack_steps.c",
    )
    assert told["right"] > 20000
    assert (told["wrong"], told["doubtful"], told["lost"]) == (0, 0, 0), told["faults"]
    # Two calls back, each by some ten instructions, where libffi has trampolines of its own.
    assert told["foreign"] <= 2 * 16
    # Of a frame that is being made, 3.12 has the caller nowhere for some instructions.
    assert told["torn"] <= (50 if python.number == (3, 12) else 0), told["faults"]


def read_outside(python, tmp_path):
    """What pystack_outside prints of a program that waits, as lists of words."""
    outside = pystack_runs.compile("pystack_outside.c", "pystack_outside")
    command = [python.executable, support.program("pystack_known.py"), pystack_runs.library()]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        addresses = process.stdout.readline().split()
        wait_until_it_waits(process.pid)
        done = support.run([outside, process.pid, *addresses], cwd=tmp_path)
        process.stdin.close()
        assert process.wait(support.TIMEOUT_S) == 0
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


def wait_until_it_waits(pid):
    """Until the process sleeps in a read of its input."""
    while True:
        with open(f"/proc/{pid}/syscall") as file:
            if file.read().split()[:2] == ["0", "0x0"]:
                return


def test_another_process(python, tmp_path):
    *frames, holder = read_outside(python, tmp_path)
    names = [frame[0] for frame in frames]
    wanted = ["waits_here", "calls_it", "ruft", "main", "<module>"]
    assert [name for name in names if name in wanted] == wanted
    assert holder == ["holder", "0"]
    known = frames[names.index("waits_here") :]
    assert all(frame[5].endswith("pystack_known.py") for frame in known)
    source = support.program("pystack_known.py").read_text().splitlines()
    for name, size, line, *_ in known[:4]:
        assert f"def {name}(" in source[int(line) - 1]
        assert int(size) > 0


def test_library_out_of_sight(python, tmp_path):
    """A host that loads libpython for itself alone, as plug-ins do."""
    name = query(python, "sysconfig.get_config_var('INSTSONAME')")
    folder = query(python, "sysconfig.get_config_var('LIBDIR')")
    if not name.startswith("libpython") or ".so" not in name:
        pytest.skip("this interpreter has no shared library")
    embed = pystack_runs.compile("pystack_embed.c", "pystack_embed")
    env = {"PYTHONHOME": query(python, "sys.prefix")}
    done = support.run([embed, f"{folder}/{name}"], cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["0 0", "1 0", f"1 1 {NONE}", "1 0"]


def test_threads_that_are_left_at_the_end(python, tmp_path):
    command = [python.executable, support.program("pystack_daemons.py"), pystack_runs.library()]
    for _ in range(4):
        done = support.run(command, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, "5\n"), done.stderr
