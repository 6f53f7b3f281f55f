"""Random programs whose functions call each other in all ways there are, by jumps and through
pointers, recursively, and leave each other by longjmp(), exceptions and handlers of signals: they
print what they print bare, and each function was called as often as it counted itself."""

import os
import random
import re
import subprocess

import functions_runs as runs
import pytest

COUNT = 12  # functions f0, f1, …
PLAYED = 7  # what programs end with
LOOPS = {
    "KYMO_FUNCTIONS_LOOPS": "ON",
    "KYMO_FUNCTIONS_LOOPS_MIN_INSTRUCTIONS": "0",
    "KYMO_FUNCTIONS_LOOPS_MIN_BYTES": "0",
}
HELPERS = ["leaf0", "leaf1", "leaf2", "sum", "make", "scale", "handler", "hide"]
HEAD = """
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#ifdef __clang__
#define NO __attribute__((noinline))
#else
#define NO __attribute__((noipa))
#endif
typedef unsigned long value;
typedef value (*function)(int, value);
struct big { value a[8]; };
enum { LEAF = 12, SUM = 15, MAKE, SCALE, HANDLER, HIDE, COUNT };
static value n[COUNT], jump_count;
static volatile value got;
static void *volatile jumps;
static long budget;
extern function all[12];
NO value leaf0(value s) { n[LEAF]++; __asm__ volatile("" : "+r"(s)); return s * 3; }
NO value leaf1(value s) { n[LEAF + 1]++; __asm__ volatile("" : "+r"(s)); return s * 7 + 1; }
NO value leaf2(value s) { n[LEAF + 2]++; __asm__ volatile("" : "+r"(s)); return s * 11 + 2; }
NO void hide(char *p) { n[HIDE]++; __asm__ volatile("" : : "r"(p) : "memory"); }
NO value sum(int k, ...)
{
	va_list list;
	value s = 0;
	n[SUM]++;
	va_start(list, k);
	for (int i = 0; i < k; i++)
		s += va_arg(list, value);
	va_end(list);
	return s;
}
NO struct big make(value s, int k)
{
	struct big g;
	n[MAKE]++;
	for (int i = 0; i < 8; i++)
		g.a[i] = s * (value)(i + k);
	__asm__ volatile("" : : "r"(&g) : "memory");
	return g;
}
NO double scale(double x, int k) { n[SCALE]++; __asm__ volatile("" : "+x"(x)); return x * k; }
NO void handler(int k) { n[HANDLER]++; got = leaf2((value)k + got % 100); }
"""
GUARD = "struct guard { value &s; NO guard(value &t) : s(t) {} NO ~guard() { s += leaf0(7); } };\n"


def plain_steps(choose):
    other, k = choose.randrange(COUNT), choose.randrange(2, 7)
    return [
        f"if (d > 0) s += f{other}(d - 1, s ^ {k});",
        f"if (d > 0 && s % {k} == 0) s += all[{other}](d - 1, s * {k});",
        f"for (int q = 0; q < {k} && d > 1; q++) s += leaf{k % 3}(s + (value)q);",
        "switch (s % 6) { case 0: s += leaf0(s); break; case 1: s ^= 5; break; case 2:"
        " s = s * 3 + leaf1(s); break; case 3: s--; break; case 4: s += 9; break; default:"
        " s = leaf2(s); }",
        f"if (s % {k * 5} == 2) {{ raise(SIGUSR1); s += got; }}",
        f"s += sum({k}, s, s + 1, s + 2, s + 3, s + 4, s + 5, s + 6);",
        f"{{ struct big g = make(s, {k}); s += g.a[2] + g.a[5]; }}",
        f"s += (value)scale((double)(s % 1000), {k});",
        "{ char *p = (char *)__builtin_alloca(16 + s % 200); p[0] = (char)s; hide(p);"
        " s += (unsigned char)p[0]; }",
    ]


def jumping_steps(choose):
    other, k = choose.randrange(COUNT), choose.randrange(2, 7)
    return [
        f"if (jumps && s % {k * 3} == 1) {{ jump_count++; longjmp(*(jmp_buf *)jumps, 1); }}",
        "{ jmp_buf here; void *keep = (void *)jumps; volatile value v = s;"
        " if (setjmp(here) == 0) { jumps = (void *)&here;"
        f" if (d > 0) v += f{other}(d - 1, s + {k}); }} else v += 5; jumps = keep; s += v; }}",
    ]


def throwing_steps(choose):
    other, k = choose.randrange(COUNT), choose.randrange(2, 7)
    return [
        f"try {{ if (d > 0) s += f{other}(d - 1, s + {k}); if (s % {k + 3} == 0) throw s; }}"
        f" catch (value e) {{ s += e + {k}; }}",
        f"if (s % {k * 4} == 3) throw (int)(s % 100);",
        f"try {{ guard g(s); if (d > 0) s ^= f{other}(d - 1, s - {k}); }}"
        " catch (int e) { s += (value)e; if (s % 5 == 0) throw; }",
        f"try {{ if (d > 0) s += all[{other}](d - 1, s); }} catch (...) {{ s += {k}; }}",
    ]


def random_function(choose, number, is_cpp):
    steps = throwing_steps if is_cpp else jumping_steps
    lines = [
        choose.choice(plain_steps(choose) + 2 * steps(choose))
        for _ in range(choose.randrange(2, 6))
    ]
    # Not itself: compilers make loops of that.
    other = choose.choice([other for other in range(COUNT) if other != number])
    end = choose.choice(
        [
            "return s;",
            f"return d > 0 ? f{other}(d - 1, s + 1) : s;",
            f"if (d > 0) return all[s % {COUNT}](d - 1, s ^ 5); return leaf0(s);",
        ]
    )
    body = "\n\t".join([*lines, end])
    return (
        f"NO value f{number}(int d, value s)\n{{\n\tn[{number}]++;\n"
        f"\tif (budget-- < 0) return s;\n\t{body}\n}}\n"
    )


def random_program(seed, is_cpp):
    choose = random.Random(seed)
    turn = "jumps = 0; s += all[i % 12](7, s + (value)i);"
    if is_cpp:
        turn = "try { s += all[i % 12](7, s + (value)i); } catch (...) { s += 3; }"
    names = [f"f{number}" for number in range(COUNT)]
    told = "\n".join(
        f'printf("{name} %lu\\n", n[{index}]);' for index, name in enumerate(names + HELPERS)
    )
    return (
        HEAD
        + (GUARD if is_cpp else "")
        + "".join(f"value {name}(int, value);\n" for name in names)
        + "".join(random_function(choose, number, is_cpp) for number in range(COUNT))
        + f"function all[12] = {{ {', '.join(names)} }};\n"
        + "int main(void) { volatile value s = 1; signal(SIGUSR1, handler);\n"
        + f"for (volatile int i = 0; i < 60; i++) {{ budget = 400; {turn} }}\n"
        + f'printf("%lu %lu\\n", (value)s, jump_count);\n{told}\nreturn {PLAYED}; }}\n'
    )


def source_name(name):
    """Of a C++ function without its arguments."""
    match = re.match(r"_ZL?(\d+)", name)
    return name[match.end() : match.end() + int(match[1])] if match else name


def check_recorded(folder, program, printed, cost, environment):
    told = dict(line.split() for line in printed.splitlines()[1:])
    done, recordings = runs.run(folder, program, cost, environment=environment, status=PLAYED)
    assert done.stdout == printed
    report = subprocess.run(
        [runs.KYMO, "report", recordings[0].path], capture_output=True, text=True, check=True
    )
    assert "fit no other" not in report.stdout
    if environment:
        return  # loops have their functions' names
    calls = {source_name(name): count for name, count in recordings[0].calls().items()}
    for name in {source_name(name) for name in recordings[0].taken()} & set(told):
        assert calls.get(name, 0) == int(told[name]), name


def check_copy(folder, program, printed, cost):
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "KYMO_FINISH": "OFF"}
    copy = folder / f"copy-{cost}"
    command = [runs.KYMO, "instrument", "-q", "--cost", cost, "-o", copy, "--", program]
    subprocess.run(command, check=True, env=environment, cwd=folder)
    recorded = [runs.KYMO, "run", "-q", "-o", folder / f"copied-{cost}", "--", copy]
    for line in ([copy], recorded):
        done = subprocess.run(line, capture_output=True, text=True, env=environment, cwd=folder)
        assert (done.returncode, done.stdout) == (PLAYED, printed), done.stderr


SEEDS = [
    (1, "gcc", ["-O0", "-fcf-protection"]),
    (2, "gcc", ["-O2", "-fno-plt"]),
    (160, "gcc", ["-O1", "-mavx2"]),  # loops with calls of setjmp()
    (4, "gcc", ["-O3", "-flto", "-mno-red-zone"]),
    (5, "clang", ["-O2"]),
    (6, "g++", ["-O2", "-fomit-frame-pointer"]),
    (22, "g++", ["-O0", "-fno-plt"]),  # handlers of exceptions in loops
    (8, "g++", ["-O3", "-no-pie"]),
    (161, "clang++", ["-O1", "-no-pie"]),
    (117, "clang++", ["-O3"]),
]
# By default one of each way to leave functions, of each compiler, with and without optimisation.
KEPT = (1, 160, 5, 22, 117)
PROGRAMS = [
    pytest.param(*case, marks=() if case[0] in KEPT else pytest.mark.long) for case in SEEDS
]


@pytest.mark.parametrize("seed, compiler, options", PROGRAMS)
def test_random_program(tmp_path, seed, compiler, options):
    is_cpp = compiler.endswith("++")
    source = tmp_path / ("program.cc" if is_cpp else "program.c")
    source.write_text(random_program(seed, is_cpp))
    program = tmp_path / "program"
    subprocess.run([compiler, "-w", *options, "-o", program, source], check=True)
    bare = subprocess.run([program], capture_output=True, text=True)
    assert bare.returncode == PLAYED
    for cost in ("counts", "coarse", "full"):
        check_recorded(tmp_path, program, bare.stdout, cost, {})
    check_recorded(tmp_path, program, bare.stdout, "full", LOOPS)
    for cost in ("counts", "full"):
        check_copy(tmp_path, program, bare.stdout, cost)
