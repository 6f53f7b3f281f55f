"""Programs that cannot be recorded: static, for another C library, of another kind, with
more rights.  They run as they always did, and it is said once, or noted where a recorded
program starts them."""

import os
import shutil
import stat

import hostile_support as hostile
import native_support as native
import pytest
import support

SOURCE = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *body(void *argument) { return argument; }
int main(int argc, char **argv)
{
	pthread_t thread;
	pthread_create(&thread, NULL, body, NULL);
	pthread_join(thread, NULL);
	printf("%s preloads nothing of its own\\n", argv[0][0] ? "it" : "");
	if (argc > 1)
		return system(argv[1]) >> 8;
	return 5;
}
"""


@pytest.fixture(params=native.MODES)
def options(request):
    return native.MODES[request.param]


def build(tmp_path, kind):
    source = tmp_path / "foreign.c"
    source.write_text(SOURCE)
    if kind == "musl":
        return native.compile(source, compiler="musl-gcc")
    if kind == "musl static":
        return native.compile(source, "-static", compiler="musl-gcc")
    if kind == "static":
        return native.compile(source, "-static")
    if kind == "static pie":
        return native.compile(source, "-static-pie")
    if kind == "setuid":
        if not hostile.is_root_user():
            pytest.skip("setuid programs take root")
        binary = tmp_path / "setuid"
        shutil.copy(native.compile(source), binary)
        os.chown(binary, 65534, 65534)
        binary.chmod(0o4755)
        assert binary.stat().st_mode & stat.S_ISUID
        return binary
    if os.uname().machine != "x86_64":
        pytest.skip("this processor has no 32-bit programs")
    return native.compile(source, "-m32")


KINDS = ["musl", "musl static", "static", "static pie", "setuid", "32-bit"]


@pytest.mark.parametrize("kind", KINDS)
def test_program(tmp_path, options, kind):
    program = build(tmp_path, kind)
    both = native.Both([program], tmp_path, options)
    assert both.recordings == []
    without_quiet = [support.KYMO, "run", *options, "--", program]
    told = support.run(without_quiet, cwd=tmp_path, env={"KYMO_OUTPUT_PATH": tmp_path / "told"})
    assert told.returncode == 5 and told.stdout == both.bare.stdout
    lines = [line for line in told.stderr.splitlines() if line]
    assert len(lines) == 1 and lines[0].startswith("kymo run: "), told.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_child(tmp_path, options, kind):
    """The shell is recorded, its child cannot be."""
    program = build(tmp_path, kind)
    both = native.Both(
        ["/bin/sh", "-c", f"{program}; echo status $?; true"], tmp_path, options, status=0
    )
    assert "status 5" in both.bare.stdout
    assert both.states()[native.STATE_CLOSED] >= 1
    assert both.said == []
    assert both.losses()


@pytest.mark.parametrize("kind", ["musl", "static", "32-bit"])
def test_grandchild(tmp_path, options, kind):
    """What such a program starts may be recorded again."""
    program = build(tmp_path, kind)
    both = native.Both(
        ["/bin/sh", "-c", f"{program} 'exit 3'; echo status $?"], tmp_path, options, status=0
    )
    assert "status 3" in both.bare.stdout
    assert both.states()[native.STATE_CLOSED] >= 1


SCRIPTS = {
    "interpreter": "#!/bin/sh\necho text; exit 5\n",
    "two arguments": "#!/bin/sh -e\necho $0 $#; exit 5\n",
    "env": "#!/usr/bin/env sh\necho $#; exit 5\n",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts(tmp_path, options, name):
    script = tmp_path / "script"
    script.write_text(SCRIPTS[name])
    script.chmod(0o755)
    both = native.Both([script, "one", "two"], tmp_path, options)
    assert both.states()[native.STATE_CLOSED] >= 1
