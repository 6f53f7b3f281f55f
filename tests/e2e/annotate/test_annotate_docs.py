"""docs/annotate.md and the manual page: their examples compile, their lists are complete."""

import re

import annotate_runs as annotate
import pytest
import support

PAGE = (support.REPOSITORY / "docs" / "annotate.md").read_text()
MANUAL = (support.REPOSITORY / "docs" / "man" / "kymo.h.3.md").read_text()
HEADERS = "".join(
    (annotate.INCLUDE / "kymo" / name).read_text() for name in ("kymo.h", "macros.h", "abi.h")
)
MODULE = annotate.INCLUDE / "kymo" / "kymo.f90"

# What the page says its examples leave out.
PRELUDE = "#include <kymo/kymo.h>\nvoid work(int step);\n"
LANGUAGES = {
    "c": [["gcc", "-std=c11"], ["clang", "-std=c11"]],
    "cpp": [["g++", "-std=c++11"], ["clang++", "-std=c++11"]],
}


def examples(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_compile(tmp_path, language):
    found = examples(language)
    assert found
    for number, text in enumerate(found):
        source = tmp_path / f"{number}.{language}"
        source.write_text(PRELUDE + text)
        for command in LANGUAGES[language]:
            line = [*command, *annotate.WARNINGS, f"-I{annotate.INCLUDE}", "-c", source]
            result = support.run([*line, "-o", tmp_path / "o"], cwd=tmp_path)
            assert result.returncode == 0, result.stderr


def test_fortran_example_is_recorded(tmp_path):
    (text,) = examples("fortran")
    (tmp_path / "heat.f90").write_text(text)
    result = support.run(["gfortran", MODULE, "heat.f90", "-o", "heat"], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    _, (recording,) = annotate.run(tmp_path, [tmp_path / "heat"])
    tree = annotate.paths(recording)
    assert tree["heat"] == 1 and tree["heat/step=10/steps"] == 1
    assert annotate.points(recording)["residual"][:2] == [1.0, 0.5]


def functions():
    return set(re.findall(r"^static inline [^=;]*?\b\*?(kymo_\w+)\(", HEADERS, re.MULTILINE))


def test_manual_page_lists_every_function():
    internal = {"kymo_api_now", *re.findall(r"kymo_(?:site|scope)_\w+", HEADERS)}
    listed = set(re.findall(r"\b(kymo_\w+)\(", MANUAL.split("## DESCRIPTION")[0]))
    assert listed == functions() - internal


def test_manual_page_lists_every_macro():
    defined = set(re.findall(r"^#define (KYMO_\w+)", HEADERS, re.MULTILINE))
    helpers = {name for name in defined if re.match(r"KYMO_\w+_H$", name)} | {
        *("KYMO_CALL", "KYMO_JOIN", "KYMO_JOIN_EXPANDED", "KYMO_TEXT", "KYMO_TEXT_EXPANDED"),
        *("KYMO_HERE", "KYMO_AT", "KYMO_COUNT", "KYMO_SITE", "KYMO_SCOPE"),
        *("KYMO_API_VERSION", "KYMO_DISABLE"),
    }
    listed = set(re.findall(r"\b(KYMO_[A-Z_]+)\b", MANUAL.split("## DESCRIPTION")[0]))
    assert listed == defined - helpers


def test_results_are_told_alike():
    values = dict(
        re.findall(
            r"^\t(KYMO_\w+) = (\d),",
            HEADERS.split("enum kymo_result {")[1].split("};")[0],
            re.MULTILINE,
        )
    )
    told = dict(re.findall(r"^\| `(KYMO_\w+)` (\d) \|", PAGE, re.MULTILINE))
    manual = dict(re.findall(r"^`(KYMO_\w+)`\n:   (\d):", MANUAL, re.MULTILINE))
    module = {
        f"KYMO_{name.upper()}": value
        for name, value in re.findall(r"kymo_(\w+) = (\d)", MODULE.read_text())
    }
    assert told == values == module
    assert {"KYMO_SUCCESS": "0", **manual} == values


def test_module_is_described_whole():
    public = set(
        re.findall(
            r"kymo_\w+",
            " ".join(re.findall(r"^   public :: (.*)", MODULE.read_text(), re.MULTILINE)),
        )
    )
    section = PAGE.split("## Fortran")[1]
    for name in public:
        stem, _, last = name.rpartition("_")
        assert f"`{name}`" in section or (f"`{stem}" in section and f"`_{last}`" in section), name


def test_table_of_the_module_is_that_of_the_header():
    fields = re.findall(r"\(\*(\w+)\)", HEADERS.split("struct kymo_api {")[1].split("};")[0])
    table = MODULE.read_text().split("type, bind(C) :: api_table")[1].split("end type")[0]
    names = re.findall(r"type\(c_funptr\) :: (.*)", table)
    assert ", ".join(names).split(", ") == fields


def test_demo_shows_its_names(tmp_path):
    source = support.REPOSITORY / "demo" / "annotated.c"
    program = annotate.compile(tmp_path, source, "-lm", output="annotated")
    bare = support.run([program], cwd=tmp_path)
    assert bare.stdout.startswith("mean tide ")
    output, (recording,) = annotate.run(tmp_path, [program], TRACE="ON")
    assert output == bare.stdout
    tree = annotate.paths(recording)
    assert tree["reckoning/harbour=3/tide"] == 1 and tree["reckoning/harbour=3/harbours"] == 1
    assert len(annotate.points(recording)["height"]) == 4
