"""kymo import of collapsed stacks, of speedscope's files and of trace events, by whichever tool."""

import json

import pytest
from import_runs import by_name, flat, import_text, paths, timeline

STACKS = {
    "flamegraph": ("main;work;leaf 3\nmain;work 2\nmain 1\n", {"main": 6, "work": 5, "leaf": 3}),
    "py-spy": (
        'process 12:"python a.py";thread (0x7F12): MainThread;main (a.py:3);leaf (a.py:9) 4\n'
        'process 12:"python a.py";thread (0x7F13): other;main (a.py:3) 2\n',
        {"main": 6, "leaf": 4},
    ),
    "austin": (
        "# austin: 3.7.0\n# interval: 100\n# mode: wall\n\n"
        "P12;T0:1f3a;/a.py:main:12;/a.py:leaf:3 250\nP12;T0:1f3a;/a.py:main:13 50\n"
        "# duration: 300\n",
        {"main": 300e3, "leaf": 250e3},
    ),
    "fractions": ("main;leaf 0.5\nmain;leaf 1.25\nmain;leaf 1.25\n", {"main": 3, "leaf": 3}),
}


@pytest.mark.parametrize("form", STACKS)
def test_collapsed_stacks_of(tmp_path, form):
    text, expected = STACKS[form]
    rows = by_name(import_text(text, cwd=tmp_path))
    assert {name: round(row[2] * 1e9) for name, row in rows.items()} == expected


def test_threads_of_py_spy_have_their_names(tmp_path):
    run = import_text(STACKS["py-spy"][0], cwd=tmp_path)
    assert [each.name for each in run.glob("*.kymo")] == ["python a.py-12.kymo".replace(" ", "_")]
    assert {
        path[0] for path in paths(import_text(STACKS["py-spy"][0], "-u", "ms", cwd=tmp_path))
    } == {
        "MainThread",
        "other",
    }


def speedscope(**profile):
    return json.dumps(
        {
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "profiles": [{"name": "t", "startValue": 0, "endValue": 10, **profile}],
            "shared": {"frames": [{"name": "f", "file": "a.py", "line": 3}, {"name": "g"}]},
        }
    )


def test_sampled_speedscope_has_weights_and_slices(tmp_path):
    text = speedscope(
        type="sampled",
        unit="milliseconds",
        samples=[[0], [0, 1], [0], []],
        weights=[1, 2.5, 0.5, 6],
    )
    run = import_text(text, cwd=tmp_path)
    rows = flat(run)
    assert rows[("a.py", 3, "f")][1:4] == (3, pytest.approx(1.5e-3), pytest.approx(4e-3))
    assert rows[("~", 0, "g")][1:4] == (1, pytest.approx(2.5e-3), pytest.approx(2.5e-3))
    assert [
        (event["ph"], round(event["ts"])) for event in timeline(run) if event["ph"] in "BE"
    ] == [("B", 0), ("B", 1000), ("E", 3500), ("E", 4000)]


def test_evented_speedscope_in_seconds(tmp_path):
    events = [("O", 0, 0.5), ("O", 1, 1), ("C", 1, 1.25), ("C", 0, 3)]
    text = speedscope(
        type="evented",
        unit="seconds",
        events=[{"type": kind, "frame": frame, "at": at} for kind, frame, at in events],
    )
    rows = flat(import_text(text, cwd=tmp_path))
    assert rows[("a.py", 3, "f")][1:4] == (1, pytest.approx(2.25), pytest.approx(2.5))
    assert rows[("~", 0, "g")][1:4] == (1, pytest.approx(0.25), pytest.approx(0.25))


def trace_event(ph, ts, **more):
    return {"ph": ph, "pid": 1, "tid": 2, "ts": ts, **more}


def test_complete_events_in_any_order_nest(tmp_path):
    events = [
        trace_event("X", 20, dur=5, name="inner"),
        trace_event("X", 10, dur=30, name="outer"),
        trace_event("X", 30, dur=10, name="inner"),
        trace_event("M", 0, name="thread_name", args={"name": "worker"}),
        trace_event("i", 12, name="mark", s="t"),
        trace_event("C", 15, name="memory", args={"value": 7}),
        trace_event("s", 15, name="flow", id=1),
    ]
    run = import_text(json.dumps({"traceEvents": events}), cwd=tmp_path)
    rows = flat(run)
    outer = next(row for key, row in rows.items() if key[2] == "outer")
    inner = next(row for key, row in rows.items() if key[2] == "inner")
    assert outer[1:4] == (1, pytest.approx(15e-6), pytest.approx(30e-6))
    assert inner[1] == 2
    assert {caller[2] for caller in inner[4]} == {"outer"}
    found = timeline(run)
    assert [event["ts"] for event in found if event["ph"] == "i"] == [2]
    assert [event["args"]["value"] for event in found if event["ph"] == "C"] == [7]
    assert "worker" in [event["args"]["name"] for event in found if event["ph"] == "M"]


def test_an_array_need_not_end(tmp_path):
    text = json.dumps([trace_event("B", 1, name="f"), trace_event("E", 4)])
    for cut in (text[:-1], text[:-1] + ",\n", text[:-1] + ',{"ph":"B","ts":5,"na'):
        rows = by_name(import_text(cut, cwd=tmp_path))
        assert rows == {"f": (1, pytest.approx(3e-6), pytest.approx(3e-6))}


def test_asynchronous_operations_have_tracks_of_their_own(tmp_path):
    events = []
    for number in range(3):
        common = {"cat": "net", "id": number, "name": "request"}
        events.append(trace_event("b", 10 * number, **common))
        events.append(trace_event("b", 10 * number + 1, **{**common, "name": "reply"}))
        events.append(trace_event("e", 10 * number + 2, **{**common, "name": "reply"}))
        events.append(trace_event("e", 10 * number + 15, **common))
    run = import_text(json.dumps(events), cwd=tmp_path)
    rows = by_name(run)
    assert rows["request"] == (3, pytest.approx(42e-6), pytest.approx(45e-6))
    assert rows["reply"] == (3, pytest.approx(3e-6), pytest.approx(3e-6))
    names = {event["args"]["name"] for event in timeline(run) if event["ph"] == "M"}
    assert {"request (async)", "request (async 2)"} <= names
    assert "request (async 3)" not in names
