"""kymo avail: the lists, their filters and forms, and the configurations it generates."""

import csv
import io
import json
import re
import xml.etree.ElementTree

import pytest
from support import BUILD, REPOSITORY, run_kymo

SETTINGS_HEADER = "ENVIRONMENT VARIABLE,VALUE,DATA TYPE,DESCRIPTION,CATEGORIES,"
COMPONENTS_HEADER = "COMPONENT,AVAILABLE,VALUE_TYPE,STRING_IDS,FILENAME,DESCRIPTION,CATEGORY,"


@pytest.fixture
def avail(tmp_path):
    """avail(*args, **env): standard output of a run that must succeed without a warning."""

    def run(*args, **env):
        done = run_kymo(["avail", *args], cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout

    return run


@pytest.fixture
def refused(tmp_path):
    """refused(status, *args, **env): the one line that says why a run failed."""

    def run(status, *args, **env):
        done = run_kymo(["avail", *args], cwd=tmp_path, env=env)
        assert done.returncode == status, done.stderr
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1 and done.stderr.startswith("kymo: ")
        return done.stderr[len("kymo: ") : -1]

    return run


def first_cells(table):
    """The first column of a boxed table, without headings."""
    rows = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| ")]
    return [cell for cell in rows if (cell and not cell.isupper()) or cell.startswith("KYMO_")]


def settings(avail, **env):
    """Every setting's value, but for where they come from."""
    rows = list(csv.reader(io.StringIO(avail("--csv", "--advanced", **env))))
    return {row[0]: row[1] for row in rows[1:] if row[0] != "KYMO_CONFIG_FILE"}


def test_settings_are_listed_by_default(avail):
    text = avail()
    assert text == avail("-S")
    assert re.search(r"^\| KYMO_OUTPUT_PATH +\| kymo-%tag%-output +\| Output folder", text, re.M)
    assert "KYMO_RUN_DIR" not in text
    assert "KYMO_RUN_DIR" in avail("--advanced")


def test_values_are_the_current_ones(avail, tmp_path):
    (tmp_path / ".kymo.cfg").write_text("KYMO_MAX_DEPTH = 77\nKYMO_WIDTH = 5\n")
    values = settings(avail, KYMO_WIDTH="6")
    assert values["KYMO_MAX_DEPTH"] == "77"
    assert values["KYMO_WIDTH"] == "6"


def test_components(avail):
    names = first_cells(avail("-C"))
    assert {"wall_clock", "trip_count", "peak_rss", "thread_cpu_util"} <= set(names)
    assert names != sorted(names)
    assert first_cells(avail("-C", "--alphabetical")) == sorted(names)


def test_output_keys(avail):
    assert "%argt_hash%" in avail("--list-keys")
    expanded = avail("--expand-keys")
    assert re.search(r"^\| %tag% +\| +\| kymo-avail +\|", expanded, re.M)
    assert re.search(r"^\| %pid% +\| %p +\| [0-9]+ +\|", expanded, re.M)


def test_collectors_name_what_is_missing(avail):
    rows = list(csv.reader(io.StringIO(avail("--collectors", "--csv"))))
    found = {row[0]: row for row in rows[1:]}
    has_modules = any((BUILD / "python" / "kymo").glob("_native.cpython-*.so"))
    assert found["python.cProfile"][1] == ("true" if has_modules else "false")
    missing = [row for row in rows[1:] if row[1] == "false"]
    assert all("python3-dev" in row[3] for row in missing)
    available = first_cells(avail("--collectors", "-A")) if has_modules else []
    assert available == [row[0] for row in rows[1:] if row[1] == "true"]


def test_each_collector_is_listed_with_what_switches_it_on(avail):
    rows = {row[0]: row for row in csv.reader(io.StringIO(avail("--collectors", "--csv")))}
    folders = (REPOSITORY / "src" / "collectors").glob("*/CMakeLists.txt")
    for name in [path.parent.name for path in folders]:
        assert rows[name][1] == "true" and rows[name][3] == f"libkymo-{name}.so"
    assert re.search(r"^\| sampler .*\| KYMO_SAMPLING +\|$", avail("--collectors"), re.M)


def test_exporters(avail):
    assert {"perfetto", "pstats", "speedscope"} <= set(first_cells(avail("--exporters")))


def test_categories(avail):
    assert {"output", "python", "timing"} <= set(first_cells(avail("--list-categories")))


def test_what_is_not_in_this_build(avail):
    rows = list(csv.reader(io.StringIO(avail("--not-built", "--csv"))))
    needs = {row[0].lstrip("'"): row[2] for row in rows}
    assert needs["--device"] == "a GPU collector" and "--mode causal" in needs
    assert first_cells(avail("--not-built", "-A")) == []


def test_all(avail):
    text = avail("-a")
    titles = ["SETTINGS", "COMPONENTS", "COLLECTORS", "EXPORTERS", "OUTPUT KEYS"]
    positions = [re.search(rf"^\| +{title} +\|$", text, re.M).start() for title in titles]
    assert positions == sorted(positions)


def test_filters(avail):
    names = first_cells(avail("-b", "-r", "OUTPUT$"))
    assert "KYMO_TEXT_OUTPUT" in names and all(name.endswith("OUTPUT") for name in names)
    assert first_cells(avail("-b", "OUTPUT$")) == names
    assert first_cells(avail("-b", "OUTPUT$", "~JSON", "~TREE")) == [
        name for name in names if "JSON" not in name and "TREE" not in name
    ]
    assert first_cells(avail("-b", "-r", "^KYMO_PROFILE$", "^KYMO_TRACE$")) == [
        "KYMO_PROFILE",
        "KYMO_TRACE",
    ]
    assert avail("-b", "text_output") == ""
    assert first_cells(avail("-b", "-i", "text_output")) == ["KYMO_TEXT_OUTPUT"]


def test_filters_see_what_is_shown(avail):
    assert "KYMO_TIME_FORMAT" in first_cells(avail("strftime"))
    assert avail("-b", "strftime") == ""


def test_category_filter(avail):
    names = first_cells(avail("-b", "-R", "^python"))
    assert names and all(name.startswith("KYMO_PYTHON_") for name in names)
    assert not set(names) & set(first_cells(avail("-b", "-R", "~python")))


def test_columns(avail):
    def headings(*args):
        line = next(line for line in avail(*args).splitlines() if "ENVIRONMENT" in line)
        return [cell.strip() for cell in line.strip("|").split("|")]

    assert headings() == ["ENVIRONMENT VARIABLE", "VALUE", "DESCRIPTION"]
    assert headings("-b") == ["ENVIRONMENT VARIABLE"]
    assert headings("-bd") == ["ENVIRONMENT VARIABLE", "DESCRIPTION"]
    assert headings("-c") == ["ENVIRONMENT VARIABLE", "VALUE", "CATEGORIES"]
    assert headings("-v") == ["ENVIRONMENT VARIABLE", "VALUE", "DATA TYPE"]
    assert headings("-s") == ["ENVIRONMENT VARIABLE", "VALUE", "CHOICES"]


def test_csv(avail):
    assert avail("--csv").splitlines()[0] == SETTINGS_HEADER
    assert avail("-C", "--csv").splitlines()[0] == COMPONENTS_HEADER
    rows = list(csv.reader(io.StringIO(avail("-C", "--csv"))))
    assert {len(row) for row in rows} == {8}
    other = list(
        csv.reader(io.StringIO(avail("-C", "--csv", "--csv-separator", ";")), delimiter=";")
    )
    assert other == rows


def test_markdown(avail):
    text = avail("-M", "-b", "KYMO_TRACE$")
    assert text.startswith("## Settings\n\n| ENVIRONMENT VARIABLE |\n")


def test_wrapping_loses_nothing(avail):
    def words(text):
        rows = [line for line in text.splitlines() if line.startswith("| ")]
        return sorted(" ".join(rows).replace("|", " ").split())

    wide, narrow = avail("-d", "-b"), avail("-d", "-b", "-W", "80")
    assert max(map(len, narrow.splitlines())) <= 80 < max(map(len, wide.splitlines()))
    assert words(wide) == words(narrow)
    assert max(map(len, avail("-d", "-b", "-w", "20").splitlines())) < 80


def test_highlighting(avail):
    plain, marked = avail("-b", "MEMORY$", "MEMORY"), avail("-b", "-p", "MEMORY$", "MEMORY")
    assert "\033[1;31mMEMORY\033[0m" in marked
    unmarked = re.sub(r"\033\[[0-9;]*m", "", marked)
    assert set(plain.splitlines()) <= set(unmarked.splitlines())


def test_output_file(avail, refused, tmp_path):
    assert avail("-C", "-O", "list.txt") == ""
    assert (tmp_path / "list.txt").read_text() == avail("-C")
    assert refused(1, "-O", "list.txt") == (
        "'list.txt' exists and is not overwritten without --force"
    )
    assert avail("-S", "-O", "list.txt", "--force") == ""
    assert (tmp_path / "list.txt").read_text() == avail("-S")


DIFFICULT = {
    "KYMO_OUTPUT_PATH": ' $HOME/${X} #no "comment" \\n é\t',
    "KYMO_OUTPUT_PREFIX": "#<a&b>'\n\r",
    "KYMO_PERFETTO_FILE": '"quoted"',
    "KYMO_TIMEMORY_COMPONENTS": "peak_rss wall_clock",
    "KYMO_PYTHON_FUNCTION_EXCLUDE": "",
    "KYMO_PYTHON_LABEL": "args,line",
    "KYMO_MAX_CALLPATHS": "1000",
    "KYMO_TRACE": "yes",
    "KYMO_VERBOSE": "-1",
}


@pytest.mark.parametrize("form", ["txt", "json", "xml"])
@pytest.mark.parametrize("details", [[], ["--all"]], ids=["plain", "detailed"])
@pytest.mark.parametrize("values", [{}, DIFFICULT], ids=["defaults", "difficult"])
def test_generated_configuration_loads_back(avail, tmp_path, form, details, values):
    done = run_kymo(
        ["avail", "-G", "made", "-F", form, "--advanced", *details], cwd=tmp_path, env=values
    )
    assert (done.returncode, done.stderr) == (0, "kymo: wrote 'made'\n")
    expected = settings(avail, **values)
    assert settings(avail, KYMO_CONFIG_FILE="made") == expected
    assert (expected["KYMO_TRACE"] == "ON") == bool(values)


def test_changed_advanced_settings_are_generated(avail, tmp_path):
    text = avail("-G", "-", KYMO_MAX_CALLPATHS="5")
    assert re.search(r"^KYMO_MAX_CALLPATHS += 5$", text, re.M)
    assert "KYMO_CLOCK" not in text
    assert "KYMO_RUN_DIR" not in avail("-G", "-", "--advanced")


def test_generated_text(avail):
    text = avail("-G", "-", "--all")
    assert re.match(
        r"# auto-generated by kymo-avail \(version [0-9.]+\) "
        r"on [0-9]{4}-[0-9]{2}-[0-9]{2} @ [0-9]{2}:[0-9]{2}\n",
        text,
    )
    entry = text[text.index("# name:\n#    python_instrumenter\n") :]
    for heading in ("name", "description", "categories", "choices"):
        assert f"# {heading}:\n" in entry[: entry.index("KYMO_PYTHON_INSTRUMENTER")]
    assert avail("-G", "-", "-t", "nightly").splitlines()[0].endswith(" [nightly]")
    assert "# name:" not in avail("-G", "-")


def test_several_formats_are_several_files(tmp_path):
    done = run_kymo(["avail", "-G", "my.cfg", "-F", "txt", "json,xml"], cwd=tmp_path)
    assert done.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my.cfg", "my.json", "my.xml"]
    read = json.loads((tmp_path / "my.json").read_text())
    assert read["kymo"]["settings"]["KYMO_TRACE"] == {"value": False}
    assert xml.etree.ElementTree.parse(tmp_path / "my.xml").getroot().tag == "kymo"


def test_existing_files_are_kept(refused, tmp_path):
    (tmp_path / "my.cfg").write_text("mine")
    assert refused(1, "-G", "my.cfg") == "'my.cfg' exists and is not overwritten without --force"
    assert (tmp_path / "my.cfg").read_text() == "mine"
    done = run_kymo(["avail", "-G", "my.cfg", "--force"], cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "my.cfg").read_text().startswith("# auto-generated")


@pytest.mark.parametrize(
    "args, line",
    [
        (["--filer"], "unknown option '--filer'; did you mean '--filter'?"),
        (["-Z"], "unknown option '-Z'; see 'kymo avail --help'"),
        (["-r"], "--filter needs a value"),
        (["("], "bad regular expression '(': Unmatched ( or \\("),
        (["-G", "x", "-F", "yaml"], "--config-format takes txt, json or xml, not 'yaml'"),
        (["-F", "txt"], "--config-format needs --generate-config"),
        (["--csv", "-M"], "--csv and --markdown exclude each other"),
        (["--csv", "--csv-separator="], "--csv-separator cannot be empty"),
    ],
)
def test_wrong_use(refused, tmp_path, args, line):
    assert refused(2, *args) == line
    assert list(tmp_path.iterdir()) == []


def test_unwritable_files(refused):
    assert refused(1, "-G", "no/x") == "cannot write 'no/x': No such file or directory"
    assert refused(1, "-O", "no/x") == "cannot write 'no/x': No such file or directory"


def test_bad_configuration_files(refused, tmp_path):
    (tmp_path / "a.cfg").write_text("KYMO_TRACE = ON\nKYMO_TRAEC = ON\n")
    assert refused(2, KYMO_CONFIG_FILE="a.cfg") == (
        "unknown setting 'KYMO_TRAEC' (a.cfg:2); did you mean KYMO_TRACE?"
    )
    (tmp_path / "b.cfg").write_text("\nnonsense\n")
    assert refused(1, KYMO_CONFIG_FILE="b.cfg") == "b.cfg:2: expected 'NAME = value'"
    assert refused(1, KYMO_CONFIG_FILE="no.cfg") == (
        "cannot read configuration file 'no.cfg': No such file or directory"
    )


def test_misspelt_environment_warns(tmp_path):
    done = run_kymo(["avail", "-b"], cwd=tmp_path, env={"KYMO_TRAEC": "ON"})
    assert done.returncode == 0
    assert done.stderr == (
        "kymo: unknown setting 'KYMO_TRAEC' (environment); did you mean KYMO_TRACE?\n"
    )
