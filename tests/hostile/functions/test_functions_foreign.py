"""Native functions of programs that have others in them: allocators put in front, sanitizers,
a just-in-time compiler; from the start, and while they run."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import functions_support
import pytest
import support

sys.path.insert(0, str(support.REPOSITORY / "tests" / "e2e" / "attach"))

from test_attach_functions import FINE, Target, attach, changed_text

pytestmark = pytest.mark.skipif(
    not (support.BUILD / "lib" / "libkymo-functions.so").exists(),
    reason="functions are not instrumented by this build",
)

LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
ALLOCATORS = ["libjemalloc.so.2", "libtcmalloc_minimal.so.4"]
SANITIZERS = ["address", "undefined"]
# Work that the compiler of node takes over, and exceptions; the sum is known.
SCRIPT = """
const wait = process.argv[1] === 'wait';
let total = 0, done = false;
function leaf(x) { if (x % 1000 === 7) throw new Error('x'); return x & 7; }
function round() {
  for (let i = 0; i < 20000; i++) { try { total += leaf(i); } catch (error) { total += 1; } }
}
if (wait) {
  process.stdin.on('data', () => { done = true; });
  console.log('ready');
  const again = () => { if (done) { console.log('fine'); process.exit(7); }
                        round(); setImmediate(again); };
  again();
} else { for (let i = 0; i < 20; i++) round(); console.log(total); }
"""


def allocator(name):
    if not (LIBRARIES / name).exists():
        pytest.skip(f"there is no {name}")
    return {"LD_PRELOAD": LIBRARIES / name}


def program(*flags):
    return functions_support.compile(
        "attach_functions.cc", functions_support.Build("-".join(["foreign", *flags]), flags)
    )


def run_to_the_end(target, cwd, env=None, cost="counts"):
    """The program, instrumented from its start."""
    line = [support.KYMO, "instrument", "-q", "--cost", cost, "--", target]
    return support.run(
        line, cwd=cwd, env={**functions_support.environment(), **(env or {})}, input="\n"
    )


@pytest.mark.parametrize("name", ALLOCATORS)
def test_another_allocator(tmp_path, name):
    result = run_to_the_end(program("-O2"), tmp_path, allocator(name))
    assert (result.stdout, result.returncode) == ("ready\nfine\n", 7), result.stderr


@pytest.mark.parametrize("name", ALLOCATORS)
def test_attaching_with_another_allocator(tmp_path, name):
    environment = support.clean_environment(tmp_path, allocator(name))
    with Target(program("-O2"), env=environment) as target:
        for number in range(2):
            (tmp_path / str(number)).mkdir()
            result = attach(target, tmp_path / str(number), "-d", "0.1")
            assert result.returncode == 0, result.stderr
            assert changed_text(target.pid) == 0
        assert target.end() == FINE


@pytest.mark.parametrize("kind", SANITIZERS)
def test_attaching_with_a_sanitizer(tmp_path, kind):
    with Target(program("-O1", f"-fsanitize={kind}"), stderr=subprocess.PIPE) as target:
        for number in range(2):
            (tmp_path / str(number)).mkdir()
            result = attach(target, tmp_path / str(number), "-d", "0.1")
            assert result.returncode == 0, result.stderr
            assert changed_text(target.pid) == 0
        assert target.end() == FINE


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("node"), reason="node is missing")
@pytest.mark.parametrize("cost", ["counts", "coarse"])
def test_a_compiler_at_run_time(tmp_path, cost):
    line = ["node", "-e", SCRIPT]
    bare = support.run(line, cwd=tmp_path)
    result = support.run(
        [support.KYMO, "instrument", "-q", "--cost", cost, "--", *line],
        cwd=tmp_path,
        env=functions_support.environment(),
    )
    assert bare.returncode == 0 and bare.stdout
    assert (result.stdout, result.returncode) == (bare.stdout, 0), result.stderr


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("node"), reason="node is missing")
def test_attaching_to_a_compiler_at_run_time(tmp_path):
    with Target("node", "-e", SCRIPT, "wait") as target:
        for number in range(2):
            (tmp_path / str(number)).mkdir()
            result = attach(
                target, tmp_path / str(number), "-d", "0.3", env=functions_support.environment()
            )
            assert result.returncode == 0, result.stderr
            assert changed_text(target.pid) == 0
        assert target.end() == FINE


@pytest.mark.skipif(not shutil.which("java"), reason="java is missing")
def test_attaching_to_a_virtual_machine(tmp_path):
    """Its library has the code; signals are part of how it works."""
    source = tmp_path / "Work.java"
    source.write_text(
        "public class Work { public static void main(String[] a) throws Exception {\n"
        '  java.io.InputStream in = System.in; System.out.println("ready");\n'
        "  long sum = 0; int[] none = null;\n"
        "  while (in.available() == 0) for (int i = 0; i < 1000; i++)\n"
        "    try { sum += none[i]; } catch (NullPointerException e) { sum++; }\n"
        '  System.out.println("fine"); System.exit(7); } }\n'
    )
    with Target("java", "-Xmx256m", source) as target:
        words = ("--module-include", "libjvm", "-d", "0.3")
        result = attach(target, tmp_path, *words, env={"KYMO_FINISH": "OFF"})
        assert result.returncode == 0, result.stderr
        assert target.end() == FINE


def test_a_signal_storm_while_attaching(tmp_path):
    with Target(program("-O2")) as target:
        storm = subprocess.Popen(
            ["sh", "-c", f"while kill -WINCH {target.pid}; do :; done"],
            stderr=subprocess.DEVNULL,
        )
        result = attach(target, tmp_path, "-d", "0.3")
        storm.send_signal(signal.SIGTERM)
        storm.wait()
        assert result.returncode == 0, result.stderr
        assert changed_text(target.pid) == 0
        assert target.end() == FINE
