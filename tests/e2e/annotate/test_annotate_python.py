"""Regions of Python and of a library it loads, in one call path."""

import annotate_runs as annotate
import support


def test_regions_of_both_languages_nest(tmp_path, python):
    plugin = annotate.compile(tmp_path, "annotate_plugin.c", "-shared", "-fPIC", output="plugin.so")
    program = support.program("annotate_mixed.py")
    result = support.run_kymo_python(
        python, [program, plugin], cwd=tmp_path, env={"KYMO_FINISH": "OFF"}
    )
    assert result.returncode == 0, result.stderr
    error, results = result.stdout.splitlines()
    assert "'never begun' is not the innermost open region" in error
    assert results == "[0, 0, 0]"
    (recording,) = annotate.recordings(tmp_path)
    assert annotate.paths(recording) == {
        "outer": 1,
        "outer/shared": 3,
        "outer/shared/plugin": 3,
        "outer/shared/plugin/visits": 3,
        "outer/shared/plugin/shared": 3,
        "outer/left open": 1,
    }
    # One name is one region, whichever language names it.
    names = [annotate.label(recording, number) for number in recording.regions]
    assert names.count("shared") == 1
    assert {thread.resynced for thread in recording.threads.values()} == {0}
    assert len(annotate.notes(recording)) == 1
