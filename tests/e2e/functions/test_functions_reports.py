"""What reports and exports make of instrumented functions: who called whom, how often and in the
order of time; calls are the same at every cost, and times of counted functions are estimates."""

import json
import subprocess

import pytest
from functions_runs import KYMO, compile_c, run

PROGRAM = """
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#define APART __attribute__((noinline))
static jmp_buf out;
static volatile long sink;
/* A leaf that gcc calls with a stack that is not aligned: its frame begins 8 bytes below. */
APART static long leaf(long n) { long s = 0; for (long i = 0; i < n; i++) s += i * i; return s; }
APART long fast(long i) { return leaf(10) + i; }
APART long slow(long i) { return leaf(3000) + i; }
APART long jumps_out(long n) { if (n == 0) longjmp(out, 1); long r = jumps_out(n - 1); sink++;
	return r; }
APART void tries(void) { if (!setjmp(out)) sink += jumps_out(3); }
int main(void) {
	for (long i = 0; i < 20000; i++) { sink += fast(i); if (i % 20 == 0) sink += slow(i); }
	for (int i = 0; i < 50; i++) tries();
	return 0; }
"""
CALLS = {"main": 1, "fast": 20000, "slow": 1000, "leaf": 21000, "tries": 50, "jumps_out": 200}


@pytest.fixture(scope="module", params=["counts", "coarse", "full"])
def recorded(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    _, (recording,) = run(folder, compile_c(folder, PROGRAM), request.param)
    return request.param, recording.path


def kymo(*arguments):
    command = [str(KYMO), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def flat(path):
    shown = json.loads(kymo("report", "--flat", "--format", "json", path))
    return {row["name"]: row for row in shown["regions"]}


def test_calls_are_exact_at_every_cost(recorded):
    _, path = recorded
    rows = flat(path)
    assert {name: rows[name]["calls"] for name in CALLS} == CALLS
    assert rows["fast"]["file"].endswith(".c") and rows["fast"]["line"] > 0


def test_the_summary_states_its_cost(recorded):
    summary = kymo("report", recorded[1])
    assert "not calibrated" not in summary
    assert "measuring  cost " in summary and "(calls " in summary


def test_nothing_is_left_over(recorded):
    assert "fit no other" not in kymo("report", recorded[1])


def test_who_called_whom(recorded):
    _, path = recorded
    callers = kymo("report", "--butterfly", "leaf", path)
    assert "<- fast" in callers and "<- slow" in callers
    assert "<- main" not in callers


def test_only_counted_functions_have_intervals(recorded):
    cost, path = recorded
    rows = flat(path)
    assert ("self_low" in rows["leaf"]) == (cost == "counts")
    assert ("times      of" in kymo("report", "--tree", path)) == (cost == "counts")
    if cost != "counts":
        return
    for name in CALLS:
        row = rows[name]
        assert row["self_low"] <= row["self"] <= row["self_high"]
        assert row["total_low"] <= row["total"] <= row["total_high"]


@pytest.mark.parametrize("recorded", ["coarse", "full"], indirect=True)
def test_recorded_calls_are_a_trace(recorded):
    _, path = recorded
    shown = json.loads(kymo("export", "--format", "chrome", "-o", "-", path))
    events = shown["traceEvents"] if isinstance(shown, dict) else shown
    stack, seen, last = [], set(), 0
    for event in events:
        if event["ph"] not in "BE":
            continue
        assert event["ts"] >= last
        last = event["ts"]
        if event["ph"] == "B":
            seen.add((stack[-1] if stack else None, event["name"]))
            stack.append(event["name"])
        else:
            stack.pop()
    assert not stack
    assert {("fast", "leaf"), ("slow", "leaf"), ("main", "fast"), ("main", "tries")} <= seen
    assert {("tries", "jumps_out"), ("jumps_out", "jumps_out")} <= seen
    # What was jumped out of is not the caller of what came next.
    assert ("jumps_out", "tries") not in seen and ("leaf", "fast") not in seen


def test_other_tools_formats(recorded, tmp_path):
    cost, path = recorded
    for form in ["callgrind", "pstats", "collapsed", "dot", "firefox", "speedscope", "pprof"]:
        kymo("export", "--format", form, "-o", tmp_path / form, path)
        assert (tmp_path / form).stat().st_size > 0
    # The coarse clock may not have gone on at all.
    assert cost == "coarse" or "main" in (tmp_path / "collapsed").read_text()
    assert "leaf" in (tmp_path / "callgrind").read_text()


def test_merged_calls_add_up(recorded, tmp_path):
    _, path = recorded
    kymo("merge", "-o", tmp_path / "merged", path)
    rows = flat(tmp_path / "merged")
    assert {name: rows[name]["calls"] for name in CALLS} == CALLS
