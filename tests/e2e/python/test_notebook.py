"""%%kymo in a Jupyter kernel of every interpreter that can have one."""

import json
import re

import pytest
import support

pytestmark = pytest.mark.alike_versions

nbclient = pytest.importorskip("nbclient", reason="nbclient drives the notebook")
nbformat = pytest.importorskip("nbformat", reason="nbformat makes the notebook")

SETUP = """%load_ext kymo
def leaf(n): return sum(range(n))
def twice(n): return leaf(n) + leaf(n)
"""


@pytest.fixture
def notebook(python, tmp_path, monkeypatch):
    """notebook(*cells): run them in a fresh kernel; the outputs of each cell."""
    packages = support.target_packages(python)
    if not (packages / "ipykernel").exists():
        pytest.skip(f"ipykernel is not installed for Python {python} (tools/setup_targets.sh)")
    kernel = tmp_path / "jupyter" / "kernels" / "kymo"
    kernel.mkdir(parents=True)
    specification = {
        "argv": [python.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "kymo",
        "language": "python",
        "env": {"PYTHONPATH": f"{support.PACKAGE_DIR}:{packages}"},
    }
    (kernel / "kernel.json").write_text(json.dumps(specification))
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR", "TMPDIR"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))

    def run(*cells):
        document = nbformat.v4.new_notebook()
        document.cells = [nbformat.v4.new_code_cell(cell) for cell in (SETUP, *cells)]
        client = nbclient.NotebookClient(
            document,
            timeout=support.TIMEOUT_S,
            allow_errors=True,
            kernel_name="kymo",
            resources={"metadata": {"path": str(tmp_path)}},
        )
        client.execute()
        assert document.cells[0].outputs == []
        return [cell.outputs for cell in document.cells[1:]]

    return run


def shown(outputs):
    """The text and the HTML of the one profile among a cell's outputs."""
    found = [each for each in outputs if each.output_type == "display_data"]
    assert len(found) == 1, outputs
    return found[0].data["text/plain"], found[0].data["text/html"]


def calls_in(text):
    """{region: calls} of the table."""
    table = text[text.index("REGION") :].splitlines()[1:]
    found = {}
    for line in table:
        match = re.match(r" *[\d.]+ +[\d.]+ \w+ +[\d.]+ \w+ +([\d,]+) +[\d.]+ \w+  (\S.*)$", line)
        if match:
            found[match.group(2).split("  ")[0]] = int(match.group(1))
    return found


def test_cell_and_statement(notebook):
    cell, line, plain = notebook("%%kymo\nx = twice(100)\nx + 1", "%kymo twice(10)", "print(x)")
    text, html = shown(cell)
    assert calls_in(text) == {"In [2]": 1, "twice": 1, "leaf": 2}
    assert "<code>twice</code>" in html and "<td>2</td>" in html
    assert [each.data["text/plain"] for each in cell if each.output_type == "execute_result"] == [
        "9901"
    ]
    assert calls_in(shown(line)[0]) == {"In [3]": 1, "twice": 1, "leaf": 2}
    assert plain[0].text == "9900\n"


def test_each_cell_has_its_own_numbers(notebook):
    """However often cells were run before, and whatever ran between them."""
    cells = ["%%kymo\n" + "twice(3)\n" * count for count in (1, 4, 2)]
    outputs = notebook(cells[0], "for _ in range(50): twice(1)", cells[1], cells[2])
    counts = [calls_in(shown(outputs[i])[0]) for i in (0, 2, 3)]
    assert [each["leaf"] for each in counts] == [2, 8, 4]
    assert all(len(each) == 3 for each in counts)


def test_errors_are_shown_as_usual(notebook):
    failing, after, wrong = notebook(
        "%%kymo\nleaf(2)\nraise ValueError('as usual')", "%kymo leaf(3);", "%%kymo\n1 +"
    )
    assert [(each.ename, each.evalue) for each in failing if each.output_type == "error"] == [
        ("ValueError", "as usual")
    ]
    assert calls_in(shown(failing)[0])["leaf"] == 1
    assert calls_in(shown(after)[0])["leaf"] == 1
    assert [each.output_type for each in after] == ["display_data"]
    assert [each.ename for each in wrong] == ["SyntaxError"]


def test_options(notebook, tmp_path):
    top, _kept, again = notebook(
        "%%kymo --top 1 --sort calls\nfor _ in range(100): twice(1)",
        "%kymo -o kept leaf(1)",
        "%kymo -o kept leaf(2)",
    )
    assert list(calls_in(shown(top)[0])) == ["leaf"]
    assert "more regions" in shown(top)[0]
    # The kernel's own callbacks may come in, when rubbish is collected.
    kept = support.region_calls(tmp_path / "kept")
    assert (kept["In [4]"], kept["leaf"]) == (1, 1)
    assert "run        kept" in shown(again)[0]


def test_trace_and_threads(notebook, tmp_path):
    first, second = notebook(
        "%%kymo --trace --top 60 -o traced\nimport threading\n"
        "thread = threading.Thread(target=twice, args=(5,))\nthread.start()\nthread.join()",
        "%kymo leaf(1)",
    )
    assert calls_in(shown(first)[0])["leaf"] == 2
    result = support.run_kymo(
        ["export", "--format", "chrome", "-o", "t.json", "traced"], cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    text = (tmp_path / "t.json").read_text()
    assert text.count('"name":"leaf"') == 2
    assert calls_in(shown(second)[0])["leaf"] == 1


def test_wrong_use(notebook, tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "data").write_text("mine")
    outputs = notebook(
        "%kymo", "%kymo --top many 1", "%%kymo 3\n4", "%kymo --instrumenter nonsense 1",
        "%kymo --trace 1", "%kymo -o precious 1",
    )  # fmt: skip
    said = ["".join(each.get("text", "") for each in cell) for cell in outputs]
    assert "what is to be profiled?" in said[0]
    assert "--top takes a whole number, not 'many'" in said[1]
    assert "unexpected '3'" in said[2]
    assert "nonsense" in said[3]
    assert "this kernel records no trace" in said[4]
    assert "'precious' holds more than an older cell" in said[5]
    assert (tmp_path / "precious" / "data").read_text() == "mine"


def test_names_cannot_script_the_notebook(notebook):
    (outputs,) = notebook(
        "%%kymo\nname = 'f<script>x()</script>'\nnames = {'co_name': name}\n"
        "if hasattr(leaf.__code__, 'co_qualname'): names['co_qualname'] = name\n"
        "type(leaf)(leaf.__code__.replace(**names), globals())(1)"
    )
    html = shown(outputs)[1]
    assert "<script>" not in html
    assert "<code>f&lt;script&gt;x()&lt;/script&gt;</code>" in html


def test_page_is_linked(notebook, tmp_path):
    (outputs,) = notebook("%kymo -o kept leaf(1)")
    html = shown(outputs)[1]
    assert '<iframe src="kept.html"' in html
    assert (tmp_path / "kept.html").stat().st_size > 1000


def test_nothing_is_left_behind(notebook, tmp_path):
    notebook("%kymo leaf(1)")
    assert [path for path in (tmp_path / "TMPDIR").iterdir() if "kymo" in path.name] == []


def test_import_stays_light(newest_python, tmp_path):
    """Neither IPython nor pytest, nor anything else, is loaded before it is asked for."""
    code = "import kymo, sys; print([n for n in ('IPython', 'pytest', 'json') if n in sys.modules])"
    result = support.run(
        [newest_python.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": support.PACKAGE_DIR},
    )
    assert result.stdout == "[]\n", result.stderr
