"""The instrumenter `dispatch`: events come straight from the interpreter, and nothing of the
program or of its other tools is different."""

import os
import subprocess

import collector_runs as runs
import pytest
import sampler_runs
import support

pytestmark = [
    pytest.mark.skipif(os.uname().machine != "x86_64", reason="takes functions over on x86-64"),
    pytest.mark.since("3.12"),
    pytest.mark.until("3.14"),
]

# Kymo's callbacks are away while it calls: what is counted then came without them.
WITHOUT_CALLBACKS = """
import sys

def called(n):
    return n

def numbers(n):
    for i in range(n):
        yield i

def fails():
    raise ValueError

def work():
    for i in range(100):
        called(i)
    list(numbers(50))
    for i in range(10):
        try:
            fails()
        except ValueError:
            pass

def take_callbacks():
    monitoring = sys.monitoring
    (tool,) = [i for i in range(6) if monitoring.get_tool(i) == "kymo"]
    events = monitoring.events
    names = ("PY_START", "PY_RESUME", "PY_RETURN", "PY_YIELD", "PY_UNWIND", "RAISE")
    numbers = [getattr(events, name) for name in names]
    return [(tool, number, monitoring.register_callback(tool, number, None)) for number in numbers]

work()
taken = take_callbacks()
work()
for tool, number, callback in taken:
    sys.monitoring.register_callback(tool, number, callback)
"""
TWICE = {"called": 200, "numbers": 102, "fails": 20, "work": 2}
ONCE = {"called": 100, "numbers": 51, "fails": 10, "work": 1}


def calls_of(recorded, wanted):
    found = runs.counts(recorded.profile())
    return {name: found.get(name, 0) for name in wanted}


def reasons(recorded):
    """Why callbacks were used."""
    return [value for kind, key, value in recorded.notes() if key == "python"]


def script(folder, text):
    path = folder / "py_program.py"
    path.write_text(text)
    return path


@pytest.mark.parametrize("mode", runs.MODES)
def test_events_come_without_callbacks(python, mode, tmp_path):
    program = script(tmp_path, WITHOUT_CALLBACKS)
    recorded = runs.record(python, "dispatch", [program], tmp_path / "dispatch", mode=mode)
    for view in runs.MODE_VIEWS[mode]:
        found = runs.counts(getattr(recorded, view)())
        assert {name: found[name] for name in TWICE} == TWICE
    assert recorded.unmatched() == 0
    assert reasons(recorded) == []


C_FUNCTIONS = """
import sys

def work():
    for i in range(100):
        abs(i)
    return len([].__iter__.__name__)

def take_callbacks():
    monitoring = sys.monitoring
    (tool,) = [i for i in range(6) if monitoring.get_tool(i) == "kymo"]
    numbers = (monitoring.events.CALL, monitoring.events.C_RETURN)
    return [(tool, number, monitoring.register_callback(tool, number, None)) for number in numbers]

work()
taken = take_callbacks()
work()
for each in taken:
    sys.monitoring.register_callback(*each)
"""


def test_calls_of_c_functions_come_without_callbacks(python, tmp_path):
    program = script(tmp_path, C_FUNCTIONS)
    found = {}
    for instrumenter in ("dispatch", "monitoring"):
        recorded = runs.record(
            python, instrumenter, [program], tmp_path / instrumenter, options=["--trace-c"]
        )
        counts = runs.counts(recorded.profile())
        found[instrumenter] = [counts[f"{{built-in method builtins.{n}}}"] for n in ("abs", "len")]
        assert instrumenter == "monitoring" or recorded.unmatched() == 0
    assert found == {"dispatch": [200, 2], "monitoring": [100, 1]}


def test_it_is_what_is_used_when_nothing_is_chosen(python, tmp_path):
    program = script(tmp_path, WITHOUT_CALLBACKS)
    recorded = runs.record(python, "auto", [program], tmp_path / "auto")
    assert calls_of(recorded, TWICE) == TWICE
    # And the test sees a difference.
    recorded = runs.record(python, "monitoring", [program], tmp_path / "monitoring")
    assert calls_of(recorded, ONCE) == ONCE


def test_functions_that_are_left_out_cost_nothing(python, tmp_path):
    """Their locations are disabled, as by callbacks: a second tool sees Kymo's bit go."""
    text = """
import sys

def left_out(n):
    return n

def kept(n):
    return left_out(n)

for i in range(100):
    kept(i)
print(*(hex(byte) for byte in left_out.__code__._co_code_adaptive[:1]))
print(*(hex(byte) for byte in kept.__code__._co_code_adaptive[:1]))
"""
    outputs = []
    for instrumenter in ("dispatch", "monitoring"):
        recorded = runs.record(
            python,
            instrumenter,
            [script(tmp_path, text)],
            tmp_path / instrumenter,
            options=["-R", "^kept$"],
        )
        found = runs.counts(recorded.profile())
        assert found == {"kept": 100}
        outputs.append(recorded.process.stdout)
    left_out, kept = outputs[0].split()
    assert outputs[0] == outputs[1] and left_out != kept


# Hashes of the interpreter's text: before, while it is recorded, and after.
TEXT = """
import hashlib, sys
import kymo

def text():
    found = hashlib.sha256()
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb") as memory:
        for line in maps:
            words = line.split()
            path = words[5] if len(words) > 5 else ""
            if "x" not in words[1] or ("libpython" not in path and "bin/python" not in path):
                continue
            start, end = (int(word, 16) for word in words[0].split("-"))
            memory.seek(start)
            found.update(memory.read(end - start))
            assert "w" not in words[1]
    return found.hexdigest()

def called():
    pass

hashes = [text()]
for i in range(3):
    kymo.start()
    called()
    hashes.append(text())
    kymo.stop()
    hashes.append(text())
bare = hashes[0::2]
assert len(set(bare)) == 1, bare
print(len(set(hashes[1::2]) - set(bare)))
"""


def test_the_text_is_as_it_was_when_recording_stops(python, tmp_path):
    program = script(tmp_path, TEXT)
    for instrumenter, changed in (("dispatch", "1\n"), ("monitoring", "0\n")):
        environment = {"KYMO_PYTHON_INSTRUMENTER": instrumenter, "KYMO_QUIET": "ON"}
        environment["PYTHONPATH"] = support.PACKAGE_DIR
        folder = tmp_path / instrumenter
        folder.mkdir()
        ran = support.run_bare_python(python, [program], cwd=folder, env=environment)
        assert (ran.returncode, ran.stdout) == (0, changed), ran.stderr
        (recording,) = support.find_recordings(folder)
        assert runs.counts(runs.Recorded(recording).profile())["called"] == 3


FORKED = WITHOUT_CALLBACKS.replace(
    "\nwork()\ntaken", "\nimport os\nif os.fork():\n    os.wait()\nwork()\ntaken"
)


def test_a_forked_child_goes_on(python, tmp_path):
    program = script(tmp_path, FORKED)
    folder = tmp_path / "run"
    folder.mkdir()
    ran = runs.run(python, "dispatch", [program], folder)
    assert ran.returncode == 0, ran.stderr
    found = support.region_calls(folder / "out")
    assert {name: found[name] for name in TWICE} == {name: 2 * n for name, n in TWICE.items()}


def test_every_kind_of_call_while_many_threads_run(python, tmp_path):
    """Each thread's calls, whichever holds the interpreter when."""
    text = """
import threading

def leaf(n):
    return n

def branch(n):
    return leaf(n) + leaf(n)

def many():
    for i in range(1500):
        branch(i)

threads = [threading.Thread(target=many) for i in range(6)]
import sys
sys.setswitchinterval(1e-5)
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
    recorded = runs.record(python, "dispatch", [script(tmp_path, text)], tmp_path, mode="both")
    for view in ("profile", "trace"):
        found = runs.counts(getattr(recorded, view)())
        assert (found["many"], found["branch"], found["leaf"]) == (6, 9_000, 18_000)
    assert recorded.unmatched() == 0


@pytest.fixture(scope="module")
def refuses(tmp_path_factory):
    """A command below which something is refused."""
    out = tmp_path_factory.mktemp("refuses") / "refuses"
    subprocess.run(["cc", "-O2", "-o", out, support.program("refuses.c")], check=True)
    return out


@pytest.mark.parametrize("what", ["both", "writes", "executable"])
def test_where_text_may_not_be_written_callbacks_do(python, what, refuses, tmp_path):
    """No memory is writable and executable at once: whoever asks for such below `both` is killed.
    Either way of writing is enough, and without both a note says why."""
    program = script(tmp_path, WITHOUT_CALLBACKS)
    environment = {
        "KYMO_PYTHON_INSTRUMENTER": "dispatch",
        "KYMO_OUTPUT_PATH": tmp_path / "out",
        "KYMO_TIME_OUTPUT": "OFF",
        "PYTHONPATH": support.PACKAGE_DIR,
    }
    command = [refuses, what, python.executable, "-m", "kymo", "-q", "--", program]
    ran = support.run(command, cwd=tmp_path, env=environment)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    (recording,) = support.find_recordings(tmp_path)
    recorded = runs.Recorded(recording)
    if what == "executable":
        assert calls_of(recorded, ONCE) == ONCE
        (reason,) = reasons(recorded)
        assert "text cannot be written" in reason
    else:
        assert calls_of(recorded, TWICE) == TWICE
        assert reasons(recorded) == []


def test_a_stripped_interpreter(python, tmp_path):
    """Its functions are found on the stack of a callback."""
    library = stripped_copy(python, tmp_path)
    program = script(tmp_path, WITHOUT_CALLBACKS)
    environment = {"LD_LIBRARY_PATH": library.parent}
    recorded = runs.record(python, "auto", [program], tmp_path / "run", env=environment)
    assert calls_of(recorded, TWICE) == TWICE
    assert reasons(recorded) == []


def stripped_copy(python, folder):
    """The interpreter's library without its symbols."""
    linked = subprocess.run(["ldd", python.executable], capture_output=True, text=True).stdout
    found = [line.split()[2] for line in linked.splitlines() if "libpython" in line]
    if not found:
        pytest.skip("the interpreter has no library of its own")
    copy = folder / "stripped" / os.path.basename(found[0])
    copy.parent.mkdir()
    subprocess.run(["strip", "--strip-all", "-o", copy, found[0]], check=True)
    return copy


DEEP = """
import time

def leaf(n):
    return n

def descend(n, until):
    if n:
        return descend(n - 1, until)
    while time.process_time() < until:
        for i in range(100):
            leaf(i)

descend(20, time.process_time() + 0.6)
"""


def test_samples_beside_have_whole_stacks(python, tmp_path):
    """Also those taken in what stands in for the interpreter's functions."""
    command = [support.KYMO, "run", "-S", "--", python.executable, script(tmp_path, DEEP)]
    environment = sampler_runs.environment(
        tmp_path, PYTHON_INSTRUMENTER="dispatch", SAMPLING_FREQ=2000
    )
    ran = support.run(command, cwd=tmp_path, env=environment)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    (sampled,) = sampler_runs.found(tmp_path)
    inside = [each for each in sampled.samples if "py:descend" in each.stack]
    taken = [each for each in inside if each.stack[0].startswith(("plain_", "argument_"))]
    assert len(taken) > 20, len(inside)
    for each in taken:
        assert sampler_runs.UNCERTAIN not in each.stack, each.stack
        assert each.stack.count("py:descend") == 21, each.stack
        assert each.stack.index("py:<module>") < each.stack.index("Py_RunMain"), each.stack
    uncertain = [each for each in inside if sampler_runs.UNCERTAIN in each.stack]
    assert len(uncertain) <= 0.01 * len(inside)
    assert runs.Recorded(support.find_recordings(tmp_path)[0]).unmatched() == 0
