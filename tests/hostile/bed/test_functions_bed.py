"""Programs of the system with everything instrumented, all of their libraries, too: what they
print and end with is the same, at every cost and from copies that were instrumented on disk."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import functions_support as functions
import native_support as native
import pytest
import support

pytestmark = pytest.mark.long

IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (
        ("NAME", "A. U. Thor"),
        ("EMAIL", "a@example.org"),
        ("DATE", "2001-02-03T04:05:06Z"),
    )
}

GIT = """
set -e
git init -q -b main one
cd one
for i in 1 2 3 4 5; do seq $i 500 >file$i; git add .; git commit -q -m "commit $i"; done
git log --stat
cd .. && git clone -q one two 2>&1 && cd two
git gc -q && git fsck 2>&1 && git log --oneline && git diff HEAD~2 && git blame file1 | tail -n 1
"""

SQLITE = """
sqlite3 :memory: "
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
	insert into t select i, 'text ' || (i * 7919 % 10003), i * 0.5 from n;
create index tb on t(b);
select count(*), sum(c) from t where b like '%77%';
select substr(b, 1, 7), count(*), avg(c) from t group by 1 order by 2 desc, 1 limit 5;
select json_group_array(a) from (select a from t order by b desc limit 5);
update t set c = c + length(b) where a % 2; delete from t where a % 5 = 0;
select count(*), sum(c), max(b), hex(zeroblob(4)) from t;
"
sqlite3 :memory: 'select nothing'; echo "status $?"
"""

PERL = r"""
use strict; use warnings; use POSIX; use List::Util qw(sum);
my %count; $count{$_ % 97} += $_ for 1 .. 100000;
print join(",", map { "$_=$count{$_}" } sort { $a <=> $b } keys %count), "\n";
eval { die { a => 1 } }; print ref $@, "\n";
my $text = "ab" x 1000; my $found = () = $text =~ /(a)(b)/g; print "$found\n";
local $SIG{ALRM} = sub { die "late\n" }; eval { alarm 1; 1 while 1 }; print $@;
my $pid = fork; if (!$pid) { exit 7 } waitpid $pid, 0; print $? >> 8, "\n";
print floor(3.7), sum(1 .. 10), sprintf("%.17g", exp 1), "\n", `echo from a shell`;
use Storable qw(freeze thaw); use Encode; use Digest::SHA qw(sha256_hex); use Data::Dumper;
$Data::Dumper::Sortkeys = 1; print Dumper(thaw(freeze({ a => [1, 2], b => \"x" })));
print length(encode("UTF-8", "\x{263a}")), sha256_hex("text"), "\n";
use threads;
my @made = map { my $n = $_; threads->create(sub { $n * 2 }) } 1 .. 4;
print join(",", map { $_->join } @made), "\n";
use Socket; socketpair(my $one, my $two, AF_UNIX, SOCK_STREAM, 0);
syswrite $one, "through"; sysread $two, my $got, 7;
print "$got\n", join(",", sort { $b <=> $a } 3, 11, 2);
print sprintf("%vd", "1.22.333"), "\n";
no warnings; sub deep { my $n = shift; $n ? 1 + deep($n - 1) : 0 } print deep(5000), "\n";
"""

COMPILER = """
for file in {source}/src/base/[a-h]*.c; do
	gcc -O2 -g -fdebug-prefix-map=$PWD=. -D_GNU_SOURCE -I{source}/src -I{source}/include \\
		-c $file || exit 9
done
ld -r -o all.o *.o && md5sum all.o && ar rcD all.a *.o && md5sum all.a
echo 'int main(void) {{ return 3; }}' >small.c
gcc -O1 -o small small.c && ./small; echo "status $?"
echo 'int main( {{' >wrong.c; gcc -c wrong.c 2>&1; echo "status $?"
"""

OPENSSL = """
openssl enc -aes-256-cbc -pbkdf2 -pass pass:x -S 0011223344556677 -in /usr/bin/perl | md5sum
for kind in sha256 sha512 md5 blake2b512 sha3-256; do openssl dgst -$kind /usr/bin/perl; done
openssl genrsa 2048 2>&1 | openssl rsa -check -noout 2>&1
openssl prime 1000003
openssl speed -seconds 1 -bytes 64 sha256 2>&1 | grep -c '^sha256'
"""

PACKING = """
seq 1 100000 >numbers
xz -T2 -k numbers && xz -dc numbers.xz | md5sum && md5sum <numbers.xz
gzip -nk numbers && gzip -dc numbers.gz | md5sum && md5sum <numbers.gz
zstd -q -T2 -k numbers && zstd -dcq numbers.zst | md5sum
bzip2 -k numbers 2>/dev/null && bzip2 -dc numbers.bz2 | md5sum
head -c 1000 numbers.xz | xz -dc >/dev/null; echo "status $?"
"""

NUMPY = """
import numpy as np
a = np.arange(90000.0).reshape(300, 300) % 17 + np.eye(300) * 9
print(np.round(np.linalg.svd(a)[1][:5], 6), np.round(np.abs(np.fft.fft(a[0]))[:5], 6))
print(np.round(np.linalg.eigvals(a).real.max(), 6), np.linalg.solve(a, a[0]).round(6).sum())
try:
    np.linalg.inv(np.zeros((2, 2)))
except np.linalg.LinAlgError as error:
    print(error)
"""

GNUPLOT = """
echo 'set terminal svg; set samples 500; plot sin(x)/x, besj0(x)' | gnuplot
echo 'set terminal dumb; splot x*y; fit a*x+b "-" via a,b' | gnuplot 2>/dev/null | head -n 20
"""

PYTHON_TESTS = "test_exceptions test_generators test_thread test_contextlib test_ctypes"
PYTHON = f"$PYTHON -W ignore -m test {PYTHON_TESTS} 2>&1"


def without_times(text):
    text = re.sub(r"\d+:\d\d:\d\d( load avg: [0-9.]+)?", "", text)
    text = re.sub(r"(?m)^Using random seed.*\n", "", text)
    return re.sub(r"[0-9.]+ (ms|sec|min|s)\b", "T", text)


# Name: (what must be there, the script, the programs that are instrumented on disk)
BED = {
    "git": ("git", GIT, ["git"]),
    "sqlite": ("sqlite3", SQLITE, ["sqlite3"]),
    "perl": ("perl", "perl script.pl; echo status $?", ["perl"]),
    "compiler": ("gcc", COMPILER.format(source=support.REPOSITORY), []),
    "openssl": ("openssl", OPENSSL, ["openssl"]),
    "packing": ("xz", PACKING, ["xz", "gzip"]),
    "numpy": ("/usr/bin/python3", "/usr/bin/python3 arrays.py", []),
    "gnuplot": ("gnuplot", GNUPLOT, ["gnuplot"]),
}


def play(name, cwd, run, extra=None):
    """What a script of the bed prints, with its status."""
    needed, script, _ = BED[name]
    native.has(needed, needed)
    cwd.mkdir()
    (cwd / "script").write_text(script)
    (cwd / "script.pl").write_text(PERL)
    (cwd / "arrays.py").write_text(NUMPY)
    result = run(["/bin/sh", "script"], cwd, {**IDENTITY, **(extra or {})})
    assert not [line for line in result.stderr.splitlines() if line.startswith("kymo")]
    return result.returncode, result.stdout


def play_bare(name, cwd):
    return play(name, cwd, lambda line, cwd, env: native.run_bare(line, cwd, env))


def _instrumented(cost):
    return lambda line, cwd, env: functions.run(line, cwd, cost, env=env)


@pytest.mark.parametrize("name", BED)
def test_in_memory(tmp_path, name):
    if name == "numpy" and not Path("/usr/lib/python3/dist-packages/numpy").exists():
        pytest.skip("there is no numpy (package python3-numpy)")
    expected = play_bare(name, tmp_path / "bare")
    assert expected[0] == 0 and expected[1]
    for cost in ("counts", "full"):
        got = play(name, tmp_path / cost, _instrumented(cost))
        assert got == expected
        shutil.rmtree(tmp_path / cost)


@pytest.mark.parametrize("name", [name for name, (*_, programs) in BED.items() if programs])
def test_rewritten(tmp_path, name):
    """Copies of the programs with all of their functions, first in PATH."""
    expected = play_bare(name, tmp_path / "bare")
    copies = tmp_path / "copies"
    copies.mkdir()
    for program in BED[name][2]:
        if Path(shutil.which(program)).resolve().read_bytes()[:4] == b"\x7fELF":
            functions.rewrite(shutil.which(program), copies / program, "full", tmp_path)
    path = {"PATH": f"{copies}:{os.environ['PATH']}"}
    alone = play(name, tmp_path / "alone", lambda *given: native.run_bare(*given), path)
    assert alone == expected
    recorded = play(
        name,
        tmp_path / "recorded",
        lambda line, cwd, env: native.run(line, cwd, env=functions.environment(env)),
        path,
    )
    assert recorded == expected


@pytest.mark.parametrize("kind", ["of the system", "under test"])
def test_python(tmp_path, kind, newest_python):
    """A part of its own regression tests."""
    program = "/usr/bin/python3" if kind == "of the system" else newest_python.executable
    script = PYTHON.replace("$PYTHON", str(program))
    probe = native.run_bare([program, "-c", "import test.test_exceptions"], tmp_path)
    if probe.returncode != 0:
        pytest.skip("its regression tests are not installed")
    bare = native.run_bare(["/bin/sh", "-c", script], tmp_path)
    recorded = functions.run(["/bin/sh", "-c", script], tmp_path, "counts")
    assert recorded.returncode == bare.returncode == 0, recorded.stdout
    assert without_times(recorded.stdout) == without_times(bare.stdout)


COVERAGE = Path(__file__).with_name("functions_coverage.json")


def covered(path):
    """(per cent of entries, of functions with all exits) of a file."""
    tool = support.BUILD / "tests" / "patch_coverage"
    answer = subprocess.run([str(tool), str(path)], capture_output=True, text=True, timeout=60)
    found = re.search(r"entries ([0-9.]+)% exits ([0-9.]+)%", answer.stdout)
    assert found, answer
    return float(found[1]), float(found[2])


@pytest.mark.parametrize("name", json.loads(COVERAGE.read_text()))
def test_coverage(name):
    """It does not fall.  Other releases of a file may have a few functions of other kinds."""
    if not Path(name).exists():
        pytest.skip(f"there is no {name}")
    least = json.loads(COVERAGE.read_text())[name]
    entries, exits = covered(name)
    assert entries >= least["entries"] - 0.5
    assert exits >= least["exits"] - 1
