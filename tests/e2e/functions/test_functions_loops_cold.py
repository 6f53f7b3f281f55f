"""Loops whose functions have parts elsewhere, since compilers move away what is seldom, and loops
that jump tables lead to: they are counted as one who steps through the program counts them."""

import json
import os
import random
import re
import subprocess

import pytest
import support
from cases import long_except
from functions_runs import KYMO, compile_c, run

STEPS = support.program("loop_steps.c")
LOOPS = {
    "KYMO_FUNCTIONS_LOOPS": "ON",
    "KYMO_FUNCTIONS_LOOPS_MIN_INSTRUCTIONS": "0",
    "KYMO_FUNCTIONS_LOOPS_MIN_BYTES": "0",
}
FUNCTIONS = 10
LOOP_NAME = re.compile(r"(f\d+), loop at \+0x([0-9a-f]+)$")


def random_body(choose, depth):
    """Statements of a loop in C; `n` falls, and so it ends."""
    lines = ["n--; KEEP(n);"]
    for _ in range(choose.randrange(2, 5)):
        value = choose.randrange(2, 9)
        seldom = f"if (__builtin_expect(n % {value} == 1, 0))"
        plain = [
            f"s += n * {value};",
            f"if (n % {value} == 1) continue;",
            f"if (s % {value * 31} == 5) break;",
            f"if (s % {value * 77} == 9) return s;",
            f"s ^= leaf(n + {value});",
            f"{seldom} {{ s += seldom(n); }}",
            f"{seldom} {{ s += seldom(n); if (s % 3 == 1) continue; s ^= {value}; }}",
            f"{seldom} {{ s += seldom(n); if (s % 5 == 1) break; }}",
            f"{seldom} {{ s += seldom(n); goto out; }}",
            f"{seldom} {{ s += seldom(n); if (s % 7 == 1) goto again; }}",
            f"{seldom} {{ s += seldom(n); return s; }}",
            f"{seldom} {{ while (n > {value}) {{ n -= 2; s ^= seldom(n); }} }}",
            "switch (n % 7) { case 0: s += 3; break; case 1: s = leaf(s); break;"
            " case 2: s ^= 9; break; case 3: s *= 3; break; case 4: s -= n; break;"
            f" case 5: s += seldom(n); {choose.choice(['break', 'continue', 'goto out'])}; }}",
        ]
        form = choose.randrange(len(plain) + (2 if depth < 2 else 0))
        if form < len(plain):
            lines.append(plain[form])
            continue
        head = f"for (int i = 0; i < {value}; i++)"
        if form > len(plain):
            head = f"while (n > {value * 3})"
        lines.append(f"{head} {{ {random_body(choose, depth + 1)} }}")
    return " ".join(lines)


def random_function(choose, number):
    body = ["int left = 2; if (0) { again: if (left-- < 0) return s; n++; }"]
    for _ in range(choose.randrange(1, 4)):
        head = choose.choice(["while (n > 0)", "for (int k = 0; k < 7 && n > 0; k++)"])
        loop = f"{head} {{ {random_body(choose, 0)} }}"
        if choose.random() < 0.3:
            cases = " ".join(f"case {i}: s += leaf(s + {i}); break;" for i in range(1, 7))
            loop = f"switch (n % 7) {{ case 0: do {{ {random_body(choose, 1)} }} while (n > 0);"
            loop += f" break; {cases} }}"
        body.append(f"{loop} n += {choose.randrange(20)}; KEEP(s);")
    return (
        f"__attribute__((noinline)) long f{number}(long n) {{ long s = n;\n"
        + "\n".join(body)
        + "\nif (0) { out: s += seldom(s); } return s; }\n"
    )


def random_program(seed):
    choose = random.Random(seed)
    functions = [random_function(choose, number) for number in range(FUNCTIONS)]
    calls = [f"s += f{i}(i % {choose.randrange(3, 60)});" for i in range(FUNCTIONS)]
    return (
        "#include <stdio.h>\n"
        '#define KEEP(v) __asm__ volatile("" : "+r"(v))\n'
        "__attribute__((noinline)) long leaf(long n) { KEEP(n); return n * 7; }\n"
        "__attribute__((noinline, cold)) long seldom(long n) { KEEP(n); return n * 5; }\n"
        + "".join(functions)
        + "int main(int c, char **v) { (void)v; long s = 0;"
        + " for (int i = 0; i < (c > 1 ? 4 : 30); i++) {\n"
        + "\n".join(calls)
        + '} printf("%ld\\n", s); return 0; }\n'
    )


def functions_of(program):
    """{name: (address, size)} of all functions and parts."""
    done = subprocess.run(["nm", "-S", program], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {row[3]: (int(row[0], 16), int(row[1], 16)) for row in rows if len(row) == 4}


def loops_in(program, folder):
    """All loops of the program's functions, recorded or not: (function, start, size, reason)."""
    listing = folder / "lists"
    command = [KYMO, "instrument", "--simulate", "-l", "--cost", "full", "--print-dir", listing]
    command += ["--print-format", "json", "--print-available", "functions", "--", program]
    environment = {**os.environ, **LOOPS, "XDG_CACHE_HOME": str(folder / "cache")}
    subprocess.run(command, check=True, capture_output=True, env=environment, cwd=folder)
    rows = json.loads((listing / "available.json").read_text())
    rows = rows["functions"] if isinstance(rows, dict) else rows
    found = []
    for row in rows:
        match = LOOP_NAME.match(row["function"])
        if match:
            found.append((match[1], int(row["address"], 16), row["size"], row["reason"]))
    return found


def write_ranges(program, loops, path):
    functions = functions_of(program)
    lines = []
    for number in range(FUNCTIONS):
        for name, (start, size) in functions.items():
            if name == f"f{number}":
                lines.append(f"f {number} {start:x} {size:x}")
            elif name.startswith(f"f{number}.cold"):
                lines.append(f"p {number} {start:x} {size:x}")
    lines += [f"l {name[1:]} {start:x} {size:x}" for name, start, size, _ in loops]
    path.write_text("\n".join(lines) + "\n")


def entered_by_steps(stepper, program, loops, folder):
    """{start: how often the loop was entered}, by who steps through the program."""
    ranges = folder / "ranges"
    write_ranges(program, loops, ranges)
    done = subprocess.run(
        [stepper, ranges, program, "few"], capture_output=True, text=True, check=True, timeout=300
    )
    lines = (line.split() for line in done.stderr.splitlines())
    return {int(start, 16): int(count) for start, count in lines}


def entered_by_records(recording, program):
    functions = functions_of(program)
    command = [KYMO, "report", "--flat", "--format", "json", recording.path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    calls = {}
    for row in json.loads(done.stdout)["regions"]:
        match = LOOP_NAME.match(row["name"])
        if match:
            calls[functions[match[1]][0] + int(match[2], 16)] = row["calls"]
    return calls


@pytest.fixture(scope="module")
def stepper(tmp_path_factory):
    program = tmp_path_factory.mktemp("steps") / "loop_steps"
    subprocess.run(["gcc", "-O2", "-o", program, STEPS], check=True)
    return program


def check(folder, stepper, seed, compiler, *options):
    """How many loops were checked in all, and in functions with parts."""
    source = random_program(seed)
    options = ("-g0", "-no-pie", "-fno-optimize-sibling-calls", *options)
    program = compile_c(folder, source, "program", *options, compiler=compiler)
    loops = loops_in(program, folder)
    steps = entered_by_steps(stepper, program, loops, folder)
    done, (recording,) = run(folder, program, "full", "few", environment=LOOPS)
    bare = subprocess.run([program, "few"], capture_output=True, text=True, check=True)
    assert done.stdout == bare.stdout
    recorded = entered_by_records(recording, program)
    taken = {start: name for name, start, _, reason in loops if not reason}
    assert set(recorded) <= set(taken)
    for start, name in taken.items():
        assert recorded.get(start, 0) == steps[start], (name, hex(start))
    split = {name.split(".")[0] for name in functions_of(program) if ".cold" in name}
    return len(taken), sum(name in split for name in taken.values())


@pytest.mark.long
@pytest.mark.parametrize("level", ["-O1", "-O2", "-O3"])
@pytest.mark.parametrize("seed", range(2))
def test_gcc_moves_away_what_is_seldom(tmp_path, stepper, seed, level):
    count, in_split = check(tmp_path, stepper, seed, "gcc", level, "-freorder-blocks-and-partition")
    assert count > 0
    assert in_split > 0 or level == "-O1"


@pytest.mark.parametrize("level", long_except(["-O0", "-O2"], "-O2"))
def test_clang_leaves_it_in_place(tmp_path, stepper, level):
    count, _ = check(tmp_path, stepper, 1, "clang", level)
    assert count > 0


def test_loops_around_setjmp_are_left_alone(tmp_path):
    """It may return into the loop from anywhere."""
    source = (
        "#include <setjmp.h>\nstatic jmp_buf back; static volatile int n;\n"
        "__attribute__((noinline)) void f0(void) { for (n = 0; n < 9; n++) setjmp(back); }\n"
        "__attribute__((noinline)) void f1(void) { for (n = 0; n < 9; n++) ; }\n"
        "int main(void) { f0(); f1(); return 0; }\n"
    )
    program = compile_c(tmp_path, source, "program", "-g0")
    reasons = {name: reason for name, _, _, reason in loops_in(program, tmp_path)}
    assert reasons == {"f0": "it jumps to places that are not known", "f1": ""}
