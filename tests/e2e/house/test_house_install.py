"""`cmake --install`: the prefix, its environment files, its headers; `pip install .`."""

import subprocess

import pytest
import support

COLLECTOR = """
#include <kymo/collector.h>
#include <stdio.h>
int main(void)
{
	printf("%d %d\\n", kymo_runtime_abi() == KYMO_RUNTIME_ABI, (int)kymo_runtime_state());
	return 0;
}
"""

SCRIPT = """
def work(n):
    return sum(range(n))

for _ in range(3):
    work(10)
print("done")
"""


def must(command, cwd, **options):
    """Standard output of a command that has to succeed."""
    process = support.run(command, cwd=cwd, **options)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """A prefix with everything installed into it."""
    root = tmp_path_factory.mktemp("prefix")
    must(["cmake", "--install", support.BUILD, "--prefix", root], cwd=root)
    return root


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return path


def trip_count(outputs):
    """The table of counts a run left behind."""
    tables = list(outputs.rglob("trip_count.txt"))
    assert len(tables) == 1, list(outputs.rglob("*"))
    return tables[0].read_text()


def test_prefix_holds_what_is_promised(prefix):
    version = (prefix / "share" / "modulefiles" / "kymo").iterdir()
    assert [path.name.count(".") for path in version] == [2]
    for name in (
        "bin/kymo",
        "bin/kymo-python",
        "lib/libkymo.so",
        "lib/kymo/python/kymo/__init__.py",
        "lib/kymo/python/kymo/py.typed",
        "lib/pkgconfig/kymo.pc",
        "lib/cmake/Kymo/KymoConfig.cmake",
        "include/kymo/collector.h",
        "share/kymo/setup-env.sh",
    ):
        assert (prefix / name).is_file(), name
    modules = list((prefix / "lib" / "kymo" / "python" / "kymo").glob("_native.*.so"))
    assert len(modules) == len(support.interpreters())


def test_installed_files_do_not_know_the_build(prefix):
    for path in prefix.rglob("*"):
        if path.is_file() and path.suffix not in (".so", "") and "site" not in path.parts:
            assert str(support.BUILD) not in path.read_text(), path


def test_installed_wrapper_profiles(prefix, python, tmp_path, script):
    environment = {"KYMO_OUTPUT_PATH": "out"}
    wrapper = prefix / "bin" / f"kymo-python-{python.version}"
    assert must([wrapper, script], cwd=tmp_path, env=environment) == "done\n"
    assert "|0>>> |_work" in trip_count(tmp_path / "out")


def test_installed_command_runs_programs(prefix, tmp_path):
    """Its libraries and presets are found from the prefix, also through a link."""
    command = tmp_path / "kymo-run"
    command.symlink_to(prefix / "bin" / "kymo-run")
    environment = {"KYMO_OUTPUT_PATH": tmp_path / "out"}
    must([command, "--preset", "waiting", "echo"], cwd=tmp_path, env=environment)
    assert "|0>>> echo" in trip_count(tmp_path / "out")
    preload = must([command, "--locks", "sh", "-c", "echo $LD_PRELOAD"], cwd=tmp_path)
    names = [f"{prefix}/lib/libkymo-{name}.so" for name in ("lifecycle", "waits", "locks")]
    names.insert(0, f"{prefix}/lib/libkymo.so")
    assert preload.strip().split(":") == names


def test_setup_env_sets_the_paths(prefix, newest_python, tmp_path, script):
    command = (
        f'. "{prefix}/share/kymo/setup-env.sh" && '
        f'"{newest_python.executable}" -m kymo "{script}" && command -v kymo && kymo --version'
    )
    output = must(["bash", "-c", command], cwd=tmp_path, env={"KYMO_OUTPUT_PATH": "out"})
    assert output.splitlines()[:2] == ["done", str(prefix / "bin" / "kymo")]
    assert "work" in trip_count(tmp_path / "out")


def test_module_file_sets_the_paths(prefix, tmp_path):
    """Evaluated by Tcl with the modules commands it uses standing in."""
    module_file = next((prefix / "share" / "modulefiles" / "kymo").iterdir())
    driver = tmp_path / "driver.tcl"
    driver.write_text(
        "proc module-whatis {text} {}\n"
        'proc prepend-path {name value} { puts "$name=$value" }\n'
        f"set ModulesCurrentModulefile {module_file}\n"
        "source $ModulesCurrentModulefile\n"
    )
    output = must(["tclsh", driver], cwd=tmp_path).splitlines()
    assert f"PATH={prefix}/bin" in output
    assert f"PYTHONPATH={prefix}/lib/kymo/python" in output


@pytest.mark.parametrize(("compiler", "suffix"), [("gcc", "c"), ("g++", "cc")])
def test_collector_compiles_with_pkg_config(prefix, tmp_path, compiler, suffix):
    source = tmp_path / f"collector.{suffix}"
    source.write_text(COLLECTOR)
    environment = {"PKG_CONFIG_PATH": prefix / "lib" / "pkgconfig"}
    flags = must(["pkg-config", "--cflags", "--libs", "kymo"], cwd=tmp_path, env=environment)
    warnings = ["-Wall", "-Wextra", "-Werror"]
    must([compiler, *warnings, source, *flags.split(), "-o", "collector"], cwd=tmp_path)
    library_path = {"LD_LIBRARY_PATH": prefix / "lib"}
    assert must([tmp_path / "collector"], cwd=tmp_path, env=library_path) == "1 0\n"


@pytest.mark.parametrize(("compiler", "language"), [("gcc", "c"), ("g++", "c++")])
def test_every_public_header_compiles_alone(prefix, tmp_path, compiler, language):
    headers = sorted((prefix / "include" / "kymo").glob("*.h"))
    assert headers
    for header in headers:
        include = prefix / "include"
        command = [compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", language]
        source = tmp_path / "alone.c"
        source.write_text(f"#include <kymo/{header.name}>\n")
        must([*command, f"-I{include}", f"-I{include}/kymo", source], cwd=tmp_path)


def test_cmake_finds_the_package(prefix, tmp_path):
    (tmp_path / "main.c").write_text(COLLECTOR)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\n"
        "project(collector C)\n"
        "find_package(Kymo 0.1 REQUIRED)\n"
        'message(STATUS "python dir ${Kymo_PYTHON_DIR}")\n'
        "add_executable(collector main.c)\n"
        "target_link_libraries(collector Kymo::kymo)\n"
    )
    output = must(
        ["cmake", "-G", "Ninja", "-B", "b", "."],
        cwd=tmp_path,
        env={"CMAKE_PREFIX_PATH": prefix},
    )
    assert f"python dir {prefix}/lib/kymo/python" in output
    must(["ninja", "-C", "b"], cwd=tmp_path)
    assert must(["b/collector"], cwd=tmp_path) == "1 0\n"


ANNOTATED = """
#include <kymo/kymo.h>
int main(void) { return kymo_region_begin("r") == KYMO_NOT_LOADED ? 0 : 1; }
"""


def needed(program, cwd):
    return must(["readelf", "-dW", program], cwd=cwd)


def test_annotations_are_found_and_link_nothing(prefix, tmp_path):
    (tmp_path / "main.c").write_text(ANNOTATED)
    environment = {"PKG_CONFIG_PATH": prefix / "lib" / "pkgconfig"}
    flags = must(
        ["pkg-config", "--cflags", "--libs", "kymo-annotate"], cwd=tmp_path, env=environment
    )
    must(["gcc", "-Wall", "-Werror", "main.c", *flags.split(), "-o", "main"], cwd=tmp_path)
    must([tmp_path / "main"], cwd=tmp_path)
    assert "libkymo" not in needed("main", tmp_path)

    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\n"
        "project(annotated C Fortran)\n"
        "find_package(Kymo 0.1 REQUIRED)\n"
        "add_library(module STATIC ${Kymo_FORTRAN})\n"
        "add_executable(annotated main.c)\n"
        "target_link_libraries(annotated Kymo::annotate)\n"
    )
    must(
        ["cmake", "-G", "Ninja", "-B", "b", "."],
        cwd=tmp_path,
        env={"CMAKE_PREFIX_PATH": prefix},
    )
    must(["ninja", "-C", "b"], cwd=tmp_path)
    must(["b/annotated"], cwd=tmp_path)
    assert "libkymo" not in needed("b/annotated", tmp_path)


@pytest.fixture(scope="module")
def environment_with_wheel(tmp_path_factory, request):
    """A virtual environment of one interpreter with `pip install .` done in it."""
    root = tmp_path_factory.mktemp(f"wheel-{request.param}")
    subprocess.run([request.param.executable, "-m", "venv", root / "venv"], check=True)
    pip = [root / "venv" / "bin" / "pip", "install", "-q", "--disable-pip-version-check"]
    # What a wheel holds is tried, not how fast that is: unoptimised it is there in a third.
    settings = {"SKBUILD_CMAKE_BUILD_TYPE": "None"}
    must([*pip, support.REPOSITORY], cwd=root, env=settings, timeout=600)
    return root / "venv"


def oldest_and_newest():
    """A wheel is a build of everything: that of the oldest has its turn."""
    found = support.interpreters()
    found = [*found[:1], *found[1:][-1:]]
    return [pytest.param(each, marks=pytest.mark.long) for each in found]


@pytest.mark.slow
@pytest.mark.parametrize("environment_with_wheel", oldest_and_newest(), ids=str, indirect=True)
def test_wheel_profiles(environment_with_wheel, tmp_path, script):
    programs = environment_with_wheel / "bin"
    settings = {"KYMO_OUTPUT_PATH": "out"}
    assert must([programs / "kymo-python", script], cwd=tmp_path, env=settings) == "done\n"
    assert "|0>>> |_work" in trip_count(tmp_path / "out")
    report = must([programs / "kymo", "report", "out"], cwd=tmp_path)
    assert "work" in report
    again = must([programs / "python", "-m", "kymo", script], cwd=tmp_path, env=settings)
    assert again == "done\n"
