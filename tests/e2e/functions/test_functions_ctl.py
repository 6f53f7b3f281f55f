"""`kymo ctl` switches instrumented functions off and on at once, at every cost, without a thread
of Kymo's own in the program that would have to notice."""

import json
import os
import subprocess

import kymo_decoder
import pytest
from decoder_runs import differences, from_c
from functions_runs import KYMO, compile_c, recordings_below

COSTS = ["counts", "coarse", "full"]

COMMANDED = """
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#define BODY(name, k) int name(int n) { __asm__ volatile("" ::: "memory"); return n + k; }
BODY(before, 1) BODY(during, 2) BODY(after, 3) BODY(child, 4)
int phase(int c) { int s = 0; for (int i = 0; i < 100; i++)
	s += c == 'b' ? before(i) : c == 'd' ? during(i) : c == 'c' ? child(i) : after(i);
	return s; }
int forks(void) { int status = 0; pid_t id = fork();
	if (id == 0) { int s = phase('c'); _exit(s == 1); }
	return waitpid(id, &status, 0) == id && status == 0; }
int main(void) { int c, s = 0;
	while ((c = getchar()) != EOF) {
		if (c == '\\n') continue;
		s += c == 'f' ? forks() : phase(c);
		printf("%c\\n", c); fflush(stdout); }
	return s == 1; }
"""


class Run:
    """The program under kymo, which does what it is told, a letter at a time."""

    def __init__(self, folder, cost, *options):
        program = folder / "program"
        if not program.exists():
            compile_c(folder, COMMANDED)
        self.output = folder / f"out-{cost}"
        environment = {
            **os.environ,
            "XDG_CACHE_HOME": str(folder / "cache"),
            "KYMO_FINISH": "OFF",
        }
        command = [KYMO, "run", f"--functions={cost}", "-o", self.output, *options, "--", program]
        self.process = subprocess.Popen(
            [*map(str, command)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )

    def tell(self, letter):
        self.process.stdin.write(letter + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == letter + "\n"

    def control(self, action):
        subprocess.run([KYMO, "ctl", self.output, action], check=True, stdout=subprocess.DEVNULL)

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(timeout=60) == 0
        return recordings_below(self.output)


@pytest.mark.parametrize("cost", COSTS)
def test_what_is_called_meanwhile_is_not_recorded(tmp_path, cost):
    run = Run(tmp_path, cost)
    for _ in range(3):
        run.tell("b")
        run.control("stop")
        run.tell("d")
        run.control("start")
        run.tell("a")
    (recording,) = run.end()
    calls = recording.calls()
    assert (calls["before"], calls["during"], calls["after"]) == (300, 0, 300)


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("is_on_at_the_end", [True, False])
def test_two_readers_see_the_same_stops(tmp_path, cost, is_on_at_the_end):
    """No record tells of them: what was open ends where the header says."""
    run = Run(tmp_path, cost)
    for _ in range(3):
        run.tell("b")
        run.control("stop")
        run.tell("d")
        run.control("start")
        run.tell("f")
    if not is_on_at_the_end:
        run.control("stop")
        run.tell("d")
    for recording in run.end():
        decoded = json.loads(json.dumps(kymo_decoder.load(recording.path)))
        shown = from_c(recording.path)
        del shown["regions"], decoded["regions"]  # names, which the decoder does not look up
        assert list(differences(shown, decoded)) == []


@pytest.mark.parametrize("cost", COSTS)
def test_a_run_that_was_stopped_before_stays_so(tmp_path, cost):
    run = Run(tmp_path, cost)
    run.tell("b")
    run.control("stop")
    run.tell("f")
    run.tell("d")
    run.control("start")
    run.tell("f")
    run.tell("a")
    parent, first, second = run.end()
    calls = parent.calls()
    assert (calls["before"], calls["during"], calls["after"]) == (100, 0, 100)
    assert first.calls()["child"] == 0
    assert second.calls()["child"] == 100


@pytest.mark.parametrize("cost", COSTS)
def test_the_end_of_a_child_is_its_own(tmp_path, cost):
    run = Run(tmp_path, cost)
    run.tell("f")
    run.tell("a")
    parent, child = run.end()
    assert parent.calls()["after"] == 100
    assert child.calls()["child"] == 100


def test_the_program_has_no_thread_more(tmp_path):
    run = Run(tmp_path, "full")
    run.tell("b")
    tasks = f"/proc/{run.process.pid}/task"
    before = len(os.listdir(tasks))
    run.control("stop")
    run.tell("d")
    run.control("start")
    run.tell("a")
    assert (before, len(os.listdir(tasks))) == (1, 1)
    run.end()
