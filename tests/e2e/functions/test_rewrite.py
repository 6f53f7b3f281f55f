"""Files that were rewritten on disk: they do what they did, alone and after strip, tools understand
them, and under `kymo run` they are recorded."""

import functools
import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
import support

COSTS = ["counts", "full"]

IFUNC = """
#include <stdio.h>
#include <stdlib.h>
static int fast(int x) { return x * 3 + 1; }
static int slow(int x) { return x * 3 + 2; }
static int (*choose(void))(int) { return getenv ? fast : slow; }
int compute(int) __attribute__((ifunc("choose")));
static __thread int here = 5;
static __thread char zeroed[4000];
__attribute__((noinline)) int deep(int n) { here += n; return n ? deep(n - 1) + compute(n) : here; }
__attribute__((constructor)) static void early(void) { here = compute(7) + zeroed[17]; }
int main(int argc, char **argv) { printf("%d %d\\n", deep(1000), here); return 17; }
"""

PAST_MAIN = "set backtrace past-main on"

CRASH = """
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
__attribute__((noinline)) void innermost(int n) { volatile int v = n; if (v > 2) abort(); }
__attribute__((noinline)) int middle(int (*next)(int), int n) { return next(n) + 1; }
__attribute__((noinline)) int leaf(int n) { innermost(n); return n; }
int main(int argc, char **argv) { return middle(leaf, argc + 2); }
"""


@functools.lru_cache(maxsize=None)
def workshop():
    """A folder for all tests of this file: compiled and rewritten files, the cache of plans."""
    folder = Path(tempfile.mkdtemp(prefix="kymo-rewrite-"))
    return folder


@pytest.fixture(scope="module", autouse=True)
def clean_workshop():
    yield
    shutil.rmtree(workshop(), ignore_errors=True)
    # Tests of this file may come back to this process after those of others.
    for kept in (workshop, compile, rewritten):
        kept.cache_clear()


@functools.lru_cache(maxsize=None)
def compile(name, text, *flags, compiler="gcc"):
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}")
    source = workshop() / (name + (".cc" if "++" in compiler else ".c"))
    source.write_text(text)
    program = workshop() / (name + "-" + hashlib.md5(repr(flags).encode()).hexdigest()[:8])
    command = [compiler, "-g", *flags, "-o", str(program), str(source), "-pthread", "-ldl"]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return program


def program_of_tests(name, *flags):
    source = support.program(name)
    compiler = "g++" if source.suffix == ".cc" else "gcc"
    return compile(source.stem, source.read_text(), f"-I{source.parent}", *flags, compiler=compiler)


def instrument(original, output, *options, cwd=None):
    return support.run(
        [support.KYMO, "instrument", *options, "-o", output, "--", original],
        cwd=cwd or workshop(),
        env={"XDG_CACHE_HOME": workshop() / "cache"},
    )


@functools.lru_cache(maxsize=None)
def rewritten(original, cost, is_stripped=False):
    """The rewritten copy, which has the original's name."""
    original = Path(original)
    folder = Path(tempfile.mkdtemp(dir=workshop()))
    output = folder / original.name
    result = instrument(original, output, f"--cost={cost}")
    assert result.returncode == 0, result.stderr
    if is_stripped:
        subprocess.run(["strip", str(output)], check=True, capture_output=True)
    return output


def found(name):
    path = shutil.which(name)
    if path and Path(path).read_bytes()[:4] != b"\x7fELF":
        path = f"/usr/bin/{name}" if Path(f"/usr/bin/{name}").exists() else None
    if not path:
        pytest.skip(f"there is no {name}")
    return os.path.realpath(path)


def same(original, changed, args, cwd, env=None, input=None):
    """Both do the same, byte for byte."""
    results = []
    for number, program in enumerate((original, changed)):
        folder = cwd / str(number)
        folder.mkdir()
        command = ["bash", "-c", 'exec -a tested "$0" "$@"', program, *args]
        results.append(support.run(command, cwd=folder, env=env, input=input, text=False))
    bare, inst = results
    assert inst.stdout == bare.stdout
    assert inst.stderr == bare.stderr
    assert inst.returncode == bare.returncode
    assert bare.returncode >= 0
    return bare


SQL = """
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
insert into t select i, 'row ' || (i * 7919 % 3001), i / 7.0 from n;
create index u on t(b); select count(*), sum(a), min(b), max(b), round(avg(c), 6) from t;
select b, count(*) from t group by substr(b, 1, 6) order by 2 desc, 1 limit 7;
pragma integrity_check;
"""

PERL = r"""
my %h; for my $w (split /\W+/, "the cat and the dog and the bird " x 300) { $h{$w}++ }
print join(",", map { "$_=$h{$_}" } sort keys %h), "\n";
eval { die { code => 7 } }; print "caught $@->{code}\n"; print sprintf("%.10f\n", sin(1) ** 3);
"""

REAL = {
    "xz": ["-9e", "-T2", "-c", str(support.program("functions_calls.c"))],
    "sqlite3": ["-batch", ":memory:", SQL],
    "perl": ["-e", PERL],
    "git": ["-C", str(support.REPOSITORY), "log", "--stat", "-5", "--format=%an%n%s%n%b"],
    "openssl": ["dgst", "-sha512", str(support.program("functions_throws.cc"))],
    "bash": ["-c", "for i in {1..2000}; do x=$((x * 31 + i)); done; echo $x; (exit 3); echo $?"],
}


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("name", REAL)
def test_programs_of_the_system_do_what_they_did(name, cost, tmp_path):
    original = found(name)
    bare = same(original, rewritten(original, cost), REAL[name], tmp_path)
    assert bare.stdout


@pytest.mark.parametrize("cost", COSTS)
def test_python_runs_its_own_tests(cost, tmp_path, newest_python):
    original = os.path.realpath(newest_python.executable)
    prefix = Path(original).parent.parent
    code = (
        "import threading, ctypes, json, re, sys\n"
        "def g(n):\n"
        "    for i in range(n):\n"
        "        try:\n            yield i / (i % 3)\n"
        "        except ZeroDivisionError as e:\n            yield str(e)\n"
        "print(list(g(9)))\n"
        "t = [threading.Thread(target=lambda: json.dumps(list(range(999)))) for _ in range(4)]\n"
        "[x.start() for x in t]; [x.join() for x in t]\n"
        "print(ctypes.CDLL(None).abs(-4), re.sub('b+', 'c', 'abba'), sys.version)\n"
    )
    changed = rewritten(original, cost)
    same(original, changed, ["-S", "-c", code], tmp_path, env={"PYTHONHOME": prefix})


FIXED, LAZY = ("-O2", "-no-pie"), ("-O2", "-Wl,-z,lazy", "-Wl,-z,noseparate-code")
LANDING = ("-O0", "-fcf-protection=full")
BUILDS = [("-O2",), FIXED, LANDING, ("-O2", "-fno-plt", "-Wl,-z,now"), LAZY]
PROGRAMS = {
    "functions_calls.c": (FIXED, LANDING, LAZY),
    "functions_throws.cc": (LAZY,),  # takes seconds to compile
    "functions_jumps.c": (FIXED, LANDING, LAZY),
    "functions_threads.c": (FIXED, LANDING, LAZY),
}


def cases():
    for name, kept in PROGRAMS.items():
        for flags in BUILDS:
            marks = () if flags in kept else pytest.mark.long
            yield pytest.param(name, flags, marks=marks, id=f"{name}-{' '.join(flags)}")


@pytest.mark.parametrize("is_stripped", [False, True], ids=["as-is", "stripped"])
@pytest.mark.parametrize("name, flags", cases())
def test_programs_that_call_in_every_way(name, flags, is_stripped, tmp_path):
    original = program_of_tests(name, *flags)
    same(original, rewritten(original, "full", is_stripped), [], tmp_path)


@pytest.mark.parametrize("flags", [("-O1",), ("-O1", "-no-pie")], ids=" ".join)
@pytest.mark.parametrize("cost", COSTS)
def test_thread_locals_ifuncs_and_constructors(cost, flags, tmp_path):
    original = compile("ifunc", IFUNC, *flags)
    bare = same(original, rewritten(original, cost), [], tmp_path)
    assert bare.returncode == 17


LIBRARIES = [
    ("libz.so.1", "import zlib; print(zlib.crc32(zlib.decompress(zlib.compress(b'abc' * 9999))))"),
    (
        "libsqlite3.so.0",
        "import sqlite3; c = sqlite3.connect(':memory:'); c.execute('create table t(a)');"
        "c.executemany('insert into t values (?)', [(i * 7 % 501,) for i in range(2000)]);"
        "print(c.execute('select sum(a), count(distinct a) from t').fetchall())",
    ),
]


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("library, code", LIBRARIES, ids=[name for name, _ in LIBRARIES])
def test_libraries_work_where_the_loader_finds_them(library, code, cost, tmp_path, newest_python):
    original = Path("/usr/lib/x86_64-linux-gnu") / library
    if not original.exists():
        pytest.skip(f"there is no {library}")
    changed = rewritten(os.path.realpath(original), cost)
    link = changed.parent / library
    if not link.exists():
        link.symlink_to(changed.name)
    python = newest_python.executable
    show = f"\nprint(any({str(changed)!r} in line for line in open('/proc/self/maps')))"
    bare = support.run([python, "-c", code + show], cwd=tmp_path)
    inst = support.run(
        [python, "-c", code + show], cwd=tmp_path, env={"LD_LIBRARY_PATH": changed.parent}
    )
    if "False" in inst.stdout:
        pytest.skip(f"{python} does not use the system's {library}")
    assert inst.stdout == bare.stdout.replace("False", "True")
    assert inst.returncode == 0


def complaints(command, path):
    process = subprocess.run([*command, str(path)], capture_output=True, text=True)
    lines = (process.stderr if command[0] == "readelf" else process.stdout).splitlines()
    return sorted(line.replace(str(path), "FILE") for line in lines if line.strip())


@pytest.mark.parametrize("name", ["xz", "git", "sqlite3"])
@pytest.mark.parametrize("command", [["readelf", "-aW"], ["eu-elflint", "--gnu-ld"]], ids=str)
def test_tools_find_nothing_wrong(command, name):
    if not shutil.which(command[0]):
        pytest.skip(f"there is no {command[0]}")
    original = found(name)
    assert complaints(command, rewritten(original, "full")) == complaints(command, original)


def notes(path):
    result = subprocess.run(["readelf", "-nW", str(path)], capture_output=True, text=True)
    return [line for line in result.stdout.splitlines() if "Build ID" in line or "ABI:" in line]


def test_what_a_file_is_known_by_stays():
    original = program_of_tests("functions_calls.c", "-O2", "-DMODE")
    original.chmod(0o751)
    changed = rewritten(original, "full")
    assert notes(changed) == notes(original) != []
    symbols = [
        subprocess.run(["nm", str(path)], capture_output=True, text=True).stdout
        for path in (original, changed)
    ]
    moved = {"__abi_tag", "__FRAME_END__", "__GNU_EH_FRAME_HDR"}
    kept = [
        [line for line in text.splitlines() if line.split()[-1] not in moved] for text in symbols
    ]
    assert kept[0] == kept[1]
    assert stat.S_IMODE(changed.stat().st_mode) == 0o751


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("is_stripped", [False, True], ids=["as-is", "stripped"])
def test_gdb_sees_the_callers(cost, is_stripped, tmp_path):
    if not shutil.which("gdb"):
        pytest.skip("there is no gdb")
    changed = rewritten(compile("crash", CRASH, "-O1"), cost, is_stripped)
    result = support.run(
        ["gdb", "-nx", "-batch", "-ex", PAST_MAIN, "-ex", "run", "-ex", "bt", changed], cwd=tmp_path
    )
    frames = [line for line in result.stdout.splitlines() if line.startswith("#")]
    assert any("abort" in line for line in frames), result.stdout
    assert "libc_start" in frames[-2] or "_start" in frames[-1], result.stdout
    if not is_stripped:
        for name in ("innermost", "middle", "main"):  # leaf ends by a jump to innermost
            assert any(f" {name} " in line for line in frames), result.stdout


@pytest.mark.parametrize("flags", [("-O1",), ("-O1", "-no-pie")], ids=" ".join)
@pytest.mark.parametrize("cost", COSTS)
def test_rewritten_programs_are_recorded(cost, flags, tmp_path):
    changed = rewritten(compile("ifunc", IFUNC, *flags), cost)
    result = support.run_kymo(
        ["run", f"--functions={cost}", "--", changed],
        cwd=tmp_path,
        env={
            "KYMO_OUTPUT_PATH": tmp_path / "out",
            "KYMO_TIME_OUTPUT": "OFF",
            "KYMO_FINISH": "OFF",
            "XDG_CACHE_HOME": tmp_path / "cache",
        },
    )
    assert result.returncode == 17, result.stderr
    calls = support.region_calls(tmp_path / "out")
    assert calls["deep"] == 1001
    assert calls["main"] == 1


def test_environment_is_kept_in_the_file(tmp_path):
    original = compile("ifunc", IFUNC, "-O1")
    output = tmp_path / "with"
    result = instrument(original, output, "--env", "KYMO_VERBOSE=2", "--env=A=b c")
    assert result.returncode == 0, result.stderr
    assert b"KYMO_VERBOSE=2\0A=b c\0" in output.read_bytes()


def refused(original, output, *options, status=1):
    before = output.read_bytes() if output.is_file() else None
    result = instrument(original, output, *options)
    assert result.returncode == status, result.stderr
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert (output.read_bytes() if output.is_file() else None) == before
    return result.stderr


def test_what_cannot_be_is_refused_in_one_line(tmp_path):
    original = compile("ifunc", IFUNC, "-O1")
    changed = rewritten(original, "full")
    out = tmp_path / "out"
    assert "already" in refused(changed, out)
    assert "is the input itself" in refused(original, original, status=2)
    assert "cannot write" in refused(original, tmp_path / "no" / "folder")
    cut = tmp_path / "cut"
    cut.write_bytes(original.read_bytes()[:5000])
    cut.chmod(0o755)
    refused(cut, out)
    text = tmp_path / "text"
    text.write_text("no program\n")
    text.chmod(0o755)
    refused(text, out)
    refused(tmp_path / "missing", out)
    assert "statically linked" in refused(compile("ifunc", IFUNC, "-O1", "-static"), out)
    refused("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", out)
    assert not out.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut", "text"]
