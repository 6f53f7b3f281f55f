"""Programs of the system, as people use them, under `kymo run --locks --trace`: what they
print, write and end with is the same, and every process has its recording."""

import re

import native_support as native
import pytest

OPTIONS = ["--locks", "--trace"]


def run(program, tmp_path, **more):
    more.setdefault("status", 0)
    both = native.Both(program, tmp_path, more.pop("options", OPTIONS), **more)
    assert both.said == []
    return both


def run_script(text, tmp_path, shell="/bin/sh", **more):
    script = tmp_path / "script"
    script.write_text(text)
    return run([shell, script], tmp_path, **more)


def check_complete(both, at_least, killed=0):
    """All closed in order, or replaced by another program that was, but for the killed."""
    states = both.states()
    assert states[native.STATE_OPEN] == killed, states
    assert states[native.STATE_CLOSED] >= at_least, states


PIPES = """
set -eu
seq 1 2000 | sed 's/1/x/g' | sort -r | uniq | tee all | sed -n 1,5p
wc -l <all | tr -d ' '
for i in 1 2 3 4; do (echo "in $i"; exit $i) || echo "status $?"; done
yes | head -n 3
cat <<END | awk '{ sum += $1 } END { print sum, NR }'
1
2
3
END
printf '%s\\n' c a b | xargs -n 1 -P 1 echo item
find . -name all -exec wc -c {} +
sleep 0 & wait $!
trap 'echo trapped' EXIT
kill -0 $$
"""


@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash"])
def test_shell(tmp_path, shell):
    both = run_script(PIPES, tmp_path, shell)
    check_complete(both, 24, killed=1)  # yes, by SIGPIPE


def test_signals_of_a_shell(tmp_path):
    text = "sh -c 'kill -KILL $$'; echo $?; sh -c 'kill -SEGV $$'; echo $?; kill -TERM $$"
    both = run_script(text, tmp_path, status=-15)
    assert both.bare.stdout == "137\n139\n"


MAKEFILE = """
CFLAGS = -O1 -Wall
objects = $(patsubst %.c,%.o,$(sort $(wildcard part*.c)))
all: program
	./program
program: $(objects)
	@$(CC) -o $@ $^
%.o: %.c
	@$(CC) $(CFLAGS) -c -o $@ $<
	@echo made >>log.$*
clean:
	@rm -f *.o program
"""


def make_project(place, files):
    place.mkdir(parents=True)
    (place / "Makefile").write_text(MAKEFILE)
    calls = "".join(f"int part{i}(int);" for i in range(files))
    sums = " + ".join(f"part{i}({i})" for i in range(files))
    for i in range(files):
        (place / f"part{i}.c").write_text(
            f"#include <math.h>\n#include <string.h>\nint part{i}(int n) {{ return n * {i}; }}\n"
        )
    (place / "part_main.c").write_text(
        f'#include <stdio.h>\n{calls}\nint main(void) {{ printf("%d\\n", {sums}); return 0; }}\n'
    )


def test_make(tmp_path):
    native.has("make", "make")
    for kind in ("bare", "kymo"):
        make_project(tmp_path / kind / "project", 12)
    both = run(["make", "-j2", "-C", "project"], tmp_path, normalise=place_of(tmp_path))
    check_complete(both, 13 * 3)
    made = [sorted(p.name for p in (tmp_path / k / "project").iterdir()) for k in ("bare", "kymo")]
    assert made[0] == made[1]
    first, second = (tmp_path / kind / "project" / "program" for kind in ("bare", "kymo"))
    assert first.read_bytes() == second.read_bytes()


def place_of(tmp_path):
    return lambda text: text.replace(str(tmp_path / "kymo"), str(tmp_path / "bare"))


GIT = """
set -eu
git init -q -b main one
cd one
for i in 1 2 3; do
	echo "line $i" >>file
	git add file
	git commit -q -m "commit $i"
done
git log --oneline
git branch other HEAD~1 && git checkout -q other && echo more >second && git add second
git commit -q -m other && git checkout -q main && git merge -q -m merged other
git log --graph --format=%s
cd .. && git clone -q one two 2>&1 && cd two && git status --short --branch && git diff HEAD~1
git gc -q && git fsck && git grep -n line
"""


def test_git(tmp_path):
    native.has("git", "git")
    identity = {}
    for who in ("AUTHOR", "COMMITTER"):
        identity[f"GIT_{who}_NAME"], identity[f"GIT_{who}_EMAIL"] = "A. U. Thor", "a@example.org"
        identity[f"GIT_{who}_DATE"] = "2001-02-03T04:05:06Z"
    both = run_script(GIT, tmp_path, env=identity)
    check_complete(both, 30)


PERL = """
use strict; use warnings;
my %count; $count{length $_}++ for map { "x" x ($_ % 7) } 1 .. 1000;
print join(",", map { "$_=$count{$_}" } sort keys %count), "\\n";
my $pid = fork(); if ($pid == 0) { exec "echo", "from the child" or exit 9; }
waitpid($pid, 0); print "status ", $? >> 8, "\\n";
print `printf 'a command'`, "\\n"; system("exit 3"); print $? >> 8, "\\n";
open(my $pipe, "-|", "seq 3") or die; print while <$pipe>; close $pipe;
$SIG{ALRM} = sub { die "alarm\\n" }; alarm 1; eval { select undef, undef, undef, 5; }; print $@;
END { print "end\\n" } exit 4;
"""


def test_perl(tmp_path):
    native.has("perl", "perl")
    script = tmp_path / "script.pl"
    script.write_text(PERL)
    both = run(["perl", script], tmp_path, status=4)
    check_complete(both, 4)


PYTHON = """
import multiprocessing, subprocess, sys, threading
def work(n):
    return sum(range(n))
if __name__ == "__main__":
    threads = [threading.Thread(target=work, args=(1000,)) for _ in range(4)]
    [t.start() for t in threads]; [t.join() for t in threads]
    pool = multiprocessing.get_context("fork").Pool(2)
    print(pool.map(work, range(10)))
    pool.close(); pool.join()
    print(subprocess.run([sys.executable, "-c", "print(1); raise SystemExit(3)"]).returncode)
    print(subprocess.run("echo shell", shell=True, capture_output=True).stdout)
    sys.exit(4)
"""


def test_python_of_the_system(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(PYTHON)
    both = run(["/usr/bin/python3", script], tmp_path, status=4)
    check_complete(both, 2)


def test_python(newest_python, tmp_path):
    """Its own functions are in the recording too."""
    script = tmp_path / "script.py"
    script.write_text(PYTHON)
    both = run([newest_python.executable, "-W", "ignore", script], tmp_path, status=4)
    assert both.calls["work"] == 14
    assert both.calls["start_thread"] >= 4


def test_python_left_alone(newest_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(PYTHON)
    line = [newest_python.executable, "-W", "ignore", script]
    both = run(line, tmp_path, status=4, options=[*OPTIONS, "--no-python"])
    assert "work" not in both.calls and both.calls["start_thread"] >= 4


def test_ssh_keygen(tmp_path):
    native.has("ssh-keygen", "openssh-client")
    text = """
set -e
for kind in ed25519 ecdsa; do
	ssh-keygen -q -t $kind -N '' -C a@example.org -f key.$kind
	ssh-keygen -l -f key.$kind.pub
	ssh-keygen -y -P '' -f key.$kind >public; cut -d' ' -f1 public
done
ssh-keygen -l -f nothing || echo status $?
"""

    def without_fingerprints(text):
        return re.sub(r"SHA256:\S+", "SHA256", text)

    both = run_script(text, tmp_path, normalise=without_fingerprints)
    check_complete(both, 8)


def test_node(tmp_path):
    """An engine with threads of its own and code made at run time."""
    native.has("node", "nodejs")
    text = """
const { Worker, isMainThread, parentPort } = require("worker_threads");
if (isMainThread) {
	const worker = new Worker(__filename);
	worker.on("message", n => {
		console.log("from the worker", n);
		require("fs").readFile(__filename, (e, data) => {
			console.log(data.length, `${require("child_process").execSync("echo shell")}`);
			process.exit(4);
		});
	});
} else {
	let sum = 0;
	for (let i = 0; i < 1e6; i++) sum += i;
	parentPort.postMessage(sum);
}
"""
    script = tmp_path / "script.js"
    script.write_text(text)
    check_complete(run(["node", script], tmp_path, status=4), 2)


def test_archives(tmp_path):
    text = """
set -e
mkdir place; for i in 1 2 3 4 5; do seq $i 1000 >place/$i; done
tar -cf - --sort=name --mtime=@0 --owner=0 --group=0 place | gzip -n | md5sum
tar -czf place.tgz place && tar -tzf place.tgz | sort && rm -r place && tar -xf place.tgz
cat place/* | xz -T2 | xz -dc | md5sum
sort --parallel=4 -S 1M -n place/* | md5sum
"""
    check_complete(run_script(text, tmp_path), 15)


def test_interactive_ends_with_its_signal(tmp_path):
    """A reader that goes away: SIGPIPE."""
    text = "seq 1 1000000 | head -n 1; echo ${PIPESTATUS[0]}"
    both = run_script(text, tmp_path, "/bin/bash")
    assert both.bare.stdout == "1\n141\n"
