"""Programs that Valgrind runs: as without Kymo, whatever is recorded."""

import signal
import subprocess

import native_support as native
import pytest
import support
from cases import long_except

COMMANDS = {
    "run": ["run"],
    "trace": ["run", "--trace", "--locks=all"],
    "sample": ["sample"],
    "instrument": ["instrument"],
}
PROGRAM = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int main(int argc, char **argv)
{
	for (int i = 0; i < 4000; i++) { /* more than the first pages of a trace hold */
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	printf("%d\\n", argc);
	if (argc > 1) {
		fflush(stdout);
		pause();
	}
	return 3;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    source = tmp_path_factory.mktemp("valgrind") / "locks.c"
    source.write_text(PROGRAM)
    return native.compile(source)


@pytest.fixture(params=long_except(["memcheck", "callgrind"], "callgrind"))
def valgrind(request, tmp_path):
    native.has("valgrind", "valgrind")
    line = ["valgrind", "-q", f"--tool={request.param}", f"--log-file={tmp_path / 'log'}"]
    if request.param == "callgrind":
        line.append(f"--callgrind-out-file={tmp_path / 'profile'}")
    return line


@pytest.fixture(params=COMMANDS)
def command(request):
    return [support.KYMO, *COMMANDS[request.param], "-q", "--"]


def said(text, command):
    """What Kymo says of itself: that functions cannot be recorded, once."""
    if command[1] == "instrument":
        (line,) = text.splitlines()
        return line.startswith("kymo: functions are not recorded: Valgrind")
    return text == ""


def test_as_without(tmp_path, program, valgrind, command):
    """Its streams are a file, for which the C library holds back what is written."""
    line = [*command, *valgrind, program]
    with open(tmp_path / "output", "w") as output:
        under = native.run_line(line, tmp_path, stdout=output)
    assert (under.returncode, (tmp_path / "output").read_text()) == (3, "1\n"), under
    assert said(under.stderr, command)
    headers = [native.hostile.read(path).header for path in support.find_recordings(tmp_path)]
    assert any(header.exit_status == 3 for header in headers)


def test_tables_are_understood(tmp_path, program):
    """Valgrind reads the unwind tables of what is loaded, and says what it cannot."""
    native.has("valgrind", "valgrind")
    valgrind = ["valgrind", "--tool=none", "-v", f"--log-file={tmp_path / 'log'}"]
    line = [support.KYMO, "instrument", "-q", "--", *valgrind, program]
    under = native.run_line(line, tmp_path)
    said = under.stderr + (tmp_path / "log").read_text()
    assert under.returncode == 3, said
    assert "libkymo-functions.so" in said and "unhandled DW_" not in said


def test_terminates(tmp_path, program, valgrind, command):
    line = [str(part) for part in [*command, *valgrind, program, "wait"]]
    env = native.environment(tmp_path)
    with subprocess.Popen(line, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True) as under:
        try:
            assert under.stdout.readline() == "2\n"
            under.terminate()
            assert under.wait(support.TIMEOUT_S) == -signal.SIGTERM
        finally:
            under.kill()
