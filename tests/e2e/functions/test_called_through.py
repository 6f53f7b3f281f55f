"""Programs in which every function that is recorded is called through by its trampoline: what
they print is what they print bare, exceptions, jumps, coroutines and threads included."""

import os
import struct
import subprocess

import functions_support
import pytest
import support

KYMO = support.BUILD / "bin" / "kymo"
MAKER = support.BUILD / "tests" / "plan_called_through"
COSTS = ["counts", "coarse", "full"]
PROGRAMS = ["functions_calls.c", "functions_jumps.c", "functions_threads.c", "functions_throws.cc"]

pytestmark = pytest.mark.skipif(not MAKER.exists(), reason="built without Zydis")


def run(command, environment):
    result = subprocess.run(
        [str(part) for part in command], env=environment, capture_output=True, timeout=300
    )
    return result.returncode, result.stdout


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("source", PROGRAMS)
def test_output_is_the_same(source, cost, tmp_path):
    program = functions_support.compile(source, functions_support.find_build("O2"))
    cache = str(tmp_path / "cache")
    environment = {**os.environ, "XDG_CACHE_HOME": cache, "KYMO_FINISH": "OFF"}
    folder = tmp_path / "cache" / "kymo" / "plans"
    folder.mkdir(parents=True, mode=0o700)
    bare = run([program], environment)
    made = subprocess.run(
        [MAKER, program, cost], env=environment, capture_output=True, text=True, check=True
    )
    count, checksum = made.stdout.split()
    assert int(count) > 10
    command = [KYMO, "run", "-q", f"--functions={cost}", "-o", tmp_path / "out", "--", program]
    assert run(command, environment) == bare
    # It was that plan: nobody made another.
    (plan,) = folder.glob("*.plan")
    head = struct.Struct("<8sIHHQQ").unpack_from(plan.read_bytes())
    assert head[0] == b"KYMOPLAN" and f"{head[5]:x}" == checksum
