"""Nothing of what somebody else put somewhere is executed, loaded or written over: folders,
programs that are only looked at, files that are imported."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import support


@pytest.mark.parametrize("name", ["kymo.py", "kymo/__init__.py"])
def test_kymo_in_the_current_folder(python, tmp_path, name):
    planted = tmp_path / name
    planted.parent.mkdir(exist_ok=True)
    planted.write_text("raise SystemExit('planted')\n")
    if name != "kymo.py":
        (tmp_path / "kymo" / "__main__.py").write_text("raise SystemExit('planted')\n")
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "s.py").write_text(
        "import sys\nprint(sys.argv, sys.path, getattr(sys, 'orig_argv', 0))\n"
    )
    env = {"KYMO_OUTPUT_PATH": tmp_path / "out"}
    command = support.BUILD / "bin" / f"kymo-python-{python.version}"
    result = support.run([command, "p/s.py", "x"], cwd=tmp_path, env=env)
    assert result.returncode == 0, result.stderr
    bare = support.run_bare_python(
        python, ["p/s.py", "x"], cwd=tmp_path, env={"PYTHONPATH": support.PACKAGE_DIR}
    )
    assert result.stdout.replace("//", "/") == bare.stdout


MARKER = """
#include <fcntl.h>
#include <stdlib.h>
__attribute__((constructor)) static void mark(void)
{
	open(getenv("MARKER"), O_CREAT | O_WRONLY, 0600);
}
unsigned la_version(unsigned version) { return version; }
"""
FAR = """
int far_away(int count)
{
	int sum = count;
	for (int i = 0; i < count; i++)
		sum = sum * 3 + i;
	return sum;
}
"""


def compile_c(folder, name, text, *options):
    source = folder / f"{Path(name).name}.c"
    source.write_text(text)
    command = ["cc", "-O1", "-o", folder / name, source, *options]
    subprocess.run([str(word) for word in command], check=True, timeout=support.TIMEOUT_S)
    return folder / name


def loader_name():
    """The base name of the loader that programs of this machine name."""
    found = re.search(rb"/lib[^\0]*/(ld-linux[^\0/]+)\0", Path(sys.executable).read_bytes())
    return found.group(1).decode()


@pytest.mark.parametrize("way", ["loader", "auditor", "library"])
def test_looking_runs_nothing(tmp_path, way):
    """Neither what is named as the loader, nor what the system's loader would run."""
    text = "int far_away(int); int main(void) { return far_away(1); }"
    library = compile_c(tmp_path, "libfar.so", FAR, "-shared", "-fPIC")
    options = [library, "-Wl,-rpath,$ORIGIN"]
    if way == "loader":
        main = MARKER + "int main(void) { return 0; }"
        loader = compile_c(tmp_path, loader_name(), main, "-static")
        options.append(f"-Wl,--dynamic-linker={loader}")
    elif way == "auditor":
        auditor = compile_c(tmp_path, "auditor.so", MARKER, "-shared", "-fPIC")
        options.append(f"-Wl,--audit={auditor}")
    else:
        marking = compile_c(tmp_path, "libmark.so", MARKER, "-shared", "-fPIC")
        options += ["-Wl,--no-as-needed", marking]
    program = compile_c(tmp_path, "program", text, *options)
    marker = tmp_path / "marker"
    words = ["instrument", "--simulate", "--print-instrumented", "functions", "-MI", "libfar"]
    result = support.run_kymo([*words, "--", program], cwd=tmp_path, env={"MARKER": marker})
    assert not marker.exists()
    assert result.returncode == 0, result.stderr
    assert "far_away" in result.stdout.split()


def test_libraries_as_the_loader_finds_them(tmp_path):
    """Of programs of this machine, which may be run."""
    folder = tmp_path / "lib"
    folder.mkdir()
    compile_c(tmp_path, "lib/libfar.so", FAR, "-shared", "-fPIC")
    main = "int far_away(int); int main(void) { return far_away(1); }"
    program = compile_c(
        tmp_path, "program", main, f"-L{folder}", "-lfar", "-lm", "-Wl,-rpath,$ORIGIN/lib"
    )
    for each in (program, Path(sys.executable).resolve(), support.KYMO):
        listing = subprocess.run(["ldd", str(each)], capture_output=True, text=True, check=True)
        expected = {os.path.realpath(path) for path in re.findall(r"(/\S+) \(", listing.stdout)}
        words = ["instrument", "--simulate", "--print-available", "modules", "-MI", "."]
        result = support.run_kymo([*words, "--", each], cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        found = {os.path.realpath(path) for path in re.findall(r"/\S+", result.stdout)}
        assert found - {os.path.realpath(each)} <= expected
        for name in ("libfar.so", "libm.so.6"):
            assert any(path.endswith(name) for path in found) == any(
                path.endswith(name) for path in expected
            ), (each, name)


def test_import_writes_into_its_run_only(tmp_path):
    """Whatever names there are in it, and whatever name it has."""
    outside = "../../../escaped"
    events = [
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": outside}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": outside}},
        {"ph": "X", "name": outside, "cat": outside, "pid": 1, "tid": 1, "ts": 1, "dur": 5},
    ]
    here = tmp_path / "a" / "b" / "c"
    here.mkdir(parents=True)
    trace = here / "..%2f..%2f.kymo.json"
    trace.write_text(json.dumps(events))
    before = set(tmp_path.rglob("*"))
    result = support.run_kymo(["import", "-o", "run", trace], cwd=here)
    assert result.returncode == 0, result.stderr
    result = support.run_kymo(["view", "--no-open", "run"], cwd=here)
    assert result.returncode == 0, result.stderr
    for path in set(tmp_path.rglob("*")) - before:
        assert path == here / "run" or here / "run" in path.parents, path
