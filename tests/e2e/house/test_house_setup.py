"""tools/setup.sh: what is missing is installed, or named, and nothing else is changed."""

import shutil
import subprocess

import pytest
from house_runs import TOOLS

COMMANDS = (
    "bash",
    "cat",
    "dirname",
    "env",
    "grep",
    "head",
    "mkdir",
    "sed",
    "tail",
    "touch",
    "uname",
)

# What it changes the system with while packages are installed: the tests leave it as it is.
HARMLESS = {
    "tee": "while read -r line; do :; done",
    "chmod": "exit 0",
    "rm": "case $* in *policy-rc.d) exit 0 ;; esac; exit 1",
}


@pytest.fixture
def bare_machine(tmp_path):
    """bare_machine(**fakes): tools/setup.sh on a machine with a shell and these commands."""

    def run(job="build", **fakes):
        programs = tmp_path / "bin"
        programs.mkdir()
        for name in COMMANDS:
            (programs / name).symlink_to(shutil.which(name))
        for name, body in {**HARMLESS, **fakes}.items():
            path = programs / name.replace("_", "-")
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(0o755)
        environment = {"PATH": str(programs), "HOME": str(tmp_path), "KYMO_BUILD": str(tmp_path)}
        command = [programs / "bash", TOOLS / "setup.sh", job]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, input=""
        )

    return run


# And python3-dev, unless the system's own python3 happens to have its headers.
PACKAGES = (
    "cmake ninja-build gcc libc6-dev pkg-config libelf-dev libdw-dev zlib1g-dev libyajl-dev "
    "libutf8proc-dev libzydis-dev python3"
)


def test_setup_elsewhere_names_the_packages(bare_machine):
    process = bare_machine()
    assert process.returncode == 2
    assert f"Kymo needs these packages (Debian and Ubuntu names): {PACKAGES}" in process.stderr
    assert process.stderr.endswith("\nInstall them, then run this again.\n")


def test_setup_without_rights_names_the_packages(bare_machine):
    process = bare_machine(apt_get="exit 0", id="echo 1000")
    assert process.returncode == 2
    assert PACKAGES in process.stderr


def test_setup_installs_as_root(bare_machine, tmp_path):
    process = bare_machine(apt_get=f'echo "$@" >>{tmp_path}/calls', id="echo 0")
    assert process.returncode == 0, process.stderr
    update, install = (tmp_path / "calls").read_text().splitlines()
    assert update.startswith("update")
    assert PACKAGES in install


def test_setup_uses_sudo(bare_machine, tmp_path):
    process = bare_machine(apt_get="exit 0", id="echo 1000", sudo=f'echo "$@" >>{tmp_path}/calls')
    assert process.returncode == 0, process.stderr
    assert PACKAGES in (tmp_path / "calls").read_text()


def test_setup_takes_the_name_that_there_is(bare_machine, tmp_path):
    """linux-perf is Debian's; another name is what this archive has."""
    fakes = {"apt_get": f'echo "$@" >>{tmp_path}/calls', "id": "echo 0"}
    process = bare_machine("test", apt_cache="echo Package: linux-tools-generic", **fakes)
    install = (tmp_path / "calls").read_text().splitlines()[1]
    assert " linux-tools-generic" in install and "linux-perf" not in install
    assert " graphviz" in install, process.stderr


def test_setup_takes_the_version_that_a_name_stands_for(bare_machine, tmp_path):
    """The archive's compilers are not everywhere the same."""
    fakes = {"apt_get": f'echo "$@" >>{tmp_path}/calls', "id": "echo 0"}
    shown = "Depends: cpp, gcc-14 (>= 14.2~), cpp-14\nDepends: clang-19 (>= 19~)"
    bare_machine("test", apt_cache=f"printf '{shown}\n'", **fakes)
    install = (tmp_path / "calls").read_text().splitlines()[1]
    assert " gcc-14-multilib " in install
    assert " libclang-rt-19-dev " in install


def test_setup_sees_packages_that_exclude_each_other(bare_machine, tmp_path):
    fakes = {"apt_cache": "echo Package: gcc", "awk": "echo gcc"}
    kept = f'echo "$@" >>{tmp_path}/calls; echo E: held broken packages; exit 100'
    process = bare_machine("check", apt_get=kept, **fakes)
    assert (process.returncode, process.stdout) == (100, "E: held broken packages\n")
    assert "-o Dir::State::status=/dev/null install -s " in (tmp_path / "calls").read_text()


def test_setup_says_why_installing_failed(bare_machine):
    process = bare_machine(apt_get="echo E: no such mirror >&2; exit 100", id="echo 0")
    assert process.returncode == 2
    assert "no such mirror" in process.stderr
