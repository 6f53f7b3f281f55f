"""The tools that judge the others: each has to see the faults it is there for."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import support

TOOLS = support.REPOSITORY / "tools"


def run_tool(name, *args):
    return subprocess.run(
        [sys.executable, TOOLS / name, *args], capture_output=True, text=True, timeout=60
    )


GOOD_HEADER = "/* A leaf. */\n#ifndef KYMO_LEAF_H\n#define KYMO_LEAF_H\n#endif\n"


@pytest.fixture
def tree(tmp_path):
    """tree(**files): a repository with one sound header and these files besides."""

    def make(files):
        for name, text in {"src/base/leaf.h": GOOD_HEADER, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return run_tool("check_layers.py", tmp_path)

    return make


def test_layers_accept_a_sound_tree(tree):
    process = tree({"src/runtime/user.c": '/* Uses it. */\n#include "base/leaf.h"\n'})
    assert (process.returncode, process.stdout) == (0, "")


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("src/base/x.c", '/* x */\n#include "runtime/r.h"\n', "base may not know runtime"),
        ("src/report/x.c", '/* x */\n#include "runtime/r.h"\n', "report may not know runtime"),
        ("src/runtime/x.c", '/* x */\n#include "model/a.h"\n', "runtime may not know model"),
        ("src/base/x.c", '/* x */\n#include "base/none.h"\n', "which is in no layer"),
        ("src/base/x.c", "int x;\n", "does not open with a comment"),
        ("src/base/x.h", "/* x */\n#pragma once\n", "has no include guard KYMO_X_H"),
        ("src/format/leaf.h", GOOD_HEADER, "has the name of a file in base"),
    ],
)
def test_layers_refuse(tree, name, text, fault):
    others = {
        "src/runtime/r.h": GOOD_HEADER.replace("LEAF", "R"),
        "src/model/a.h": GOOD_HEADER.replace("LEAF", "A"),
    }
    process = tree({**others, name: text})
    assert process.returncode == 1
    assert [line for line in process.stdout.splitlines() if fault in line], process.stdout
    assert len(process.stdout.splitlines()) == 1


def test_rooms_have_no_more_files_than_a_stranger_reads(tree):
    header = "/* A leaf. */\n#ifndef KYMO_{0}_H\n#define KYMO_{0}_H\n#endif\n"
    process = tree({f"src/base/x{i}.h": header.format(f"X{i}") for i in range(30)})
    assert process.stdout == "src/base: has 31 files, more than 30: give it sub-folders\n"
    process = tree({f"tests/cli/{i}.py": "" for i in range(31)} | {"tests/cli/data.bin": ""})
    assert "tests/cli: has 31 files" in process.stdout


def ring(*names):
    """Headers each of which includes the next one, and the last the first."""
    form = '/* One. */\n#ifndef KYMO_{0}_H\n#define KYMO_{0}_H\n#include "base/{1}.h"\n#endif\n'
    following = (*names[1:], names[0])
    return {f"src/base/{a}.h": form.format(a.upper(), b) for a, b in zip(names, following)}


def test_a_circle_of_modules_is_refused(tree):
    process = tree(ring("a", "b", "c"))
    assert process.stdout == "src/base/a: is in a circle of 3 modules: a, b, c\n"


def test_two_modules_may_know_each_other(tree):
    process = tree(ring("a", "b"))
    assert (process.returncode, process.stdout) == (0, "")


def test_a_folder_that_is_no_layer_is_refused(tree):
    process = tree({"src/attic/old.c": "/* Old. */\n"})
    assert process.stdout == "src/attic: is no layer: see ALLOWED\n"


def test_processors_have_files_of_the_same_names(tree):
    folders = ("x86_64", "aarch64", "other")
    process = tree({f"src/base/{cpu}/leaf.c": "/* One. */\n" for cpu in folders})
    assert (process.returncode, process.stdout) == (0, "")


def test_only_files_that_are_left_out_need_libelf():
    """Without it the build takes the others: `kymo` links there, too."""
    source = support.REPOSITORY / "src"
    rules = (source / "CMakeLists.txt").read_text()
    left_out = set(" ".join(re.findall(r"KYMO_WITHOUT ([^)]*)\)", rules)).split())
    left_out |= {f"late_{name}" for name in re.findall(r"kymo_load_late\((\w+)", rules)}
    needing = [
        path
        for path in source.rglob("*.c")
        if re.search(r"#include <(gelf|libelf|dwarf|elfutils/\w+)\.h>", path.read_text())
    ]
    assert [path.name for path in needing if path.stem not in left_out] == []
    assert "own_name_elf.c" in [path.name for path in needing]


BY_HAND = "/* x */\nint x(void)\n{\n\tint saved = errno;\n\n\tf();\n\terrno = %s;\n\treturn 0;\n}\n"


@pytest.mark.parametrize("put_back", ["saved", "0 ? 1 : saved"])
@pytest.mark.parametrize("folder", ["src/base", "python/native"])
def test_errno_is_kept_by_the_guard_alone(tmp_path, folder, put_back):
    path = tmp_path / folder / "x.c"
    path.parent.mkdir(parents=True)
    path.write_text(BY_HAND % put_back)
    process = run_tool("check_errno.py", tmp_path)
    assert process.returncode == 1
    assert process.stdout.startswith(f"{folder}/x.c: x() keeps errno by hand")
    path.write_text(BY_HAND % "E2BIG")
    process = run_tool("check_errno.py", tmp_path)
    assert (process.returncode, process.stdout) == (0, "")


def build_library(directory, source, name="libkymo.so"):
    """A build directory in which the library of this name comes from source."""
    (directory / "lib").mkdir(exist_ok=True)
    (directory / "x.c").write_text(source)
    command = ["gcc", "-shared", "-fPIC", "x.c", "-o", f"lib/{name}", "-Wl,--no-as-needed"]
    libraries = ["-lm"] if "needs libm" in source else []
    subprocess.run([*command, *libraries], cwd=directory, check=True)
    return run_tool("check_exports.py", directory)


def test_exports_accept_own_names(tmp_path):
    process = build_library(tmp_path, "int kymo_x(void) { return 0; }")
    assert (process.returncode, process.stdout) == (0, "")


def test_exports_refuse_other_names(tmp_path):
    process = build_library(tmp_path, "int helper(void) { return 0; }")
    assert (process.returncode, process.stdout) == (1, "libkymo.so exports 'helper'\n")


def test_exports_refuse_other_libraries(tmp_path):
    process = build_library(tmp_path, "/* needs libm */ int kymo_x(void) { return 0; }")
    assert (process.returncode, process.stdout) == (1, "libkymo.so needs libm.so.6\n")


def test_exports_of_collectors_are_functions_of_libc(tmp_path):
    build_library(tmp_path, "int kymo_x(void) { return 0; }")
    process = build_library(tmp_path, "int pause(void) { return 0; }", "libkymo-waits.so")
    assert (process.returncode, process.stdout) == (0, "")
    process = build_library(tmp_path, "int kymo_y(void) { return 0; }", "libkymo-waits.so")
    expected = "libkymo-waits.so exports 'kymo_y', which the C library does not have\n"
    assert (process.returncode, process.stdout) == (1, expected)


def test_exports_refuse_calls_that_may_be_replaced(tmp_path):
    """A clock, and one of those that src/platform/owncalls.c has."""
    source = "#include <{}>\nlong kymo_x(void) {{ return {}; }}"
    process = build_library(tmp_path, source.format("time.h", "time(0)"))
    expected = "libkymo.so calls '{}', which another preloaded library may replace\n"
    assert (process.returncode, process.stdout) == (1, expected.format("time"))
    process = build_library(tmp_path, source.format("unistd.h", "getpid()"))
    assert (process.returncode, process.stdout) == (1, expected.format("getpid"))


HARD = ["-fPIC", "-fcf-protection=full", "-fstack-protector-all", "-Wl,-z,now", "-Wl,-z,relro"]


@pytest.fixture
def hardened(tmp_path):
    """hardened(source, *flags): what check_hardening.py says of a build whose library is that."""
    objects = tmp_path / "src"
    for folder in ("lib", "bin", "src"):
        (tmp_path / folder).mkdir()
    (tmp_path / "x.c").write_text("int kymo_x(int x) { return x; }")
    command = "#include <stdio.h>\nint main(int n, char **v) { char a[9];"
    command += 'return snprintf(a, n, "%s", *v); }'
    (tmp_path / "main.c").write_text(command)

    def compile_to(output, *arguments):
        subprocess.run(["gcc", *HARD, *arguments, "-o", output], cwd=tmp_path, check=True)

    def check(*flags, source="x.c"):
        compile_to(tmp_path / "lib" / "libkymo.so", "-shared", "x.c", *flags)
        compile_to(objects / "x.c.o", source, "-c", *(each for each in flags if "Wl" not in each))
        compile_to("bin/kymo", "main.c", "-pie", "-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2")
        return run_tool("check_hardening.py", tmp_path).stdout

    return check


@pytest.mark.parametrize(
    ("flags", "fault"),
    [
        ([], ""),
        (["-Wl,-z,lazy"], "libkymo.so binds functions when they are called\n"),
        (["-Wl,-z,norelro"], "libkymo.so leaves the loader's tables writable\n"),
        (["-Wl,-z,execstack"], "libkymo.so wants an executable stack\n"),
        (["-Wl,-rpath,$ORIGIN"], ""),
        (
            ["-Wl,-rpath,$ORIGIN:"],
            "libkymo.so looks for libraries in '', below the current folder\n",
        ),
        (
            ["-Wl,-rpath,lib:/usr/lib"],
            "libkymo.so looks for libraries in 'lib', below the current folder\n",
        ),
        (["-fno-stack-protector"], "libkymo.so does not watch its stack\n"),
        (
            ["-fcf-protection=none", "-fcf-protection=return"],
            "x.c.o has no mark for watched jumps (IBT)\n",
        ),
        (
            ["-fcf-protection=none", "-fcf-protection=branch"],
            "x.c.o is not what its mark for watched returns (SHSTK) says\n",
        ),
    ],
)
def test_hardening(hardened, flags, fault):
    assert hardened(*flags) == fault


def test_memory_is_writable_or_executable(hardened, tmp_path):
    code = '__asm__(".section .both,\\"awx\\",@progbits\\n.quad 1\\n.text");'
    with open(tmp_path / "x.c", "a") as source:
        source.write(code)
    assert hardened() == "libkymo.so has memory that is writable and executable\n"


def test_thread_locals_are_reached_as_linkers_know(hardened, tmp_path):
    """CMP with an entry of the GOT: older assemblers take it, as the compiler's own SUB."""
    code = '__asm__(".text\\n.byte 0x48, 0x3b, 0x05\\n'
    code += '.reloc ., R_X86_64_GOTTPOFF, x - 4\\n.long 0\\n");'
    (tmp_path / "local.c").write_text("__thread int x;" + code)
    fault = "x.c.o reaches a thread-local by other than MOV and ADD\n"
    assert hardened(source="local.c") == fault


CTEST_LOG = """\
1: [==========] Running 2 test(s).
1: [       OK ] one
1: [==========] 2 test(s) run.
1: [  PASSED  ] 2 test(s).
1/4 Test #1: test_a ...........................   Passed    0.00 sec
2: [==========] 3 test(s) run.
2: [  PASSED  ] 1 test(s).
2: [  SKIPPED ] 1 test(s), listed below:
2: [  FAILED  ] 1 test(s), listed below:
2/4 Test #2: test_b ...........................***Failed    0.00 sec
3: [==========] Running 2 test(s).
3/4 Test #3: test_c ...........................***Exception: SegFault  0.10 sec
4: 12 inputs replayed
4/4 Test #4: fuzz_d ...........................   Passed    0.00 sec
"""


def test_counts_cmocka_cases(tmp_path):
    """Two, one of three, a crash, and one without cases."""
    log = tmp_path / "log"
    log.write_text(CTEST_LOG)
    assert run_tool("count_tests.py", "ctest", log).stdout == "4 2 1\n"


def test_counts_pytest_cases(tmp_path):
    xml = tmp_path / "xml"
    xml.write_text(
        '<testsuites><testsuite tests="10" failures="1" errors="2" skipped="3"/></testsuites>'
    )
    assert run_tool("count_tests.py", "pytest", xml).stdout == "4 3 3\n"


def collected(part):
    """The tests of a folder with long ones that are chosen for a part."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--long", part]
    command += [
        "-p",
        "no:cacheprovider",
        "tests/hostile/bed",
        "tests/e2e/python/test_windows_python.py",
    ]
    listed = support.run(command, cwd=support.REPOSITORY, env=os.environ).stdout
    return {line for line in listed.splitlines() if "::" in line}


def test_every_long_test_has_one_turn():
    everything, short = collected("1/1"), collected("0/1")
    turns = [collected(f"{turn}/3") - short for turn in (1, 2, 3)]
    assert 0 < len(short) < len(everything)
    assert set().union(*turns) == everything - short
    assert sum(map(len, turns)) == len(everything - short)
    versions = support.interpreters()
    assert any(f"[{versions[0]}" in each for each in short)
    assert not any(f"[{each}" in name for each in versions[1:-1] for name in short)


def junit(path, **outcomes):
    """A report of tests, each with what it ended with: passed, failure, error or skipped."""
    ended = list(outcomes.values())
    cases = "".join(
        f'<testcase classname="tests.file" name="{name}">'
        + ("" if outcome == "passed" else f"<{outcome}/>")
        + "</testcase>"
        for name, outcome in outcomes.items()
    )
    path.write_text(
        f'<testsuites><testsuite tests="{len(ended)}" failures="{ended.count("failure")}" '
        f'errors="{ended.count("error")}" skipped="{ended.count("skipped")}">'
        f"{cases}</testsuite></testsuites>"
    )
    return path


def test_what_passes_when_run_again_is_counted_and_named(tmp_path):
    first = junit(
        tmp_path / "1", good="passed", racy="failure", torn="error", bad="failure", no="skipped"
    )
    again = junit(tmp_path / "2", racy="passed", torn="passed", bad="failure")
    assert run_tool("count_tests.py", "pytest", first).stdout == "1 3 1\n"
    done = run_tool("count_tests.py", "pytest", first, again)
    assert done.stdout == "3 1 1\n"
    assert re.findall(r"alone: (\S+)", done.stderr) == ["tests.file::racy", "tests.file::torn"]


def test_what_is_skipped_when_run_again_still_failed(tmp_path):
    first = junit(tmp_path / "1", bad="failure")
    again = junit(tmp_path / "2", bad="skipped", other="passed")
    assert run_tool("count_tests.py", "pytest", first, again).stdout == "0 1 0\n"


def test_closing_line_of_the_shell_library(tmp_path):
    """Two lots are added up; any failure fails the script."""
    script = f'. "{TOOLS}/lib.sh"; add 3 0 1; add 4 $1 0; finish'
    good = subprocess.run(["bash", "-c", script, "-", "0"], capture_output=True, text=True)
    assert (good.returncode, good.stdout) == (0, "\n7 passed, 0 failed, 1 skipped\n")
    bad = subprocess.run(["bash", "-c", script, "-", "2"], capture_output=True, text=True)
    assert (bad.returncode, bad.stdout) == (1, "\n7 passed, 2 failed, 1 skipped\n")


@pytest.mark.parametrize(
    ("status", "totals", "expected"),
    [
        (0, "40 0 2", "41 passed, 0 failed, 2 skipped"),
        (1, "39 1 2", "39 passed, 2 failed, 2 skipped"),
        (1, None, "0 passed, 1 failed, 0 skipped"),  # the demo failed
        (3, None, "0 passed, 0 failed, 1 skipped"),
        (4, None, "0 passed, 0 failed, 1 skipped"),
    ],
)
def test_releases_count(tmp_path, status, totals, expected):
    """The tests in a root are added to those outside."""
    (tmp_path / "tools").mkdir()
    tool = tmp_path / "tools" / "try_release.sh"
    tool.write_text(f"#!/bin/sh\necho $*\nexit {status}\n")
    tool.chmod(0o755)
    if totals:
        (tmp_path / "releases" / "sid").mkdir(parents=True)
        (tmp_path / "releases" / "sid" / "totals").write_text(totals + "\n")
    script = f'. "{TOOLS}/lib.sh"; try_release sid --minutes 8; finish'
    environment = {"PATH": "/usr/bin:/bin", "KYMO_BUILD": str(tmp_path)}
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.stdout == f"--minutes 8 sid\n\n{expected}\n"


@pytest.mark.parametrize(
    ("user", "reason"), [(1000, "only root can make one"), (0, "debootstrap is not installed")]
)
def test_no_root_of_a_release(tmp_path, user, reason):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "dirname"):
        (programs / name).symlink_to(shutil.which(name))
    (programs / "id").write_text(f"#!/bin/sh\necho {user}\n")
    (programs / "id").chmod(0o755)
    environment = {"PATH": str(programs), "KYMO_BUILD": str(tmp_path)}
    command = [programs / "bash", TOOLS / "try_release.sh", "sid"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout == f"no root of sid can be made here: {reason}\n"


def test_nothing_run_is_a_failure():
    script = f'. "{TOOLS}/lib.sh"; finish'
    assert subprocess.run(["bash", "-c", script], capture_output=True).returncode == 1


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
