"""Runs that several formats are tried with."""

import pytest
import support
from test_export import record

HOSTILE = """
import threading

def spin(count):
    return sum(i * i for i in range(count))

names = ['quo"te', "new\\nline", "back\\\\slash\\\\", "a</script>", "(1) x", "\\u202eleft",
         "x" * 10000, "b<b>&amp;</b>", "{a|b}", "%s%n", "   ", "fn=(7)", "lone\\udc80"]
made = []
for index, name in enumerate(names):
    space = {"spin": spin}
    file = f"folder/{index}\\"\\n{name[:100]}.py"
    source = "def f():\\n    spin(20000)\\n"
    exec(compile(source, file.encode("utf-8", "replace").decode(), "exec"), space)
    function = space["f"]
    changes = {"co_name": name}
    if hasattr(function.__code__, "co_qualname"):
        changes["co_qualname"] = name
    try:
        function.__code__ = function.__code__.replace(**changes)
    except UnicodeEncodeError:
        pass
    made.append(function)

def main():
    for function in made:
        function()
    again(12)

def again(depth):
    spin(5000)
    if depth:
        other(depth - 1)

def other(depth):
    if depth:
        again(depth - 1)

main()
worker = threading.Thread(target=main, name='wor"ker')
worker.start()
worker.join()
"""


@pytest.fixture(scope="session")
def hostile_run(tmp_path_factory):
    """A run whose functions and files have names of all kinds."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "program.py").write_text(HOSTILE, encoding="utf-8")
    return record(support.interpreters()[-1], folder, program=folder / "program.py")


@pytest.fixture(scope="session")
def plain_run(tmp_path_factory):
    return record(support.interpreters()[-1], tmp_path_factory.mktemp("plain"))


def sample(folder, program):
    """A run of samples of the program."""
    python = support.interpreters()[-1]
    options = ["-q", "-f", "200", "-o", folder / "out", "--time-output=OFF"]
    result = support.run_kymo(["sample", *options, "--", python.executable, program], cwd=folder)
    assert result.returncode == 0, result.stderr
    return folder / "out"


@pytest.fixture(scope="session")
def sampled_run(tmp_path_factory):
    return sample(tmp_path_factory.mktemp("sampled"), support.program("exported_samples.py"))
