"""Programs for another processor, under an emulator: their outputs are written at their end by
this machine's kymo, and they are not told of that process."""

import subprocess

import aarch64_support as aarch64
import support

pytestmark = aarch64.needs_aarch64

PROGRAM = """
#include <signal.h>
#include <unistd.h>
static void on_child(int number) { (void)number; (void)!write(1, "child\\n", 6); }
int main(void) { signal(SIGCHLD, on_child); return 7; }
"""


def test_outputs_are_written(tmp_path):
    aarch64.prepare()
    source = tmp_path / "ends.c"
    source.write_text(PROGRAM)
    program = aarch64.compile(source, tmp_path)
    settings = {
        "LD_PRELOAD": aarch64.libraries_folder / "libkymo-lifecycle.so",
        "KYMO_OUTPUT_PATH": tmp_path / "out",
        "KYMO_TOOL_PATH": support.KYMO,
        "KYMO_TIME_OUTPUT": "OFF",
    }
    wanted = [word for name, value in settings.items() for word in ("-E", f"{name}={value}")]
    done = subprocess.run(
        ["qemu-aarch64", "-L", aarch64.SYSROOT, *wanted, program],
        capture_output=True,
        text=True,
        timeout=aarch64.TIMEOUT_S,
    )
    assert (done.returncode, done.stdout) == (7, ""), done.stderr
    assert "cannot run" not in done.stderr and "kymo report" in done.stderr
    assert (tmp_path / "out" / "wall_clock.txt").exists()
