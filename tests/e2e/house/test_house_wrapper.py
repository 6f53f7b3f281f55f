"""bin/kymo-python and bin/kymo-python-X.Y: which interpreter runs, with which package."""

import os

import support

START = support.PACKAGE_DIR / "kymo" / "_start.py"


def wrapper(version=None):
    return support.BUILD / "bin" / ("kymo-python" + (f"-{version}" if version else ""))


def write_fake_python(directory, name="python3"):
    """An interpreter that only tells how it was called."""
    directory.mkdir(exist_ok=True)
    path = directory / name
    path.write_text('#!/bin/sh\necho "$0|$PYTHONPATH|$*"\n')
    path.chmod(0o755)
    return path


def test_uses_python3_of_the_path(tmp_path):
    fake = write_fake_python(tmp_path / "bin")
    path = f"{fake.parent}:{os.environ['PATH']}"
    process = support.run([wrapper(), "a b", "c"], cwd=tmp_path, env={"PATH": path})
    assert process.stdout == f"{fake}|{support.PACKAGE_DIR}|{START} a b c\n"


def test_kymo_python_names_the_interpreter(tmp_path):
    fake = write_fake_python(tmp_path / "elsewhere", "my python")
    process = support.run([wrapper()], cwd=tmp_path, env={"KYMO_PYTHON": fake})
    assert process.stdout == f"{fake}|{support.PACKAGE_DIR}|{START}\n"


def test_python_executable_names_it_as_for_the_other_tool(tmp_path):
    fake = write_fake_python(tmp_path / "elsewhere")
    process = support.run([wrapper()], cwd=tmp_path, env={"PYTHON_EXECUTABLE": fake})
    assert process.stdout == f"{fake}|{support.PACKAGE_DIR}|{START}\n"
    stronger = write_fake_python(tmp_path / "stronger")
    environment = {"PYTHON_EXECUTABLE": fake, "KYMO_PYTHON": stronger}
    process = support.run([wrapper()], cwd=tmp_path, env=environment)
    assert process.stdout.startswith(f"{stronger}|")


def test_keeps_the_pythonpath(tmp_path):
    fake = write_fake_python(tmp_path / "bin")
    process = support.run(
        [wrapper()], cwd=tmp_path, env={"KYMO_PYTHON": fake, "PYTHONPATH": "/one:/two"}
    )
    assert process.stdout.split("|")[1] == f"{support.PACKAGE_DIR}:/one:/two"


def test_found_through_a_link(tmp_path):
    fake = write_fake_python(tmp_path / "bin")
    link = tmp_path / "kp"
    link.symlink_to(wrapper())
    process = support.run([link], cwd=tmp_path, env={"KYMO_PYTHON": fake})
    assert process.stdout.split("|")[1] == str(support.PACKAGE_DIR)


def test_interpreter_that_is_not_there(tmp_path):
    process = support.run([wrapper()], cwd=tmp_path, env={"KYMO_PYTHON": "/no/python"})
    assert process.returncode == 2
    assert process.stderr == (
        "kymo-python: no interpreter '/no/python'; set KYMO_PYTHON to the one to use\n"
    )


def test_versioned_wrapper_runs_its_version(python, tmp_path):
    code = "import sys, kymo; print('%d.%d' % sys.version_info[:2], kymo.__file__)"
    process = support.run([wrapper(python.version), "-c", code], cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    version, package = process.stdout.split()
    assert version == python.version
    assert package == str(support.PACKAGE_DIR / "kymo" / "__init__.py")


def test_module_is_loaded_from_the_build(python, tmp_path):
    """Its run path leads to the library of the same build, without LD_LIBRARY_PATH."""
    code = "import kymo._native; print([l.split()[-1] for l in open('/proc/self/maps') " \
        "if 'libkymo' in l][0])"  # fmt: skip
    process = support.run_bare_python(
        python, ["-c", code], cwd=tmp_path, env={"PYTHONPATH": support.PACKAGE_DIR}
    )
    assert process.stdout.strip() == str(support.BUILD / "lib" / "libkymo.so"), process.stderr
