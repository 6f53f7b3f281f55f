"""What annotations of native programs become in other tools: the engine of the Perfetto UI,
and JSON read strictly."""

import json
import subprocess

import perfetto_engine
import pytest
import support

SOURCE = r"""
#include <kymo/kymo.h>
#include <math.h>
#include <pthread.h>

static void *consume(void *unused)
{
	KYMO_REGION("consumer");
	kymo_thread_label("second");
	kymo_message_receive("job", 7);
	return unused;
}

int main(void)
{
	struct kymo_value values[] = {
		kymo_value_int("int", -3),   kymo_value_uint("uint", ~0ull),
		kymo_value_float("real", 2.5), kymo_value_float("nan", NAN),
		kymo_value_text("text", "a \"b\" \xc3\xa9 \xff"),
		kymo_value_pointer("pointer", (void *)0x10),
	};
	pthread_t thread;

	kymo_thread_label("first");
	kymo_region_begin_with("solve", values, 6);
	kymo_message_send("job", 7);
	pthread_create(&thread, NULL, consume, NULL);
	pthread_join(thread, NULL);
	kymo_parameter_int("level", 2);
	kymo_counter_set("items", "count", 5);
	kymo_counter_add("items", "count", 2);
	kymo_instant_with("mark", values, 1);
	KYMO_PROGRESS_NAMED("step");
	kymo_region_end("solve");
	return 0;
}
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("native")
    (folder / "program.c").write_text(SOURCE, encoding="utf-8")
    include = str(support.REPOSITORY / "include")
    command = ["cc", "-I", include, "program.c", "-o", "program", "-pthread"]
    subprocess.run(command, cwd=folder, check=True)
    options = ["-q", "-T", "-o", folder / "out", "--time-output=OFF"]
    result = support.run_kymo(["run", *options, "--", "./program"], cwd=folder)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    return folder / "out"


def export(recorded, form):
    path = recorded.parent / f"exported.{form}"
    result = support.run_kymo(["export", recorded, "--format", form, "-o", path], cwd=recorded)
    assert result.returncode == 0, result.stderr
    return path.read_bytes()


def test_perfetto(recorded, tmp_path):
    annotations, flows, counters, marks, threads, categories, errors = perfetto_engine.query(
        export(recorded, "perfetto"),
        [
            "select a.flat_key, coalesce(a.string_value, a.int_value, a.real_value) "
            "from slice s join args a using (arg_set_id) "
            "where s.name = 'solve' and a.flat_key like 'debug.%'",
            "select o.name, i.name, ot.name, it.name from flow "
            "join slice o on flow.slice_out = o.id join slice i on flow.slice_in = i.id "
            "join thread_track ott on o.track_id = ott.id join thread ot on ott.utid = ot.utid "
            "join thread_track itt on i.track_id = itt.id join thread it on itt.utid = it.utid",
            "select t.name, c.value from counter c join counter_track t on c.track_id = t.id "
            "order by c.ts",
            "select name, dur from slice where name in ('mark', 'step') order by name",
            "select name from thread where name in ('first', 'second') order by name",
            "select category from slice where name = 'pthread_create'",
            "select name, value from stats where severity != 'info' and value != 0",
        ],
        tmp_path,
    )
    found = {key: value for key, value in annotations}
    assert found["debug.int"] == -3 and found["debug.real"] == 2.5
    assert found["debug.text"] == 'a "b" é \ufffd'
    assert {"debug.uint", "debug.nan", "debug.pointer"} <= set(found)
    assert flows == [("job", "job", "first", "second")]
    assert counters == [("items", 5.0), ("items", 7.0)]
    assert marks == [("mark", 0), ("step", 0)]
    assert threads == [("first",), ("second",)]
    assert categories == [("pthread",)]
    assert errors == []


def refuse(constant):
    raise ValueError(constant)


def test_chrome(recorded):
    events = json.loads(export(recorded, "chrome"), parse_constant=refuse)["traceEvents"]
    (solve,) = [each for each in events if each.get("name") == "solve"]
    arguments = solve["args"]
    assert (arguments["int"], arguments["uint"], arguments["real"]) == (-3, 2**64 - 1, 2.5)
    assert (arguments["nan"].lstrip("-"), arguments["pointer"]) == ("nan", "0x10")
    assert arguments["text"] == 'a "b" é \ufffd'
    (send,) = [each for each in events if each["ph"] == "s"]
    (receive,) = [each for each in events if each["ph"] == "f"]
    assert (send["id"], send["name"], send["cat"]) == (receive["id"], "job", receive["cat"])
    assert send["tid"] != receive["tid"] and receive["bp"] == "e"
    assert [each["args"] for each in events if each["ph"] == "C"] == [{"value": 5}, {"value": 7}]
    (mark,) = [each for each in events if each["ph"] == "i"]
    assert (mark["name"], mark["args"]) == ("mark", {"int": -3})


def test_stacks(recorded):
    """A parameter is a frame with its value; progress points take no time."""
    lines = export(recorded, "collapsed").decode().splitlines()
    assert [line for line in lines if "solve;level=2" in line]
    assert not [line for line in lines if line.split(" ")[0].endswith(";step")]
