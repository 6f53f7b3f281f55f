"""Uses every hook of the interpreter itself and prints what came of it."""

import bdb
import cProfile
import io
import pdb
import pstats
import sys
import threading
import trace


def leaf(n):
    value = n + 1
    return value


def work(n):
    total = 0
    for i in range(n):
        total += leaf(i)
    return total


def numbers(n):
    for i in range(n):
        yield leaf(i)


def fail():
    leaf(0)
    raise ValueError


def workload():
    work(3)
    list(numbers(2))
    try:
        fail()
    except ValueError:
        leaf(5)


class Recorder:
    """The events of this file's functions, as a profile or trace function."""

    def __init__(self):
        self.events = []

    def __call__(self, frame, event, argument):
        code = frame.f_code
        if code.co_filename == __file__ and code.co_name in ("leaf", "work", "numbers", "fail"):
            # Up to 3.9 the line of a return is another one where a trace function is set.
            line = 0 if event == "return" else frame.f_lineno - code.co_firstlineno
            self.events.append(f"{event}:{code.co_name}+{line}")
        return self

    def summary(self):
        counts = {}
        for event in self.events:
            counts[event] = counts.get(event, 0) + 1
        return " ".join(f"{event}={counts[event]}" for event in sorted(counts))


def with_setprofile():
    recorder = Recorder()
    sys.setprofile(recorder)
    assert sys.getprofile() is recorder
    workload()
    sys.setprofile(None)
    assert sys.getprofile() is None
    return recorder.summary()


def with_settrace():
    recorder = Recorder()
    sys.settrace(recorder)
    assert sys.gettrace() is recorder
    workload()
    sys.settrace(None)
    assert sys.gettrace() is None
    return recorder.summary()


def in_thread(setter):
    recorder = Recorder()
    setter(recorder)
    thread = threading.Thread(target=workload)
    thread.start()
    thread.join()
    setter(None)
    return recorder.summary()


def with_threading_setprofile():
    return in_thread(threading.setprofile)


def with_threading_settrace():
    return in_thread(threading.settrace)


def with_cprofile():
    profiler = cProfile.Profile()
    profiler.enable()
    workload()
    profiler.disable()
    rows = pstats.Stats(profiler).stats
    own = {key[2]: rows[key][:2] for key in rows if key[0] == __file__}
    return " ".join(
        f"{name}={own[name]}" for name in sorted(own) if name[0] != "w" or name == "work"
    )


class Debugger(bdb.Bdb):
    def __init__(self):
        super().__init__()
        self.lines = 0
        self.calls = 0
        self.errors = 0

    def user_call(self, frame, arguments):
        self.calls += 1
        self.set_step()

    def user_line(self, frame):
        self.lines += 1
        self.set_step()

    def user_exception(self, frame, error):
        self.errors += 1


def with_bdb():
    debugger = Debugger()
    debugger.runcall(workload)
    return f"{debugger.calls > 5} {debugger.lines} {debugger.errors > 0}"


def with_pdb():
    output = io.StringIO()
    commands = io.StringIO("b leaf\nc\np n\nn\np value\nup\np i\ncl 1\nc\n")
    pdb.Pdb(stdin=commands, stdout=output, nosigint=True, readrc=False).runcall(work, 2)
    return output.getvalue()


def set_trace_here(debugger):
    first = 1
    debugger.set_trace()
    second = first + 1
    return leaf(second)


def with_set_trace_inside():
    """The frames of those who called were entered before there was a debugger.

    On which line it stops first is left out: 3.13.0 gives another one as soon as any tool
    uses sys.monitoring."""
    output = io.StringIO()
    commands = io.StringIO("unt 151\np second\ns\nr\nr\nn\np result\nc\n")
    debugger = pdb.Pdb(stdin=commands, stdout=output, nosigint=True, readrc=False)
    result = set_trace_here(debugger)
    return output.getvalue().partition("(Pdb)")[2] + str(result)


def with_trace_module():
    tracer = trace.Trace(count=1, trace=0)
    tracer.runfunc(workload)
    counts = tracer.results().counts
    return sorted((line, count) for (file, line), count in counts.items() if file == __file__)


def with_monitoring():
    monitoring = getattr(sys, "monitoring", None)
    if not monitoring:
        return None
    tool = monitoring.PROFILER_ID
    events = monitoring.events
    seen = {}

    def on(name):
        def callback(code, *rest):
            if code.co_name in ("leaf", "work", "numbers", "fail"):
                seen[name, code.co_name] = seen.get((name, code.co_name), 0) + 1

        return callback

    monitoring.use_tool_id(tool, "own")
    names = ("PY_START", "PY_RETURN", "PY_YIELD", "LINE", "PY_UNWIND", "RAISE")
    for name in names:
        monitoring.register_callback(tool, getattr(events, name), on(name))
    monitoring.set_events(tool, sum(getattr(events, name) for name in names))
    workload()
    monitoring.set_events(tool, 0)
    for name in names:
        monitoring.register_callback(tool, getattr(events, name), None)
    monitoring.free_tool_id(tool)
    return sorted(seen.items())


def main():
    for use in (
        with_setprofile,
        with_settrace,
        with_threading_setprofile,
        with_threading_settrace,
        with_cprofile,
        with_bdb,
        with_pdb,
        with_set_trace_inside,
        with_trace_module,
        with_monitoring,
    ):
        print(use.__name__, use())


if __name__ == "__main__":
    main()
