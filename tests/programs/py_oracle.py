"""What a recording must say, found out without Kymo: sys.setprofile() and nothing clever.

    python py_oracle.py RESULT.json OPTIONS.json script.py args...

Writes {thread name: tree} with tree = {"label": [count, tree]}.  Threads of one name are
added up.  Options are the fields of kymo.profiler.config that filter, and trace_c."""

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
    "exclude_functions": ["^<.*>$"],
    "exclude_modules": ["(encoder|decoder|threading).py$", "^<.*>$"],
    "trace_c": False,
}
METHOD = type(list.append)
RECORD, SKIP, HIDE = "record", "skip", "hide"

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
        stacks.append(self)

    def enter(self, label):
        node = self.path[-1].setdefault(label, [0, {}])
        node[0] += 1
        self.path.append(node[1])
        self.open.append(label)

    def leave(self, label):
        if self.open and self.open[-1] == label:
            self.open.pop()
            self.path.pop()


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
            return SKIP if pattern == "^<.*>$" else HIDE
    return None


def decide_module(file):
    if options["restrict_modules"] and not search(options["restrict_modules"], file):
        return SKIP
    if search(options["include_modules"], file):
        return RECORD
    return SKIP if search(options["exclude_modules"], file) else RECORD


def decide(name, file):
    return decide_function(name) or decide_module(file)


def on_code(code):
    found = decisions.get(id(code))
    if found is None or found[0] is not code:
        label = f"{code.co_name}@{os.path.basename(code.co_filename)}:{code.co_firstlineno}"
        found = (code, decide(code.co_name, code.co_filename), label)
        decisions[id(code)] = found  # keeps the code object, so that its id is not reused
    return found


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
    return f"{{built-in method {function.__name__}}}"


def what_of(frame, event, argument):
    """The action for an event, and the label."""
    if event.startswith("c_"):
        if not options["trace_c"] or frame.f_code.co_filename == __file__:
            return SKIP, None
        return decide(argument.__name__, frame.f_code.co_filename), label_c(argument)
    return on_code(frame.f_code)[1:]


def on_event(frame, event, argument):
    stack = current_stack()
    action, label = what_of(frame, event, argument)
    if event in ("call", "c_call"):
        if action == HIDE:
            stack.hidden += 1
        elif action == RECORD and not stack.hidden:
            stack.enter(label)
    elif action == HIDE:
        stack.hidden = max(0, stack.hidden - 1)
    elif action == RECORD and not stack.hidden:
        stack.leave(label)


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


def attach():
    """For threads that threading does not start."""
    sys.setprofile(on_event)


def run(script, namespace):
    with open(script, "rb") as file:
        code = compile(file.read(), script, "exec", dont_inherit=True)
    threading.setprofile(on_event)
    sys.setprofile(on_event)
    exec(code, namespace)


def main():
    output, given, script = sys.argv[1:4]
    with open(given) as file:
        options.update(json.load(file))
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
