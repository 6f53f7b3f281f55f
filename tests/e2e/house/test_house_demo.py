"""The demo: the program behaves the same under Kymo, and ./demo.sh shows its profile."""

import subprocess

import pytest
import support

PROGRAM = support.REPOSITORY / "demo" / "forecast.py"
OUTPUT = support.REPOSITORY / "kymo-demo-output"


def test_program_prints_the_same(python, tmp_path):
    args = [PROGRAM, "--days", "1"]
    bare = support.run_bare_python(python, args, cwd=tmp_path)
    profiled = support.run_kymo_python(python, args, cwd=tmp_path)
    assert bare.returncode == profiled.returncode == 0, profiled.stderr
    assert profiled.stdout == bare.stdout
    assert "Brest" in bare.stdout


@pytest.mark.slow
def test_demo_profiles_and_says_what_to_open():
    process = subprocess.run(
        [support.REPOSITORY / "demo.sh"], capture_output=True, text=True, timeout=600
    )
    assert process.returncode == 0, process.stdout + process.stderr
    assert "Constituent.height" in process.stderr
    assert "kymo report" in process.stdout
    opened = [word for word in process.stdout.split() if word.startswith(OUTPUT.name + "/")]
    assert len(opened) == 3
    page = (support.REPOSITORY / opened[0]).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and page.endswith("</html>\n")
    for name in opened[1:]:
        assert "|0>>>" in (support.REPOSITORY / name).read_text()
