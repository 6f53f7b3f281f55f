"""Programs run under Kymo and under the oracle, and comparisons of their call trees.

A tree is {label: [count, tree]}, label `name@file.py:line` for Python functions and
cProfile's text for C functions; a result is {thread name: tree}."""

import json
import os
from dataclasses import dataclass

import kymo_decoder
import pytest
import support

ORACLE = support.program("py_oracle.py")
INSTRUMENTERS = ("frame", "dispatch", "monitoring", "cProfile", "profile", "cTrace", "trace")
MODES = {
    "profile": {"KYMO_PROFILE": "ON", "KYMO_TRACE": "OFF"},
    "trace": {"KYMO_PROFILE": "OFF", "KYMO_TRACE": "ON"},
    "both": {"KYMO_PROFILE": "ON", "KYMO_TRACE": "ON"},
    "sampled": {"KYMO_PROFILE": "ON", "KYMO_TRACE": "OFF", "KYMO_PYTHON_TIMING": "sampled"},
}
MODE_VIEWS = {
    "profile": ["profile"],
    "trace": ["trace"],
    "both": ["profile", "trace"],
    "sampled": ["profile"],
}
KIND_PYTHON, KIND_C, KIND_METHOD, KIND_USER = 1, 2, 3, 4
LANE = 1
LEFT_OUT = (pytest.mark.slow, pytest.mark.long)


def is_of(python, instrumenter):
    """Whether an instrumenter is one of an interpreter's version."""
    if instrumenter == "dispatch":
        return (3, 12) <= python.number < (3, 15) and os.uname().machine == "x86_64"
    return instrumenter != "monitoring" or python.number >= (3, 12)


def instrumenters(python):
    """Those that an interpreter supports, except `dummy`."""
    return [name for name in INSTRUMENTERS if is_of(python, name)]


def default(python):
    """The default one."""
    if python.number >= (3, 12):
        return "dispatch" if is_of(python, "dispatch") else "monitoring"
    return "cProfile" if missed(python, "frame") else "frame"


def missed(python, instrumenter):
    """The function whose specialised calls do not reach an instrumenter."""
    if instrumenter == "frame" and python.number == (3, 13):
        return "__init__"
    if instrumenter == "frame" and (3, 11) <= python.release < (3, 11, 4):
        return "__getitem__"
    return None


@dataclass(frozen=True)
class Subject:
    """Settings for recording a tree."""

    python: support.Interpreter
    instrumenter: str
    mode: str

    def is_frame_since(self, number):
        return self.instrumenter == "frame" and self.python.number >= number


def is_always_tried(subject):
    """Both views of a run with the default instrumenter and with one that is a hook, which reads
    frames as each version has them; under the oldest and the newest version also those with every
    other instrumenter, and each view alone with the default."""
    versions = support.interpreters()
    is_default = subject.instrumenter == default(subject.python)
    if subject.python in (versions[0], versions[-1]):
        return is_default or subject.mode == "both"
    return subject.mode == "both" and (is_default or subject.instrumenter == "cProfile")


def subjects(only):
    """Every combination as a parameter of a test.  What is not always tried is long."""
    parameters = []
    for python in support.interpreters():
        for instrumenter in instrumenters(python):
            for mode in MODES:
                subject = Subject(python, instrumenter, mode)
                parameters.append(
                    pytest.param(
                        subject,
                        id=f"{python}-{instrumenter}-{mode}",
                        marks=() if is_always_tried(subject) else LEFT_OUT,
                    )
                )
    return [each for each in parameters if not only or each.values[0].python.version in only]


def label_of(recording, number):
    region = recording.regions[number]
    name = recording.string(region.name)
    if region.kind == KIND_PYTHON:
        file = (recording.string(region.file) or "").rpartition("/")[2]
        return f"{name}{recording.string(region.arguments) or ''}@{file}:{region.line}"
    if region.kind == KIND_METHOD:
        return f"{{method '{name}' of '{recording.string(region.module)}' objects}}"
    if region.kind == KIND_C:
        module = recording.string(region.module)
        return f"{{built-in method {module}.{name}}}" if module else f"{{built-in method {name}}}"
    return name


FILTERS = {
    "restrict_functions": "-R",
    "include_functions": "-I",
    "exclude_functions": "-E",
    "restrict_modules": "-MR",
    "include_modules": "-MI",
    "exclude_modules": "-ME",
}


def filter_options(filters):
    """The same on the command line."""
    options = []
    for field, patterns in filters.items():
        for pattern in patterns:
            options += [FILTERS[field], pattern]
    return options


def child(into, label, count):
    """The subtree of a label, after adding this many calls to it."""
    node = into.setdefault(label, [0, {}])
    node[0] += count
    return node[1]


def add(into, tree):
    """Add a tree's counts to another's."""
    for label, (count, children) in tree.items():
        add(child(into, label, count), children)


def counts(threads):
    """{function name: calls} over all threads and paths: the program's, C's and regions."""
    total = {}

    def visit(tree):
        for label, (count, children) in tree.items():
            name, _, file = label.partition("@")
            if not file or file.startswith("py_"):
                total[name] = total.get(name, 0) + count
            visit(children)

    for tree in threads.values():
        visit(tree)
    return total


class Recorded:
    """A recording as the tests need it: trees and events by thread."""

    def __init__(self, path):
        self.recording = kymo_decoder.Recording(path.read_bytes())
        self.threads = self.recording.threads
        self._events = {}
        self.labels = {n: label_of(self.recording, n) for n in self.recording.regions}

    def name(self, number):
        """The main thread has its name from threading, which a program may never import."""
        unnamed = "" if number else "MainThread"
        return self.recording.string(self.threads[number].name) or unnamed

    def _by_name(self, trees):
        merged = {}
        for number, tree in trees.items():
            if tree:
                add(merged.setdefault(self.name(number), {}), tree)
        return merged

    def _tree(self, node, into):
        for each in node.children:
            if each.region in self.labels and each.count:
                self._tree(each, child(into, self.labels[each.region], each.count))
        return into

    def profile(self):
        """From the call-path trees that were recorded."""
        roots = self.recording.recorded_roots()
        return self._by_name({n: self._tree(root, {}) for n, root in roots.items()})

    def events(self, number):
        return self._decoded(number)[0]

    def _decoded(self, number):
        if number not in self._events:
            self._events[number] = self.recording.events(number)
        return self._events[number]

    def trace(self):
        """From the events, each leave matched with its enter."""
        return self._by_name({n: self._replay(n) for n in self.threads})

    def _replay(self, number):
        root = {}
        path = [root]
        for what, region, *_ in self.events(number):
            if what == "enter":
                node = path[-1].setdefault(self.labels[region], [0, {}])
                node[0] += 1
                path.append(node[1])
            elif what in ("leave", "unwind"):
                path.pop()
        return root

    def unmatched(self):
        """Leaves without an enter and enters that another's leave closed, in all threads."""
        count = sum(thread.resynced for thread in self.threads.values())
        for number in self.threads:
            count += self._decoded(number)[1]
        return count

    def identities(self, name):
        """Generator identities of each enter of a function, in order of time."""
        found = []
        for number in self.threads:
            for what, region, ticks, _, identity, *_ in self.events(number):
                if what == "enter" and self.labels[region].partition("@")[0] == name:
                    found.append((ticks, identity))
        return [identity for _, identity in sorted(found)]

    def notes(self):
        """[(kind, key, value)]"""
        return [
            (note.kind, key.decode(), value.decode("utf-8", "replace"))
            for note, key, value in self.recording.notes()
        ]

    def losses(self):
        """Texts of the notes on losses and suspect data."""
        return [value for kind, _, value in self.notes() if kind in (5, 6)]


def imported_before(folder, *modules):
    """Options that import modules before recording begins: most calls of a short program would
    be those of the library's own bodies."""
    setup = folder / "imported_before.py"
    setup.write_text("".join(f"__import__({module!r})\n" for module in modules))
    return ["-s", setup]


def run(python, instrumenter, args, cwd, mode="profile", options=(), **extra):
    """The finished process, under Kymo, which writes only the recording."""
    environment = dict(MODES[mode], KYMO_PYTHON_INSTRUMENTER=instrumenter)
    environment.update(extra.pop("env", {}))
    return support.run_kymo_python(
        python, ["-q", *options, "--", *args], cwd=cwd, env=environment, **extra
    )


def record(python, instrumenter, args, cwd, status=0, **extra):
    """Run a program under Kymo and read its recording."""
    cwd.mkdir(parents=True, exist_ok=True)
    finished = run(python, instrumenter, args, cwd, **extra)
    assert finished.returncode == status, finished.stderr
    recordings = support.find_recordings(cwd)
    assert len(recordings) == 1, (recordings, finished.stderr)
    recorded = Recorded(recordings[0])
    recorded.process = finished
    return recorded


def expect(python, args, cwd, status=0, env=None, **options):
    """The oracle's result for the same program in the bare interpreter."""
    cwd.mkdir(parents=True, exist_ok=True)
    output, given = cwd / "oracle.json", cwd / "options.json"
    given.write_text(json.dumps(options))
    finished = support.run_bare_python(python, [ORACLE, output, given, *args], cwd=cwd, env=env)
    assert finished.returncode == status, finished.stderr
    return json.loads(output.read_text())


def of_program(threads, name="py_"):
    """What the program's own files called: whatever stands above their outermost functions is
    left away, since what starts a thread is not the oracle's to see, and so are imports of other
    modules, since which of them an import executes depends on what was imported before."""
    kept = {}
    for thread, tree in threads.items():
        own = _own(tree, name, {})
        if own:
            kept[thread] = own
    return kept


def _own(tree, name, into):
    for label, (count, children) in tree.items():
        if f"@{name}" in label:
            add(child(into, label, count), _without_imports(children, name))
        else:
            _own(children, name, into)
    return into


def _without_imports(tree, name):
    return {
        label: [count, _without_imports(children, name)]
        for label, (count, children) in tree.items()
        if not label.startswith("import ") or label.startswith(f"import {name}")
    }


def called_by_script(threads):
    """What the statements of the program's own file called, below the one body of its module."""
    ((label, (count, children)),) = of_program(threads)["MainThread"].items()
    assert label.startswith("<module>") and count == 1, (label, count)
    return children


def _splice(tree, name, into):
    for label, (count, children) in tree.items():
        is_gone = label.partition("@")[0] == name
        _splice(children, name, into if is_gone else child(into, label, count))
    return into


def without(threads, name):
    """Trees in which a function's callees are attributed to its caller; None = no function."""
    if not name:
        return threads
    return {thread: _splice(tree, name, {}) for thread, tree in threads.items()}


def differences(expected, found, path=""):
    """Lines that describe the differences of two trees; empty if they are equal."""
    lines = []
    for label in sorted(set(expected) | set(found)):
        count, children = expected.get(label, [0, {}])
        found_count, found_children = found.get(label, [0, {}])
        here = f"{path}/{label}"[-400:]
        if count != found_count:
            lines.append(f"{here}: {found_count} in place of {count}")
        else:
            lines += differences(children, found_children, here)
    return lines


def assert_same(expected, found):
    """Both are {thread name: tree}."""
    lines = []
    expected, found = of_program(expected), of_program(found)
    for name in sorted(set(expected) | set(found)):
        lines += differences(expected.get(name, {}), found.get(name, {}), f"[{name}]")
    assert not lines, "\n".join(lines[:40])
