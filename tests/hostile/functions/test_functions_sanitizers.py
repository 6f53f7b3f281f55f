"""Programs built with sanitizers, every function recorded: they find what they find, and report
it with the same callers."""

import itertools
import re
import shutil

import functions_support as functions
import native_support as native
import pytest
from cases import long_except

FAULTS = {"address": "memory", "thread": "race", "undefined": "overflow"}
COMPILERS = {"gcc": False, "clang": True}


def program(kind, compiler):
    if not shutil.which("g++" if compiler == "gcc" else "clang++"):
        pytest.skip(f"there is no {compiler}")
    flags = ("-O1", "-fno-omit-frame-pointer", f"-fsanitize={kind}")
    build = functions.Build(f"{kind}-{compiler}", flags, COMPILERS[compiler])
    return functions.compile("functions_faults.cc", build)


def report(result):
    """What the sanitizer wrote, without what differs from run to run."""
    lines = []
    for line in result.stderr.splitlines():
        if re.match(r"\s*#\d|.*(ERROR|WARNING|SUMMARY|freed|allocated|runtime error)", line):
            lines.append(re.sub(r"0x[0-9a-f]+|==\d+==|pid=\d+|tid=\d+", "", line))
    return lines


def without_ours(lines):
    """Unwinders that read tables also see who called through; numbers go on behind them."""
    kept = [line for line in lines if "[trampolines]" not in line]
    return [re.sub(r"^(\s*)#\d+", r"\1#", line) for line in kept]


def accesses(lines):
    """Who made them, and from where; which of the threads was first is chance."""
    text = " ".join(re.findall(r"#\d (\w+)", "\n".join(lines)))
    return sorted(set(re.findall(r"\bouter (?:work|main)\b", text)))


CASES = itertools.product(FAULTS, COMPILERS, ["counts", "full"])
# Each kind, and for one of them each compiler's own and both costs.
KEPT = {
    ("address", "gcc", "counts"),
    ("address", "clang", "full"),
    ("thread", "gcc", "full"),
    ("undefined", "gcc", "counts"),
}


@pytest.mark.parametrize("case", long_except(CASES, *KEPT), ids="-".join)
def test_reports(tmp_path, case):
    kind, compiler, cost = case
    line = [program(kind, compiler), FAULTS[kind]]
    env = {"UBSAN_OPTIONS": "print_stacktrace=1", "TSAN_OPTIONS": "report_bugs=1"}
    bare = native.run_bare(line, tmp_path, env)
    if "unexpected memory mapping" in bare.stderr:
        pytest.skip("the sanitizer cannot run on this kernel")
    assert len(report(bare)) > 3, bare
    recorded = functions.run(line, tmp_path, cost, "program", env=env)
    assert (recorded.stdout, recorded.returncode) == (bare.stdout, bare.returncode), recorded
    if kind == "address":
        assert report(recorded) == report(bare)
    elif kind == "undefined":
        assert without_ours(report(recorded)) == without_ours(report(bare))
    else:
        assert accesses(report(recorded)) == accesses(report(bare)) == ["outer main", "outer work"]
