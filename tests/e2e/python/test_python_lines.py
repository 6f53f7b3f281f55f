"""Lines of Python instructions, as each interpreter has them in its own tables."""

import pytest
import support

pytestmark = pytest.mark.every_version  # of each the layouts in memory are its own

SOURCE = support.REPOSITORY / "src" / "model" / "code" / "python_lines.c"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """python_lines.c alone, for ctypes."""
    folder = tmp_path_factory.mktemp("python_lines")
    path = folder / "libpython_lines.so"
    include = f"-I{support.REPOSITORY / 'src'}"
    command = ["cc", "-shared", "-fPIC", "-O1", include, "-o", path, SOURCE]
    result = support.run(command, cwd=folder)
    assert result.returncode == 0, result.stderr
    return path


def test_lines_are_the_interpreters_own(python, library, tmp_path):
    program = support.program("python_lines_dump.py")
    result = support.run([python.executable, program, library], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    codes, instructions = map(int, result.stdout.split())
    assert codes > 500 and instructions > 50000
