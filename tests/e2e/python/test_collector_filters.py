"""The rules that choose functions, their order, and what becomes of those left out."""

import functools

import collector_runs as runs
import pytest
import support

pytestmark = pytest.mark.alike_versions

PROGRAM = support.program("py_filtered.py")

# Each is a set of patterns.  A function that is excluded by its name hides what it calls, but for
# patterns of what has no name; everything else that is left out hides itself alone.
UNNAMED = "^<.*>$"
NAMED_LIKE_THE_LIBRARY = "(encoder|decoder|threading).py$"
RULES = {
    "defaults": {},
    "exclude hides all below": {"exclude_functions": ["^middle$"]},
    "exclude a leaf": {"exclude_functions": ["^leaf$"]},
    "exclude what recurses": {"exclude_functions": ["^recursive$"]},
    "exclude what raises": {"exclude_functions": ["^fail$"]},
    "exclude what catches": {"exclude_functions": ["^swallow$"]},
    "exclude a callback": {"exclude_functions": ["^callback$"]},
    "exclude a generator": {"exclude_functions": ["^generate$"]},
    "exclude by a part of the name": {"exclude_functions": ["er$"]},
    "exclude everything": {"exclude_functions": ["."]},
    "exclude several, one inside another": {
        "exclude_functions": ["^middle$", "^outer$", "^inner$"]
    },
    "exclude what has no name hides itself alone": {"exclude_functions": [UNNAMED]},
    "exclude lambdas hides them alone": {"exclude_functions": ["^<lambda>$"]},
    "exclude what other tools exclude": {
        "exclude_functions": [UNNAMED],
        "exclude_modules": [NAMED_LIKE_THE_LIBRARY, UNNAMED],
    },
    "exclude imports hides all below": {"exclude_functions": ["^import$"]},
    "restrict to imports": {"restrict_functions": ["^import$"]},
    "include imports whatever the file": {
        "include_functions": ["^import$"],
        "exclude_modules": ["."],
    },
    "exclude the machinery by its file": {"exclude_modules": ["^<frozen importlib"]},
    "restrict to one": {"restrict_functions": ["^leaf$"]},
    "restrict reaches excluded modules": {
        "restrict_functions": ["encode", "made", "^<lambda>$"],
        "exclude_modules": [NAMED_LIKE_THE_LIBRARY],
    },
    "restrict before exclude": {
        "restrict_functions": ["run", "leaf"],
        "exclude_functions": ["^run$"],
    },
    "restrict to nothing": {"restrict_functions": ["no such function"]},
    "include before exclude": {"include_functions": ["^middle$"], "exclude_functions": ["m"]},
    "include reaches excluded modules": {
        "include_functions": ["^encode$", "^<lambda>$"],
        "exclude_functions": [UNNAMED],
        "exclude_modules": [NAMED_LIKE_THE_LIBRARY],
    },
    "restrict modules": {"restrict_modules": ["helper"]},
    "restrict modules by the whole path": {"restrict_modules": ["python/py_filtered.py$"]},
    "restrict modules before include modules": {
        "restrict_modules": ["py_filtered.py$"],
        "include_modules": ["helper"],
    },
    "include modules before exclude modules": {
        "include_modules": ["encoder"],
        "exclude_modules": ["py_filtered_"],
    },
    "exclude modules hides itself alone": {"exclude_modules": ["py_filtered_helper"]},
    "functions before modules": {
        "include_functions": ["^inner$"],
        "exclude_modules": ["helper"],
        "exclude_functions": ["^outer$"],
    },
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """expected(python, rule, trace_c): what the oracle says, asked for once."""

    @functools.lru_cache(maxsize=None)
    def ask(python, rule, trace_c):
        folder = tmp_path_factory.mktemp("oracle")
        return runs.expect(python, [PROGRAM], folder, trace_c=trace_c, **RULES[rule])

    return ask


def check(python, instrumenter, rule, expected, cwd, trace_c=False):
    filters = RULES[rule]
    wanted = expected(python, rule, trace_c)
    options = runs.filter_options(filters) + (["--trace-c", "on"] if trace_c else [])
    recorded = runs.record(
        python, instrumenter, [PROGRAM], cwd / instrumenter, mode="both", options=options
    )
    runs.assert_same(wanted, recorded.profile())
    runs.assert_same(wanted, recorded.trace())
    assert recorded.unmatched() == 0


@pytest.mark.newest_version
@pytest.mark.parametrize("rule", RULES)
def test_rules(python, rule, expected, tmp_path):
    check(python, runs.default(python), rule, expected, tmp_path)


@pytest.mark.newest_version
@pytest.mark.parametrize("rule", RULES)
def test_rules_with_c_functions(python, rule, expected, tmp_path):
    """Lists of functions name them as well; lists of modules mean the file they are called in."""
    instrumenter = runs.default(python) if python.number >= (3, 12) else "cProfile"
    check(python, instrumenter, rule, expected, tmp_path, trace_c=True)


def others(python):
    """The instrumenters that are not taken when none is chosen."""
    return [each for each in runs.instrumenters(python) if each != runs.default(python)]


@pytest.mark.newest_version
@pytest.mark.parametrize("rule", RULES)
def test_rules_with_another_instrumenter(python, rule, expected, tmp_path):
    """They decide before any of them: each rule takes the next."""
    number = list(RULES).index(rule)
    instrumenter = others(python)[number % len(others(python))]
    check(python, instrumenter, rule, expected, tmp_path)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_rules_with_every_other_instrumenter(python, rule, expected, tmp_path):
    for instrumenter in others(python):
        check(python, instrumenter, rule, expected, tmp_path)


def test_names_of_files_that_are_not_utf8(python, tmp_path):
    """Patterns and files are bytes to the system: a pattern that is no text excludes what is
    called so, and stops nothing."""
    folder = tmp_path / "kept\udcff"
    folder.mkdir()
    (folder / "script.py").write_text("def first():\n    pass\n\nfirst()\nprint('ran')\n")
    counts = []
    for name in ("kept\udcff", "other\udcff"):
        out = tmp_path / ascii(name)[1:5]
        process = support.run_kymo_python(
            python,
            ["-q", "-ME", name, "--", folder / "script.py"],
            cwd=tmp_path,
            env={"KYMO_OUTPUT_PATH": out},
        )
        assert (process.returncode, process.stdout, process.stderr) == (0, "ran\n", "")
        counts.append(support.region_calls(out).get("first", 0))
    assert counts == [0, 1]
