"""The programs whose functions are instrumented by benchmarks, each with a load and with
nothing to do: SQLite, Python and the C compiler."""

import dataclasses
import glob
import json
import os
import re
import shutil
import subprocess

from suite import native, setup
from suite.native import Missing

SQLITE_MODULE = "github.com/mattn/go-sqlite3@v1.14.22"  # brings SQLite 3.45.1 in one file
SQLITE_FLAGS = ["-DSQLITE_THREADSAFE=1", "-DSQLITE_OMIT_LOAD_EXTENSION", "-lm", "-w"]

STATEMENTS = """
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < {rows})
	insert into t select i, 'text ' || (i * 7919 % 100003), i * 0.5 from n;
create index tb on t(b);
select count(*), sum(c) from t where b like '%77%';
select substr(b, 1, 7), count(*), avg(c) from t group by 1 order by 2 desc, 1 limit 5;
select count(*) from t x join t y on y.b = x.b where x.a % 3 = 0;
update t set c = c + length(b) where a % 2;
delete from t where a % 5 = 0;
select count(*), sum(c), max(b) from t;
"""

PYTHON_LOAD = """
import json, re
class Node:
    def __init__(self, value): self.value, self.rest = value, []
def build(depth):
    node = Node(depth)
    if depth: node.rest = [build(depth - 1) for _ in range(3)]
    return node
def total(node): return node.value + sum(total(each) for each in node.rest)
for _ in range(9):
    text = json.dumps([{"number": i, "text": str(i)} for i in range(6000)])
    assert len(json.loads(text)) == 6000
    print(total(build(8)), len(re.findall(r"[0-9]+", text)), sum(sorted(map(hash, text))))
"""


@dataclasses.dataclass
class Load:
    """A program: its command with work and without, and how many calls the work makes."""

    name: str
    work: list
    nothing: list
    calls: float = 0
    # Builds of the same with the compilers' hooks: {name: [program, …]}
    builds: dict = dataclasses.field(default_factory=dict)
    settings: dict = dataclasses.field(default_factory=dict)

    @property
    def program(self):
        return self.work[0]

    def command(self, has_work, build=None):
        command = self.work if has_work else self.nothing
        return [self.builds[build] if build else command[0], *command[1:]]


def _sqlite_source(folder):
    """Path of SQLite's amalgamation, fetched once."""
    kept = os.path.join(setup.BUILD, "bench", "sqlite3.c")
    if os.path.exists(kept):
        return kept
    if not shutil.which("go"):
        raise Missing("SQLite's source is fetched by `go mod download`, and there is no go")
    with open(os.path.join(folder, "go.mod"), "w") as file:
        file.write("module bench\ngo 1.19\n")
    variables = dict(os.environ, GOPATH=os.path.join(folder, "go"), GOFLAGS="-mod=mod -modcacherw")
    command = ["go", "mod", "download", "-json", SQLITE_MODULE]
    answer = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)
    if answer.returncode != 0:
        raise Missing("SQLite's source cannot be fetched")
    found = os.path.join(json.loads(answer.stdout)["Dir"], "sqlite3-binding.c")
    os.makedirs(os.path.dirname(kept), exist_ok=True)
    with open(found) as source, open(kept + ".new", "w") as file:
        file.write(source.read().replace("#ifndef USE_LIBSQLITE3", "#if 1", 1))
    os.rename(kept + ".new", kept)
    return kept


def _sqlite_builds(folder, source):
    hooks = os.path.join(native.PROGRAMS, "empty_hooks.c")
    counter = os.path.join(native.PROGRAMS, "count_calls.c")
    # What gives the hooks must not call them.
    for name in ("empty_hooks", "count_calls"):
        text = os.path.join(native.PROGRAMS, name + ".c")
        subprocess.run(
            ["cc", "-O2", "-c", "-o", os.path.join(folder, name + ".o"), text], check=True
        )
    hooks, counter = (os.path.join(folder, n + ".o") for n in ("empty_hooks", "count_calls"))
    kinds = {
        "plain": [],
        "-pg": ["-pg"],
        "-finstrument-functions": ["-finstrument-functions", hooks],
        "-fpatchable-function-entry": ["-fpatchable-function-entry=5"],
        "counted": ["-pg", "-mfentry", counter],
    }
    builds = {}
    for number, (kind, flags) in enumerate(kinds.items()):
        name = f"sqlite{number}"
        builds[kind] = native.compile(
            folder, name, "sqlite_load.c", source, "-g", *flags, *SQLITE_FLAGS
        )
    return builds


def sqlite(folder, rows=200000):
    builds = _sqlite_builds(folder, _sqlite_source(folder))
    for name, text in (("work.sql", STATEMENTS.format(rows=rows)), ("nothing.sql", "select 1;")):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    work, nothing = (os.path.join(folder, name) for name in ("work.sql", "nothing.sql"))
    answer = subprocess.run([builds["counted"], work], capture_output=True, text=True, cwd=folder)
    calls = int(re.search(r"calls (\d+)", answer.stderr)[1])
    program = builds["plain"]
    return Load("sqlite", [program, work], [program, nothing], calls, builds)


def python(folder):
    """Debian's, in which the interpreter is part of the executable."""
    program = os.path.realpath("/usr/bin/python3")
    if not os.path.exists(program):
        raise Missing("there is no /usr/bin/python3")
    script = os.path.join(folder, "load.py")
    with open(script, "w") as file:
        file.write(PYTHON_LOAD)
    flags = ["-I", "-S"]
    seed = {"PYTHONHASHSEED": "0"}
    return Load(
        os.path.basename(program),
        [program, *flags, script],
        [program, *flags, "-c", "pass"],
        settings=seed,
    )


def compiler_program():
    answer = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True)
    program = answer.stdout.strip()
    if not os.path.isabs(program):
        raise Missing("there is no cc1")
    return program


def compiler(folder):
    """gcc's cc1 with a file of Kymo itself."""
    program = compiler_program()
    sources = sorted(glob.glob(os.path.join(setup.ROOT, "src", "model", "tree", "calltree*.c")))
    text = os.path.join(folder, "load.i")
    includes = ["-I", os.path.join(setup.ROOT, "src"), "-I", native.INCLUDE, "-D_GNU_SOURCE"]
    subprocess.run(["gcc", "-E", *includes, "-o", text, sources[0]], check=True)
    empty = os.path.join(folder, "empty.i")
    open(empty, "w").close()
    flags = ["-quiet", "-fpreprocessed", "-O3", "-g", "-w", "-o", "/dev/null"]
    return Load("cc1", [program, *flags, text], [program, *flags, empty])


LOADS = {"sqlite": sqlite, "python": python, "cc1": compiler}
