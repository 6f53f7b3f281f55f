"""The instrumenter `dispatch` beside others in the process: tools of sys.monitoring, also such as
come and go, disable locations or raise; hooks; interpreters with a lock of their own.  They see
what they see without Kymo, and Kymo sees every call."""

import os

import collector_runs as runs
import pytest
import support

pytestmark = [
    pytest.mark.skipif(os.uname().machine != "x86_64", reason="takes functions over on x86-64"),
    pytest.mark.since("3.12"),
    pytest.mark.until("3.14"),
]

COUNTING = """
import sys

monitoring, events = sys.monitoring, sys.monitoring.events
NAMES = ("PY_START", "PY_RESUME", "PY_RETURN", "PY_YIELD", "PY_THROW", "PY_UNWIND", "RAISE")
seen = {}

def on(name, answer=None):
    def callback(code, *rest):
        if code.co_filename == __file__ and code.co_name in ("leaf", "work", "numbers", "fails"):
            seen[name, code.co_name] = seen.get((name, code.co_name), 0) + 1
            return answer
    return callback

def leaf(n):
    return n

def numbers(n):
    for i in range(n):
        try:
            yield leaf(i)
        except KeyError:
            yield -1

def fails():
    raise ValueError

def work():
    for i in range(20):
        leaf(i)
    list(numbers(10))
    thrown = numbers(3)
    next(thrown)
    thrown.throw(KeyError())
    thrown.close()
    try:
        fails()
    except ValueError:
        pass

def begin(tool=5, names=NAMES, answer=None, more=0):
    monitoring.use_tool_id(tool, "other")
    for name in names:
        monitoring.register_callback(tool, getattr(events, name), on(name, answer))
    monitoring.set_events(tool, sum(getattr(events, name) for name in names) | more)

def end(tool=5, names=NAMES):
    monitoring.set_events(tool, 0)
    for name in names:
        monitoring.register_callback(tool, getattr(events, name), None)
    monitoring.free_tool_id(tool)

def show():
    print(sorted(seen.items()))
    seen.clear()
"""

PROGRAMS = {
    "all_along": "begin()\nfor i in range(3): work()\nend()\nshow()\n",
    "comes_and_goes": """
for i in range(4):
    work()
    begin()
    work()
    end()
    show()
""",
    "of_one_function": """
work()
monitoring.use_tool_id(5, "other")
monitoring.register_callback(5, events.PY_START, on("PY_START"))
monitoring.register_callback(5, events.PY_RETURN, on("PY_RETURN"))
monitoring.set_local_events(5, leaf.__code__, events.PY_START | events.PY_RETURN)
work()
show()
monitoring.set_local_events(5, leaf.__code__, 0)
work()
show()
""",
    "disables": """
work()
names = ("PY_START", "PY_RESUME", "PY_RETURN", "PY_YIELD")
begin(names=names, answer=monitoring.DISABLE)
work()
work()
show()
monitoring.restart_events()
work()
show()
end(names=names)
work()
show()
""",
    "only_lines": """
lines = []
monitoring.use_tool_id(5, "other")
def on_line(code, line):
    if code.co_name in ("leaf", "work", "numbers"):
        lines.append((code.co_name, line - code.co_firstlineno))
monitoring.register_callback(5, events.LINE, on_line)
monitoring.set_events(5, events.LINE)
work()
monitoring.set_events(5, 0)
print(lines)
""",
    "every_instruction": """
steps = {}
monitoring.use_tool_id(5, "other")
def on_instruction(code, offset):
    if code.co_name in ("leaf", "work", "fails"):
        steps[code.co_name] = steps.get(code.co_name, 0) + 1
monitoring.register_callback(5, events.INSTRUCTION, on_instruction)
monitoring.set_events(5, events.INSTRUCTION)
work()
monitoring.set_events(5, 0)
print(sorted(steps.items()))
""",
    "raises": """
def stop(code, *rest):
    if code.co_name == "leaf":
        raise LookupError("from a callback")
work()
monitoring.use_tool_id(5, "other")
for name in ("PY_START", "PY_RETURN"):
    monitoring.register_callback(5, getattr(events, name), stop)
    monitoring.set_events(5, getattr(events, name))
    for i in range(3):
        try:
            leaf(1)
        except LookupError as error:
            print(name, error, error.__traceback__.tb_next is None)
    monitoring.set_events(5, 0)
work()
""",
    "cprofile": """
import cProfile, pstats
for i in range(3):
    profiler = cProfile.Profile()
    work()
    profiler.enable()
    work()
    profiler.disable()
    rows = pstats.Stats(profiler).stats
    print(sorted((key[2], row[:2]) for key, row in rows.items() if key[0] == __file__))
""",
    "setprofile_and_settrace": """
def hook(frame, event, argument):
    name = frame.f_code.co_name
    if name in ("leaf", "work", "numbers", "fails"):
        key = event, name, type(argument).__name__
        seen[key] = seen.get(key, 0) + 1
    return hook
for i in range(2):
    work()
    sys.setprofile(hook)
    work()
    sys.setprofile(None)
    show()
    sys.settrace(hook)
    work()
    sys.settrace(None)
    show()
""",
}
OWN_FILE = ["-MR", "/py_"]


def run_both(python, folder, text, instrumenter="dispatch"):
    program = folder / "py_program.py"
    program.write_text(text)
    bare = support.run_bare_python(python, [program], cwd=folder)
    assert bare.returncode == 0, bare.stderr
    recorded = runs.record(
        python, instrumenter, [program], folder / instrumenter, mode="both", options=OWN_FILE
    )
    assert recorded.process.stdout == bare.stdout
    assert recorded.process.stderr == bare.stderr
    return recorded


@pytest.mark.parametrize("beside", PROGRAMS)
def test_tools_and_hooks_of_the_program(python, beside, tmp_path):
    recorded = run_both(python, tmp_path, COUNTING + PROGRAMS[beside])
    by_callbacks = run_both(python, tmp_path, COUNTING + PROGRAMS[beside], "monitoring")
    runs.assert_same(by_callbacks.profile(), recorded.profile())
    runs.assert_same(by_callbacks.trace(), recorded.trace())
    # A tool that raises comes first, and keeps the event from all others.
    assert recorded.unmatched() == by_callbacks.unmatched()
    assert beside == "raises" or recorded.unmatched() == 0
    found = runs.counts(recorded.profile())
    assert found["leaf"] > found["work"] > 0


# Interpreters with a lock of their own, in threads, which call all the time and watch themselves.
OTHERS = """
import threading
try:
    import _interpreters
    def make():
        return _interpreters.create("isolated")
    def run(number, code):
        return _interpreters.exec(number, code)
except ImportError:
    import _xxsubinterpreters as _interpreters
    def make():
        return _interpreters.create(isolated=True)
    def run(number, code):
        return _interpreters.run_string(number, code)

INSIDE = '''
import sys, time, os
events = sys.monitoring.events
seen = [0, 0]
def on_start(code, offset):
    seen[0] += code.co_name == "inside"
def on_return(code, offset, value):
    seen[1] += code.co_name == "inside"
if {watches}:
    sys.monitoring.use_tool_id({tool}, "inner")
    sys.monitoring.register_callback({tool}, events.PY_START, on_start)
    sys.monitoring.register_callback({tool}, events.PY_RETURN, on_return)
    sys.monitoring.set_events({tool}, events.PY_START | events.PY_RETURN)
def inside(n):
    return n if n < 2 else inside(n - 1) + inside(n - 2)
os.write({begun}, b".")
calls = 0
while True:
    inside(12)
    calls += 465
    if os.path.exists({done!r}):
        break
assert not {watches} or seen == [calls, calls], (seen, calls)
'''

def begin_others(watches):
    begun, tell = os.pipe()
    threads = []
    for tool in (3, 2):
        number = make()
        code = INSIDE.format(watches=watches, tool=tool, begun=tell, done=DONE)
        def whole(number=number, code=code):
            failed.append(run(number, code))
            _interpreters.destroy(number)
        threads.append(threading.Thread(target=whole))
        threads[-1].start()
    assert os.read(begun, 1) == b"." and os.read(begun, 1) == b"."
    return threads

def end_others(threads):
    open(DONE, "w").close()
    for thread in threads:
        thread.join()
    os.unlink(DONE)
    assert failed == [None] * len(failed), failed
"""

LOCKED = (
    """
import hashlib, os, sys
import kymo
DONE = os.path.abspath("done")
failed = []
"""
    + OTHERS
    + """
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
    return found.hexdigest()

def called(n):
    return n

def calls():
    for i in range(2000):
        called(i)

for watches in (False, True):
    before = text()
    kymo.start()
    calls()
    threads = begin_others(watches)
    calls()
    kymo.stop()     # the others may be in the text: it stays
    calls()
    kymo.start()
    calls()
    kymo.stop()
    end_others(threads)
    kymo.start()
    calls()
    kymo.stop()
    assert text() == before
"""
)


def test_interpreters_with_a_lock_of_their_own(python, tmp_path):
    """They run in the functions that are taken over, while recording begins and ends."""
    (tmp_path / "py_locked.py").write_text(LOCKED)
    environment = {"KYMO_PYTHON_INSTRUMENTER": "dispatch", "KYMO_QUIET": "ON"}
    environment["PYTHONPATH"] = support.PACKAGE_DIR
    ran = support.run_bare_python(python, ["py_locked.py"], cwd=tmp_path, env=environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    (recording,) = support.find_recordings(tmp_path)
    recorded = runs.Recorded(recording)
    found = runs.counts(recorded.profile())
    assert found["called"] == 2 * 4 * 2000
    assert "inside" not in found
    assert recorded.losses() == []


BEFORE = (
    """
import os, sys
import kymo
DONE = os.path.abspath("done")
failed = []
"""
    + OTHERS
    + """
def called(n):
    return n

threads = begin_others(False)
kymo.start()
for i in range(2000):
    called(i)
kymo.stop()
end_others(threads)
"""
)


def test_beside_an_interpreter_that_runs_already_callbacks_are_used(python, tmp_path):
    """It might be in the bytes that change."""
    (tmp_path / "py_before.py").write_text(BEFORE)
    environment = {"KYMO_PYTHON_INSTRUMENTER": "dispatch", "KYMO_QUIET": "ON"}
    environment["PYTHONPATH"] = support.PACKAGE_DIR
    ran = support.run_bare_python(python, ["py_before.py"], cwd=tmp_path, env=environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    (recording,) = support.find_recordings(tmp_path)
    recorded = runs.Recorded(recording)
    assert runs.counts(recorded.profile())["called"] == 2000
    (reason,) = [value for _, key, value in recorded.notes() if key == "python"]
    assert "another interpreter runs" in reason
