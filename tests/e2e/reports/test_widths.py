"""How wide the tables of `kymo report` are: names are whole in files."""

import subprocess

import pytest
import support

NAME = "a_function_whose_name_is_as_long_as_its_author_was_patient"


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / "a_package_in_a_folder"
    folder.mkdir()
    program = folder / "a_module_with_a_long_name_of_its_own.py"
    program.write_text(f"def {NAME}():\n    pass\n\n{NAME}()\n")
    done = support.run_kymo_python(support.interpreters()[-1], [program], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path / "out"


def rows(run, *options):
    done = support.run_kymo(["report", *options, run], cwd=run)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_names_are_whole_in_files(run):
    whole = f"{NAME}  a_module_with_a_long_name_of_its_own.py:1\n"
    rows(run, "-o", run / "table.txt")
    assert whole in (run / "table.txt").read_text()
    with open(run / "redirected.txt", "w") as out:
        subprocess.run([support.KYMO, "report", run], stdout=out, check=True)
    assert whole in (run / "redirected.txt").read_text()
    assert whole in rows(run, "--width", "0")
    assert whole not in rows(run)


def test_width_cuts_the_starts_of_paths(run):
    text = rows(run, "--width", "120")
    assert max(map(len, text.splitlines())) <= 120
    assert f"{NAME}  .." in text and "own.py:1\n" in text


def test_names_are_cut_at_last(run):
    text = rows(run, "--width", "60")
    assert max(len(line) for line in text.splitlines() if "a_function" in line) == 60
    assert "a_function_who" in text and ".py:1" not in text
