"""kymo attach --dump: which locks threads wait for, what their variables are, their children."""

import json
import subprocess

import support
from attach_runs import Target, attach


def line_of(text, script="attach_locks.py"):
    lines = support.program(script).read_text().splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if text in line]
    return number


def dump(target, folder, *options):
    result = attach(target, folder, "--dump", "--format", "json", *options)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def settled(target, folder, *options):
    """When all threads have come to where they wait."""
    expected = {"second", "waiter", "asker", "notified"}
    for _ in range(200):
        threads = {each["name"]: each for each in dump(target, folder, *options)["threads"]}
        waiting = {name for name, each in threads.items() if "waits_for" in each}
        # The others read standard input, or wait for each other to have read it.
        innermost = {threads[name]["frames"][0]["function"] for name in ("first", "holder")}
        if expected <= waiting and innermost <= {"read", "futex"}:
            return threads
    raise AssertionError(threads)


def test_locks(python, tmp_path):
    with Target(python.executable, "clear", script="attach_locks.py") as target:
        threads = settled(target, tmp_path)
    waits = {name: each["waits_for"] for name, each in threads.items() if "waits_for" in each}
    first, holder = threads["first"], threads["holder"]
    assert waits["second"]["lock"] == "threading.Lock"
    assert (waits["second"]["owner"], waits["second"]["function"]) == (first["id"], "first")
    assert waits["second"]["file"].endswith("attach_locks.py")
    assert waits["waiter"]["owner"] == holder["id"]
    assert waits["waiter"]["line"] == line_of("# by a Condition") + 1
    assert (waits["asker"]["lock"], waits["asker"]["owner"]) == ("threading.Lock", None)
    assert waits["notified"]["lock"] == "a notification of threading.Condition"
    assert not any(wait["is_deadlock"] for wait in waits.values())
    names = ("second", "waiter", "asker", "notified")
    assert len({waits[name]["address"] for name in names}) == len(names)


def test_deadlock(python, tmp_path):
    with Target(python.executable, script="attach_locks.py") as target:
        for _ in range(200):
            threads = settled(target, tmp_path)
            if "waits_for" in threads["first"]:
                break
        text = attach(target, tmp_path, "--dump").stdout
    first, second = threads["first"], threads["second"]
    assert first["waits_for"]["lock"] == "threading.RLock"
    assert first["waits_for"]["owner"] == second["id"]
    assert first["waits_for"]["line"] == line_of("# second waits")
    assert second["waits_for"]["owner"] == first["id"]
    assert second["waits_for"]["line"] == line_of("# first waits")
    assert first["waits_for"]["is_deadlock"] and second["waits_for"]["is_deadlock"]
    assert not threads["waiter"]["waits_for"]["is_deadlock"]
    (line,) = [each for each in text.splitlines() if each.startswith("deadlock: ")]
    assert '"first"' in line and '"second"' in line and line.count("held by") == 2
    assert f'held by thread {second["id"]} "second" 2 times in second (' in text
    assert "its owner is not recorded by the interpreter" in text


def test_locals(python, tmp_path):
    with Target(python.executable, "clear", script="attach_locks.py") as target:
        threads = settled(target, tmp_path, "--locals")
        text = attach(target, tmp_path, "--dump", "--locals").stdout
    (frame,) = [each for each in threads["first"]["frames"] if each["function"] == "first"]
    values = frame["locals"]
    assert values.pop("inner").startswith("<function at 0x")
    assert values == {
        "password": "***",
        "limit": "-3",
        "rest": "()",
        "more": "{}",
        "ratio": "0.1",
        "items": r"[1, 2.5, 't\u00e9\x1bxt', b'by\n', None, True, … 8 items]".replace(
            r"\u00e9", "\xe9"
        ),
        "table": "{'token': ***, 'n': 7, 'url': 'https://bob:***@host/'}",
        "large": "<a large int>",
        "deep": values["deep"],
        "late": "None",
    }
    assert values["deep"].startswith("[[[[<list at 0x")
    assert "        limit = -3\n" in text
    assert not any(secret in text for secret in ("hunter2", "abc'", "geheim", "\x1b"))


def test_children(newest_python, tmp_path):
    command = f"{newest_python.executable} {support.program('attach_locks.py')} <&3 & wait"
    with subprocess.Popen(
        ["sh", "-c", "exec 3<&0; " + command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as shell:
        assert shell.stdout.readline() == "ready\n"
        alone = attach(shell, tmp_path, "--dump").stdout
        assert f'thread {shell.pid} "sh": waits' in alone and "Python" not in alone
        (process,) = dump(shell, tmp_path, "--children")["processes"]
        text = attach(shell, tmp_path, "--dump", "-s").stdout
        shell.stdin.close()
    assert process["parent"] == shell.pid
    assert {"first", "second"} < {thread["name"] for thread in process["threads"]}
    assert text.startswith(f"process {process['pid']}: attach_locks, Python ")


def waiting(target, folder, kind, *names):
    """Threads by their names, when those of these names wait for that kind of lock."""
    for _ in range(200):
        threads = {each["name"]: each for each in dump(target, folder)["threads"]}
        waits = [threads.get(name, {}).get("waits_for", {}) for name in names]
        if all(wait.get("lock") == kind for wait in waits):
            return threads
    raise AssertionError(threads)


def test_mutexes(python, tmp_path):
    with Target(python.executable, "mutexes", script="attach_waits.py") as target:
        address = target.process.stdout.readline().strip()
        threads = waiting(target, tmp_path, "a mutex", "first", "second", "asker")
        text = attach(target, tmp_path, "--dump").stdout
    first, second, asker = (threads[name] for name in ("first", "second", "asker"))
    assert asker["waits_for"]["address"] == second["waits_for"]["address"] == address
    assert first["waits_for"]["address"] != address
    waits = [each["waits_for"] for each in (first, second, asker)]
    assert [wait["owner"] for wait in waits] == [second["id"], first["id"], first["id"]]
    assert [wait["is_deadlock"] for wait in waits] == [True, True, False]
    held = f'for a mutex at {address}, held by thread {first["id"]} "first" in take ('
    assert text.count(held) == 2
    (cycle,) = [each for each in text.splitlines() if each.startswith("deadlock: ")]
    assert cycle.count("waits for a mutex at 0x") == 2 and '"asker"' not in cycle
    line = line_of("# of both", "attach_waits.py")
    assert line in [frame["line"] for frame in first["frames"]]


def test_gil(python, tmp_path):
    with Target(python.executable, "gil", script="attach_waits.py") as target:
        for _ in range(200):
            threads = waiting(target, tmp_path, "the GIL", "asker")
            asker = threads.pop("asker")
            (holder,) = threads.values()
            if holder["frames"][0]["function"] == "read":  # it has come to where it stays
                break
    wait = asker["waits_for"]
    assert (asker["gil"], holder["gil"]) == ("waited for", "held")
    assert (wait["owner"], wait["function"]) == (holder["id"], "gil")
    assert wait["line"] == line_of("# by the GIL's holder", "attach_waits.py")
    assert not wait["is_deadlock"]
