"""Programs with rights that their caller does not have: what the caller says is not heard."""

import os
import shutil
import subprocess

import native_support as native
import pytest
import support

PROGRAM = """
#include <kymo/collector.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	const char *const arguments[] = {argv[0], NULL};
	struct kymo_runtime_options options = {.size = sizeof(options), .argv = arguments};
	char reason[512] = "";
	int result = kymo_runtime_open(&options, reason, sizeof(reason));
	printf("%d %d %s\\n", result, geteuid() == 0, reason);
	kymo_runtime_close(0);
	return argc - 1;
}
"""


@pytest.mark.parametrize("mode", [0o755, 0o4755])
def test_set_user_id(tmp_path, mode):
    if os.geteuid() != 0:
        pytest.skip("only root can make a program that others run with its rights")
    folder = native.folder() / f"rights-{mode:o}"
    out = folder / "out"
    out.mkdir(parents=True)
    folder.chmod(0o755)
    out.chmod(0o777)
    shutil.copy(support.BUILD / "lib" / "libkymo.so", folder)
    (tmp_path / "rights.c").write_text(PROGRAM)
    flags = [
        f"-I{native.INCLUDE}",
        f"-I{support.REPOSITORY / 'src'}",
        f"-L{folder}",
        "-lkymo",
        f"-Wl,-rpath,{folder}",
    ]
    program = folder / "rights"
    subprocess.run(["gcc", tmp_path / "rights.c", *flags, "-o", program], check=True)
    program.chmod(mode)
    under = subprocess.run(
        [program],
        cwd="/",
        env={"KYMO_OUTPUT_PATH": str(out), "KYMO_FINISH": "OFF"},
        user=65534,
        group=65534,
        extra_groups=[],
        capture_output=True,
        text=True,
        timeout=support.TIMEOUT_S,
    )
    if mode == 0o755:
        assert under.stdout == "0 0 \n", under
        assert len(support.find_recordings(out)) == 1
    else:
        assert under.stdout.startswith("-1 1 the program runs with other rights"), under
        assert list(out.iterdir()) == []
    assert under.stderr == ""
