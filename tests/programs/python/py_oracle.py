"""What a recording must say, found out without Kymo: sys.setprofile() and nothing clever.

    python py_oracle.py RESULT.json OPTIONS.json script.py args...

Writes {thread name: tree} with tree = {"label": [count, tree]}.  Threads of one name are
added up.  Options are the fields of kymo.profiler.config that filter, and those of DEFAULTS."""

import builtins
import json
import os
import re
import sys
import threading

DEFAULTS = {
    "restrict_functions": [],
    "restrict_modules": [],
    "include_functions": [],
    "include_modules": [],
    "exclude_functions": [],
    "exclude_modules": [],
    "trace_c": False,
    "as_evaluated": False,  # without what is evaluated only because it is looked at
    "imported": [],  # modules that the program finds loaded
}
METHOD = type(list.append)
ASYNC_GENERATOR = 0x200
RECORD, SKIP, HIDE = "record", "skip", "hide"
IMPORT_FILE = "<frozen importlib._bootstrap>"
IMPORT_FUNCTIONS = ("_find_and_load", "_lock_unlock_module")
MACHINERY = (IMPORT_FILE, "<frozen importlib._bootstrap_external>", "<frozen zipimport>")

options = dict(DEFAULTS)
stacks = []
local = threading.local()
decisions = {}
kept = []


class Stack:
    """The open calls of a thread or greenlet; None stands for a call that is not shown."""

    def __init__(self, name):
        self.name = name
        self.root = {}
        self.path = [self.root]
        self.open = []
        self.hidden = 0
        self.imports = []  # that are open; None stands for one that goes on with another
        stacks.append(self)

    def enter_import(self, label):
        goes_on = self.imports[-1:] == [label]
        self.imports.append(None if goes_on else label)
        if not goes_on:
            self.enter(label)

    def leave_import(self):
        label = self.imports.pop()
        if label:
            self.leave(label)

    def enter(self, label):
        node = self.path[-1].setdefault(label, [0, {}])
        node[0] += 1
        self.path.append(node[1])
        self.open.append(label)

    def leave(self, label):
        if self.open and self.open[-1] == label:
            self.open.pop()
            self.path.pop()

    def take_back(self, label):
        """The newest enter has not been."""
        if self.open and self.open[-1] == label:
            self.leave(label)
            node = self.path[-1][label]
            node[0] -= 1
            if not node[0]:
                del self.path[-1][label]


def current_stack():
    greenlet = sys.modules.get("greenlet")
    if greenlet and hasattr(greenlet, "getcurrent"):
        current = greenlet.getcurrent()
        if current.parent is not None:
            if not hasattr(current, "_oracle"):
                current._oracle = Stack("greenlet")
            return current._oracle
    if not hasattr(local, "stack"):
        thread = threading._active.get(threading.get_ident())
        local.stack = Stack(thread.name if thread else "")
    return local.stack


def search(patterns, text):
    return any(re.search(pattern, text) for pattern in patterns)


def decide_function(name):
    """None = the module decides."""
    if options["restrict_functions"]:
        return RECORD if search(options["restrict_functions"], name) else SKIP
    if search(options["include_functions"], name):
        return RECORD
    for pattern in options["exclude_functions"]:
        if re.search(pattern, name):
            return SKIP if pattern.startswith("^<") and pattern.endswith(">$") else HIDE
    return None


def decide_module(file, is_entry=False):
    if options["restrict_modules"] and not search(options["restrict_modules"], file):
        return SKIP
    if search(options["include_modules"], file):
        return RECORD
    left_out = search(options["exclude_modules"], file) or (file in MACHINERY and not is_entry)
    return SKIP if left_out else RECORD


def decide(name, file):
    return decide_function(name) or decide_module(file)


def is_import(code):
    """Whether all imports come through it; the lists of functions know it as `import`."""
    return code.co_name in IMPORT_FUNCTIONS and code.co_filename == IMPORT_FILE


def on_code(code):
    found = decisions.get(id(code))
    if found is None or found[0] is not code:
        if is_import(code):
            action = decide_function("import") or decide_module(IMPORT_FILE, is_entry=True)
        else:
            action = decide(code.co_name, code.co_filename)
        label = f"{code.co_name}@{os.path.basename(code.co_filename)}:{code.co_firstlineno}"
        found = (code, action, label)
        decisions[id(code)] = found  # keeps the code object, so that its id is not reused
    return found


def on_frame(frame):
    """The action for a call, and its label: that of an import is the module's."""
    code, action, label = on_code(frame.f_code)
    return action, f"import {frame.f_locals['name']}@:0" if is_import(code) else label


def label_c(function):
    """As cProfile names it, but for a type's method that a Python class has overridden."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, type(sys)):
        return f"{{built-in method {function.__module__}.{function.__name__}}}"
    bases = type(owner).__mro__ if owner is not None else [getattr(function, "__objclass__", int)]
    for base in bases:
        method = vars(base).get(function.__name__)
        if isinstance(method, METHOD):
            return "{" + repr(method).strip("<>") + "}"
    module = f"{function.__module__}." if function.__module__ else ""
    return f"{{built-in method {module}{function.__name__}}}"


def what_of(frame, event, argument):
    """The action for an event, and the label."""
    if event.startswith("c_"):
        if not options["trace_c"] or frame.f_code.co_filename == __file__:
            return SKIP, None
        return decide(argument.__name__, frame.f_code.co_filename), label_c(argument)
    return on_frame(frame)


def on_event(frame, event, argument):
    stack = current_stack()
    action, label = what_of(frame, event, argument)
    if event in ("call", "c_call"):
        if action == HIDE:
            stack.hidden += 1
        elif action == RECORD and not stack.hidden:
            stack.enter_import(label) if label.startswith("import ") else stack.enter(label)
    elif action == HIDE:
        stack.hidden = max(0, stack.hidden - 1)
    elif action == RECORD and not stack.hidden:
        stack.leave_import() if label.startswith("import ") else stack.leave(label)


def add(into, tree):
    for label, (count, children) in tree.items():
        node = into.setdefault(label, [0, {}])
        node[0] += count
        add(node[1], children)


def result():
    threads = {}
    for stack in stacks:
        if stack.root:
            add(threads.setdefault(stack.name, {}), stack.root)
    return threads


# Of the argument of RESUME: nothing but the end of the generator is caught where it waits.
CATCHES_NOTHING = 8 if sys.version_info >= (3, 15) else 4


def on_throw(code, offset, exception):
    """After on_event: a generator or coroutine is closed, for which later releases of 3.13 and
    all of 3.14 begin it again only where something looks."""
    is_idle = code.co_code[offset + 1] & CATCHES_NOTHING and not code.co_flags & ASYNC_GENERATOR
    if isinstance(exception, GeneratorExit) and is_idle and on_code(code)[1] == RECORD:
        current_stack().take_back(on_code(code)[2])


def watch_closing():
    monitoring = sys.monitoring
    monitoring.use_tool_id(0, "oracle")
    monitoring.register_callback(0, monitoring.events.PY_THROW, on_throw)
    monitoring.set_events(0, monitoring.events.PY_THROW)


def attach():
    """For threads that threading does not start: called by their outermost function."""
    on_event(sys._getframe(1), "call", None)
    sys.setprofile(on_event)


def run(script, namespace):
    with open(script, "rb") as file:
        code = compile(file.read(), script, "exec", dont_inherit=True)
    if options["as_evaluated"]:
        watch_closing()
    threading.setprofile(on_event)
    sys.setprofile(on_event)
    exec(code, namespace)


def main():
    output, given, script = sys.argv[1:4]
    with open(given) as file:
        options.update(json.load(file))
    for name in options["imported"]:
        __import__(name)
    builtins.attach_oracle = attach
    sys.argv = sys.argv[3:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    main_module = type(sys)("__main__")
    main_module.__dict__.update(__file__=script, __builtins__=builtins)
    sys.modules["__main__"] = main_module
    try:
        run(script, main_module.__dict__)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        with open(output, "w") as file:
            json.dump(result(), file)


if __name__ == "__main__":
    main()
