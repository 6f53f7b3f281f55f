"""Functions of the same name are told apart by their classes in what is exported, where the
interpreter says which those are (from 3.11 on) and the format has no fixed names of its own."""

import pytest
import support

PROGRAM = """
class First:
    def __init__(self): self.second = Second()
class Second:
    def __init__(self): self.x = 1
class Outer:
    class Inner:
        def __init__(self): self.first = First()
for _ in range(3): Outer.Inner()
"""
NAMES = ["First.__init__", "Second.__init__", "Outer.Inner.__init__"]
FORMATS = ["callgrind", "chrome", "collapsed", "firefox", "perfetto", "speedscope"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("qualnames")
    (folder / "program.py").write_text(PROGRAM)
    done = support.run_kymo_python("3.12", ["-q", "-T", "program.py"], cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.mark.parametrize("name", FORMATS)
def test_classes_are_in_the_names(run, name, tmp_path):
    exported = tmp_path / f"exported.{name}"
    done = support.run_kymo(["export", run, "--format", name, "-o", exported], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    written = exported.read_bytes()
    for each in NAMES:
        assert each.encode() in written
    # None is without its class.
    assert written.count(b"__init__") == sum(written.count(each.encode()) for each in NAMES)
