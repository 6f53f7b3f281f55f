"""The tools that judge the others: each has to see the faults it is there for."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import support
from house_runs import run_tool

GOOD_HEADER = "/* A leaf. */\n#ifndef KYMO_LEAF_H\n#define KYMO_LEAF_H\n#endif\n"


def headers_of(files):
    """Sound headers for the sources among files."""
    paths = [Path(name) for name in files if re.match(r"src/.*\.c$", name)]
    return {
        str(path.with_suffix(".h")): GOOD_HEADER.replace("LEAF", path.stem.upper())
        for path in paths
    }


@pytest.fixture
def tree(tmp_path):
    """tree(files): a repository with one sound header and these files besides; sources have one."""

    def make(files, has_headers=True):
        headers = headers_of(files) if has_headers else {}
        for name, text in {"src/base/leaf.h": GOOD_HEADER, **headers, **files}.items():
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
        *(
            (f"src/{folder}/x.c", '/* x */\n#include "command/c.h"\n', "may not know command")
            for folder in (
                "base",
                "runtime",
                "patch",
                "collectors",
                "attach",
                "merge",
                "cli/attach",
            )
        ),
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
        "src/command/c.h": GOOD_HEADER.replace("LEAF", "C"),
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


def test_files_of_tests_are_no_longer_than_a_stranger_reads(tree):
    assert tree({"tests/cli/test_long.py": "\n" * 400}).stdout == ""
    process = tree({"tests/cli/test_long.py": "\n" * 401})
    assert process.stdout.startswith("tests/cli/test_long.py: has 401 lines, more than 400")


@pytest.mark.parametrize("banner", ["# ---- lists ----", "// ---- lists", "/* ---- lists ---- */"])
def test_sections_have_no_banners(tree, banner):
    process = tree({"tests/cli/test_it.py": f"x = 1\n    {banner}\n"})
    assert process.stdout.startswith("tests/cli/test_it.py: has a banner over a section")


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


@pytest.mark.parametrize(
    ("name", "is_refused"),
    [
        ("src/base/x.c", True),
        ("python/native/x.c", True),
        ("src/base/x86_64/x.c", False),
        ("src/platform/rawcall.c", True),
    ],
)
def test_which_processor_it_is_is_asked_in_its_folder_alone(tree, name, is_refused):
    process = tree({name: "/* x */\n#if defined(__x86_64__)\nint x;\n#endif\n"})
    assert process.returncode == is_refused
    assert ("asks for __x86_64__" in process.stdout) == is_refused


def test_a_header_is_no_longer_than_a_contract(tree):
    process = tree({"src/base/leaf.h": GOOD_HEADER + "\n" * 146})
    assert (process.returncode, process.stdout) == (0, "")
    process = tree({"src/base/leaf.h": GOOD_HEADER + "\n" * 147})
    assert "src/base/leaf.h: has 151 lines, more than 150" in process.stdout
    process = tree({"src/base/leaf.c": "/* x */\n" * 151})
    assert "leaf.c" not in process.stdout


def test_one_header_picks_the_folder_of_the_processor(tree):
    text = GOOD_HEADER.replace("LEAF", "RAWCALL") + "#ifdef __aarch64__\n#endif\n"
    process = tree({"src/platform/rawcall.h": text})
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


def test_static_names_tell_modules_apart(tmp_path):
    for place in ("src/a/one.c", "src/b/two.c", "src/b/x86_64/three.c", "src/b/aarch64/three.c"):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        own = "three" if path.stem == "three" else "take"
        path.write_text(f"/* static int put(void) */\nstatic int {own}(void)\n{{\n}}\n")
    process = run_tool("check_names.py", tmp_path)
    assert process.returncode == 1
    assert process.stdout.splitlines() == [
        "src/a/one.c, src/b/two.c: each has a static take(): name it after its module"
    ]
    (tmp_path / "src/b/two.c").write_text("static int two_take(void)\n{\n}\n")
    process = run_tool("check_names.py", tmp_path)
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
    """A clock, and one of those that src/platform/owncalls.h has."""
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


def test_namesakes_are_counted_by_module(tmp_path):
    files = {
        "src/base/one.c": "",
        "src/object/x86_64/two.c": "",
        "src/object/aarch64/two.c": "",
        "src/object/three.h": "",
        "src/object/three_elf.c": "",
        "src/object/three_none.c": "",
        "src/runtime/four.c": "",
        "src/runtime/five_none.c": "",
        "src/runtime/six.c": "",
        "tests/unit/base/test_one.c": "",
        "tests/unit/object/test_three.c": "",
        "tests/unit/runtime/test_rt_six.c": "",
        "tests/unit/runtime/room/test_rt_four.c": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    process = run_tool("count_namesakes.py", tmp_path)
    assert process.stdout.splitlines()[-1].split() == ["all", "4", "of", "6,", "66.7", "%"]
    assert process.returncode == 0
    for test in (tmp_path / "tests/unit/base", tmp_path / "tests/unit/object"):
        shutil.rmtree(test)
    process = run_tool("count_namesakes.py", tmp_path)
    assert process.returncode == 1
    assert "2 of   6, 33.3 %" in process.stdout


def test_layers_refuse_a_source_without_a_header(tree):
    process = tree({"src/base/lone.c": "/* Alone. */\n"}, has_headers=False)
    assert process.returncode == 1
    said = "src/base/lone.c: has no header of its own and does not say whom it serves\n"
    assert process.stdout == said


@pytest.mark.parametrize(
    ("name", "text", "others"),
    [
        ("src/base/leaf_one.c", "/* Part of it.  Serves leaf.h. */\n", {}),
        ("src/base/rows/leaf_two.c", "/* A row. */\n", {"src/base/leaves.def": "LEAF(two)\n"}),
        ("src/base/leaf_zlib.c", "/* By zlib. */\n", {"src/base/leaf_none.c": "/* Not. */\n"}),
        ("src/base/leaf.c", "/* The leaf. */\n", {}),
    ],
)
def test_layers_take_a_source_that_says_whom_it_serves(tree, name, text, others):
    process = tree({name: text, **others}, has_headers=False)
    assert (process.returncode, process.stdout) == (0, "")


def test_layers_take_no_statement_about_a_header_that_is_not_there(tree):
    text = "/* Part of it.  Serves stem.h. */\n"
    process = tree({"src/base/leaf_one.c": text}, has_headers=False)
    assert process.returncode == 1
