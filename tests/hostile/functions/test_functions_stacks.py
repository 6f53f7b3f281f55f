"""Programs whose stacks are copied, or walked by return addresses: they run as they do bare, and
what is recorded of them says what it cannot know."""

import json
import shutil

import functions_support as functions
import native_support as native
import pytest
import support
from cases import long_except

PYTHON = "3.11"


@pytest.fixture
def greenlets():
    """The command of a program in which greenlets switch in the midst of calls of C functions."""
    packages = support.target_packages(support.interpreter(PYTHON))
    if not (packages / "greenlet").exists():
        pytest.skip(f"there is no greenlet for Python {PYTHON}")
    program = support.program("py_greenlets_in_calls.py")
    return [support.interpreter(PYTHON).executable, program], {"PYTHONPATH": packages}


def instrumented(command, cost, cwd, env, *options):
    line = [support.KYMO, "instrument", "-q", "--cost", cost, *options, "--", *command]
    return native.run_line(line, cwd, env=functions.environment(env))


@pytest.mark.parametrize("cost", long_except(functions.COSTS, "counts", "full"))
def test_greenlets(tmp_path, cost, greenlets):
    command, env = greenlets
    bare = native.run_line(command, tmp_path, env=env)
    result = instrumented(command, cost, tmp_path, env, "-MI", "python", "-MI", "greenlet")
    assert (result.returncode, result.stdout) == (0, bare.stdout)
    assert "switches" in result.stdout
    (said,) = [line for line in result.stderr.splitlines() if line.startswith("kymo")]
    assert "copies stacks" in said


def test_greenlets_with_patched_exits(tmp_path, greenlets):
    """Ends are seen where nothing has to be called: no line is said."""
    command, env = greenlets
    bare = native.run_line(command, tmp_path, env=env)
    env = {**env, "KYMO_FUNCTIONS_NO_CALLS": "ON"}
    result = instrumented(command, "counts", tmp_path, env, "-MI", "python", "-MI", "greenlet")
    assert (result.returncode, result.stdout) == (0, bare.stdout)
    assert not [line for line in result.stderr.splitlines() if line.startswith("kymo")]


def ways(program, cost, cwd, env=None):
    line = [support.KYMO, "instrument", "--simulate", "--cost", cost, "--print-dir", cwd / "lists"]
    result = native.run_line(
        [*line, "--print-format", "json", "--", program], cwd, env=functions.environment(env)
    )
    assert result.returncode == 0, result
    (path,) = (cwd / "lists").glob("available*.json")
    listed = json.loads(path.read_text())["functions"]
    return {function["linkage_name"]: function["way"] for function in listed}


WALKED = """
int mix(int a, int b);
int mix(int a, int b)
{
	for (int i = 0; i < b; i++)
		a = a * 31 + i;
	return (a ^ 0x12345) + b * 3;
}
%s
int main(int argc, char **argv) { (void)argv; return mix(argc, 0) - argc; }
"""


def compiled(tmp_path, more):
    source = tmp_path / "walked.c"
    source.write_text(WALKED % more)
    program = tmp_path / "walked"
    native.run_line(["gcc", "-O2", "-fno-inline", "-rdynamic", "-o", program, source], tmp_path)
    return program


def test_counts_call_where_exits_could_be_patched(tmp_path):
    program = compiled(tmp_path, "")
    assert ways(program, "counts", tmp_path)["mix"] == "call"
    assert ways(program, "full", tmp_path)["mix"] == "exits"
    no_calls = {"KYMO_FUNCTIONS_NO_CALLS": "ON"}
    assert ways(program, "counts", tmp_path, no_calls)["mix"] == "exits"


@pytest.mark.parametrize("name", ["JNI_CreateJavaVM", "_ZN2v87IsolateC2Ev", "caml_call_gc"])
def test_nothing_is_called_where_stacks_are_walked(tmp_path, name):
    program = compiled(tmp_path, f"int {name}(void); int {name}(void) {{ return 1; }}")
    for cost in functions.COSTS:
        found = ways(program, cost, tmp_path)
        assert found["mix"] == "exits" and "call" not in found.values()


def test_node(tmp_path):
    """V8 walks its stacks whenever memory is collected."""
    if not shutil.which("node"):
        pytest.skip("there is no node")
    script = tmp_path / "garbage.js"
    script.write_text(
        "const kept = [];\n"
        "for (let i = 0; i < 300000; i++) kept.push({number: i, text: String(i)});\n"
        "kept.sort((a, b) => b.number - a.number);\n"
        "try { JSON.parse('{'); } catch (error) { console.log(error.stack.length > 0); }\n"
        "console.log(kept[0].text);\n"
    )
    command = [shutil.which("node"), script]
    bare = native.run_line(command, tmp_path)
    result = instrumented(command, "counts", tmp_path, {})
    assert (result.returncode, result.stdout) == (0, bare.stdout)
