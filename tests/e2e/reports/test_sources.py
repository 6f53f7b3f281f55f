"""--keep-sources: every command that records keeps what it measured, and nothing else."""

import json

import attach_runs
import pytest
import sampled
import support


def kept(folder):
    """By original path, what a run has kept."""
    listed = json.loads((folder / "sources" / "index.json").read_text(encoding="utf-8"))
    found = {}
    for each in listed["kymo"]["sources"]:
        copy = folder / "sources" / each["kept"]
        assert copy.stat().st_size == each["size"]
        found[each["path"]] = copy.read_text(encoding="utf-8", errors="replace")
    names = {each.name for each in (folder / "sources").iterdir()}
    assert names == {each["kept"] for each in listed["kymo"]["sources"]} | {"index.json"}
    return found


def write(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_python(tmp_path):
    helper = write(tmp_path, "helper.py", "def help():\n    return 1\n")
    write(tmp_path, "unused.py", "def unused():\n    return 1\n")
    program = write(tmp_path, "main.py", "import helper\nhelper.help()\n")
    result = support.run_kymo_python(
        support.interpreters()[-1], ["--keep-sources", "--", program], cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    found = kept(tmp_path / "out")
    assert found[str(helper)] == helper.read_text()
    assert not any(path.endswith("unused.py") for path in found)


def test_is_off(tmp_path):
    program = write(tmp_path, "main.py", "def f():\n    return 1\nf()\n")
    support.run_kymo_python(support.interpreters()[-1], ["--", program], cwd=tmp_path)
    assert not (tmp_path / "out" / "sources").exists()


@pytest.mark.parametrize("option", ["--keep-sources", "KYMO_KEEP_SOURCES"])
def test_native(tmp_path, option):
    """The lines of a sampled program of C are in the file that it was made of."""
    binary = sampled.compile(tmp_path)
    settings = {} if option.startswith("--") else {option: "ON"}
    options = [option] if option.startswith("--") else []
    sampled.sample(tmp_path, [binary, "threads", "0.3"], "-f", "300", *options, settings=settings)
    found = kept(tmp_path / "out")
    assert found[str(sampled.TRUTH_C)] == sampled.TRUTH_C.read_text(encoding="utf-8")


def test_attach(tmp_path):
    with attach_runs.Target(support.interpreters()[-1].executable) as target:
        result = attach_runs.attach(target, tmp_path, "-d", "0.5", "-r", "200", "--keep-sources")
        assert result.returncode == 0, result.stderr
        target.end()
    (index,) = tmp_path.rglob("sources/index.json")
    work = support.program("attach_work.py")
    assert kept(index.parent.parent)[str(work)] == work.read_text(encoding="utf-8")


def test_cannot_keep(tmp_path):
    """Where they cannot be kept, one line says so; the rest is written."""
    program = write(tmp_path, "main.py", "def f():\n    return 1\nf()\n")
    (tmp_path / "out").mkdir()
    write(tmp_path / "out", "sources", "a file in the way")
    result = support.run_kymo_python(
        support.interpreters()[-1], ["--keep-sources", "--", program], cwd=tmp_path
    )
    assert result.returncode == 0
    assert "cannot keep sources in" in result.stderr
    assert (tmp_path / "out" / "metadata.json").exists()
