"""`--timing sampled`: calls counted exactly, times from where threads were seen.  That counts are
exact under every instrumenter is test_collector_trees.py's; here is what times are worth."""

import json
import textwrap

import kymo_decoder
import pytest
import support

SAMPLED = ["--timing", "sampled"]
POSITIONS = 2048
NEVER_TRUE = "cannot be combined with"

pytestmark = pytest.mark.alike_versions("3.11")


@pytest.fixture
def sampled(tmp_path):
    """sampled(python, text, *options): what the program prints, and its recordings by process."""

    def run(python, text, *options, env=None, status=0):
        (tmp_path / "program.py").write_text(textwrap.dedent(text))
        words = [*SAMPLED, "-q", *options, "--", "program.py"]
        done = support.run_kymo_python(python, words, cwd=tmp_path, env=env)
        assert done.returncode == status, done.stderr
        found = [kymo_decoder.Recording(path.read_bytes()) for path in recordings(tmp_path)]
        return done.stdout, sorted(found, key=lambda each: each.header.start_realtime_ns)

    return run


def recordings(folder):
    return support.find_recordings(folder / "out")


def regions(folder, *options):
    """{name: its row} of the flat table."""
    words = ["report", folder / "out", "--format", "json", "--top", "0", *options]
    done = support.run_kymo(words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return {region["name"]: region for region in json.loads(done.stdout)["regions"]}


def paths(recording):
    """[(name, node)] of all threads, their own times in ticks."""
    return [
        (recording.string(recording.regions[node.region].name), node)
        for node, _, _ in recording.all_nodes()
    ]


def assert_adds_up(recording):
    """What each thread was seen at is its time, to the last tick."""
    seen = dict.fromkeys(recording.threads, 0)
    for node, _, owner in recording.all_nodes():
        seen[owner] += node.sum
    for number, thread in recording.threads.items():
        assert seen[number] == thread.end_ticks - thread.start_ticks, number


TRUTH = """
    import json, time
    truth = {"short": 0, "middle": 0, "long": 0}
    def work(until):
        while time.perf_counter() < until:
            pass
    def stay(name, seconds):
        began = time.perf_counter()
        work(began + seconds)
        truth[name] += time.perf_counter() - began
    def short(): stay("short", 0.0007)
    def middle(): stay("middle", 0.004)
    def long(): stay("long", 0.06)
    for turn in range(25):
        for _ in range(40):
            short()
        for _ in range(5):
            middle()
        long()
    print(json.dumps(truth))
"""


@pytest.mark.alone
def test_times_are_as_sure_as_they_say(sampled, python, tmp_path):
    """Each function knows how long it took.  Three times what is off in 5 of 100 runs is never
    reached."""
    output, (recording,) = sampled(python, TRUTH)
    assert recording.header.flags & POSITIONS and recording.header.version == 2
    assert_adds_up(recording)
    rows = regions(tmp_path)
    for name, seconds in json.loads(output).items():
        row = rows[name]
        assert row["calls"] == {"short": 1000, "middle": 125, "long": 25}[name]
        assert row["total_low"] <= row["total"] <= row["total_high"]
        below, above = row["total"] - row["total_low"], row["total_high"] - row["total"]
        assert row["total"] - 3 * below <= seconds <= row["total"] + 3 * above, (name, row)
        assert 0 < above < 0.5 * row["total"]


THREADS = """
    import threading
    def leaf(): return sum(range(50))
    def body():
        for _ in range(20): leaf()
    for _ in range(50):
        threads = [threading.Thread(target=body) for _ in range(20)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
"""


@pytest.mark.slow
@pytest.mark.newest_version
def test_a_thousand_threads_lose_no_time(sampled, python, tmp_path):
    _, (recording,) = sampled(python, THREADS)
    assert len(recording.threads) == 1001
    assert_adds_up(recording)
    row = regions(tmp_path)["leaf"]
    assert row["calls"] == 20000
    # Most threads ended before anybody saw them: what is not known is said.
    assert row["total_high"] > 0


def test_each_process_is_sampled_by_its_own_helper(sampled, python):
    """Both ends of a fork have a helper: each process was seen at what it did after it."""
    _, (parent, child) = sampled(
        python,
        """
        import os, time
        def stay(name):
            end = time.process_time() + 0.2
            while time.process_time() < end: pass
        def before(): pass
        def after_in_child(): stay("child")
        def after_in_parent(): stay("parent")
        before()
        pid = os.fork()
        if pid == 0:
            after_in_child()
            os._exit(0)
        after_in_parent()
        os.waitpid(pid, 0)
        """,
    )
    for recording, name in ((parent, "after_in_parent"), (child, "after_in_child")):
        assert recording.header.flags & POSITIONS
        below = {
            node.region for found, node in paths(recording) if found == "stay" and node.max > 5
        }
        assert below, name
        (own,) = [node for found, node in paths(recording) if found == name]
        assert own.count == 1
    assert_adds_up(parent)


def test_a_program_that_is_killed_keeps_its_times(sampled, python, tmp_path):
    _, (recording,) = sampled(
        python,
        """
        import os, signal, time
        def stay():
            end = time.process_time() + 0.3
            while time.process_time() < end: pass
            os.kill(os.getpid(), signal.SIGKILL)
        stay()
        """,
        status=-9,
    )
    assert not recording.is_closed
    (node,) = [node for name, node in paths(recording) if name == "stay"]
    assert node.max > 10
    row = regions(tmp_path)["stay"]
    assert row["open"] and row["total"] > 0.29


def by_itself(word, folder):
    return f"kymo.user.{word}_trace()"


def from_outside(word, folder):
    words = [str(support.KYMO), "ctl", str(folder / "out"), word]
    return f"subprocess.check_call({words}, stdout=subprocess.DEVNULL)"


@pytest.mark.parametrize("switch", [by_itself, from_outside])
def test_what_is_not_recorded_is_in_no_region(sampled, python, switch, tmp_path):
    """Switched off, a thread is in no region, also while it makes no call."""
    _, (recording,) = sampled(
        python,
        f"""
        import subprocess, time
        import kymo.user
        def stay(seconds):
            end = time.perf_counter() + seconds
            while time.perf_counter() < end: pass
        def on(): stay(0.1)
        def off(): stay(0.4)
        on()
        {switch("stop", tmp_path)}
        off()
        {switch("start", tmp_path)}
        on()
        """,
    )
    assert_adds_up(recording)
    rows = regions(tmp_path)
    assert rows["on"]["calls"] == rows["stay"]["calls"] == 2 and "off" not in rows
    assert rows["stay"]["total"] < 0.3


def test_time_in_other_interpreters_is_their_callers(sampled, python, tmp_path):
    """What runs there is not recorded: the thread stays where it called."""
    _, (recording,) = sampled(
        python,
        """
        import time
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            import _interpreters as interpreters
        wait = "from time import time; end = time() + 0.3\\nwhile time() < end: pass"
        def call(number): interpreters.run_string(number, wait)
        number = interpreters.create()
        call(number)
        interpreters.destroy(number)
        """,
    )
    assert_adds_up(recording)
    row = regions(tmp_path)["call"]
    assert row["calls"] == 1
    assert row["total_low"] < 0.35 and row["total_high"] > 0.25


@pytest.mark.parametrize(
    "options, why",
    [
        (["-T"], "a trace"),
        (["--set", "TIMEMORY_COMPONENTS=wall_clock,peak_rss"], "metrics other than"),
        (["--set", "PAPI_EVENTS=perf::INSTRUCTIONS"], "counters"),
    ],
    ids=("trace", "metric", "counter"),
)
def test_what_needs_times_of_calls_is_refused(newest_python, tmp_path, options, why):
    (tmp_path / "p.py").write_text("print(1)\n")
    words = [*SAMPLED, *options, "--", "p.py"]
    done = support.run_kymo_python(newest_python, words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert NEVER_TRUE in line and why in line and line.endswith("use timing 'full'")


def test_the_environments_wish_gives_way(newest_python, tmp_path):
    """A program is not refused for a variable: its trace is recorded, and that is said."""
    (tmp_path / "p.py").write_text("print(1)\n")
    environment = {"KYMO_PYTHON_TIMING": "sampled"}
    done = support.run_kymo_python(
        newest_python, ["-T", "--", "p.py"], cwd=tmp_path, env=environment
    )
    assert (done.returncode, done.stdout[:2]) == (0, "1\n")
    assert NEVER_TRUE in done.stderr and "has no effect" in done.stderr
    (path,) = recordings(tmp_path)
    assert not support.decode(path).header.flags & POSITIONS


def test_there_is_no_coarse_clock_for_python(newest_python, tmp_path):
    (tmp_path / "p.py").write_text("print(1)\n")
    words = ["--timing", "coarse", "--", "p.py"]
    done = support.run_kymo_python(newest_python, words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert "full" in line and "sampled" in line


def test_the_helper_is_no_thread_of_the_program(sampled, python):
    output, (recording,) = sampled(
        python,
        """
        import threading, signal, time
        def stay():
            end = time.process_time() + 0.1
            while time.process_time() < end: pass
        stay()
        print(threading.active_count(), len(threading.enumerate()))
        """,
    )
    assert output.split() == ["1", "1"]
    assert len(recording.threads) == 1
