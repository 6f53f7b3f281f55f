"""The tools, each as a pair of functions that switch it on and off in this process.

Runs inside every interpreter; a peer that is not installed raises ImportError."""

import sys


def _cprofile():
    import cProfile

    profile = cProfile.Profile()
    return profile.enable, profile.disable


def _setprofile():
    def nothing(frame, event, argument):
        pass

    return lambda: sys.setprofile(nothing), lambda: sys.setprofile(None)


def _yappi():
    import yappi

    yappi.set_clock_type("wall")
    return lambda: yappi.start(builtins=False), lambda: (yappi.stop(), yappi.clear_stats())


def _viztracer():
    from viztracer import VizTracer

    tracer = VizTracer(verbose=0, ignore_c_function=True, tracer_entries=1000000)
    return tracer.start, lambda: (tracer.stop(), tracer.clear())


def _pyinstrument():
    from pyinstrument import Profiler

    profiler = Profiler()
    return profiler.start, lambda: (profiler.stop(), profiler.reset())


def _line_profiler():
    from line_profiler import LineProfiler

    from suite import workloads

    profiler = LineProfiler()
    for value in vars(workloads).values():
        if hasattr(value, "__code__"):
            profiler.add_function(value)
    for value in vars(workloads.Account).values():
        if hasattr(value, "__code__"):
            profiler.add_function(value)
    return profiler.enable_by_count, profiler.disable_by_count


def _kymo():
    import kymo

    return kymo.start, kymo.stop


def _kymo_callbacks():
    if sys.version_info < (3, 12):
        raise ImportError("sys.monitoring begins with 3.12")
    return _kymo()


# What Kymo records is a setting of the process.
KYMO_MODES = {
    "kymo": {},
    "kymo sampled": {"KYMO_PYTHON_TIMING": "sampled"},
    "kymo trace": {"KYMO_PROFILE": "OFF", "KYMO_TRACE": "ON"},
    "kymo both": {"KYMO_TRACE": "ON"},
}
# So is how it hooks the interpreter.
KYMO_SETTINGS = {**KYMO_MODES, "kymo callbacks": {"KYMO_PYTHON_INSTRUMENTER": "monitoring"}}

TOOLS = {
    "kymo": _kymo,
    "kymo sampled": _kymo,
    "kymo callbacks": _kymo_callbacks,
    "kymo trace": _kymo,
    "kymo both": _kymo,
    "cProfile": _cprofile,
    "setprofile": _setprofile,
    "viztracer": _viztracer,
    "yappi": _yappi,
    "pyinstrument": _pyinstrument,
    "line_profiler": _line_profiler,
}

# Distributions that a peer needs, by tool.
PACKAGES = {
    "viztracer": "viztracer",
    "yappi": "yappi",
    "pyinstrument": "pyinstrument",
    "line_profiler": "line_profiler",
}


def install(name):
    """(switch on, switch off) of a tool."""
    return TOOLS[name]()
