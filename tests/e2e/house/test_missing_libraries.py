"""`kymo` where one of its libraries is missing: it starts, says which one, and does the rest."""

import json
import os
import re
import subprocess

import pytest
import support

SOURCE = """
__attribute__((noinline)) int leaf(int n) { return n + 1; }
int main(int argc, char **argv)
{
    int n = 0, most = argc > 1 ? 200000000 : 1000;
    (void)argv;
    for (int i = 0; i < most; i++) n = leaf(n);
    return n == 0;
}
"""
LIBRARIES = ["libelf", "libdw", "libz", "libyajl", "libutf8proc", "libZydis"]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    (folder / "work.c").write_text(SOURCE)
    subprocess.run(
        ["gcc", "-g", "-O1", "-o", str(folder / "work"), str(folder / "work.c")], check=True
    )
    return folder / "work"


def names_of(library):
    """As kymo knows it: in its text, with the number of its interface."""
    text = support.KYMO.resolve().read_bytes()
    return sorted(
        {name.decode() for name in re.findall(rb"%s\.so\.[0-9.]+" % library.encode(), text)}
    )


@pytest.fixture
def without(tmp_path):
    """Runs kymo where the loader finds an empty file in the place of a library."""

    def run(library, words):
        names = names_of(library)
        if not names:
            pytest.skip(f"this kymo is linked with {library}, or built without it")
        folder = tmp_path / f"no-{library}"
        folder.mkdir(exist_ok=True)
        for name in names:
            (folder / name).touch()
        env = support.clean_environment(
            tmp_path, {"LD_LIBRARY_PATH": folder, "KYMO_OUTPUT_PATH": tmp_path / "out"}
        )
        return subprocess.run(
            [str(word) for word in [support.KYMO, *words]],
            cwd=str(tmp_path),
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=support.TIMEOUT_S,
        )

    return run


def test_libraries_are_loaded_where_they_are_used():
    needed = subprocess.run(
        ["readelf", "-d", str(support.KYMO.resolve())], capture_output=True, text=True, check=True
    ).stdout
    found = re.findall(r"NEEDED.*\[(.*)\]", needed)
    for library in LIBRARIES:
        if names_of(library):
            assert not [name for name in found if name.startswith(library)]


@pytest.mark.parametrize("library", LIBRARIES)
def test_runs_and_reports(without, program, library):
    """Where nothing of the library is needed, nothing is said of it."""
    result = without(library, ["--version"])
    assert (result.returncode, result.stderr) == (0, "")
    result = without(library, ["run", "--", program])
    assert result.returncode == 0 and "kymo report" in result.stderr, result.stderr
    assert result.stderr.count(f"kymo: {library}") <= 1


@pytest.mark.parametrize("library", ["libelf", "libdw"])
def test_samples_without_names(without, program, library):
    result = without(library, ["sample", "--", program, "long"])
    assert result.returncode == 0 and "kymo report" in result.stderr, result.stderr
    assert result.stderr.count("Debian has it in libelf1") == (library == "libelf")
    result = without(library, ["report", "--lines", "out"])
    assert f"Debian has it in {library}1" in result.stderr, result.stderr


def test_functions_are_refused(without, program):
    result = without("libZydis", ["run", "--functions", "--", program])
    assert "libZydis" in result.stderr and "Debian has it in libzydis4" in result.stderr


def test_json_is_refused(without, tmp_path):
    (tmp_path / "trace.json").write_text(json.dumps({"traceEvents": []}))
    result = without("libyajl", ["import", "trace.json"])
    assert result.returncode != 0 and "libyajl2" in result.stderr


def test_exports_are_written_as_they_are(without, program, tmp_path):
    assert without("libz", ["run", "-q", "--", program]).returncode == 0
    result = without("libz", ["export", "--format", "pprof", "-o", "run.pb", "out"])
    assert result.returncode == 0 and result.stderr.count("zlib1g") == 1, result.stderr
    assert (tmp_path / "run.pb").read_bytes()[:2] != b"\x1f\x8b"
    result = without("libz", ["view", "-o", "page.html", "out"])
    assert result.returncode == 0 and os.path.getsize(tmp_path / "page.html") > 0
