"""kymo import of what tools for native programs write: callgrind and perf."""

import re
import shutil
import subprocess

import pytest
import support
from import_runs import by_name, flat, import_text, imported, timeline

NATIVE = """
static volatile long sum;
__attribute__((noinline)) static void leaf(int n) { for (int i = 0; i < n; i++) sum += i; }
__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) static void work(void) { leaf(1000); sum += fib(10); }
int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < (argc > 1 ? 100000 : 30); i++) { work(); leaf(50); }
    return 0;
}
"""


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    folder = tmp_path_factory.mktemp("native")
    (folder / "work.c").write_text(NATIVE)
    command = ["cc", "-g", "-O1", "-fno-omit-frame-pointer", "-o", "work", "work.c"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "work"


def test_callgrind_costs_are_exact(native, tmp_path):
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    output = tmp_path / "callgrind.out.1"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", native]
    process = support.run(command, cwd=tmp_path)
    if process.returncode != 0 or not output.exists():
        pytest.skip("valgrind does not run here: " + process.stderr.strip().splitlines()[-1])
    total = int(re.search(r"^(?:summary|totals): (\d+)", output.read_text(), re.M).group(1))

    run = imported([output], cwd=tmp_path)
    rows = by_name(run)
    assert sum(own for _, own, _ in rows.values()) * 1e9 == pytest.approx(total, abs=50)
    assert rows["leaf"][0] == 60
    assert rows["work"][0] == 30
    assert rows["fib"][0] == 30 * 177
    edges = flat(run)
    work = next(row for key, row in edges.items() if key[2] == "work")
    assert {caller[2] for caller in work[4]} == {"main"}
    leaf = next(row for key, row in edges.items() if key[2] == "leaf")
    assert {caller[2]: each[0] for caller, each in leaf[4].items()} == {"work": 30, "main": 30}


def test_perf_script_has_every_sample(native, tmp_path):
    if not shutil.which("perf"):
        pytest.skip("perf is not installed")
    data = tmp_path / "perf.data"
    command = [
        "perf",
        "record",
        "-q",
        "-g",
        "-e",
        "cpu-clock",
        "-F",
        "1000",
        "-o",
        data,
        native,
        "long",
    ]
    process = support.run(command, cwd=tmp_path)
    script = support.run(["perf", "script", "-i", data], cwd=tmp_path)
    samples = re.findall(r"^\S.*?(\d+) cpu-clock:", script.stdout, re.M)
    if process.returncode != 0 or not samples:
        pytest.skip("perf does not record here")
    run = import_text(script.stdout, cwd=tmp_path)
    report = support.run_kymo(["report", str(run)], cwd=tmp_path).stdout
    assert re.search(rf"samples +{len(samples)}\b", report)
    seconds = sum(int(period) for period in samples) / 1e9
    own = sum(row[2] for row in flat(run).values())
    assert own == pytest.approx(seconds, rel=1e-6)


PERF = """\
# cmdline : /usr/bin/perf record -g ./my app
my app 7/8 [001] 10.000100:     100000 cpu-clock:pppH:
\t          114f leaf+0x16 (/tmp/my (x) lib.so)
\t          11ce main+0x13 (/tmp/app (deleted))

my app 7/8 [001] 10.000200:     100000 cpu-clock:pppH:
\t          1150 leaf+0x17 (/tmp/my (x) lib.so)
\t          11ce main+0x13 (/tmp/app (deleted))

my app 7/9 [000] 10.000200:          3 page-faults:
\tffffffff8175 [unknown] ([kernel.kallsyms])
\t          11ce main+0x13 (/tmp/app (deleted))

my app 7/9 [000] 10.000300:      50000 cpu-clock:pppH:
\t          2000 py::spin:/home/a b/spin.py+0x9 (/tmp/perf-7.map)
\t          3000 operator()(int) const+0x5 (inlined)
"""


def test_perf_script_by_hand(tmp_path):
    run = import_text(PERF, cwd=tmp_path)
    rows = by_name(run)
    assert rows["leaf"][:2] == (2, pytest.approx(200e-6))
    assert rows["main"][2] == pytest.approx(200e-6)
    assert rows["spin"] == (1, pytest.approx(50e-6), pytest.approx(50e-6))
    assert rows["operator()(int) const"][1:] == (0, pytest.approx(50e-6))
    begins = [(event["name"], event["tid"]) for event in timeline(run) if event["ph"] == "B"]
    # A frame that stays is one slice.
    assert begins.count(("leaf", 8)) == 1
    assert begins.count(("spin", 9)) == 1


def metric(run, name):
    """{label: (count, sum)} of a metric's table."""
    process = support.run_kymo(["report", str(run), "--metric", name], cwd=run.parent)
    assert process.returncode == 0, process.stderr
    rows = {}
    for line in process.stdout.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        found = re.search(r">>>[ |_]*([^|]+?) *\|", line)
        if found and name in cells:
            at = cells.index(name)
            rows[found.group(1)] = (cells[at - 2], cells[at + 1])
    return rows


def test_further_events_of_perf_are_metrics(tmp_path):
    rows = metric(import_text(PERF, cwd=tmp_path), "page-faults")
    assert rows["main"][1] == "3"
    assert rows["[unknown]"][1] == "3"
    assert rows["leaf"][1] == "-"


def test_further_events_of_callgrind_are_metrics(tmp_path):
    text = """\
# callgrind format
cmd: ./app
positions: instr line
events: Ir Misses
fl=(1) a.c
fn=(1) main
0x10 16 400 1
+3 +4 20 2
cfi=(2) b.c
cfn=(2) leaf
calls=3 0x50 50
* * 300 5
fn=(3) other
0x40 60 10 9
fl=(2)
fn=(2)
0x50 50 300 5
"""
    run = import_text(text, cwd=tmp_path)
    rows = flat(run)
    main = next(row for key, row in rows.items() if key[2] == "main")
    leaf = next(row for key, row in rows.items() if key[2] == "leaf")
    assert main[1:4] == (1, pytest.approx(420e-9), pytest.approx(720e-9))
    assert leaf[1:4] == (3, pytest.approx(300e-9), pytest.approx(300e-9))
    assert {key[:2] for key in rows} == {("a.c", 16), ("b.c", 50), ("a.c", 60)}
    sums = {name: row[1] for name, row in metric(run, "Misses").items()}
    assert sums == {"main": "8", "leaf": "5", "other": "9"}
