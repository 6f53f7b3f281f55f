"""Functions with hooks of their compiler: the room that was left for a jump is used, gprof's calls
are not made, and what -finstrument-functions calls is recorded without any patch."""

import json
import os
import re
import shutil
import subprocess

import pytest
from cases import long_except
from functions_runs import KYMO, compile_c, run

COSTS = ["counts", "coarse", "full"]
COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]

CALLS = """
#include <stdio.h>
#include <stdlib.h>
#define KEEP __asm__ volatile("" ::: "memory")
int leaf(int n) { KEEP; return n + 1; }
void last(int n) { KEEP; leaf(n); KEEP; }
int over(int n) { KEEP; return leaf(n) + 1; }
int grows(int n) { char text[n + 1]; __asm__ volatile("" :: "r"(text) : "memory");
	return leaf(n); }
int many(int n, ...) { __builtin_va_list list; int s = 0; __builtin_va_start(list, n);
	for (int i = 0; i < n; i++) s += __builtin_va_arg(list, int);
	__builtin_va_end(list); KEEP; return s; }
double real(double x, float y) { KEEP; return x * y; }
long double wide(long double x) { KEEP; return x + 1; }
int again(int n) { int s = 0; if (n) s = 1 + again(n - 1);
	__asm__ volatile("" : "+r"(s)); return s; }
int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	int s = 0, v[4] = {3, 1, 2, 0};
	double x = 0;
	for (int i = 0; i < 1000; i++) {
		s += over(i) + grows(i % 50) + many(3, i, 2, 3);
		last(i);
		x += real(i, 2) + (double)wide(i);
	}
	qsort(v, 4, sizeof(v[0]), by_value);
	printf("%d %g %d %d\\n", s, x, again(200), v[3]);
	return 7;
}
"""
KNOWN = {
    "main": 1,
    "over": 1000,
    "grows": 1000,
    "many": 1000,
    "last": 1000,
    "leaf": 3000,
    "real": 1000,
    "wide": 1000,
    "again": 201,
}
TRUTH = "1031500 1.4995e+06 200 3\n"

MODES = {
    "nops": ["-fpatchable-function-entry=9"],
    "nops-before": ["-fpatchable-function-entry=12,6"],
    "fentry": ["-pg", "-mfentry"],
    "mcount": ["-pg"],
    "mcount-plain": ["-pg", "-O0"],
    "cyg_profile": ["-finstrument-functions"],
    "cyg_profile-plain": ["-finstrument-functions", "-O0"],
    "cyg_profile-fixed": ["-finstrument-functions", "-no-pie", "-fno-pie"],
}
GCC_MODES = {
    "nops-mcount": ["-pg", "-mfentry", "-mnop-mcount", "-mrecord-mcount", "-no-pie", "-fno-pie"],
    "nops-branches": ["-fpatchable-function-entry=5", "-fcf-protection=full"],
}


# The second compiler makes the same hooks, but for the room before functions, which it lacks.
KEPT = {"gcc": {*MODES, *GCC_MODES} - {"mcount-plain"}, "clang": {"nops-before", "cyg_profile"}}


def all_modes():
    for compiler in COMPILERS:
        modes = {**MODES, **(GCC_MODES if compiler == "gcc" else {})}
        for name, options in modes.items():
            marks = () if name in KEPT[compiler] else pytest.mark.long
            yield pytest.param(compiler, name, options, marks=marks)


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    made = {}

    def get(compiler, name, options):
        key = compiler, name
        if key not in made:
            folder = tmp_path_factory.mktemp("hooks")
            made[key] = folder, compile_c(folder, CALLS, "program", *options, compiler=compiler)
        return made[key]

    return get


def functions(folder, program, cost="counts"):
    """What `kymo instrument --simulate` says of each function, by name."""
    lists = folder / f"lists-{cost}"
    subprocess.run(
        [
            KYMO,
            "instrument",
            "--simulate",
            f"--cost={cost}",
            "--print-format=json",
            f"--print-dir={lists}",
            "--",
            program,
        ],
        check=True,
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")},
        timeout=60,
        capture_output=True,
    )
    report = json.loads((lists / "available.json").read_text())
    return {function["function"]: function for function in report["functions"]}


@pytest.mark.parametrize(
    "compiler, name, options",
    all_modes(),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_hooks_are_used_and_calls_are_exact(programs, compiler, name, options):
    folder, program = programs(compiler, name, options)
    found = functions(folder, program)
    hook = name.split("-")[0]
    hook = "none" if name == "nops-before" and compiler == "clang" else hook
    for function in KNOWN:
        assert found[function]["instrumented"], found[function]
        if hook != "none":
            assert found[function]["compiler_hook"] == hook, found[function]
        if hook == "cyg_profile":
            assert found[function]["way"] == "hook"
    for cost in COSTS:
        done, (recording,) = run(folder, program, cost, status=7)
        assert done.stdout == TRUTH
        calls = recording.calls()
        assert {function: calls[function] for function in KNOWN} == KNOWN, (cost, name)
        if cost != "counts":
            (events,) = recording.events().values()
            kinds = [event.kind for event in events]
            assert kinds.count("enter") == kinds.count("exit"), (cost, name)


INLINED = """
#include <stdio.h>
#define KEEP __asm__ volatile("" ::: "memory")
static inline __attribute__((always_inline)) int inner(int n) { KEEP; return n * 3; }
static inline __attribute__((always_inline)) int middle(int n) { KEEP; return inner(n) + 1; }
__attribute__((noinline)) int outer(int n) { KEEP; return middle(n) + inner(n); }
__attribute__((noinline, no_instrument_function)) int plain(int n) { KEEP; return middle(n) + 1; }
int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += outer(i) + plain(i);
	printf("%d\\n", s); return 0; }
"""


def nested(events, names):
    """{(caller, callee): calls} of records whose exits end the innermost call of their slot."""
    stack, edges = [], {}
    for event in events:
        if event.kind == "enter":
            edge = (stack[-1][0] if stack else None), names[event.id]
            edges[edge] = edges.get(edge, 0) + 1
            stack.append((names[event.id], event.slot))
        elif event.kind == "exit":
            assert stack and stack[-1][1] == event.slot
            stack.pop()
    assert not stack
    return edges


@pytest.mark.parametrize("compiler", COMPILERS)
def test_inlined_functions_are_recorded_where_they_are(tmp_path, compiler):
    program = compile_c(tmp_path, INLINED, "program", "-finstrument-functions", compiler=compiler)
    _, (recording,) = run(tmp_path, program, "full")
    (events,) = recording.events().values()
    edges = nested(events, recording.names)
    assert edges == {
        (None, "main"): 1,
        ("main", "outer"): 100,
        ("outer", "middle"): 100,
        ("middle", "inner"): 200,
        ("outer", "inner"): 100,
        ("main", "plain"): 100,
        ("plain", "middle"): 100,
    }
    _, (recording,) = run(tmp_path, program, "counts")
    calls = recording.calls()
    assert (calls["outer"], calls["middle"], calls["inner"], calls["plain"]) == (100, 200, 300, 100)
    callers = {(callee, caller) for callee, caller, _ in recording.callers()}
    assert {("inner", "outer"), ("inner", "plain"), ("outer", "main")} <= callers


JUMPS = """
#include <setjmp.h>
#include <stdio.h>
#include <stdexcept>
#define KEEP __asm__ volatile("" ::: "memory")
extern "C" {
static jmp_buf back;
struct Guard { ~Guard() { KEEP; } };
int deep(int n) { KEEP; if (n == 0) throw std::runtime_error("x"); return deep(n - 1) + 1; }
int caught(int n) { try { Guard guard; return deep(n); } catch (std::exception &) { return 1; } }
int jumps(int n) { KEEP; if (n == 0) longjmp(back, 1); return jumps(n - 1) + 1; }
int landed(int n) { if (setjmp(back)) return 1; return jumps(n); }
int around(int n) { KEEP; return caught(n) + landed(n); }
}
int main() { int s = 0; for (int i = 0; i < 200; i++) s += around(i % 7); printf("%d\\n", s); }
"""


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize(
    "compiler", long_except([{"gcc": "g++", "clang": "clang++"}[c] for c in COMPILERS], "g++")
)
def test_exceptions_and_jumps_leave_the_order_right(tmp_path, compiler, cost):
    source = tmp_path / "program.cc"
    source.write_text(JUMPS)
    program = tmp_path / "program"
    subprocess.run(
        [compiler, "-O2", "-finstrument-functions", "-o", program, source], check=True, timeout=120
    )
    done, (recording,) = run(tmp_path, program, cost)
    assert done.stdout == "400\n"
    calls = recording.calls()
    expected = sum(i % 7 + 1 for i in range(200))
    assert (calls["around"], calls["caught"], calls["landed"]) == (200, 200, 200)
    assert (calls["deep"], calls["jumps"]) == (expected, expected)
    if cost == "full":
        (events,) = recording.events().values()
        arounds = [event for event in events if recording.names.get(event.id) == "around"]
        # Each begins at the same height: what was left by a jump does not stay open.
        assert len({event.slot for event in arounds}) == 1


OWN = """
#include <stdio.h>
#define PLAIN __attribute__((no_instrument_function))
static int enters, exits;
PLAIN void __cyg_profile_func_enter(void *f, void *s) { (void)f; (void)s; enters++; }
PLAIN void __cyg_profile_func_exit(void *f, void *s) { (void)f; (void)s; exits++; }
"""
USES = """
#include <stdio.h>
#define KEEP __asm__ volatile("" ::: "memory")
int leaf(int n) { KEEP; return n + 1; }
int middle(int n) { KEEP; return leaf(n) + 1; }
"""
PRINTS = """
PLAIN int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += middle(i);
	printf("%d %d %d\\n", s, enters, exits); return 0; }
"""


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("cost", COSTS)
def test_a_programs_own_hooks_are_called_as_ever(tmp_path, compiler, cost):
    program = compile_c(
        tmp_path, OWN + USES + PRINTS, "program", "-finstrument-functions", compiler=compiler
    )
    done, (recording,) = run(tmp_path, program, cost)
    assert done.stdout == "5150 200 200\n"
    calls = recording.calls()
    assert calls["leaf"] == calls["middle"] == 100
    assert functions(tmp_path, program)["leaf"]["compiler_hook"] == "none"


@pytest.mark.parametrize("cost", COSTS)
def test_hooks_of_a_library_are_called_besides(tmp_path, cost):
    """A library with hooks stands behind Kymo's, which go on to them."""
    counting = OWN.replace("static", "") + "PLAIN int seen(void) { return enters * 1000 + exits; }"
    (tmp_path / "hooks.c").write_text(counting)
    subprocess.run(
        ["gcc", "-O2", "-shared", "-fPIC", "-o", tmp_path / "libhooks.so", tmp_path / "hooks.c"],
        check=True,
    )
    text = USES + (
        "int seen(void);\n"
        "__attribute__((no_instrument_function)) int main(void) { int s = 0;\n"
        'for (int i = 0; i < 100; i++) s += middle(i); printf("%d %d\\n", s, seen()); return 0; }'
    )
    program = compile_c(
        tmp_path,
        text,
        "program",
        "-finstrument-functions",
        f"-L{tmp_path}",
        "-lhooks",
        f"-Wl,-rpath,{tmp_path}",
    )
    done, (recording,) = run(tmp_path, program, cost)
    assert done.stdout == "5150 200200\n"
    assert recording.calls()["leaf"] == 100
    assert functions(tmp_path, program)["leaf"]["way"] == "hook"
    off = run(tmp_path, program, cost, environment={"KYMO_ENABLED": "OFF"})[0]
    assert off.stdout == "5150 200200\n"


THREADS = """
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#define KEEP __asm__ volatile("" ::: "memory")
int step(int n) { KEEP; return n * 3; }
int in_handler(int n) { KEEP; return n; }
void on_alarm(int n) { in_handler(n); }
void *work(void *count) { int s = 0; for (int i = 0; i < (int)(intptr_t)count; i++) s += step(i);
	return (void *)(intptr_t)s; }
int main(void) { pthread_t t[4]; int status = 0; struct sigaction action;
	struct itimerval often = {{0, 500}, {0, 500}}, none;
	memset(&action, 0, sizeof(action)); memset(&none, 0, sizeof(none));
	action.sa_handler = on_alarm; action.sa_flags = SA_RESTART;
	sigaction(SIGPROF, &action, 0); setitimer(ITIMER_PROF, &often, 0);
	for (intptr_t i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)(20000 * (i + 1)));
	for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
	setitimer(ITIMER_PROF, &none, 0);
	if (fork() == 0) { for (int i = 0; i < 50; i++) step(i); _exit(0); }
	wait(&status);
	return status; }
"""


@pytest.mark.parametrize("cost", long_except(COSTS, "counts", "full"))
def test_threads_handlers_and_children(tmp_path, cost):
    program = compile_c(tmp_path, THREADS, "program", "-finstrument-functions")
    _, recordings = run(tmp_path, program, cost)
    parent, child = recordings
    assert parent.calls()["step"] == 200000 and parent.calls()["work"] == 4
    assert child.calls()["step"] == 50


def test_mcount_stays_in_functions_that_are_not_chosen(tmp_path):
    """gmon.out tells: gprof sees the calls of what is left alone, and of nothing else."""
    program = compile_c(tmp_path, CALLS, "program", "-pg")
    run(tmp_path, program, "counts", environment={"KYMO_FUNCTIONS_EXCLUDE": "^leaf$"}, status=7)
    lines = subprocess.run(
        ["gprof", "-b", "-p", program, tmp_path / "gmon.out"], capture_output=True, text=True
    ).stdout
    calls = {
        words[-1]: int(words[3])
        for words in map(str.split, lines.splitlines())
        if len(words) == 7 and re.fullmatch(r"\d+", words[3])
    }
    assert calls == {"leaf": 3000}


def test_a_copy_on_disk_has_its_hooks_recorded(tmp_path):
    for name, option in (("a", "-finstrument-functions"), ("b", "-pg")):
        program = compile_c(tmp_path, CALLS, name, option)
        copy = tmp_path / f"{name}.inst"
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
        subprocess.run(
            [KYMO, "instrument", "--cost=full", "-o", copy, "--", program],
            check=True,
            env=environment,
            timeout=60,
        )
        alone = subprocess.run([copy], capture_output=True, text=True, cwd=tmp_path)
        assert (alone.stdout, alone.returncode) == (TRUTH, 7)
        done, (recording,) = run(tmp_path, copy, "full", status=7)
        assert done.stdout == TRUTH
        calls = recording.calls()
        assert {function: calls[function] for function in KNOWN} == KNOWN


@pytest.mark.skipif(not shutil.which("uftrace"), reason="uftrace is not installed")
def test_uftrace_counts_the_same_calls(tmp_path):
    program = compile_c(tmp_path, CALLS, "program", "-finstrument-functions")
    data = tmp_path / "uftrace"
    subprocess.run(
        ["uftrace", "record", "--no-libcall", "-d", data, program],
        capture_output=True,
        timeout=120,
    )
    lines = subprocess.run(
        ["uftrace", "report", "-d", data, "-f", "call"], capture_output=True, text=True, timeout=120
    ).stdout
    counted = {
        words[1]: int(words[0])
        for words in map(str.split, lines.splitlines())
        if len(words) == 2 and words[0].isdigit()
    }
    _, (recording,) = run(tmp_path, program, "full", status=7)
    calls = recording.calls()
    assert {name: calls[name] for name in counted} == counted and counted["leaf"] == 3000
