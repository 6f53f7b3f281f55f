"""Shared by tests of decoded recordings: the C reader's view, and differences of two views."""

import json
import subprocess

import pytest
import support

DUMP = support.BUILD / "tests" / "dump_recording"


def differences(left, right, place=""):
    """Where two decoded recordings differ; numbers may differ in the last digits, and times that
    are differences of much longer ones by a millionth of a nanosecond."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(set(left) | set(right)):
            yield from differences(left.get(key), right.get(key), f"{place}.{key}")
    elif isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            yield f"{place}: {len(left)} and {len(right)} items"
        for i, (a, b) in enumerate(zip(left, right)):
            yield from differences(a, b, f"{place}[{i}]")
    elif isinstance(left, float) or isinstance(right, float):
        if left != pytest.approx(right, rel=1e-12, abs=1e-6):
            yield f"{place}: {left} and {right}"
    elif left != right:
        yield f"{place}: {left!r} and {right!r}"


def from_c(recording):
    done = subprocess.run([DUMP, recording], stdout=subprocess.PIPE, check=True, timeout=60)
    return json.loads(done.stdout)
