"""Native functions of small programs are recorded as they were called, at every cost, and the
programs do what they always do."""

import pytest
from cases import long_except
from functions_runs import OFF, ON, compile_c, run

COSTS = ["counts", "coarse", "full"]
# The coarse clock differs from the full one in how it is read alone.
MOST_COSTS = long_except(COSTS, "counts", "full")

NESTED = """
#include <stdio.h>
int leaf(int n) { __asm__ volatile("" ::: "memory"); return n + 1; }
int middle(int n) { int s = 0; for (int i = 0; i < 10; i++) s += leaf(i + n); return s; }
int fib(int n) { if (n < 2) return n;
	int a = fib(n - 1); __asm__ volatile("" : "+r"(a));
	int b = fib(n - 2); __asm__ volatile("" : "+r"(b)); return a + b; }
int main(void) { int s = 0; for (int i = 0; i < 1000; i++) s += middle(i);
	printf("%d %d\\n", s, fib(20)); return 3; }
"""


def paired(events):
    """How many exits follow their enter, with frames told apart by their slots."""
    stack, closed = [], 0
    for event in events:
        if event.kind == "enter":
            stack.append(event.slot)
        elif event.kind == "exit":
            assert event.slot in stack
            while stack.pop() != event.slot:
                pass
            closed += 1
    return closed, len(stack)


@pytest.mark.parametrize("cost", COSTS)
def test_every_call_is_counted(tmp_path, cost):
    program = compile_c(tmp_path, NESTED)
    done, (recording,) = run(tmp_path, program, cost, status=3)
    assert done.stdout.endswith(" 6765\n")
    assert recording.taken() >= {"leaf", "middle", "fib", "main"}
    calls = recording.calls()
    assert (calls["main"], calls["middle"], calls["leaf"]) == (1, 1000, 10000)
    assert calls["fib"] == 21891


@pytest.mark.parametrize("cost", ["coarse", "full"])
def test_exits_match_enters_and_time_goes_on(tmp_path, cost):
    program = compile_c(tmp_path, NESTED)
    _, (recording,) = run(tmp_path, program, cost, status=3)
    (events,) = recording.events().values()
    assert paired(events) == (1 + 1000 + 10000 + 21891, 0)
    assert all(a.ticks <= b.ticks for a, b in zip(events, events[1:]))


def test_timed_calls_say_who_called(tmp_path):
    program = compile_c(tmp_path, NESTED)
    _, (recording,) = run(tmp_path, program, "counts", status=3)
    callers = {(callee, caller) for callee, caller, _ in recording.callers()}
    assert callers >= {("middle", "main"), ("leaf", "middle"), ("fib", "fib"), ("fib", "main")}
    for id, every, due, timed, least, most, ended, ticks, *_ in recording.timed():
        assert timed >= ended > 0 and least * ended <= ticks <= most * ended
        # The first 16 calls are all timed, later ones seldom.
        calls = recording.calls()[recording.names[id]]
        assert timed == calls if calls < 16 else 16 <= timed < calls / 8
        assert every >= 1 and due >= calls


THREADS = """
#include <pthread.h>
#include <stdint.h>
int step(int n) { __asm__ volatile("" ::: "memory"); return n * 3; }
void *work(void *count) { int s = 0; for (int i = 0; i < (int)(intptr_t)count; i++) s += step(i);
	return (void *)(intptr_t)s; }
int main(void) { pthread_t t[8];
	for (int round = 0; round < 3; round++) {
		for (intptr_t i = 0; i < 8; i++)
			pthread_create(&t[i], 0, work, (void *)(1000 * (i + 1)));
		for (int i = 0; i < 8; i++) pthread_join(t[i], 0);
	}
	return 0; }
"""


@pytest.mark.parametrize("cost", MOST_COSTS)
def test_threads_record_for_themselves(tmp_path, cost):
    program = compile_c(tmp_path, THREADS)
    _, (recording,) = run(tmp_path, program, cost)
    calls = recording.calls()
    assert calls["work"] == 24 and calls["step"] == 3 * 36000
    if cost != "counts":
        sizes = sorted(len(events) for events in recording.events().values())
        assert sizes == sorted([2] + [2 * (1000 * (i + 1) + 1) for i in range(8)] * 3)


@pytest.mark.parametrize("cost", COSTS)
def test_the_c_library_may_be_recorded_too(tmp_path, cost):
    """Kymo's own work calls its functions in the middle of theirs."""
    program = compile_c(tmp_path, THREADS)
    scope = {"KYMO_FUNCTIONS_MODULE_INCLUDE": "libc[.]so"}
    _, (recording,) = run(tmp_path, program, cost, environment=scope)
    assert len(recording.tables) == 2 and recording.tables[1][5] > 1000
    assert recording.calls()["step"] == 3 * 36000


FORKS = """
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int step(int n) { __asm__ volatile("" ::: "memory"); return n * 3; }
int parent_only(int n) { return step(n) + 1; }
int child_only(int n) { return step(n) + 2; }
int main(void) { int s = 0;
	for (int i = 0; i < 100; i++) s += parent_only(i);
	for (int i = 0; i < 3; i++) {
		if (fork() == 0) { for (int k = 0; k < 500; k++) s += child_only(k); _exit(0); }
		if (vfork() == 0) _exit(0);
	}
	while (wait(0) > 0) s++;
	for (int i = 0; i < 100; i++) s += parent_only(i);
	return s == 0; }
"""


@pytest.mark.parametrize("cost", COSTS)
def test_forked_children_have_recordings_of_their_own(tmp_path, cost):
    program = compile_c(tmp_path, FORKS)
    _, recordings = run(tmp_path, program, cost)
    parent, *children = recordings
    assert parent.calls()["parent_only"] == 200 and parent.calls()["step"] == 200
    assert "child_only" not in parent.calls()
    assert len(children) == 3
    for child in children:
        assert child.calls()["child_only"] == 500 and child.calls()["step"] == 500
        assert child.calls()["parent_only"] == 0


SIGNALS = """
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
static sigjmp_buf back; static volatile int signals;
int step(int n) { for (volatile int i = 0; i < n; i++) continue; return n; }
void on_alarm(int number) { signals++; step(number); if (signals % 2) siglongjmp(back, 1); }
int main(void) { struct sigaction action; struct itimerval often = {{0, 300}, {0, 300}}, none;
	volatile long s = 0; memset(&action, 0, sizeof(action)); action.sa_handler = on_alarm;
	memset(&none, 0, sizeof(none)); sigaction(SIGALRM, &action, 0);
	setitimer(ITIMER_REAL, &often, 0);
	sigsetjmp(back, 1);
	while (signals < 200) for (int i = 0; i < 100; i++) s += step(500);
	setitimer(ITIMER_REAL, &none, 0);
	for (int i = 0; i < 5000; i++) s += step(1);
	printf("%d\\n", signals >= 200); return 0; }
"""


@pytest.mark.parametrize("cost", MOST_COSTS)
def test_handlers_that_jump_away_stop_nothing(tmp_path, cost):
    program = compile_c(tmp_path, SIGNALS)
    done, (recording,) = run(tmp_path, program, cost)
    assert done.stdout == "1\n"
    calls = recording.calls()
    # A handler that comes in the middle of a record passes by.
    assert calls["step"] >= 5000 and 1 <= calls["on_alarm"] <= calls["step"]
    if cost != "counts":
        (events,) = recording.events().values()
        # The last five thousand are all there: nothing is stuck.
        assert sum(e.kind == "enter" for e in events[-10001:]) >= 5000
        assert all(a.ticks <= b.ticks for a, b in zip(events, events[1:]))


COROUTINES = """
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
static ucontext_t at, other[4];
int step(int n) { __asm__ volatile("" ::: "memory"); return n * 3; }
void yield(int self) { step(self); swapcontext(&other[self], &at); }
void body(int self) { for (int i = 0; i < 1000; i++) { step(i); yield(self); } }
int main(void) {
	for (int i = 0; i < 4; i++) { getcontext(&other[i]); other[i].uc_stack.ss_sp = malloc(65536);
		other[i].uc_stack.ss_size = 65536; other[i].uc_link = &at;
		makecontext(&other[i], (void (*)(void))body, 1, i); }
	for (int i = 0; i < 1000; i++) for (int k = 0; k < 4; k++) swapcontext(&at, &other[k]);
	puts("done"); return 0; }
"""


@pytest.mark.parametrize("cost", COSTS)
def test_coroutines(tmp_path, cost):
    program = compile_c(tmp_path, COROUTINES)
    done, (recording,) = run(tmp_path, program, cost)
    assert done.stdout == "done\n"
    calls = recording.calls()
    assert (calls["body"], calls["yield"], calls["step"]) == (4, 4000, 8000)


THROWS = """
#include <cstdio>
#include <stdexcept>
struct guard { int *n; explicit guard(int *p) : n(p) {} ~guard(); };
guard::~guard() { ++*n; }
int deep(int n, int *count) { guard g(count); if (n == 0) throw std::runtime_error("deep");
	return deep(n - 1, count) + 1; }
int attempt(int n, int *count) { *count += n; *count -= n; __asm__ volatile("" ::: "memory");
	try { return deep(n, count); } catch (const std::exception &) { return -1; } }
int main() { int count = 0, s = 0; for (int i = 0; i < 300; i++) s += attempt(i % 20, &count);
	std::printf("%d %d\\n", s, count); return 0; }
"""


@pytest.mark.parametrize("cost", MOST_COSTS)
def test_exceptions_pass(tmp_path, cost):
    program = compile_c(tmp_path, THROWS, compiler="g++")
    done, (recording,) = run(tmp_path, program, cost)
    assert done.stdout == "-300 3150\n"
    calls = recording.calls()
    assert calls["_Z7attemptiPi"] == 300 and calls["_Z4deepiPi"] == 3150


PLUGIN = """
int leaf(int n) { __asm__ volatile("" ::: "memory"); return n + 1; }
int entry(int n) { int s = 0; for (int i = 0; i < n; i++) s += leaf(i); return s; }
__attribute__((constructor)) static void begins(void) { leaf(1); }
"""

LOADS = """
#include <dlfcn.h>
int main(int argc, char **argv) { int s = 0;
	for (int i = 0; i < 50; i++) { void *library = dlopen(argv[1 + i % (argc - 1)], RTLD_NOW);
		int (*entry)(int) = (int (*)(int))dlsym(library, "entry");
		s += entry(10); dlclose(library); }
	return s == 0; }
"""


@pytest.mark.parametrize("cost", MOST_COSTS)
def test_libraries_that_come_and_go(tmp_path, cost):
    for name in ("liba.so", "libb.so"):
        compile_c(tmp_path, PLUGIN, name, "-shared", "-fPIC", f"-Wl,-soname,{name}")
    program = compile_c(tmp_path, LOADS)
    _, (recording,) = run(
        tmp_path,
        program,
        cost,
        tmp_path / "liba.so",
        tmp_path / "libb.so",
        environment={"KYMO_FUNCTIONS_MODULE_INCLUDE": "lib[ab].so"},
    )
    calls = recording.calls()
    assert (calls["entry"], calls["begins"], calls["leaf"]) == (50, 50, 550)


def test_what_cannot_be_planned_is_asked_for_once(tmp_path):
    """Not at each loading, and the program runs on."""
    for name in ("liba.so", "libb.so"):
        compile_c(tmp_path, PLUGIN, name, "-shared", "-fPIC", f"-Wl,-soname,{name}")
    tool, asked = tmp_path / "tool", tmp_path / "asked"
    tool.write_text(f'#!/bin/sh\necho "$@" >> {asked}\nexit 1\n')
    tool.chmod(0o755)
    environment = {"KYMO_FUNCTIONS_MODULE_INCLUDE": "lib[ab].so", "KYMO_TOOL_PATH": str(tool)}
    libraries = (tmp_path / "liba.so", tmp_path / "libb.so")
    done, _ = run(tmp_path, compile_c(tmp_path, LOADS), "full", *libraries, environment=environment)
    for library in libraries:
        assert asked.read_text().count(str(library)) == 1
    assert "could not be run" in done.stderr


CHILDREN = """
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
int main(void) { int result = wait(0); printf("%d %d\\n", result, errno == ECHILD); return 0; }
"""


def test_the_program_sees_no_child(tmp_path):
    program = compile_c(tmp_path, CHILDREN)
    done, (recording,) = run(tmp_path, program, "full")
    assert done.stdout == "-1 1\n" and recording.calls()["main"] == 1


PAUSES = """
#include <stdio.h>
#include <time.h>
int step(int n) { for (volatile int i = 0; i < n; i++) continue; return n; }
int main(void) { struct timespec a, b; int s = 0; clock_gettime(CLOCK_MONOTONIC, &a);
	do { s += step(20000); clock_gettime(CLOCK_MONOTONIC, &b); }
	while ((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < 1200);
	printf("%d\\n", s != 1); return 0; }
"""


def test_windows_switch_off_and_on(tmp_path):
    program = compile_c(tmp_path, PAUSES)
    periods = "0:0.2:1 0.5:0:1"
    _, (recording,) = run(tmp_path, program, "coarse", environment={"KYMO_TRACE_PERIODS": periods})
    (events,) = recording.events().values()
    marks = [(event.kind, event.ticks) for event in events if event.kind in (OFF, ON)]
    assert [kind for kind, _ in marks] == [OFF, ON]
    (_, off), (_, on) = marks
    assert all(a.ticks <= b.ticks for a, b in zip(events, events[1:]))
    assert off < on
    enters = [event.ticks for event in events if event.kind == "enter"]
    assert sum(ticks < off for ticks in enters) > 10 and sum(ticks > on for ticks in enters) > 10
    # What is under way when the gate closes is all that may come behind it.
    assert sum(off < ticks < on for ticks in enters) * 20 < len(enters)


LOCKS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
/* Jumps through a table that lies on the stack: it is called through. */
int chooses(int n) { void *places[] = {&&one, &&two, &&three}; volatile int k = n % 3;
	goto *places[k]; one: return n + 1; two: return n * 2; three: return n - 3; }
/* What the system says of the process alone: getrusage() also knows who started it. */
long peak_kib(void) { char line[200]; long kib = 0; FILE *file = fopen("/proc/self/status", "r");
	while (fgets(line, sizeof line, file)) sscanf(line, "VmHWM: %ld", &kib);
	fclose(file); return kib; }
int main(void) { int s = 0, result = mlockall(MCL_CURRENT | MCL_FUTURE); long kib;
	for (int i = 0; i < 1000; i++) s += chooses(i);
	kib = peak_kib();
	printf("%d %d\\n", result == 0 || result == -1, 0 < kib && kib < (1 << 20)); return s == 1; }
"""


def test_locking_all_memory_takes_no_more_of_it(tmp_path):
    program = compile_c(tmp_path, LOCKS)
    done, (recording,) = run(tmp_path, program, "full")
    assert done.stdout == "1 1\n" and recording.calls()["main"] == 1
