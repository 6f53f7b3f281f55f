"""kymo attach: threads have the names that Python gives them."""

import json

from attach_runs import Target, attach, sampled

NAMES = {"näm 0", "näm 1", "näm 2", "a plain one", "with a dictionary", "MainThread"}


def names_of(target, folder):
    result = attach(target, folder, "--dump", "--format", "json")
    assert result.returncode == 0, result.stderr
    return [thread["name"] for thread in json.loads(result.stdout)["threads"]]


def test_names(python, tmp_path):
    with Target(python.executable, script="attach_names.py") as target:
        names = names_of(target, tmp_path)
        assert len(names) == 7 and set(names) > NAMES, names
        (long,) = set(names) - NAMES
        assert set(long) == {"x"} and len(long) < 100
        target.process.stdin.write("\n")
        target.process.stdin.flush()
        assert target.process.stdout.readline() == "renamed\n"
        assert "named anew" in names_of(target, tmp_path)
        found = sampled(target, tmp_path, "-d", "0.3", "-r", "50")
    recorded = {thread["name"] for thread in found.threads.values()}
    assert recorded >= NAMES - {"näm 0"} | {"named anew"}
