"""Annotated programs under the runtime: what becomes of each call in the recording."""

import annotate_runs as annotate
import pytest
import support

RESULTS = {
    'kymo_region_end("never begun")': 3,
    "kymo_region_begin(NULL)": 2,
    'kymo_region_begin("unseen")': 5,
    "kymo_is_loaded()": 1,
}

TREE = {
    "function": 2,
    "function/block": 2,
    "function/block/units": 2,
    "function/block/job begin": 2,
    "function/block/job end": 2,
    "valued": 1,
    "valued/valued units": 1,
    "phase": 1,
    "phase/n=-1": 1,
    "phase/n=2": 1,
    "phase/n=2/solver=cg": 1,
    "phase/n=2/solver=cg/by name": 1,
    "phase/n=2/solver=cg/units": 1,
    "phase/n=2/solver=cg/job begin": 1,
    "phase/n=2/solver=cg/job end": 1,
    "second": 1,
}


def without_places(tree):
    """Without the progress points that are called by their place."""
    return {path: count for path, count in tree.items() if "annotate_all.c:" not in path}


def results(output):
    """[(call, result)] as the program printed them."""
    found = [line.rsplit(" ", 1) for line in output.splitlines()]
    return [(call, int(result)) for call, result in found]


@pytest.mark.parametrize(
    "modes", [("ON", "OFF"), ("OFF", "ON"), ("ON", "ON")], ids=["profile", "trace", "both"]
)
@pytest.mark.parametrize("compiler", ["gcc", "g++"])
def test_every_call_is_recorded(tmp_path, compiler, modes):
    program = annotate.compile(tmp_path, "annotate_all.c", "-O1", compiler=compiler)
    output, (recording,) = annotate.run(tmp_path, [program], PROFILE=modes[0], TRACE=modes[1])
    said = results(output)
    starts = [result for call, result in said if call == "kymo_start()"]
    assert starts == [0, 3]
    for call, result in said:
        if call != "kymo_start()":
            assert result == RESULTS.get(call, 0), call

    tree = annotate.paths(recording)
    assert without_places(tree) == TREE
    (place,) = [path for path in tree if "annotate_all.c:" in path]
    assert place.startswith("function/block/") and tree[place] == 2
    assert annotate.paths(recording, 1)["work"] == 1
    assert annotate.points(recording) == {"queue": [3, 4, 9], "sum": [3, 7, 8.5]}
    assert {
        recording.string(each.name): recording.string(each.unit)
        for each in recording.series.values()
    } == {
        "queue": "items",
        "sum": "B",
    }
    names = {recording.string(thread.name) for thread in recording.threads.values()}
    assert names == {"boss", "worker"}
    assert recording.problems == []
    assert {thread.resynced for thread in recording.threads.values()} == {0}
    assert len(annotate.notes(recording)) == 1


def test_functions_and_places_are_known(tmp_path):
    program = annotate.compile(tmp_path, "annotate_all.c")
    _, (recording,) = annotate.run(tmp_path, [program])
    by_name = {
        annotate.label(recording, number): region for number, region in recording.regions.items()
    }
    source = support.program("annotate_all.c").read_text().splitlines()
    for name, text in (("function", "KYMO_FUNCTION()"), ("block", 'KYMO_REGION("block")')):
        region = by_name[name]
        assert recording.string(region.file).endswith("annotate_all.c")
        assert text in source[region.line - 1]
    kinds = {
        name: by_name[name].kind
        for name in ("function", "by name", "phase", "n=2", "units", "mark")
    }
    assert kinds == {"function": 4, "by name": 4, "phase": 11, "n=2": 12, "units": 13, "mark": 14}


def test_trace_holds_values_instants_and_messages(tmp_path):
    program = annotate.compile(tmp_path, "annotate_all.c")
    _, (recording,) = annotate.run(tmp_path, [program], TRACE="ON")
    first = [("number", 2, -5), ("natural", 3, 5), ("real", 4, 0.25), ("text", 1, "hello")]
    found = list(annotate.values(recording))
    assert found[:4] == first
    assert found[4][:2] == ("where", 5) and found[4][2] != 0
    assert found[5] == ("most", 3, 2**64 - 1)
    assert found[6:] == [first[0], first[1], first[0], first[3]]
    events, dropped, _ = recording.events(0)
    marks = [annotate.label(recording, event[1]) for event in events if event[0] == "instant"]
    assert marks == ["mark", "mark", "thing"] and dropped == 0
    messages = [
        [(thread, annotate.label(recording, region), number) for thread, (region, number) in found]
        for found in (
            annotate.extended(recording, annotate.SEND),
            annotate.extended(recording, annotate.RECEIVE),
        )
    ]
    assert messages == [[(0, "request", 17)], [(1, "request", 17)]]


def test_snapshot_is_a_run_of_its_own(tmp_path):
    program = annotate.compile(tmp_path, "annotate_all.c")
    annotate.run(tmp_path, [program])
    (snapshot,) = support.find_recordings(tmp_path / "out" / "snapshots" / "now")
    recording = support.decode(snapshot)
    assert recording.problems == []
    assert without_places(annotate.paths(recording)) == TREE
    assert support.region_calls(snapshot.parent)["by name"] == 1
    assert support.region_calls(tmp_path / "out")["by name"] == 1


def test_guards_end_regions_on_exceptions(tmp_path):
    program = annotate.compile(tmp_path, "annotate_guards.cc", "-std=c++11", compiler="g++")
    _, (recording,) = annotate.run(tmp_path, [program], TRACE="ON")
    tree = annotate.paths(recording)
    assert tree == {
        "all": 1,
        "all/attempt": 5,
        "all/attempt/solve": 5,
        "all/attempt/solve/inside": 5,
        "all/attempt/caught": 2,
        "all/nested 2": 1,
        "all/nested 2/nested 1": 1,
        "all/nested 2/nested 1/nested 0": 1,
    }
    (solve,) = [
        each for each in recording.regions.values() if recording.string(each.name) == "solve"
    ]
    assert "shapes::solver<T>::solve" in recording.string(solve.qualname)
    assert [value for name, _, value in annotate.values(recording) if name == "depth"] == [2, 1, 0]
    assert annotate.notes(recording) == []


VISITS = {
    "shared": 1,
    "shared/plugin": 20,
    "shared/plugin/visits": 20,
    "shared/plugin/shared": 20,
}


def plugin_of(tmp_path, *flags):
    return annotate.compile(
        tmp_path, "annotate_plugin.c", "-shared", "-fPIC", *flags, output="plugin.so"
    )


@pytest.mark.parametrize("flags", [[], ["-fvisibility=hidden", "-O2"]], ids=["plain", "hidden"])
def test_libraries_may_come_and_go(tmp_path, flags):
    plugin = plugin_of(tmp_path)
    program = annotate.compile(tmp_path, "annotate_loads.c", *flags)
    output, (recording,) = annotate.run(tmp_path, [program, plugin], TRACE="ON")
    assert output == "1 0\n"
    assert annotate.paths(recording) == VISITS
    assert support.run([program, plugin], cwd=tmp_path).stdout == "0 1\n"


def test_runtime_may_come_late_and_unseen(tmp_path):
    """As in an interpreter: libkymo.so is loaded for its loader alone."""
    plugin = plugin_of(tmp_path)
    program = annotate.compile(tmp_path, "annotate_loads.c")
    result = support.run(
        [program, plugin, annotate.RUNTIME], cwd=tmp_path, env=annotate.silent(tmp_path)
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "1 0\n", "")
    (recording,) = annotate.recordings(tmp_path)
    assert annotate.paths(recording) == VISITS


BROKEN_NOTE = """
__asm__(".pushsection .note.kymo,\\"a\\",%note\\n"
	".balign 4\\n.long {namesz}\\n.long {descsz}\\n.long 1\\n"
	".asciz \\"Kymo\\"\\n.balign 4\\n.quad {distance}\\n.popsection");
int broken;
"""


@pytest.mark.parametrize(
    "form",
    [
        {"namesz": 5, "descsz": 8, "distance": "0x123456789abc"},
        {"namesz": 5, "descsz": 8, "distance": "-1"},
        {"namesz": 5, "descsz": 8, "distance": "0"},
        {"namesz": 5, "descsz": "0xfffffff0", "distance": "0"},
        {"namesz": "0xffffffff", "descsz": "0xffffffff", "distance": "0"},
        {"namesz": 0, "descsz": 0, "distance": "0"},
    ],
    ids=lambda form: f"{form['namesz']}-{form['descsz']}-{form['distance']}",
)
def test_notes_that_lie_are_passed_over(tmp_path, form):
    (tmp_path / "broken.c").write_text(BROKEN_NOTE.format(**form))
    command = ["gcc", "-shared", "-fPIC", "broken.c", "-o", "libbroken.so"]
    assert support.run(command, cwd=tmp_path).returncode == 0
    library = ["-Wl,--no-as-needed", f"-L{tmp_path}", "-lbroken", f"-Wl,-rpath,{tmp_path}"]
    program = annotate.compile(tmp_path, "annotate_all.c", *library)
    output, (recording,) = annotate.run(tmp_path, [program])
    assert output.startswith("kymo_is_loaded() 1\n")
    assert without_places(annotate.paths(recording)) == TREE


FORTRAN_LINES = ["stopped", "not open", "end", "start", "again", "snapshot"]
FORTRAN_TREE = {
    "all of it": 1,
    "all of it/n=0": 2,
    "all of it/n=0/step": 2,
    "all of it/n=0/step/steps": 2,
    "all of it/n=1": 2,
    "all of it/n=1/step": 2,
    "all of it/n=1/step/steps": 2,
    "all of it/n=0/solver=cg": 1,
    "all of it/n=0/solver=cg/solve": 1,
    "all of it/n=0/solver=cg/job begin": 1,
    "all of it/n=0/solver=cg/job end": 1,
}


@pytest.fixture(scope="module")
def fortran_program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fortran")
    sources = [annotate.INCLUDE / "kymo" / "kymo.f90", support.program("annotate_all.f90")]
    command = ["gfortran", "-std=f2008", "-Wall", "-Wextra", "-Werror", *sources, "-o", "program"]
    result = support.run(command, cwd=folder)
    assert result.returncode == 0, result.stderr
    return folder / "program"


def test_fortran_without_kymo(tmp_path, fortran_program):
    result = support.run([fortran_program], cwd=tmp_path)
    assert result.stdout == "".join(f"{line} 1\n" for line in FORTRAN_LINES) + "loaded F\n"


def test_fortran_is_recorded(tmp_path, fortran_program):
    output, (recording,) = annotate.run(tmp_path, [fortran_program], TRACE="ON")
    results = [5, 3, 0, 0, 3, 0]
    lines = [f"{line} {result}\n" for line, result in zip(FORTRAN_LINES, results)]
    assert output == "".join(lines) + "loaded T\n"
    tree = annotate.paths(recording)
    assert tree == FORTRAN_TREE
    assert annotate.points(recording) == {"items": [2, 4, 6, 8], "residual": [0.5]}
    assert [recording.string(thread.name) for thread in recording.threads.values()] == ["fortran"]
    assert [words[1] for _, words in annotate.extended(recording, annotate.SEND)] == [7]
