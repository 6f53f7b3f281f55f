"""What is started or loaded through a link has the link's name, whichever way it is recorded."""

import json
import subprocess

import pytest
import support

LIBRARY = """
volatile double sum;
__attribute__((noinline)) void library_work(long n) { while (n--) sum += n; }
"""
PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
volatile double sum;
__attribute__((noinline)) void own_work(long n) { while (n--) sum += n; }
int main(int argc, char **argv)
{
	void *plugin = dlopen(argv[1], RTLD_NOW);
	void (*work)(long) = (void (*)(long))dlsym(plugin, "library_work");

	if (argc > 3 && chdir(argv[3]) != 0)
		return 1;
	puts("ready");
	fflush(stdout);
	for (int i = argc < 4 && !atoi(argv[2]) ? -15 : 0; i < atoi(argv[2]); i++) {
		own_work(4000000);
		work(4000000);
	}
	return 0;
}
"""


@pytest.fixture
def folder(tmp_path):
    """The files real-program and libreal.so.1.2, the links to them program and libplugin.so."""
    (tmp_path / "library.c").write_text(LIBRARY)
    (tmp_path / "program.c").write_text(PROGRAM)
    for command in (
        ["cc", "-O1", "-shared", "-fPIC", "-o", "libreal.so.1.2", "library.c"],
        ["cc", "-O1", "-o", "real-program", "program.c", "-ldl"],
    ):
        subprocess.run(command, cwd=tmp_path, check=True)
    (tmp_path / "program").symlink_to("real-program")
    (tmp_path / "libplugin.so").symlink_to("libreal.so.1.2")
    (tmp_path / "elsewhere").mkdir()
    return tmp_path


def run_kymo(folder, *arguments):
    result = support.run_kymo(arguments, cwd=folder, env={"KYMO_TIME_OUTPUT": "OFF"})
    assert result.returncode == 0, result.stderr
    return result.stdout


def modules(folder, run, *options):
    """{function: its module} of a run's regions."""
    listing = run_kymo(folder, "report", run, "--format", "json", "--top", "0", *options)
    return {row["name"]: row.get("module") for row in json.loads(listing)["regions"]}


def assert_links(found, folder, program="program"):
    assert found["own_work"] == str(folder / program)
    assert found["library_work"] == str(folder / "libplugin.so")


def test_samples(folder):
    run_kymo(folder, "sample", "-f", "300", "-o", "run", "--", "./program", "./libplugin.so", "15")
    assert_links(modules(folder, "run"), folder)
    by_module = run_kymo(folder, "report", "run", "--by-module")
    assert "program" in by_module and "libplugin.so" in by_module
    assert "real" not in by_module


def test_a_program_that_goes_to_another_folder(folder):
    words = ["./program", "./libplugin.so", "15", "elsewhere"]
    run_kymo(folder, "sample", "-f", "300", "-o", "run", "--", *words)
    assert_links(modules(folder, "run"), folder)


def test_functions(folder):
    run_kymo(
        folder, "instrument", "--output-path=run", "-MI", "libreal", "--",
        "./program", "./libplugin.so", "2",
    )  # fmt: skip
    assert_links(modules(folder, "run"), folder)


def test_from_outside(folder):
    command = ["./program", "./libplugin.so", "100000"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE) as target:
        target.stdout.readline()
        try:
            run_kymo(folder, "attach", "--native", "-d", "0.5", "-o", "run", str(target.pid))
            dump = run_kymo(folder, "attach", "--dump", "--native", str(target.pid))
        finally:
            target.kill()
    assert_links(modules(folder, "run"), folder)
    assert "real-program" not in dump


def test_a_script_is_no_link_to_its_interpreter(folder):
    script = folder / "script"
    script.write_text(f"#!{folder}/real-program ./libplugin.so\n")
    script.chmod(0o755)
    run_kymo(folder, "sample", "-f", "300", "-o", "run", "--", "./script")
    (path,) = support.find_recordings(folder / "run")
    recording = support.decode(path)
    names = {recording.string(module.name) for module in recording.modules()}
    assert str(folder / "libplugin.so") in names
    assert str(script) not in names


def test_the_file_is_still_found(folder):
    """Names are shown, paths are read: a link that leads elsewhere later does no harm."""
    run_kymo(folder, "sample", "-f", "300", "-o", "run", "--", "./program", "./libplugin.so", "15")
    (folder / "program").unlink()
    (folder / "program").symlink_to("/bin/true")
    assert_links(modules(folder, "run"), folder)
