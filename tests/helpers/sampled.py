"""Programs under `kymo sample`, and reports on them."""

import json
import math

import support

TRUTH_C = support.program("truth.c")
TRUTH_PYTHON = support.program("truth.py")


def compile(folder, source=TRUTH_C, *flags):
    binary = folder / source.stem
    command = ["cc", "-O2", "-g", "-o", binary, source, "-pthread", *flags]
    result = support.run(command, cwd=folder)
    assert result.returncode == 0, result.stderr
    return binary


def sample(folder, command, *options, settings=None):
    """Run under `kymo sample`; what it printed."""
    environment = {
        "KYMO_OUTPUT_PATH": folder / "out",
        "KYMO_TIME_OUTPUT": "OFF",
        "KYMO_QUIET": "ON",
        **(settings or {}),
    }
    process = support.run(
        [support.KYMO, "sample", *options, "--", *command],
        cwd=folder,
        env=support.clean_environment(folder, environment),
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


def report(folder, *options):
    process = support.run_kymo(
        ["report", folder / "out", "--format", "json", "--top", "0", *options], cwd=folder
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def spent(text):
    """{name: seconds} as the programs of known shares print them."""
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def interval(share, count, z=4.0):
    """The interval that contains the true share, except in one test of some ten thousand, given a
    share of count samples."""
    middle = share + z * z / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return (middle - half) / scale, (middle + half) / scale


def assert_shares(regions, truth):
    """The sampled shares of regions are those of {name: seconds}: within twice the intervals
    that the report states, which fails in one test of some ten thousand."""
    by_name = {region["name"]: region for region in regions}
    whole = sum(region["self"] for region in regions)
    known = sum(by_name[name]["self"] for name in truth if name in by_name) / whole
    true_whole = sum(truth.values())
    assert sum(region["samples"] for region in regions) > 30
    for name, seconds in truth.items():
        true_share = 100 * seconds / true_whole * known
        region = by_name.get(name)
        if not region:
            assert true_share < 5, name
            continue
        found = region["self_percent"]
        low = found - 2.1 * (found - region["self_low_percent"]) - 0.5
        high = found + 2.1 * (region["self_high_percent"] - found) + 0.5
        assert low <= true_share <= high, (name, true_share, found, low, high)
