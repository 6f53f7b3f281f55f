"""Checks that reports of a run add up to the base of its percentages."""

import json

import pytest
import support

OUTSIDE = "[outside any recorded region]"
MEASURING = "[measuring]"


def report(run, *options):
    result = support.run_kymo(["report", run, "--format", "json", *options], cwd=run.parent)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def row(rows, name):
    found = [each for each in rows if each["name" if "name" in each else "module"] == name]
    assert len(found) < 2
    return found[0] if found else None


def check_sums(run, *options):
    """Each view's rows, and their percentages, add up to the same base."""
    flat = report(run, "--flat", *options)
    base = flat["base"]
    assert base["regions"] + base["outside"] + base["measuring"] == pytest.approx(base["time"])
    views = {
        "flat": flat["regions"],
        "by-module": report(run, "--by-module", *options)["modules"],
        "tree": report(run, "--tree", "--top", "0", *options)["paths"],
    }
    for name, rows in views.items():
        assert sum(each["self"] for each in rows) == pytest.approx(base["time"]), name
        for what in ("outside", "measuring"):
            found = row(rows, f"[{what}]" if what == "measuring" else OUTSIDE)
            assert (found or {"self": 0})["self"] == pytest.approx(base[what], abs=2e-9), name
        for key in ("self", "total"):
            for each in rows:
                if f"{key}_percent" in each:
                    share = 100 * each[key] / base["time"]
                    assert each[f"{key}_percent"] == pytest.approx(share), (name, each)
    assert report(run, "--hot-path", *options)["base"] == base
    return base
