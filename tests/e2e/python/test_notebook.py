"""%%kymo in a Jupyter kernel of every interpreter that can have one."""

import functools
import json
import re

import pytest
import support

pytestmark = pytest.mark.newest_version

nbclient = pytest.importorskip("nbclient", reason="nbclient drives the notebook")
nbformat = pytest.importorskip("nbformat", reason="nbformat makes the notebook")

SETUP = """%load_ext kymo
def leaf(n): return sum(range(n))
def twice(n): return leaf(n) + leaf(n)
"""


# Name and text of each cell of one notebook, in their order: wrong ones first, when nothing has
# been profiled yet.
CELLS = {
    "nothing": "%kymo",
    "many rows": "%kymo --top many 1",
    "text behind": "%%kymo 3\n4",
    "nonsense": "%kymo --instrumenter nonsense 1",
    "no trace": "%kymo --trace 1",
    "precious": "%kymo -o precious 1",
    "cell": "%%kymo\nx = twice(100)\nx + 1",
    "line": "%kymo twice(10)",
    "plain": "print(x)",
    "once": "%%kymo\ntwice(3)",
    "between": "for _ in range(50): twice(1)",
    "four times": "%%kymo\n" + "twice(3)\n" * 4,
    "two times": "%%kymo\n" + "twice(3)\n" * 2,
    "failing": "%%kymo\nleaf(2)\nraise ValueError('as usual')",
    "after": "%kymo leaf(3);",
    "wrong": "%%kymo\n1 +",
    "top": "%%kymo --top 1 --sort calls\nfor _ in range(100): twice(1)",
    "kept": "%kymo -o kept leaf(1)",
    "kept again": "%kymo -o kept leaf(2)",
    "script": "%%kymo\nname = 'f<script>x()</script>'\nnames = {'co_name': name}\n"
    "if hasattr(leaf.__code__, 'co_qualname'): names['co_qualname'] = name\n"
    "type(leaf)(leaf.__code__.replace(**names), globals())(1)",
    "page": "%kymo -o page leaf(1)",
}
TRACED_CELLS = {
    "traced": "%%kymo --trace --top 60 -o traced\nimport threading\n"
    "thread = threading.Thread(target=twice, args=(5,))\nthread.start()\nthread.join()",
    "after": "%kymo leaf(1)",
}


def install_kernel(python, packages, folder, monkeypatch):
    """The one kernel that Jupyter finds, and folders of its own."""
    kernel = folder / "jupyter" / "kernels" / "kymo"
    kernel.mkdir(parents=True)
    specification = {
        "argv": [python.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "kymo",
        "language": "python",
        "env": {"PYTHONPATH": f"{support.PACKAGE_DIR}:{packages}"},
    }
    (kernel / "kernel.json").write_text(json.dumps(specification))
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR", "TMPDIR"):
        (folder / name).mkdir()
        monkeypatch.setenv(name, str(folder / name))
    monkeypatch.setenv("JUPYTER_PATH", str(folder / "jupyter"))


def execute(cells, folder):
    """Run them in a fresh kernel; {name: outputs}."""
    document = nbformat.v4.new_notebook()
    document.cells = [nbformat.v4.new_code_cell(cell) for cell in (SETUP, *cells.values())]
    client = nbclient.NotebookClient(
        document,
        timeout=support.TIMEOUT_S,
        allow_errors=True,
        kernel_name="kymo",
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    assert document.cells[0].outputs == []
    return dict(zip(cells, (cell.outputs for cell in document.cells[1:])))


class Notebook:
    """A notebook that has been run, and the folder it was run in."""

    def __init__(self, python, cells, folder):
        packages = support.target_packages(python)
        if not (packages / "ipykernel").exists():
            pytest.skip(f"ipykernel is not installed for Python {python} (tools/setup_targets.sh)")
        (folder / "precious").mkdir()
        (folder / "precious" / "data").write_text("mine")
        with pytest.MonkeyPatch.context() as monkeypatch:
            install_kernel(python, packages, folder, monkeypatch)
            self.outputs = execute(cells, folder)
        self.folder = folder

    def __getitem__(self, name):
        return self.outputs[name]


@pytest.fixture(scope="module")
def notebooks(tmp_path_factory):
    """notebooks(python, is_traced): a Notebook, run once."""

    @functools.lru_cache(maxsize=None)
    def run(python, is_traced):
        folder = tmp_path_factory.mktemp("notebook")
        return Notebook(python, TRACED_CELLS if is_traced else CELLS, folder)

    return run


@pytest.fixture
def notebook(python, notebooks):
    return notebooks(python, False)


def prompt(name):
    """What the region of a cell is called."""
    return f"In [{[*CELLS].index(name) + 2}]"


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
    text, html = shown(notebook["cell"])
    assert calls_in(text) == {prompt("cell"): 1, "twice": 1, "leaf": 2}
    assert "<code>twice</code>" in html and "<td>2</td>" in html
    results = [each for each in notebook["cell"] if each.output_type == "execute_result"]
    assert [each.data["text/plain"] for each in results] == ["9901"]
    line = calls_in(shown(notebook["line"])[0])
    assert line == {prompt("line"): 1, "twice": 1, "leaf": 2}
    assert notebook["plain"][0].text == "9900\n"


def test_each_cell_has_its_own_numbers(notebook):
    """However often cells were run before, and whatever ran between them."""
    counts = [calls_in(shown(notebook[name])[0]) for name in ("once", "four times", "two times")]
    assert [each["leaf"] for each in counts] == [2, 8, 4]
    assert all(len(each) == 3 for each in counts)


def test_errors_are_shown_as_usual(notebook):
    failing, after, wrong = (notebook[name] for name in ("failing", "after", "wrong"))
    assert [(each.ename, each.evalue) for each in failing if each.output_type == "error"] == [
        ("ValueError", "as usual")
    ]
    assert calls_in(shown(failing)[0])["leaf"] == 1
    assert calls_in(shown(after)[0])["leaf"] == 1
    assert [each.output_type for each in after] == ["display_data"]
    assert [each.ename for each in wrong] == ["SyntaxError"]


def test_options(notebook):
    top = shown(notebook["top"])[0]
    assert list(calls_in(top)) == ["leaf"]
    assert "more regions" in top
    # The kernel's own callbacks may come in, when rubbish is collected.
    kept = support.region_calls(notebook.folder / "kept")
    assert (kept[prompt("kept again")], kept["leaf"]) == (1, 1)
    assert "run        kept" in shown(notebook["kept again"])[0]


def test_trace_and_threads(python, notebooks):
    notebook = notebooks(python, True)
    assert calls_in(shown(notebook["traced"])[0])["leaf"] == 2
    result = support.run_kymo(
        ["export", "--format", "chrome", "-o", "t.json", "traced"], cwd=notebook.folder
    )
    assert result.returncode == 0, result.stderr
    text = (notebook.folder / "t.json").read_text()
    assert text.count('"name":"leaf"') == 2
    assert calls_in(shown(notebook["after"])[0])["leaf"] == 1


def test_wrong_use(notebook):
    def said(name):
        return "".join(each.get("text", "") for each in notebook[name])

    assert "what is to be profiled?" in said("nothing")
    assert "--top takes a whole number, not 'many'" in said("many rows")
    assert "unexpected '3'" in said("text behind")
    assert "nonsense" in said("nonsense")
    assert "this kernel records no trace" in said("no trace")
    assert "'precious' holds more than an older cell" in said("precious")
    assert (notebook.folder / "precious" / "data").read_text() == "mine"


def test_names_cannot_script_the_notebook(notebook):
    html = shown(notebook["script"])[1]
    assert "<script>" not in html
    assert "<code>f&lt;script&gt;x()&lt;/script&gt;</code>" in html


def test_page_is_linked(notebook):
    html = shown(notebook["page"])[1]
    assert '<iframe src="page.html"' in html
    assert (notebook.folder / "page.html").stat().st_size > 1000


def test_nothing_is_left_behind(notebook):
    left = (notebook.folder / "TMPDIR").iterdir()
    assert [path for path in left if "kymo" in path.name] == []


def test_import_stays_light(newest_python, tmp_path):
    """Neither IPython nor pytest, nor anything else, is loaded before it is asked for."""
    code = "import kymo, sys; print([n for n in ('IPython', 'pytest', 'json') if n in sys.modules])"
    result = support.run(
        [newest_python.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": support.PACKAGE_DIR},
    )
    assert result.stdout == "[]\n", result.stderr
