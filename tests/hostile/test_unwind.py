"""Native stacks, beside the truth: every instruction stepped through, exceptions, libraries
that come and go, programs of the system."""

import os
import platform
import re
import shutil
import subprocess

import native_support as native
import pytest
import support
from cases import long_except

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="elsewhere frame pointers are followed"
)

LIBRARY = str(support.BUILD / "lib" / "libkymo_common.a")
INCLUDES = ["-I", str(support.REPOSITORY / "src")]
STEPS = "unwind_steps.c"

# How compilers lay out frames.
WAYS = {
    "gcc": ("gcc", "-O2", "-fomit-frame-pointer"),
    "gcc-plain": ("gcc", "-O0", "-fcf-protection"),
    "gcc-realigned": ("gcc", "-O1", "-mstackrealign", "-mavx", "-fno-omit-frame-pointer"),
    "clang": ("clang", "-O2", "-mavx"),
    "clang-realigned": ("clang", "-O3", "-fomit-frame-pointer", "-mstackrealign"),
}

# What of the steps may be without a whole stack: assembly in the C library describes its
# own frames wrongly, a library's first steps come before it is known, long jumps end in
# registers.
SCENES = {
    "own": 0,
    "assembly": 0,
    "sorting": 0,
    "memory": 0,
    "texts": 0.06,
    "loader": 0.05,
    "jumps": 0.05,
}

COUNTS = re.compile(r": (\d+) steps, (\d+) frames, (\d+) wrong, (\d+) lost, (\d+) between")


def counts_of(text):
    return [int(number) for number in COUNTS.search(text).groups()]


def build(name, *flags, compiler="gcc"):
    return native.compile(name, *INCLUDES, *flags, LIBRARY, "-lm", compiler=compiler)


def run(*command, status=0, **variables):
    environment = dict(os.environ, **{name: str(value) for name, value in variables.items()})
    process = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        env=environment,
        timeout=support.TIMEOUT_S,
    )
    assert process.returncode == status, process.stderr
    return process


@pytest.mark.parametrize("way", long_except(WAYS, "gcc", "gcc-realigned", "clang-realigned"))
def test_every_instruction(way):
    compiler, *flags = WAYS[way]
    program = build("unwind_scenes.c", STEPS, *flags, "-Wl,-z,lazy", compiler=compiler)
    for scene, share in SCENES.items():
        process = run(program, scene)
        steps, frames, wrong, lost, between = counts_of(process.stderr)
        assert steps > 2000 and frames > 4 * steps, process.stderr
        assert wrong == between == 0, process.stderr
        assert lost <= share * steps, process.stderr


def throwing():
    object_file = native.compile(STEPS, *INCLUDES, "-c", output="unwind_steps.o")
    # C++ has another word for assertions at compile time.
    flags = ["-O2", "-D_Static_assert=static_assert", str(object_file), LIBRARY]
    return native.compile("unwind_throws.cc", *INCLUDES, *flags, compiler="g++")


def test_every_instruction_of_exceptions():
    process = run(throwing(), "steps", status=1)
    steps, _, wrong, lost, between = counts_of(process.stderr)
    assert process.stdout == "24\n" and steps > 50000
    # When the registers of who catches are put in place, there are two stacks at once.
    assert 0 < between < 0.02 * steps and wrong + lost < 0.03 * steps, process.stderr
    places = re.findall(r"times at (\S+)", process.stderr)
    assert all("libgcc_s" in place for place in places), process.stderr


def test_exceptions_under_fire():
    process = run(throwing(), "storm")
    assert process.stdout == "600 0\n"
    complete, others = map(int, re.findall(r"\d+", process.stderr))
    assert complete >= 2000 - others and others <= 0.05 * complete


def test_libraries_come_and_go(tmp_path):
    """Two of them at one address, with other frames and functions as long: no row of one is
    used for the other."""
    plugins = []
    for size in (40, 80):
        plugin = native.compile("unwind_plugin.c", "-shared", "-fPIC", f"-DSIZE={size}")
        plugins.append(shutil.copy(plugin, tmp_path / f"plugin{size}.so"))
    program = build("unwind_plugins.c")
    rounds = 100
    answer = run(program, *plugins, rounds).stdout
    ticks, complete, same_place, seen, wrong = [int(word) for word in answer.split()]
    assert wrong == 0 and seen == rounds
    assert same_place > rounds / 2, "nothing was tested: they were at different places"
    assert ticks > 20 and complete > 0.5 * ticks


PERL = "my %h; for (1 .. 200000) { $h{$_} = $_ x 2 } print join(',', (sort keys %h)[1 .. 3])"
PYTHON = """
import hashlib, json, re
for i in range(80):
    json.dumps(list(range(3000))), hashlib.sha256(b"1" * 300000).hexdigest()
    [re.compile(f"{i}a*b{k}") for k in range(10)]
"""


def programs():
    found = {
        "perl": ["perl", "-e", PERL],
        "python3": ["/usr/bin/python3", "-c", PYTHON],
        "git": ["git", "-C", support.REPOSITORY, "log", "--stat", "-300"],
        "sort": ["sort", "--parallel=1", "-k2", "LINES"],
    }
    return {name: line for name, line in found.items() if shutil.which(line[0])}


@pytest.fixture(scope="module")
def preloaded():
    return native.compile("unwind_preload.c", *INCLUDES, STEPS, "-O2", "-fPIC", "-shared", LIBRARY)


def watch(preloaded, name, tmp_path, **variables):
    lines = tmp_path / "lines"
    lines.write_text("".join(f"{i} {i * 7919 % 100003}\n" for i in range(200000)))
    command = [lines if part == "LINES" else part for part in programs()[name]]
    file = tmp_path / "counts"
    run(*command, LD_PRELOAD=preloaded, UNWIND_COUNTS=file, **variables)
    return file.read_text()


@pytest.mark.parametrize("name", programs())
def test_programs_of_the_system(preloaded, name, tmp_path):
    text = watch(preloaded, name, tmp_path)
    complete, cut, lost, torn, frames = [int(word) for word in text.split()]
    stacks = complete + cut + lost + torn
    assert stacks > 10 and frames > 3 * stacks, text
    # Some are met before a library that was just loaded is known: more on a busy machine.
    assert complete >= 0.99 * stacks - 15, text


@pytest.mark.parametrize("name", [name for name in ("perl", "python3") if name in programs()])
def test_instructions_of_programs(preloaded, name, tmp_path):
    text = watch(preloaded, name, tmp_path, UNWIND_STEPS="1")
    steps, _, wrong, lost, between = counts_of(text)
    assert steps > 10000 and wrong == between == 0, text
    assert lost <= 0.01 * steps, text
