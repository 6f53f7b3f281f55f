"""Names that would like to be markup, script or the end of something: the page shows them as
texts, in every view, and runs nothing of them."""

import json
import re

import pages
import pytest
import support

HEBREW = "\u05d0\u05d1\u05d2\u05d3"

# Each is the name of a function, of its file, of a thread and of a variable's value.
NAMES = [
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 2'>",
    "<!--<script>",
    "]]>\"'`;window.hacked=3//",
    "${window.hacked = 4}",
    "\u202eright-to-left\u202c and \u2066isolated",
    "new\nline\ttab\rreturn\x1b[31mred",
    "\u2028\u2029 \ufeff \U0001f600",
    "x" * 10_000,
    "javascript:window.hacked=5",
    "__proto__",
    "constructor",
    "\ud800lonely\udfff",  # no UTF-8
    "",
    "%s%n\\u003c&lt;&amp;",
    "\x7f\x9b31m\u200f\u061c\ufffe\uffff",
    HEBREW,
]

PROGRAM = r"""
import os, sys, threading

NAMES = __NAMES__

def template():
    return sum(range(200))

def deep(count):
    return deep(count - 1) if count else template()

def renamed(name, file, function=template):
    code = function.__code__.replace(co_name=name, co_filename=file)
    if hasattr(code, "co_qualname"):
        code = code.replace(co_qualname=name)
    return type(function)(code, globals())

def work():
    for name in NAMES:
        function = renamed(name, "/nowhere/" + name + ".py")
        for i in range(20):
            function()
    deep(50)

def main():
    work()
    for name in NAMES:
        thread = threading.Thread(target=work, name=name)
        thread.start()
        thread.join()

# As long as the run: every drawing has room for its name.
renamed("\u202ewhole\u202c", __file__, main)()
"""


def make_program(folder):
    program = folder / "title \u202e&lt;b>'quoted' <i> $(x).py"
    text = PROGRAM.replace("__NAMES__", ascii(NAMES))
    program.write_text(text, encoding="utf-8")
    return program


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    environment = {f"VALUE_{i}": name for i, name in enumerate(NAMES) if "\ud800" not in name}
    environment["</script><script>hacked(6)</script>"] = "name of a variable"
    environment["INVALID"] = "bytes \udcff\udcfe"
    result = support.run_kymo_python(
        support.interpreters()[-1],
        ["-T", "--keep-sources", "--", make_program(folder), "<b onclick='window.hacked=7'>"],
        cwd=folder,
        env={
            "KYMO_PYTHON_FUNCTION_EXCLUDE": "^$",
            "KYMO_PYTHON_MODULE_EXCLUDE": "^$",
            **environment,
        },
    )
    assert result.returncode == 0, result.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def page_path(run, tmp_path_factory):
    return pages.write_page(run, tmp_path_factory.mktemp("page"))


def test_file(page_path):
    """The file is UTF-8; its elements are those that the page made, one script of them."""
    text = page_path.read_text(encoding="utf-8")
    assert len(re.findall(r"<script>", text)) == 1
    sections = re.findall(r'<script type="[^"]*" id="kymo-[^"]*"[^>]*>([^<]*)</script>', text)
    assert len(sections) == text.count('id="kymo-')
    assert text.count("</script>") == len(sections) + 1
    assert "<img" not in text
    for each in re.findall(r'<script type="application/json" id="[^"]*">([^<]*)</script>', text):
        json.loads(each)


def names_on_page(page):
    return set(page.evaluate("() => window.kymo.data.regions.name"))


def test_names_are_whole(open_tab, page_path):
    tab = open_tab(page_path)
    names = names_on_page(tab.go("#overview"))
    for name in NAMES[:5] + NAMES[9:12]:
        assert any(name in each for each in names), name
    for each in (r"\u202eright-to-left\u202c", r"\x1b[31mred", r"\x7f\u009b31m\u200f", HEBREW):
        assert any(each in name for name in names), each
    assert any(each.startswith("x" * 1000) for each in names)
    assert any("lonely" in each for each in names)


def views_of(page):
    return page.locator("nav a").evaluate_all("all => all.map(each => each.dataset.view)")


def press_everything(tab, view):
    """Whatever can be pressed in the view is; views may change what there is meanwhile."""
    page = tab.page
    page.evaluate(
        """view => {
          for (const each of document.querySelectorAll(`.view-${view} button`))
            if (each.isConnected && !each.disabled) each.click();
          for (const each of document.querySelectorAll("dialog[open]")) each.close();
        }""",
        view,
    )
    for text in (NAMES[0], "x" * 500, ""):
        page.evaluate(
            """([view, text]) => {
              for (const each of document.querySelectorAll(`.view-${view} input[type=search]`)) {
                each.value = text;
                each.dispatchEvent(new Event("input", { bubbles: true }));
              }
            }""",
            [view, text],
        )


def test_every_view(open_tab, page_path):
    """No view runs, breaks or makes elements of a name; nothing is wider than the window."""
    tab = open_tab(page_path)
    page = tab.go()
    for view in views_of(page):
        tab.go(f"#{view}")
        press_everything(tab, view)
        tab.go(f"#{view}")
        assert page.evaluate("() => window.hacked") is None
        assert page.locator("main img, main script, main b, main iframe").count() == 0, view
        assert tab.overflow() <= 0, view


# Keeps what views draw: texts on canvases are nowhere else.
KEEP_DRAWN = """
window.drawn = [];
for (const name of ["fillText", "strokeText"]) {
  const draw = CanvasRenderingContext2D.prototype[name];
  CanvasRenderingContext2D.prototype[name] = function (text, ...others) {
    window.drawn.push(String(text));
    return draw.call(this, text, ...others);
  };
}
"""

# Every text of the view: in elements, in their attributes, drawn and in the title.
TEXTS = """view => {
  const host = document.querySelector(`.view-${view}`);
  const texts = [document.title, ...window.drawn];
  const all = document.createNodeIterator(document.body, NodeFilter.SHOW_ALL);
  for (let node = all.nextNode(); node; node = all.nextNode()) {
    if (node.parentElement?.closest("script")) continue;
    if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
    for (const each of node.attributes ?? []) texts.push(each.value);
  }
  return { texts, host: host.innerText, drawn: window.drawn };
}"""

# What turns directions, moves a terminal's cursor or is no character; lines of sources have tabs.
CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066\u2067\ufffe\uffff\ud800-\udfff]"
)


@pytest.mark.parametrize("view", ["overview", "flame", "table", "graph", "timeline", "ranks",
                                  "source", "notes"])  # fmt: skip
def test_no_control_is_shown(open_tab, page_path, view):
    """No view has a control in any text, and each shows it as the terminal does."""
    tab = open_tab(page_path, script=KEEP_DRAWN)
    page = tab.go(f"#{view}")
    # The timeline of many threads begins folded.
    wanted = {"overview": "", "source": "?file=0", "notes": "?filter=202e",
              "timeline": "?folds=t0.0"}.get(view)  # fmt: skip
    if wanted is None:
        region = page.evaluate(
            "() => window.kymo.data.regions.name.findIndex((each) => each.includes('202eright'))"
        )
        wanted = f"?region={region}"
    tab.go(f"#{view}{wanted}")
    if view == "source":
        page.locator("input[type=search]:visible").first.fill("right-to-left")
    found = page.evaluate(TEXTS, view)
    for text in found["texts"]:
        assert CONTROLS.search(text) is None, ascii(text)
        # Isolates come in pairs, around names that are written from right to left.
        assert text.count("\u2068") == text.count("\u2069"), ascii(text)
    shown = found["drawn"] if view in ("flame", "timeline") else [found["host"]]
    if view != "overview":
        assert any(r"\u202e" in text for text in shown), shown
    assert page.title().startswith(r"title \u202e&lt;b>")


# How far right the numbers behind a name are of the name, in pixels.
BEHIND = """([selector, name]) => {
  for (const host of document.querySelectorAll(selector)) {
    const text = host.textContent;
    const at = text.indexOf(name);
    const digit = text.slice(at + name.length).search(/[0-9]/) + at + name.length;
    if (at < 0 || digit < at + name.length || host.childNodes.length !== 1) continue;
    const place = (from, to) => {
      const range = document.createRange();
      range.setStart(host.firstChild, from);
      range.setEnd(host.firstChild, to);
      return range.getBoundingClientRect();
    };
    return place(digit, digit + 1).left - place(at, at + name.length).right;
  }
  return null;
}"""


def test_names_do_not_turn_what_follows(open_tab, page_path):
    """A number behind a name of Hebrew letters stands right of it."""
    tab = open_tab(page_path)
    page = tab.go("#flame")
    options = page.locator(".view-flame select option", has_text=HEBREW)
    assert f"\u2068{HEBREW}\u2069 #" in options.first.text_content()
    region = page.evaluate(
        "name => window.kymo.data.regions.name.findIndex((each) => each.startsWith(name))", HEBREW
    )
    tab.go(f"#graph?region={region}&nodes=0&edges=0")
    label = page.locator(f'.node[data-region="{region}"]').get_attribute("aria-label")
    assert label.startswith("\u2068" + HEBREW)
    # The same text on its own line, as a tooltip has it.
    page.evaluate(
        """label => {
          const line = document.createElement("div");
          line.className = "as-tooltip";
          line.textContent = label;
          document.body.append(line);
        }""",
        label,
    )
    assert page.evaluate(BEHIND, [".as-tooltip", HEBREW]) >= 0


def test_every_region(open_tab, page_path):
    """A link to each hostile region opens in each view that takes one."""
    tab = open_tab(page_path)
    page = tab.go()
    regions = page.evaluate(
        """names => window.kymo.data.regions.name.flatMap((name, i) =>
          names.some(each => each && name.includes(each.slice(0, 200))) ? [i] : []).slice(0, 40)""",
        [name for name in NAMES if "\ud800" not in name],
    )
    assert len(regions) >= 10
    for view in set(views_of(page)) & {"flame", "table", "graph", "ranks", "source"}:
        for region in regions:
            tab.go(f"#{view}?region={region}")
            assert page.evaluate("() => window.hacked") is None
    assert tab.overflow() <= 0


@pytest.mark.parametrize(
    "link",
    [
        "#source?file=99999999&line=-1",
        "#source?file=-1",
        "#source?region=1e309",
        "#source?file=constructor&line=__proto__",
        "#notes?filter=%2F(%2B%2F",
        "#notes?filter=%3Cscript%3E",
        "#overview?x=%00%ff",
        "#__proto__",
        "#constructor?a=b",
        "#</script><script>window.hacked=8</script>",
        "#table?region=-5&sort=constructor",
        "#flame?path=999999999&metric=__proto__",
    ],
)
def test_links(open_tab, page_path, link):
    """A link that was made up shows something, and no error."""
    tab = open_tab(page_path)
    page = tab.page
    page.goto(tab.url + link)
    tab.settle()
    assert page.evaluate("() => window.hacked") is None
    assert page.locator("main section.view:visible").count() == 1


def test_native_names(open_tab, tmp_path):
    """Annotated regions of C and their threads, likewise; bytes that are no UTF-8, too."""
    source = tmp_path / "native.c"
    texts = ",\n".join(
        '"' + "".join(f"\\{byte:03o}" for byte in name.encode("utf-8", "surrogatepass")) + '"'
        for name in NAMES[:12]
    )
    source.write_text(
        "#include <kymo/kymo.h>\nstatic const char *const names[] = {"
        + texts
        + ', "\\377\\376invalid"};\nint main(void)\n{\n'
        "\tfor (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {\n"
        "\t\tkymo_region_begin(names[i]);\n\t\tkymo_region_end(names[i]);\n\t}\n\treturn 0;\n}\n",
        encoding="utf-8",
    )
    binary = tmp_path / "native"
    include = support.REPOSITORY / "include"
    built = support.run(["cc", "-I", include, "-o", binary, source], cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    environment = {"KYMO_OUTPUT_PATH": tmp_path / "out", "KYMO_TIME_OUTPUT": "OFF"}
    result = support.run(
        [support.KYMO, "run", "-q", "--", binary],
        cwd=tmp_path,
        env=support.clean_environment(tmp_path, environment),
    )
    assert result.returncode == 0, result.stderr
    path = pages.write_page(tmp_path / "out", tmp_path)
    path.read_text(encoding="utf-8")
    tab = open_tab(path)
    page = tab.go("#overview")
    names = names_on_page(page)
    assert any("invalid" in each for each in names)
    assert NAMES[0] in names
    for view in views_of(page):
        tab.go(f"#{view}")
        assert page.evaluate("() => window.hacked") is None
        assert page.locator("main img, main script, main b").count() == 0
