"""Run a module of CPython's own tests: `interpreters_tests.py MODULE`.

Those of sys.monitoring expect that no other tool is there: Kymo's is hidden from them, and they get
the ids that it has not."""

import importlib
import sys
import unittest


def hide(monitoring, own, name, nothing):
    original = getattr(monitoring, name)
    setattr(monitoring, name, lambda tool: nothing if tool in own else original(tool))


def hide_events(monitoring, own):
    original, mask = monitoring._all_events, sum(1 << tool for tool in own)
    monitoring._all_events = lambda: {
        name: tools & ~mask for name, tools in original().items() if tools & ~mask
    }


def prepare(module):
    monitoring = sys.monitoring
    own = [tool for tool in range(6) if monitoring.get_tool(tool) == "kymo"]
    hide_events(monitoring, own)
    hide(monitoring, own, "get_events", 0)
    hide(monitoring, own, "get_tool", None)
    free = (tool for tool in range(2, 6) if tool not in own)
    for name in ("TEST_TOOL", "TEST_TOOL2", "TEST_TOOL3"):
        setattr(module, name, next(free))
    print("hidden tools:", own)


module = importlib.import_module("test." + sys.argv[1])
if sys.argv[1] == "test_monitoring":
    prepare(module)
unittest.main(module=module, argv=[sys.argv[0], "-q"])
