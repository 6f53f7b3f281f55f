"""What programs record that use the interface of the package: every call of theirs, exactly."""

import pytest

pytestmark = pytest.mark.alike_versions

HEAD = """
import kymo
def leaf(): return 1
def twice(): return leaf() + leaf()
def other(): return leaf()
"""

# What threads call of the library is not what is counted.
WITHOUT_THREADING = """
import threading
from kymo.profiler import config
config.exclude_modules += ["/threading.py$"]
"""

# What each program records, by function.
RECORDED = {
    "decorator": (
        "@kymo.profile\ndef f(): return twice()\nf(); other()",
        {"f": 1, "twice": 1, "leaf": 2},
    ),
    "decorator_called": (
        "@kymo.profile()\ndef f(): return twice()\nf(); f()",
        {"f": 2, "twice": 2, "leaf": 4},
    ),
    "profiler_class": ("@kymo.Profiler()\ndef f(): return leaf()\nf()", {"f": 1, "leaf": 1}),
    "block": ("with kymo.profile:\n  twice()\nother()", {"twice": 1, "leaf": 2}),
    "block_called": ("with kymo.profile():\n  twice()\nother()", {"twice": 1, "leaf": 2}),
    "block_of_class": (
        "with kymo.Profiler() as p:\n  twice()\np.stop(); other()",
        {"twice": 1, "leaf": 2},
    ),
    "explicit": (
        "p = kymo.Profiler()\np.start(); twice(); p.stop(); other()",
        {"twice": 1, "leaf": 2},
    ),
    "shortcuts": ("kymo.start(); twice(); kymo.stop(); other()", {"twice": 1, "leaf": 2}),
    "user_trace": (
        "import kymo.user as u\nu.start_trace(); twice(); u.stop_trace(); other()",
        {"twice": 1, "leaf": 2},
    ),
    "user_stop_holds_profilers": (
        "import kymo.user as u\n@kymo.profile\ndef f(): return leaf()\n"
        "f(); u.stop_trace(); f()\nwith kymo.profile: twice()\nkymo.start(); twice(); kymo.stop()\n"
        "with kymo.region('work'): f()\nu.start_trace(); f(); other()",
        {"f": 2, "leaf": 2, "work": 1},
    ),
    "user_stops_count": (
        "import kymo.user as u\nu.stop_trace(); u.stop_trace(); u.start_trace()\n"
        "with kymo.profile: other()\nu.start_trace()\nwith kymo.profile: twice()\n"
        "u.start_trace(); u.start_trace(); u.stop_trace(); leaf(); u.stop_trace(); other()\n"
        "with kymo.profile: leaf()",
        {"twice": 1, "leaf": 4},
    ),
    "user_stop_inside": (
        "import kymo.user as u\nkymo.start()\n"
        "def f():\n  u.stop_trace(); other(); u.start_trace()\n  leaf()\n"
        "f(); twice(); kymo.stop(); other()",
        {"f": 1, "leaf": 3, "twice": 1},
    ),
    "user_stop_outlasts_others": (
        "import kymo.user as u\nkymo.start(); u.stop_trace(); kymo.stop(); u.start_trace()\n"
        "other()\nwith kymo.profile: twice()",
        {"twice": 1, "leaf": 2},
    ),
    "thread_trace": (
        "import kymo.user as u\nwith kymo.profile:\n  u.stop_thread_trace()\n"
        "  other()\n  u.start_thread_trace()\n  twice()",
        {"twice": 1, "leaf": 2},
    ),
    "nested_objects": (
        "with kymo.Profiler():\n  with kymo.Profiler():\n    other()\n  twice()\nother()",
        {"other": 1, "twice": 1, "leaf": 3},
    ),
    "nested_decorators": (
        "@kymo.profile\ndef f(n): return f(n - 1) if n else twice()\nf(3); other()",
        {"f": 4, "twice": 1, "leaf": 2},
    ),
    "second_object_stops": (
        "a, b = kymo.Profiler(), kymo.Profiler()\na.start(); b.start()\n"
        "b.stop(); twice(); a.stop(); other()",
        {"twice": 1, "leaf": 2},
    ),
    "stray_stop": (
        "a, b = kymo.Profiler(), kymo.Profiler()\na.start(); b.stop(); b.stop()\ntwice(); a.stop()",
        {"twice": 1, "leaf": 2},
    ),
    "noprofile_block": (
        "with kymo.profile:\n  with kymo.noprofile:\n    other()\n  twice()",
        {"twice": 1, "leaf": 2},
    ),
    "noprofile_decorator": (
        "@kymo.noprofile()\ndef quiet(): other()\nwith kymo.profile:\n  quiet(); twice()",
        {"twice": 1, "leaf": 2},
    ),
    "noprofile_nested": (
        "with kymo.profile:\n  with kymo.noprofile():\n    with kymo.noprofile:\n"
        "      other()\n    other()\n  twice()",
        {"twice": 1, "leaf": 2},
    ),
    "noprofile_alone": (
        "with kymo.noprofile:\n  other()\nwith kymo.profile:\n  twice()",
        {"twice": 1, "leaf": 2},
    ),
    "profile_in_noprofile": (
        "with kymo.noprofile:\n  with kymo.profile:\n    other()\nwith kymo.profile:\n  twice()",
        {"twice": 1, "leaf": 2},
    ),
    "exception": (
        "@kymo.profile\ndef f():\n  leaf()\n  raise KeyError\n"
        "try: f()\nexcept KeyError: pass\nother()",
        {"f": 1, "leaf": 1},
    ),
    "exception_in_block": (
        "try:\n  with kymo.profile:\n    leaf()\n    1 / 0\n"
        "except ZeroDivisionError: pass\nother()",
        {"leaf": 1},
    ),
    "exception_in_noprofile": (
        "@kymo.noprofile\ndef f(): raise KeyError\n"
        "with kymo.profile:\n  try: f()\n  except KeyError: pass\n"
        "  twice()",
        {"twice": 1, "leaf": 2},
    ),
    "method": (
        "class C:\n  @kymo.profile\n  def f(self): return leaf()\nassert C().f() == 1",
        {"C.f": 1, "leaf": 1},
    ),
    "static": (
        "class C:\n  @staticmethod\n  @kymo.profile\n  def f(): return leaf()\n"
        "assert C.f() == C().f() == 1",
        {"C.f": 2, "leaf": 2},
    ),
    "static_inside": (
        "class C:\n  @kymo.profile\n  @staticmethod\n  def f(): return leaf()\n"
        "assert C.f() == C().f() == 1",
        {"C.f": 2, "leaf": 2},
    ),
    "classmethod_inside": (
        "class C:\n  @kymo.profile\n  @classmethod\n"
        "  def f(cls): return cls, leaf()\nassert C.f() == (C, 1)",
        {"C.f": 1, "leaf": 1},
    ),
    "property": (
        "class C:\n  @property\n  @kymo.profile\n  def f(self): return leaf()\nassert C().f == 1",
        {"C.f": 1, "leaf": 1},
    ),
    "partial": (
        "from functools import partial\ndef g(a, b): return leaf() + a + b\n"
        "assert kymo.profile(partial(g, 1))(2) == 4",
        {"g": 1, "leaf": 1},
    ),
    "runcall": (
        "assert kymo.Profiler().runcall(lambda n: twice() + n, 5) == 7",
        {"<lambda>": 1, "twice": 1, "leaf": 2},
    ),
    "run": (
        "p = kymo.Profiler()\nassert p.run('x = twice()') is p and x == 2",
        {"<module>": 1, "twice": 1, "leaf": 2},
    ),
    "runctx": (
        "n = {'twice': twice}\nkymo.Profiler().runctx('y = twice()', n, n)\nassert n['y'] == 2",
        {"<module>": 1, "twice": 1, "leaf": 2},
    ),
    "condition": (
        "ok = []\nkymo.Profiler.condition(lambda: ok)\nwith kymo.profile: other()\n"
        "ok.append(1)\nwith kymo.profile: twice()\n"
        "kymo.Profiler.condition(lambda: 1 / 0)\nwith kymo.profile: other()\n"
        "kymo.Profiler.condition(None)\nwith kymo.profile: leaf()",
        {"twice": 1, "leaf": 3},
    ),
    "threads": (
        WITHOUT_THREADING + "with kymo.profile:\n"
        "  ts = list(map(lambda i: threading.Thread(target=leaf), range(5)))\n"
        "  for t in ts: t.start()\n"
        "  for t in ts: t.join()",
        {"<lambda>": 5, "leaf": 5},
    ),
    "thread_started_before": (
        WITHOUT_THREADING + "go, stop = threading.Event(), threading.Event()\n"
        "def late():\n  go.wait(); twice(); stop.set()\n"
        "t = threading.Thread(target=late); t.start()\n"
        "with kymo.profile:\n  go.set(); stop.wait()\nt.join()",
        {"twice": 1, "leaf": 2},
    ),
    "filter": (
        "from kymo.profiler import config\nconfig.restrict_functions += ['^leaf$']\n"
        "with kymo.profile: twice()",
        {"leaf": 2},
    ),
    "filter_later": (
        "from kymo.profiler import config\nwith kymo.profile: twice()\n"
        "config.exclude_functions += ['^leaf$']\nwith kymo.profile: twice()",
        {"twice": 2, "leaf": 2},
    ),
    "arguments": (
        "from kymo.profiler import config\nconfig.include_args = True\n"
        "def g(a, *rest, key=2, **named): leaf()\n"
        "with kymo.profile: g(1, 2, key='k', x=[3])",
        {"g(a=1, key='k', *rest=(2,), **named={'x': [3]})": 1, "leaf()": 1},
    ),
    "region": ("with kymo.region('work'):\n  twice()", {"work": 1}),
    "region_profiled": (
        "with kymo.profile:\n  with kymo.region('work'): twice()",
        {"work": 1, "twice": 1, "leaf": 2},
    ),
    "region_decorator": ("@kymo.region('work')\ndef f(): return leaf()\nf(); f()", {"work": 2}),
    "region_explicit": (
        "r = kymo.user.Region('work')\nr.start(); r.stop()\nassert r.runcall(leaf) == 1",
        {"work": 2},
    ),
    "region_functions": (
        "from kymo.user import push_region, pop_region\n"
        "assert push_region('a') == 0; push_region('b')\n"
        "pop_region('b'); pop_region('a')",
        {"a": 1, "b": 1},
    ),
    "region_exception": (
        "@kymo.region('work')\ndef f(): 1 / 0\ntry: f()\n"
        "except ZeroDivisionError: pass\nwith kymo.region('next'): pass",
        {"work": 1, "next": 1},
    ),
}


def comparable(calls, python):
    """Up to 3.10 functions have no qualified names in their code."""
    if python.number >= (3, 11):
        return calls
    return {
        name.rpartition(".")[2] if "(" not in name else name: count for name, count in calls.items()
    }


# What decorators get of a class differs from version to version; the rest is the package's own.
OF_CLASSES = ("method", "static", "static_inside", "classmethod_inside", "property")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in OF_CLASSES else pytest.mark.newest_version)
        for name in RECORDED
    ],
)
def test_records_exactly(program, python, name):
    text, expected = RECORDED[name]
    calls = program(python, HEAD + text + "\n").calls
    calls = {
        key: count for key, count in calls.items() if key.rpartition(".")[2] not in STANDARD_LIBRARY
    }
    assert calls == comparable(expected, python)


# Of the threading module, which the programs above call where recording is on.
STANDARD_LIBRARY = {
    "wait",
    "set",
    "is_set",
    "notify",
    "notify_all",
    "__enter__",
    "__exit__",
    "_is_owned",
    "_release_save",
    "add",
    "_acquire_restore",
    "join",
    "__init__",
}
