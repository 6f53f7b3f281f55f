"""Loops of functions are recorded as they were entered, whatever the compiler made of them, and
programs do what they do."""

import json
import os
import random
import re
import subprocess

import pytest
import support
from cases import long_except
from functions_runs import KYMO, compile_c, run

SOURCE = support.program("functions_loops.c")
LOOPS = {"KYMO_FUNCTIONS_LOOPS": "ON"}
LOOP_NAME = re.compile(r"(\w+), loop at (?:line (\d+)|\+0x[0-9a-f]+)$")
BUILDS = [
    (compiler, level) for compiler in ("gcc", "clang") for level in ("-O0", "-O1", "-O2", "-O3")
]
# Plain loops, and those that each compiler makes the most of.
CASES = long_except(BUILDS, ("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O3"))


def build(folder, compiler, level, *options):
    program = folder / f"loops-{compiler}{level}"
    # Functions stand as in the source: the program asks whether an address is between two.
    order = ["-fno-toplevel-reorder"] if compiler == "gcc" else []
    command = [compiler, level, "-g", "-fno-optimize-sibling-calls", *order, *options]
    subprocess.run([*command, "-o", program, SOURCE], check=True)
    return program


def bare(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True)


def report(recording, *options):
    command = [KYMO, "report", "--format", "json", *options, recording.path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return json.loads(done.stdout)


def loops_of(recording):
    """Calls of each recorded loop: (function, line) -> calls."""
    rows = report(recording, "--flat")["regions"]
    found = [(LOOP_NAME.match(row["name"]), row) for row in rows]
    return {(match[1], row["line"]): row["calls"] for match, row in found if match}


@pytest.mark.parametrize("case", CASES, ids="".join)
def test_programs_do_what_they_do(tmp_path, case):
    program = build(tmp_path, *case)
    done, (recording,) = run(tmp_path, program, environment=LOOPS)
    assert done.stdout == bare(program).stdout
    assert loops_of(recording)


@pytest.mark.parametrize("cost", ["full", "coarse"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_entered_as_often_as_the_program_says(tmp_path, compiler, cost):
    # Without optimisation a loop of the source is one of the machine.
    program = build(tmp_path, compiler, "-O0")
    done, (recording,) = run(tmp_path, program, cost, environment=LOOPS)
    told = {}
    for line in done.stdout.splitlines()[1:]:
        function, number, count = line.split()
        told.setdefault(function, {})[int(number)] = int(count)
    lines = {}
    for (function, line), calls in loops_of(recording).items():
        lines.setdefault(function, {})[line] = calls
    assert set(lines) >= {"plain", "nested", "returns", "deep"}
    for function, counts in told.items():
        recorded = [calls for _, calls in sorted(lines.get(function, {}).items())]
        assert recorded in ([], list(counts.values())), function


@pytest.mark.parametrize("case", CASES, ids="".join)
def test_unwinders_pass_through_every_instruction(tmp_path, case):
    program = build(tmp_path, *case)
    assert bare(program, "step").stderr.endswith(" lost 0\n")
    # A trap while signals are held back would be the program's end: the handler does not fill
    # the records, so that no room for more is made.
    apart = {**LOOPS, "KYMO_FUNCTIONS_EXCLUDE": "^(look|begin|answer)$"}
    done, _ = run(tmp_path, program, "full", "step", environment=apart)
    steps = re.search(r"steps (\d+) lost 0$", done.stderr.strip())
    assert steps and int(steps[1]) > 0, done.stderr


def test_loops_are_inside_of_their_functions(tmp_path):
    program = build(tmp_path, "gcc", "-O1")
    _, (recording,) = run(tmp_path, program, environment=LOOPS)
    path, checked = [], 0
    for node in report(recording, "--tree")["paths"]:
        del path[node["depth"] :]
        path.append(node["name"])
        match = LOOP_NAME.match(node["name"])
        if match:
            assert path[-2] == match[1]
            checked += 1
    assert checked >= 4


def test_without_debug_information_loops_have_offsets(tmp_path):
    program = build(tmp_path, "gcc", "-O1", "-g0")
    _, (recording,) = run(tmp_path, program, environment=LOOPS)
    names = [row["name"] for row in report(recording, "--flat")["regions"]]
    assert any(re.fullmatch(r"calls, loop at \+0x[0-9a-f]+", name) for name in names)


def random_body(choose, depth):
    """Statements of a loop in C; `n` falls, and so it ends."""
    lines = ["n--; KEEP(n);"]
    for _ in range(choose.randrange(1, 4)):
        value = choose.randrange(2, 9)
        plain = [
            f"s += n * {value};",
            f"if (n % {value} == 1) continue;",
            f"if (s % {value * 31} == 5) break;",
            f"if (s % {value * 77} == 9) return s;",
            f"s ^= leaf(n + {value});",
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


def random_program(seed):
    choose = random.Random(seed)
    functions, calls = [], []
    for number in range(12):
        body = []
        for loop in range(choose.randrange(1, 4)):
            head = choose.choice(
                ["while (n > 0)", f"for (int k = 0; k < {loop + 5} && n > 0; k++)"]
            )
            body.append(f"entered[{number}][{loop}]++;\n{head} {{ {random_body(choose, 0)} }}\n")
            body.append(f"n += {choose.randrange(20)}; KEEP(s);")
        functions.append(
            f"__attribute__((noinline)) long f{number}(long n) {{ long s = n;\n"
            + "".join(body)
            + "return s; }\n"
        )
        calls.append(f"s += f{number}(i % {choose.randrange(3, 60)});")
    return (
        "#include <stdio.h>\n"
        '#define KEEP(v) __asm__ volatile("" : "+r"(v))\n'
        "static long entered[12][4];\n"
        "__attribute__((noinline)) long leaf(long n) { KEEP(n); return n * 7; }\n"
        + "".join(functions)
        + "int main(void) { long s = 0; for (int i = 0; i < 200; i++) {"
        + "\n".join(calls)
        + '} printf("%ld\\n", s);'
        "for (int f = 0; f < 12; f++) for (int l = 0; l < 4; l++)"
        ' if (entered[f][l]) printf("f%d %d %ld\\n", f, l, entered[f][l]); return 0; }\n'
    )


@pytest.mark.parametrize("level", ["-O0", "-O2", "-O3"])
@pytest.mark.parametrize("seed", long_except(range(4), 0))
def test_random_loops(tmp_path, seed, level):
    program = compile_c(tmp_path, random_program(seed), "program", level)
    done, (recording,) = run(tmp_path, program, environment=LOOPS)
    assert done.stdout == bare(program).stdout
    assert (
        "fit no other"
        not in subprocess.run(
            [KYMO, "report", recording.path], capture_output=True, text=True, check=True
        ).stdout
    )
    recorded = {}
    for (function, _), calls in sorted(loops_of(recording).items()):
        recorded.setdefault(function, []).append(calls)
    assert recorded
    if level != "-O0":
        return
    told = {}
    for line in done.stdout.splitlines()[1:]:
        function, _, count = line.split()
        told.setdefault(function, []).append(int(count))
    whole = [f for f in told if len(recorded.get(f, [])) == len(told[f])]
    assert whole
    for function in whole:
        assert recorded[function] == told[function], function


def compiler_proper():
    found = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True)
    return found.stdout.strip()


def real_commands():
    sums = "my %h; $h{$_ % 77} .= $_ for 1..5000; print join(',', map { length } values %h), qq{\n}"
    return {
        "cc1": [compiler_proper(), "-quiet", "-O2", SOURCE, "-o", "-"],
        "perl": ["perl", "-e", sums.replace("values %h", "@h{sort keys %h}")],
        "xz": ["xz", "-9kc", SOURCE],
    }


# The compiler has so many functions that it takes seconds.
@pytest.mark.parametrize("name", long_except(real_commands(), "perl", "xz"))
@pytest.mark.parametrize("cost", ["full", "coarse"])
def test_real_programs_do_what_they_do(tmp_path, cost, name):
    program, *arguments = map(str, real_commands()[name])
    alone = subprocess.run([program, *arguments], capture_output=True, check=True)
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "KYMO_FINISH": "OFF"}
    done = subprocess.run(
        [KYMO, "instrument", "-q", "-l", "--cost", cost, "--", program, *arguments],
        capture_output=True,
        cwd=tmp_path,
        env=environment,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (alone.returncode, alone.stdout)
    (recording,) = tmp_path.rglob("*.kymo")
    command = [KYMO, "report", "--flat", "--format", "json", recording]
    rows = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["regions"]
    assert sum(", loop at " in row["name"] for row in rows) > 5


def test_counts_cannot_have_loops(tmp_path):
    program = compile_c(tmp_path, "int main(void) { return 0; }")
    command = [KYMO, "instrument", "--cost", "counts", "-l", "--", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "kymo instrument: loops are recorded with --timing coarse or full, not sampled\n"
    )


def test_small_loops_are_left_out(tmp_path):
    program = build(tmp_path, "gcc", "-O1")
    small = {**LOOPS, "KYMO_FUNCTIONS_LOOPS_MIN_BYTES": "1000000"}
    _, (recording,) = run(tmp_path, program, environment=small)
    assert not loops_of(recording)
    assert {"plain", "nested"} <= {row["name"] for row in report(recording, "--flat")["regions"]}
