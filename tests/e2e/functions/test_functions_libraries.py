"""Programs whose work is in libraries: a run of their own functions says which libraries may have
the time, one with samples which have it, and both what to type."""

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
#include <string.h>
double heavy_work(int), light_work(int);
static double own(int n)
{
    volatile double s = 0;
    for (int i = 0; i < n; i++)
        s += i % 7;
    return s;
}
int main(int argc, char **argv)
{
    double s = 0;
    for (int i = 0; i < 1000; i++)
        s += argc > 1 && !strcmp(argv[1], "own") ? own(200000)
                                                 : heavy_work(200000) + light_work(20);
    return s < 0;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("libraries")
    for name in ("heavy", "light"):
        (folder / f"{name}.c").write_text(LIBRARY.format(name=name))
        library = [f"{name}.c", "-shared", "-fPIC", "-o", f"lib{name}.so"]
        subprocess.run(["gcc", "-O1", *library], cwd=folder, check=True)
    (folder / "work.c").write_text(PROGRAM)
    linked = ["work.c", "-o", "work", "-L.", "-lheavy", "-llight", "-Wl,-rpath,$ORIGIN"]
    subprocess.run(["gcc", "-O1", "-fno-inline", *linked], cwd=folder, check=True)
    return folder


def unseen(folder, out, *command):
    """What the summary and the findings say; both are the same."""
    environment = {"KYMO_OUTPUT_PATH": out, "KYMO_TIME_OUTPUT": "OFF"}
    finished = support.run_kymo(["instrument", *command], cwd=folder, env=environment)
    assert finished.returncode == 0, finished.stderr
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


def test_libraries_that_may_have_the_time_are_named(folder, tmp_path):
    told = unseen(folder, tmp_path / "out", "--", "./work")
    assert told.startswith("`main` has ")
    assert "(libheavy.so, liblight.so)" in told or "(liblight.so, libheavy.so)" in told
    assert "`kymo instrument -S -- ./work` says which" in told


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
