"""What the documents say of the tests and of the tree is so."""

import re

import pytest
import support

DOCS = support.REPOSITORY / "docs"
SECURITY = DOCS / "security.md"
ARCHITECTURE = DOCS / "architecture.md"
# Folders of one processor have the same files in every folder that has them, and are named once.
PROCESSORS = {"x86_64", "aarch64", "other"}
TESTS = support.REPOSITORY / "tests"
NOTHING = "\N{EN DASH}"  # stands where a promise has no test


def promises():
    """(promise, what it is tested by) of each row of the tables."""
    rows = re.findall(r"^\| (.+) \| (.+) \|$", SECURITY.read_text(), re.MULTILINE)
    return [row for row in rows if row[0] != "promise"]


def names_in(path):
    """Names of the tests of a file of Python or C."""
    text = path.read_text()
    return set(re.findall(r"^def (test_\w+)", text, re.MULTILINE)) | set(
        re.findall(r"cmocka_unit_test(?:_\w+)?\((test_\w+)", text)
    )


def all_names():
    files = [
        *TESTS.glob("*/test_*.py"),
        *TESTS.glob("unit/test_*.c"),
    ]
    return set().union(*map(names_in, files))


def is_there(path, name, known):
    place = support.REPOSITORY / path
    if path:
        return place.exists() and (not name or name in names_in(place))
    if name.endswith("*"):
        return any(test.startswith(name[:-1]) for test in known)
    return name in known or not name.startswith("test_")


def faults(tested_by, known):
    """What is named there and does not exist."""
    found = []
    for word in re.findall(r"`([^`]+)`", tested_by):
        path, _, name = word.partition("::")
        if "/" not in path:
            path, name = "", path
        if not is_there(path, name, known):
            found.append(word)
    return found


def test_promises_of_security_name_tests_that_exist():
    known = all_names()
    rows = promises()
    assert len(rows) > 20
    for promise, tested_by in rows:
        assert tested_by == NOTHING or "`" in tested_by, promise
        assert faults(tested_by, known) == [], promise


@pytest.mark.parametrize(
    "tested_by",
    [
        "`tests/hostile/test_gone.py`",
        "`tests/hostile/test_names.py::test_gone`",
        "`test_gone_and_away`",
        "`test_gone_*`",
        "`tests/hostile/test_names.py`, `test_gone_and_away`",
    ],
)
def test_names_of_tests_that_are_gone_are_found(tested_by):
    assert faults(tested_by, all_names())


def folders_of_sources():
    """Each folder of a layer, of python/ or of include/ that holds a source, but processors'."""
    sources = [
        path
        for top in ("src", "python", "include")
        for path in (support.REPOSITORY / top).rglob("*.*")
        if path.suffix in {".c", ".h", ".py"}
    ]
    folders = {path.parent.relative_to(support.REPOSITORY) for path in sources}
    return {str(folder) for folder in folders if folder.name not in PROCESSORS}


def named(text):
    """Words between backticks."""
    return set(re.findall(r"`([^`\n]+)`", text))


def test_architecture_names_every_folder():
    """A stranger finds a folder's purpose on one page: a new folder has its row there."""
    folders = folders_of_sources()
    assert len(folders) > 60
    assert sorted(folders - named(ARCHITECTURE.read_text())) == []


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_files_that_a_page_names_exist(page):
    """A path of the tree that a page gives, with a pattern or a processor in it or without."""
    for word in named(page.read_text()):
        if not re.match(
            r"(src|viewer|python|tests|tools|include|cmake|bench|demo)/[\w./*-]*$", word
        ):
            continue
        assert any(support.REPOSITORY.glob(word.rstrip("/"))), word


def anchor(heading):
    """The anchor that a page has for a heading of Markdown."""
    text = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower())
    return text.strip().replace(" ", "-")


def anchors_of(page):
    return {anchor(each) for each in re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)}


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_links_of_a_page_lead_somewhere(page):
    """To a file that is there, and to a heading that it has."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if "://" in target or re.search(r"[*\\]", target):
            continue
        file, _, heading = target.partition("#")
        goal = page.parent / file if file else page
        assert goal.exists(), target
        assert not heading or heading in anchors_of(goal), target


MANUALS = {path.name[: -len(".1.md")]: path for path in (DOCS / "man").glob("kymo-*.1.md")}
# What `kymo run` takes, which the page of another command need not say again.
WITH_OPTIONS_OF_RUN = {"kymo-sample"}
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")


def options_of_manual(page):
    """Every option the page names, and those that have an entry of their own."""
    text = MANUALS[page].read_text()
    entries = "\n".join(line for line in text.splitlines() if line.startswith("`-"))
    return set(OPTION.findall(text)), set(OPTION.findall(entries))


@pytest.mark.parametrize("page", sorted(MANUALS))
def test_manual_has_the_options_of_the_help(page):
    process = support.run_kymo([page.split("-", 1)[1], "--help"], cwd=DOCS)
    assert process.returncode == 0, process.stderr
    # An option begins its line; others that the line names are in the text behind it.
    starts = re.findall(r"^ +(?:-\w, )?(--[a-z][a-z0-9-]+)", process.stdout, re.MULTILINE)
    offered = set(starts) - {"--help"}
    named, entries = options_of_manual(page)
    if page in WITH_OPTIONS_OF_RUN:
        assert "kymo-run(1)" in MANUALS[page].read_text()
        named |= options_of_manual("kymo-run")[0]
    assert len(offered) > 0
    assert sorted(offered - named) == []
    assert sorted(entries - set(OPTION.findall(process.stdout)) - {"--help"}) == []
