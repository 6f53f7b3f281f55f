"""Programs whose work is in libraries: a run of their own functions says which libraries have the
time, by looks from outside or by samples, and what to type; where nobody could look, which there
are."""

import json
import re
import shutil
import subprocess

import pytest
import support

LIBRARY = """
double {name}_work(int n)
{{
    volatile double s = 0;
    for (int i = 0; i < n; i++)
        s += i % 7;
    return s;
}}
"""
PROGRAM = """
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/ptrace.h>
double heavy_work(int), light_work(int);
static double own(int n)
{
    volatile double s = 0;
    for (int i = 0; i < n; i++)
        s += i % 7;
    return s;
}
static int has(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], word))
            return 1;
    return 0;
}
static void *work(void *times)
{
    double s = 0;
    for (int i = 0; i < *(int *)times; i++)
        s += heavy_work(200000) + light_work(20);
    return s < 0 ? times : 0;
}
int main(int argc, char **argv)
{
    int times = 1000;
    double s = 0;
    if (has(argc, argv, "traced"))
        ptrace(PTRACE_TRACEME, 0, 0, 0);
    if (has(argc, argv, "late")) {
        double (*late)(int) = (double (*)(int))dlsym(dlopen("liblate.so", RTLD_NOW), "late_work");
        for (int i = 0; i < times; i++)
            s += late(200000);
    } else if (has(argc, argv, "thread")) {
        pthread_t thread;
        pthread_create(&thread, 0, work, &times);
        pthread_join(thread, 0);
    } else if (has(argc, argv, "own")) {
        for (int i = 0; i < times; i++)
            s += own(200000);
    } else {
        work(&times);
    }
    return has(argc, argv, "three") ? 3 : s < 0;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("libraries")
    for name in ("heavy", "light", "late"):
        (folder / f"{name}.c").write_text(LIBRARY.format(name=name))
        library = [f"{name}.c", "-shared", "-fPIC", "-o", f"lib{name}.so"]
        subprocess.run(["gcc", "-O1", *library], cwd=folder, check=True)
    (folder / "work.c").write_text(PROGRAM)
    linked = ["work.c", "-o", "work", "-L.", "-lheavy", "-llight", "-Wl,-rpath,$ORIGIN", "-pthread"]
    subprocess.run(["gcc", "-O1", "-fno-inline", *linked], cwd=folder, check=True)
    return folder


def unseen(folder, out, *command, status=0, **settings):
    """What the summary and the findings say; both are the same."""
    environment = {"KYMO_OUTPUT_PATH": out, "KYMO_TIME_OUTPUT": "OFF", **settings}
    finished = support.run_kymo(["instrument", *command], cwd=folder, env=environment)
    assert finished.returncode == status, finished.stderr
    told = re.search(r"^  unseen +(.*?)^  files", finished.stderr, re.M | re.S)
    told = " ".join(told.group(1).split()) if told else None
    found = support.run_kymo(["report", out, "--findings", "--format", "json"], cwd=folder)
    assert found.returncode == 0, found.stderr
    texts = [
        row["text"]
        for row in json.loads(found.stdout)["findings"]
        if row["kind"] in ("libraries", "Go")
    ]
    assert texts == ([told] if told else [])
    return told


@pytest.mark.parametrize(
    "command",
    [
        ["--", "./work"],
        ["--fork", "--", "./work"],
        pytest.param(["--", "./work", "thread"], marks=pytest.mark.long),
        ["--", "sh", "-c", "exec ./work"],
    ],
)
def test_the_first_run_says_which_have_the_time(folder, command, tmp_path):
    told = unseen(folder, tmp_path / "out", *command)
    assert re.match(r"By samples from outside about \d+ % of the CPU time was in libraries", told)
    found = re.findall(r"(lib[a-z]+\.so) (\d+) %", told)
    assert [name for name, _ in found] == ["libheavy.so"], told
    assert int(found[0][1]) > 80
    assert "`kymo instrument -MI 'libheavy' -- " in told


def test_libraries_that_are_loaded_later_are_among_them(folder, tmp_path):
    told = unseen(folder, tmp_path / "out", "--", "./work", "late")
    assert "(liblate.so " in told
    assert "`kymo instrument -MI 'liblate' -- ./work late`" in told


def test_looking_leaves_the_programs_end_alone(folder, tmp_path):
    assert "libheavy.so" in unseen(folder, tmp_path / "out", "--", "./work", "three", status=3)


@pytest.mark.parametrize(
    "command, settings",
    [(["./work"], {"KYMO_FUNCTIONS_SURVEY": "OFF"}), (["./work", "traced"], {})],
)
def test_where_nobody_looks_the_libraries_that_there_are_are_named(
    folder, command, settings, tmp_path
):
    told = unseen(folder, tmp_path / "out", "--", *command, **settings)
    assert told.startswith("`main` has ") or told.startswith("`work` has ")
    assert "(libheavy.so, liblight.so)" in told or "(liblight.so, libheavy.so)" in told
    assert f"`kymo instrument -S -- {' '.join(command)}` shows which" in told


def test_samples_say_which_have_it(folder, tmp_path):
    told = unseen(folder, tmp_path / "out", "-S", "--", "./work")
    assert re.search(r"\(libheavy\.so \d+ %\)", told), told
    assert "`kymo instrument -MI 'libheavy' -- ./work`" in told


def test_the_line_to_type_records_them(folder, tmp_path):
    assert unseen(folder, tmp_path / "out", "-S", "-MI", "libheavy", "--", "./work") is None
    calls = support.region_calls(tmp_path / "out")
    assert calls["heavy_work"] == 1000


@pytest.mark.parametrize("options", [[], ["-S"]])
def test_a_program_that_works_by_itself_hears_nothing(folder, options, tmp_path):
    assert unseen(folder, tmp_path / "out", *options, "--", "./work", "own") is None


def test_functions_of_go_are_said_to_be_left_out(folder, tmp_path):
    """By the table that Go's linker puts into every program of its."""
    (tmp_path / "table").write_bytes(b"table")
    program = tmp_path / "gopher"
    command = ["objcopy", "--add-section", f".gopclntab={tmp_path / 'table'}"]
    subprocess.run([*command, folder / "work", program], check=True)
    for library in folder.glob("*.so"):
        shutil.copy(library, tmp_path)
    told = unseen(tmp_path, tmp_path / "out", "--", program, "own")
    assert told.startswith("`gopher` is written in Go, whose functions are left out: ")
    assert "`kymo sample -- " in told
