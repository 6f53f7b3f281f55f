"""`kymo run` with presets, and its help: what is asked for by a name, and what that means."""

import json
import re

import run_support
import support


def exported(words, cwd, env=None):
    result = support.run_kymo(["run", *words, "--export-config"], cwd=cwd, env=env)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_export_leads_back(tmp_path):
    words = ["-T", "-F", "--max-depth", 7, "--precision", "-1", "--python-label", "args,file"]
    words += ["--python-function-exclude", "^a b$ '\"x'", "--max-callpaths", "16000000"]
    first = exported(words, tmp_path, {"KYMO_MEMORY_UNITS": "KiB"})
    (tmp_path / "all.json").write_text(json.dumps(first))
    assert first["settings"]["MEMORY_UNITS"] == "KiB"
    assert first["tracing"]["enabled"] is True
    assert first["advanced"]["max_depth"] == 7
    assert exported(["--preset", "all.json"], tmp_path) == first


def test_preset_stands_between_options_and_environment(tmp_path):
    preset = {"tracing": {"enabled": False}, "advanced": {"max_depth": 9, "verbose": 0}}
    (tmp_path / "mine.json").write_text(json.dumps(preset))
    env = {"KYMO_PRESET_DIR": tmp_path, "KYMO_TRACE": "ON", "KYMO_MAX_DEPTH": "3"}
    found = run_support.values(
        ["KYMO_TRACE", "KYMO_MAX_DEPTH"], ["--preset", "mine"], tmp_path, env
    )
    assert found == {"KYMO_TRACE": "OFF", "KYMO_MAX_DEPTH": "9"}
    result = exported(["--preset", "mine", "--max-depth", "5"], tmp_path, env)
    assert (result["tracing"]["enabled"], result["advanced"]["max_depth"]) == (False, 5)


def test_presets_that_came_with_kymo(tmp_path):
    """Each can be read, and does something."""
    listed = support.run_kymo(["run", "--list-presets"], cwd=tmp_path).stdout.splitlines()
    names = [line.split()[0] for line in listed]
    assert {"balanced", "profile-only", "detailed", "trace-hpc"} <= set(names)
    plain = exported([], tmp_path)
    for name in names:
        assert exported(["--preset", name], tmp_path) != plain


def test_what_a_preset_loses_is_said(teller, tmp_path):
    preset = tmp_path / "lossy.json"
    preset.write_text('{"tracing": {"legacy": true}}')
    words = ["--preset", preset, "--no-python", "--", teller, "exit", 0]
    quiet = run_support.run(words, tmp_path)
    told = run_support.run(["-v", *words], tmp_path, {"KYMO_FINISH": "OFF"})
    assert quiet.stderr == ""
    assert "tracing.legacy = true needs traces written by the program itself" in told.stderr


def test_manual_page_has_every_option(tmp_path):
    text = support.run_kymo(["run", "--help"], cwd=tmp_path).stdout
    options = re.findall(r"^  (?:-\w,|   ) (--[\w-]+)", text, re.MULTILINE)
    page = (support.REPOSITORY / "docs" / "man" / "kymo-run.1.md").read_text()
    assert len(options) > 30
    assert [option for option in options if f"`{option}`" not in page] == []


def test_help_knows_what_is_missing(tmp_path):
    text = support.run_kymo(["run", "--help=all"], cwd=tmp_path).stdout
    usable, missing = text.split("known, but not in this build:")
    assert "--device" in missing.split()
    assert "--device" not in usable.split()
    assert "--perfetto-file TEXT" in usable
    assert "--run-dir" not in text
