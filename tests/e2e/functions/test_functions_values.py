"""Arguments and return values of chosen functions, against what programs print of them."""

import json
import os
import shutil
import subprocess

import pytest
import support
from functions_runs import KYMO, compile_c, run

COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]


def trace(folder, program, functions=".", options=("--args", "--retval"), status=0):
    """Run it; [(what, name, values)] of its threads' slices, by thread."""
    names = {"--args": "KYMO_FUNCTIONS_ARGS", "--retval": "KYMO_FUNCTIONS_RETVAL"}
    environment = {names[option]: functions for option in options}
    done, recordings = run(
        folder, program, "auto", options=["--trace"], environment=environment, status=status
    )
    found = []
    for recording in recordings:
        text = subprocess.run(
            [KYMO, "export", "--format=chrome", "-o", "-", recording.path],
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        threads = {}
        for event in json.loads(text)["traceEvents"]:
            if event["ph"] in "BEi":
                line = event["ph"], event.get("name"), event.get("args", {})
                threads.setdefault(event["tid"], []).append(line)
        found.append(list(threads.values()))
    return done, found, recordings


def calls_of(events):
    """[(name, arguments, returned)] in the order of begins; None: no end was seen."""
    stack, calls = [], []
    for what, name, values in events:
        if what == "B":
            stack.append([name, values, None])
            calls.append(stack[-1])
        elif what == "E":
            stack.pop()[2] = values
        else:
            calls.append([name, values, None])
    assert not stack
    return [tuple(call) for call in calls]


KINDS = """
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
enum color { RED = 1, GREEN = -2, BLUE = 70000 };
struct pair { int a, b; };
struct mixed { double x; int n; };
struct big { long v[5]; };
typedef unsigned long size;
#define N __attribute__((noinline)) OPTIONS
#define KEEP __asm__ volatile("" ::: "memory")
N long ints(signed char a, unsigned char b, short c, unsigned short d, int e, unsigned f, long g,
	size h, long long i) { KEEP; return a + b + c + d + e + (long)f + g + (long)h + (long)i; }
N bool flags(bool a, enum color c, char d) { KEEP; return a && c == RED && d; }
N double reals(float a, double b, long double c, int n) { KEEP; return a + b + (double)c + n; }
N long double wide(long double x) { KEEP; return x * 2; }
N float narrow(double x) { KEEP; return (float)x; }
N const char *text(const char *a, const char *b, void *p) { KEEP; return p ? a : b; }
N int given(struct pair p, int after, struct big g, int last, struct mixed m, double x)
	{ KEEP; return p.a + p.b + after + (int)g.v[4] + last + m.n + (int)(m.x + x); }
N struct big made(int n) { struct big b = {{n, n, n, n, n}}; KEEP; return b; }
N struct pair small(int n) { struct pair p = {n, n}; KEEP; return p; }
N enum color next(const enum color c) { KEEP; return c == RED ? GREEN : BLUE; }
N void nothing(int n) { __asm__ volatile("" :: "r"(n) : "memory"); }
N int fact(int n) { int r = 1; if (n > 1) r = n * fact(n - 1); __asm__("" : "+r"(r)); return r; }
N int many(const char *format, ...) { KEEP; return (int)strlen(format); }
N int through(int (*f)(int), int n) { KEEP; return f(n) + 1; }
N short cut(int n) { KEEP; return (short)(n * 3 - 140000); }
int main(void)
{
	char lines[200];
	struct big b = {{1, 2, 3, 4, 5}};
	struct mixed m = {2.5, 6};
	memset(lines, 'x', 199);
	lines[199] = 0;
	__asm__ volatile("" :: "r"(lines) : "memory");
	ints(-5, 200, -300, 60000, -70000, 4000000000u, -5000000000L, 10000000000000000000ul, -9);
	flags(true, RED, 'x');
	reals(1.5f, -2.25, 3.125L, 7);
	wide(1.25L); narrow(0.5);
	text("hello", NULL, &b);
	text(lines, (const char *)16, &b);
	given((struct pair){1, 2}, 3, b, 4, m, 0.25);
	made(9); small(8); next(RED); next((enum color)5); nothing(3); fact(3);
	many("%d", 3); through(fact, 2); cut(70000);
	printf("%p\\n", (void *)&b);
	return 0;
}
"""
CUT = "x" * 64 + "…"


def expected(pointer):
    ints = dict(zip("abcdefgh", [-5, 200, -300, 60000, -70000, 4000000000, -5000000000]))
    ints |= {"h": 10000000000000000000, "i": -9}
    total = sum(ints.values()) - 2**64
    given = {"after": 3, "last": 4, "x": 0.25}
    return [
        ("ints", ints, {"return": total}),
        ("flags", {"a": 1, "c": "RED", "d": 120}, {"return": 1}),
        ("reals", {"a": 1.5, "b": -2.25, "c": 3.125, "n": 7}, {"return": 9.375}),
        ("wide", {"x": 1.25}, {"return": 2.5}),
        ("narrow", {"x": 0.5}, {"return": 0.5}),
        ("text", {"a": "hello", "b": "0x0", "p": pointer}, {"return": "hello"}),
        ("text", {"a": CUT, "b": "0x10", "p": pointer}, {"return": CUT}),
        ("given", given, {"return": 1 + 2 + 3 + 5 + 4 + 6 + 2}),
        ("made", {"n": 9}, {}),
        ("small", {"n": 8}, {}),
        ("next", {"c": "RED"}, {"return": "GREEN"}),
        ("next", {"c": 5}, {"return": "BLUE"}),
        ("nothing", {"n": 3}, {}),
        ("fact", {"n": 3}, {"return": 6}),
        ("fact", {"n": 2}, {"return": 2}),
        ("fact", {"n": 1}, {"return": 1}),
        ("many", {"format": "%d"}, {"return": 2}),
        ("through", None, {"return": 3}),
        ("fact", {"n": 2}, {"return": 2}),
        ("fact", {"n": 1}, {"return": 1}),
        ("cut", {"n": 70000}, {"return": 4464}),
    ]


@pytest.mark.parametrize("level", ["-O0", "-O2", "-O2 -fpie -fcf-protection=full"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_values_of_every_kind_are_those_of_the_program(tmp_path, compiler, level):
    options = "-DOPTIONS=" + ("__attribute__((noclone))" if compiler == "gcc" else "")
    program = compile_c(tmp_path, KINDS, "program", options, *level.split(), compiler=compiler)
    done, (threads,), (recording,) = trace(tmp_path, program)
    (events,) = [thread for thread in threads if any(name == "ints" for _, name, _ in thread)]
    calls = [call for call in calls_of(events) if call[0] not in ("program", "main")]
    for call, truth in zip(calls, expected(done.stdout.strip()), strict=True):
        assert call[0] == truth[0] and call[2] == truth[2], (call, truth)
        assert truth[1] is None or call[1] == truth[1], (call, truth)
    assert recording.calls()["fact"] == 5 and recording.calls()["text"] == 2


def test_only_what_is_asked_for(tmp_path):
    program = compile_c(tmp_path, KINDS, "program", "-DOPTIONS=")
    for options, arguments, returned in (
        (["--args"], {"n": 3}, {}),
        (["--retval"], {}, {"return": 6}),
    ):
        _, (threads,), (recording,) = trace(tmp_path, program, "^fact$", options)
        calls = [c for events in threads for c in calls_of(events) if c[0] != "program"]
        assert calls[0] == ("fact", arguments, returned) and len(calls) == 5
        assert recording.calls()["ints"] == 1


CLASSES = """
#include <csetjmp>
#include <stdexcept>
#define N __attribute__((noinline))
#define KEEP __asm__ volatile("" ::: "memory")
static jmp_buf back;
struct Shop {
	int stock = 4;
	N int add(int n, const int &by) { KEEP; return stock += n * by; }
	virtual N ~Shop() { KEEP; }
};
struct Name {
	int length;
	explicit Name(int n) : length(n) {}
	Name(const Name &other) : length(other.length) { KEEP; }
	~Name() { KEEP; }
};
N int with(Name name, int after) { KEEP; return name.length + after; }
N Name makes(int n) { KEEP; return Name(n); }
N int throws(int n)
{
	if (n == 0) throw std::runtime_error("x");
	int r = throws(n - 1); __asm__ volatile("" : "+r"(r)); return r + 1;
}
N int catches(int n) { try { return throws(n); } catch (std::exception &) { return -n; } }
N int jumps(int n)
{
	if (n == 0) longjmp(back, 1);
	int r = jumps(n - 1); __asm__ volatile("" : "+r"(r)); return r + 1;
}
N int lands(int n) { if (setjmp(back)) return 7; return jumps(n); }
int main()
{
	Shop shop;
	int by = 3, s = 0;
	s += shop.add(2, by) + with(Name(3), 5) + makes(30).length;
	for (int i = 0; i < 3; i++) s += catches(i) + lands(i);
	return s == 0;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", [{"gcc": "g++", "clang": "clang++"}[c] for c in COMPILERS])
def test_classes_exceptions_and_jumps(tmp_path, compiler, level):
    source = tmp_path / "program.cc"
    source.write_text(CLASSES)
    program = tmp_path / "program"
    subprocess.run([compiler, "-g", level, "-o", program, source], check=True, timeout=120)
    pattern = "Shop::add|^with|^makes|^throws|^catches|^jumps|^lands"
    _, (threads,), _ = trace(tmp_path, program, pattern)
    calls = [c for events in threads for c in calls_of(events) if c[0] != "program"]
    by_name = {}
    for name, arguments, returned in calls:
        by_name.setdefault(name.split("(")[0], []).append((arguments, returned))
    (add,) = by_name["Shop::add"]
    assert add[0]["n"] == 2 and add[1] == {"return": 10} and "this" in add[0]
    assert by_name["with"] == [({"after": 5}, {"return": 8})]
    assert [a["n"] for a, _ in by_name["makes"]] == [30]
    assert by_name["catches"] == [({"n": n}, {"return": -n}) for n in range(3)]
    assert by_name["lands"] == [({"n": n}, {"return": 7}) for n in range(3)]
    counts = [n for last in range(3) for n in range(last, -1, -1)]
    for name in ("throws", "jumps"):
        assert [a["n"] for a, _ in by_name[name]] == counts
        assert all("return" not in returned for _, returned in by_name[name])


THREADS = """
#include <pthread.h>
#include <stdint.h>
#define N __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("" ::: "memory")
N int leaf(int n) { KEEP; return n + 1; }
N int last(int n) { KEEP; return leaf(n * 2); }
N void *work(void *n) { intptr_t s = 0; for (int i = 0; i < 50; i++) s += last(i);
	return (void *)(s + (intptr_t)n); }
int main(void) { pthread_t t[4]; void *sum;
	for (intptr_t i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)i);
	for (int i = 0; i < 4; i++) pthread_join(t[i], &sum);
	return sum != (void *)(2 * 1225 + 50 + 3); }
"""


def test_threads_and_tail_calls(tmp_path):
    program = compile_c(tmp_path, THREADS)
    _, (threads,), (recording,) = trace(tmp_path, program, "^leaf$|^last$")
    workers = [events for events in threads if any(name == "leaf" for _, name, _ in events)]
    assert len(workers) == 4 and recording.calls()["leaf"] == 200
    for events in workers:
        calls = [c for c in calls_of(events) if c[0] in ("leaf", "last")]
        leaves = [c for c in calls if c[0] == "leaf"]
        assert leaves == [("leaf", {"n": 2 * i}, {"return": 2 * i + 1}) for i in range(50)]
        assert [c[1] for c in calls if c[0] == "last"] == [{"n": i} for i in range(50)]


FORTRAN = """
module m
contains
  integer function twice(n, x, flag) result(r)
    integer, intent(in) :: n
    real(8), intent(in) :: x
    logical, intent(in) :: flag
    r = 2 * n
    if (flag) r = r + int(x)
    call keep(r)
  end function
  real(8) function by_value(a, b) result(r)
    integer, value :: a
    real(8), value :: b
    r = a * b
    call keep(a)
  end function
  subroutine keep(n)
    integer, intent(inout) :: n
    if (n == -12345) print *, n
  end subroutine
end module
program p
  use m
  print *, twice(4, 2.5d0, .true.), by_value(3, 1.5d0)
end program
"""


@pytest.mark.skipif(not shutil.which("gfortran"), reason="gfortran is not installed")
@pytest.mark.parametrize("level", ["-O0", "-O1"])
def test_fortran_values_lie_where_addresses_lead(tmp_path, level):
    source = tmp_path / "program.f90"
    source.write_text(FORTRAN)
    program = tmp_path / "program"
    subprocess.run(
        ["gfortran", "-g", level, "-fno-inline", "-fno-ipa-sra", "-o", program, source],
        check=True,
        cwd=tmp_path,  # a module's file is left there
    )
    _, (threads,), _ = trace(tmp_path, program, "twice|by_value")
    calls = {c[0]: c[1:] for events in threads for c in calls_of(events)}
    (twice,) = [values for name, values in calls.items() if "twice" in name]
    (by_value,) = [values for name, values in calls.items() if "by_value" in name]
    assert twice == ({"n": 4, "x": 2.5, "flag": 1}, {"return": 10})
    assert by_value == ({"a": 3, "b": 1.5}, {"return": 4.5})


def test_without_debug_information_one_line_says_so(tmp_path):
    program = compile_c(tmp_path, THREADS, "program", "-g0")
    done, _, (recording,) = trace(tmp_path, program, "^leaf$|^last$")
    (line,) = [line for line in done.stderr.splitlines() if "no arguments" in line]
    assert "leaf, last" in line and "-g" in line
    assert recording.calls()["leaf"] == 200


# What spin() really did is counted in steps, of which the fastest call tells the time of one: the
# clocks of a machine on which others wait for the processor do not.
TIMES = """
#include <stdio.h>
#include <time.h>
static long steps;
static inline __attribute__((always_inline)) double now(void)
	{ struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }
void below(int ms) { double until = now() + 1e-3 * ms;
	while (now() < until) steps++; }
int spin(int ms) { below(ms); double until = now() + 1e-3 * ms;
	while (now() < until) steps++; return ms; }
int main(void) { double in = 0, fastest = 0; long sum = 0;
	for (int i = 0; i < 20; i++) { double from = now(), took; long before = steps;
		sum += spin(2); took = now() - from; in += took;
		if ((double)(steps - before) > fastest * took)
			fastest = (double)(steps - before) / took; }
	printf("%ld %.9f %.9f\\n", sum, in, (double)steps / fastest); return 0; }
"""


@pytest.mark.alone
def test_tables_have_the_time_of_calls_with_values(tmp_path):
    """Every such call is timed: its time is no estimate, and not its caller's."""
    program = compile_c(tmp_path, TIMES)
    done, _, (recording,) = trace(tmp_path, program, "^spin$")
    total, inside, worked = done.stdout.split()
    assert total == "40"
    rows = support.run_kymo(["report", recording.path, "--format", "json"], cwd=tmp_path)
    rows = {row["name"]: row for row in json.loads(rows.stdout)["regions"]}
    assert rows["spin"]["calls"] == 20
    # The program's own reading has what Kymo adds to a call, so it is a little more; the two
    # clocks agree to some parts in ten thousand.  What others had of the processor is in no call.
    assert 0.8 * float(worked) < rows["spin"]["total"] <= 1.001 * float(inside)
    assert rows["spin"]["self"] < 0.7 * rows["spin"]["total"]
    assert rows["main"]["self"] < 0.2 * rows["main"]["total"]


def test_the_options_and_the_costs_they_go_with(tmp_path):
    program = compile_c(tmp_path, THREADS)
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "KYMO_OUTPUT_PATH": str(tmp_path / "out"),
        "KYMO_FINISH": "OFF",
    }
    for command, cost, plain in (
        ("instrument", "--cost=full", "--cost=counts"),
        ("run", "--functions=full", "--functions"),
    ):
        refused = [KYMO, command, cost, "--args", "leaf", "--", program]
        done = subprocess.run(refused, env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and "with --timing sampled" in done.stderr, done.stderr
        taken = [KYMO, command, plain, "--args", "^leaf$", "--retval", "^leaf$", "--", program]
        done = subprocess.run(taken, env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
