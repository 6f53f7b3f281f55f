"""Signals that come at any instruction of a program whose calls are recorded: their handlers call,
fork, and jump away, and what is recorded of all else stays exact."""

import re

import pytest
from functions_runs import compile_c, run

STORM = r"""
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
enum { JUMPS = 1, FORKS = 2, SIGNALS = 40, FORKS_MAX = 4 };
static sigjmp_buf back;
static volatile int how, is_armed, handled, jumps, forks, is_bad;
static volatile long middles;
static pid_t parent;
long leaf(long n) { __asm__ volatile("" ::: "memory"); return 3 * n; }
long middle(long n) { long some = leaf(n); return some + leaf(some); }
long in_handler(long n) { __asm__ volatile("" ::: "memory"); return n + 1; }
long in_child(long n) { long sum = 0; for (int i = 0; i < 50; i++) sum += in_handler(n + i);
	return sum; }
static void fork_here(void) { int status; pid_t child;
	forks++;
	child = fork();
	if (child == 0) { in_child(3); return; } /* back to where the signal came */
	while (waitpid(child, &status, 0) < 0) continue;
	is_bad |= status; }
void on_alarm(int number) {
	if (getpid() != parent) return;
	handled++; in_handler(number); in_handler(handled);
	if (how & FORKS && handled % 8 == 0 && forks < FORKS_MAX) fork_here();
	if (getpid() != parent) return;
	if (how & JUMPS && is_armed && handled % 3 == 0) { jumps++; siglongjmp(back, 1); } }
int main(int count, char **arguments) {
	struct itimerval often = {{0, 100}, {0, 100}}, none = {{0, 0}, {0, 0}};
	struct sigaction action; volatile long sum = 0;
	how = count > 1 ? atoi(arguments[1]) : 0; parent = getpid();
	memset(&action, 0, sizeof(action)); action.sa_handler = on_alarm;
	action.sa_flags = SA_RESTART; sigaction(SIGALRM, &action, 0);
	setitimer(ITIMER_REAL, &often, 0);
	sigsetjmp(back, 1);
	is_armed = 1;
	while (handled < SIGNALS && getpid() == parent) {
		for (int i = 0; i < 100; i++) { sum += middle(i); middles++; }
		/* Signals come here, too, and not in the middle of a record alone. */
		for (volatile int i = 0; i < 5000; i++) continue; }
	is_armed = 0;
	if (getpid() != parent) { for (int i = 0; i < 1000; i++) sum += middle(i); _exit(0); }
	setitimer(ITIMER_REAL, &none, 0);
	printf("%ld middles, %d handled, %d jumps, %d forks, %d\n", middles, handled, jumps, forks,
		is_bad);
	return 0; }
"""
JUMPS, FORKS = 1, 2


def storm(folder, cost, how):
    """What happened, by name, and the recordings."""
    program = compile_c(folder, STORM)
    done, recordings = run(folder, program, cost, how)
    numbers = map(int, re.findall(r"\d+", done.stdout))
    facts = dict(zip(("middles", "handled", "jumps", "forks", "is_bad"), numbers))
    assert not facts["is_bad"]
    return facts, recordings


def is_nested(events):
    """Every exit is of the innermost call that is open."""
    slots = []
    for event in events:
        if event.kind == "enter":
            slots.append(event.slot)
        elif not slots or slots.pop() != event.slot:
            return False
    return True


@pytest.mark.parametrize("cost", ["coarse", "full"])
def test_handlers_that_return_leave_everything_exact(tmp_path, cost):
    facts, (recording,) = storm(tmp_path, cost, 0)
    calls = recording.calls()
    assert (calls["middle"], calls["leaf"]) == (facts["middles"], 2 * facts["middles"])
    assert 1 <= calls["on_alarm"] <= facts["handled"]
    # A handler is recorded whole, or passes by.
    assert calls["in_handler"] <= 2 * facts["handled"]
    (events,) = recording.events().values()
    assert is_nested(events)
    assert all(a.ticks <= b.ticks for a, b in zip(events, events[1:]))


@pytest.mark.parametrize("cost", ["coarse", "full"])
def test_handlers_that_jump_away_lose_what_they_left(tmp_path, cost):
    facts, (recording,) = storm(tmp_path, cost, JUMPS)
    calls = recording.calls()
    assert facts["jumps"] > 0
    # A call that was left may have begun and may be unfinished.
    assert facts["middles"] <= calls["middle"] <= facts["middles"] + facts["jumps"]
    (events,) = recording.events().values()
    assert all(a.ticks <= b.ticks for a, b in zip(events, events[1:]))


@pytest.mark.parametrize("cost", ["coarse", "full"])
def test_handlers_that_fork(tmp_path, cost):
    """The child comes back to where its parent was interrupted."""
    facts, (recording, *children) = storm(tmp_path, cost, FORKS)
    calls = recording.calls()
    assert (calls["middle"], calls["leaf"]) == (facts["middles"], 2 * facts["middles"])
    assert calls["in_child"] == 0
    assert facts["forks"] > 0
    if cost == "full":
        return  # a child that was forked in the midst of a record may lose some
    assert len(children) == facts["forks"]
    for child in children:
        assert child.calls()["in_child"] == 1
        assert child.calls()["middle"] >= 1000
