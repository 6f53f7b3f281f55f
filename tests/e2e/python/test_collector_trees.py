"""Call-path trees, exact to the last call: every instrumenter in every mode against the
oracle, which is sys.setprofile() in the bare interpreter."""

import functools

import collector_runs as runs
import pytest
import support


def pytest_generate_tests(metafunc):
    if "subject" in metafunc.fixturenames:
        metafunc.parametrize("subject", runs.subjects(metafunc.config.getoption("--python")))


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """expected(python, program, restrict, packages, **options): the oracle's result, asked for
    once."""

    @functools.lru_cache(maxsize=None)
    def ask(python, program, restrict, packages, **options):
        return runs.expect(
            python,
            [support.program(program)],
            tmp_path_factory.mktemp("oracle"),
            env={"PYTHONPATH": packages},
            restrict_modules=list(restrict),
            **options,
        )

    return ask


THREADING = "/threading.py$"
# What py_all.py imports of the library.
IMPORTED = ("asyncio", "ctypes", "importlib", "json", "pickle", "queue", "tempfile")


def check(subject, program, expected, cwd, packages=None, imported=()):
    # Frame evaluation on 3.12 and later sees a function's locals die before the function
    # has ended, the others after: whose call a finalizer of the library is then differs.
    restrict = ("/py_",) if subject.is_frame_since((3, 12)) else ()
    options = {"as_evaluated": True} if subject.is_frame_since((3, 13)) else {}
    # How often a thread that has started or ended is waited for is a matter of time.
    wanted = expected(
        subject.python,
        program,
        restrict,
        packages,
        exclude_modules=(THREADING,),
        imported=imported,
        **options,
    )
    filters = {"exclude_modules": [THREADING], "restrict_modules": restrict}
    recorded = runs.record(
        subject.python,
        subject.instrumenter,
        [support.program(program)],
        cwd,
        mode=subject.mode,
        options=[*runs.imported_before(cwd, *imported), *runs.filter_options(filters)],
        env={"PYTHONPATH": f"{support.PACKAGE_DIR}:{packages or ''}"},
    )
    hidden = runs.missed(subject.python, subject.instrumenter)
    for view in runs.MODE_VIEWS[subject.mode]:
        found = getattr(recorded, view)()
        runs.assert_same(runs.without(wanted, hidden), runs.without(found, hidden))
    assert recorded.unmatched() == 0
    return recorded


def test_every_kind_of_call(subject, expected, tmp_path):
    recorded = check(subject, "py_all.py", expected, tmp_path, imported=IMPORTED)
    hidden = runs.missed(subject.python, subject.instrumenter)
    if hidden:
        assert any(hidden in loss for loss in recorded.losses())
    else:
        assert recorded.losses() == []


def test_greenlets(subject, expected, tmp_path):
    packages = support.target_packages(subject.python)
    if not (packages / "greenlet").exists():
        pytest.skip("greenlet is not installed for this interpreter")
    check(subject, "py_greenlets.py", expected, tmp_path, packages)


@pytest.mark.alike_versions
def test_dummy_records_no_calls(python, tmp_path):
    recorded = runs.record(python, "dummy", [support.program("py_all.py")], tmp_path, mode="both")
    assert recorded.profile() == {}
    assert recorded.trace() == {}


@pytest.mark.alike_versions
def test_a_program_without_functions_is_its_body(python, tmp_path):
    """Nothing of what starts and ends the program is taken for its own."""
    program = tmp_path / "empty.py"
    program.write_text("x = 1\n")
    for instrumenter in runs.instrumenters(python):
        recorded = runs.record(python, instrumenter, [program], tmp_path / instrumenter)
        found = recorded.profile()["MainThread"]
        assert found.pop("<module>@empty.py:1") == [1, {}]
        # Where threads may have been started, the interpreter waits for them.
        assert all(label.startswith("_shutdown@threading.py") for label in found), instrumenter
