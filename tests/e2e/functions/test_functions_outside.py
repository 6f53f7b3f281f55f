"""Functions that are called by what is not instrumented: counted calls belong to the nearest
function further out that is."""

import pytest
from functions_runs import compile_c, run

CALLED_BACK = """
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
static volatile long done;
int numbers[4000];
int compare(const void *a, const void *b) { done++; return *(const int *)a - *(const int *)b; }
int matches(const void *a, const void *b) { done += 2; return *(const int *)a != *(const int *)b; }
int sorts(void) { for (int i = 0; i < 4000; i++) numbers[i] = (int)(i * 2654435761u >> 8);
	qsort(numbers, 4000, sizeof(int), compare); return ++done > 0; }
int searches(void) { int found = 0; size_t count = 400;
	for (int i = 0; i < 10; i++) found += lfind(&i, numbers, &count, sizeof(int), matches) != 0;
	return found; }
int left_out(int (*function)(void)) { int r = function(); done++; return r; }
int passed_on(void) { done++; return 1; }
int passes(void) { int r = 0; for (int i = 0; i < 100; i++) r += left_out(passed_on); return r; }
void *routine(void *unused) { searches(); done++; return unused; }
int main(void) { pthread_t thread; int r = sorts() + searches() + passes();
	pthread_create(&thread, 0, routine, 0); pthread_join(thread, 0); return r < 0; }
"""


def callers(recording, callee):
    return {caller for called, caller, _ in recording.callers() if called == callee}


@pytest.mark.parametrize("frame_pointers", ["-fomit-frame-pointer", "-fno-omit-frame-pointer"])
def test_the_nearest_instrumented_caller(tmp_path, frame_pointers):
    program = compile_c(tmp_path, CALLED_BACK, "program", frame_pointers)
    _, (recording,) = run(tmp_path, program, "counts", options=["--functions-exclude=^left_out$"])
    assert recording.calls()["compare"] > 4000 and recording.calls()["passed_on"] == 100
    assert callers(recording, "compare") == {"sorts"}
    assert callers(recording, "matches") == {"searches"}
    assert callers(recording, "passed_on") == {"passes"}
    # A call that was displaced comes from a trampoline, which has no symbol in the file.
    assert callers(recording, "searches") - {"?"} <= {"main", "routine"}
    # Whoever begins a thread or the program is nobody's function.
    assert not callers(recording, "routine") & recording.taken()
    assert not callers(recording, "main") & recording.taken()


CPLUSPLUS = """
#include <algorithm>
#include <functional>
#include <thread>
#include <vector>
static volatile long done;
extern "C" {
__attribute__((noinline)) void step(int n) { done += n; }
__attribute__((noinline)) void work(int n) { for (int i = 0; i < n; i++) step(i); }
__attribute__((noinline)) void through(const std::function<void(int)> &f) { f(7); done++; }
__attribute__((noinline)) void asks() { for (int i = 0; i < 50; i++) through(work); done++; }
}
int main() { asks(); std::thread thread(work, 30); thread.join(); return 0; }
"""


def test_c_plus_plus_calls_back(tmp_path):
    """What invokes a std::function or a thread's function is inlined, or is of the program."""
    program = compile_c(tmp_path, CPLUSPLUS, "program", compiler="g++")
    _, (recording,) = run(tmp_path, program, "counts")
    assert recording.calls()["work"] == 51
    assert callers(recording, "step") == {"work"}
    assert callers(recording, "through") == {"asks"}
    assert callers(recording, "work") & recording.taken()
