"""The program under study, prepared and run as the bare interpreter would run it.

A target is checked and compiled first; then it runs in a fresh `__main__` where sys.argv,
sys.path[0] and the names in its namespace are those of CPython's own start-up."""

from __future__ import annotations

import _frozen_importlib as importlib_core
import _frozen_importlib_external as importlib_files
import os
import sys

from kymo import _children
from kymo._errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    from kymo._commandline import Target


class Program:
    """A way of starting a program; each subclass implements one."""

    path_entry = ""  # what becomes sys.path[0]
    is_importable = False  # sys.path[0] is the program itself: kept in isolated mode, too
    uses_runpy = False  # the interpreter itself would have loaded runpy for it

    def __init__(self, target: Target) -> None:
        self.text = target.text
        self.argv = [target.text, *target.arguments]
        self.words = list(self.argv)  # what would follow the interpreter on its command line
        self.command_line: list[str] = []  # all of it, known once the program is entered

    def load(self) -> None:
        """Read and compile; SyntaxError and similar errors are the program's own."""

    def call(self, namespace: dict[str, Any]) -> tuple[object, ...]:
        """The arguments of native.call_detached(); namespace is that of `__main__`."""
        raise NotImplementedError

    def leave(self, namespace: dict[str, Any]) -> None:
        """After the last statement, before threads are joined and exit handlers run."""


class _Source(Program):
    """Code compiled here and executed in the namespace of `__main__`."""

    code: CodeType

    def call(self, namespace: dict[str, Any]) -> tuple[object, ...]:
        return self.code, namespace


class _Script(_Source):
    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.path_entry = os.path.dirname(os.path.realpath(self.text))
        # Up to 3.8 the interpreter keeps the path as it was given.
        self.file = self.text if sys.version_info < (3, 9) else _absolute(self.text)
        try:
            with open(self.text, "rb") as file:
                self.content = file.read()
        except OSError as error:
            raise UsageError(f"cannot open '{self.text}': {error.strerror}") from None
        if self.content.startswith(b"\x7fELF"):
            raise UsageError(f"'{self.text}' is a compiled program, not a Python script")

    def load(self) -> None:
        try:
            self._load()
        except Exception:
            _run_bare(self.command_line)
            raise

    def _load(self) -> None:
        make: Any = importlib_files.SourceFileLoader
        if self.text.endswith(".pyc"):
            make = importlib_files.SourcelessFileLoader
            self.code = make("__main__", self.file).get_code("__main__")
        else:
            self.code = compile(self.content, self.file, "exec", dont_inherit=True)
        self.loader = make("__main__", self.file)

    def call(self, namespace: dict[str, Any]) -> tuple[object, ...]:
        namespace["__loader__"] = self.loader
        _name_file(namespace, self.file)
        return super().call(namespace)

    def leave(self, namespace: dict[str, Any]) -> None:
        _unname_file(namespace)


class _Stdin(_Source):
    def load(self) -> None:
        self.code = compile(sys.stdin.buffer.read(), "<stdin>", "exec", dont_inherit=True)

    def call(self, namespace: dict[str, Any]) -> tuple[object, ...]:
        _name_file(namespace, "<stdin>")
        return super().call(namespace)

    def leave(self, namespace: dict[str, Any]) -> None:
        _unname_file(namespace)


class _Code(_Source):
    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.argv[0] = "-c"
        self.words.insert(0, "-c")

    def load(self) -> None:
        source = self.text
        if sys.version_info >= (3, 14):
            source = _dedent(source)
        self.code = compile(source, "<string>", "exec", dont_inherit=True)
        if sys.version_info >= (3, 13):
            # So that tracebacks quote it, as with the interpreter's own -c.
            import linecache

            # 3.13.0 identifies it by the file's name, later versions by code and its parts.
            known_by: Any = self.code if hasattr(linecache, "_interactive_cache") else "<string>"
            linecache._register_code(known_by, source + "\n", "<string>")  # type: ignore[attr-defined]


class _Module(Program):
    uses_runpy = True

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.path_entry = os.getcwd()
        self.argv[0] = "-m"  # until runpy has found the file
        self.words.insert(0, "-m")

    def call(self, namespace: dict[str, Any]) -> tuple[object, ...]:
        import runpy

        return runpy._run_module_as_main, self.text, True  # type: ignore[attr-defined]


class _Folder(Program):
    """A directory or zip file with a `__main__` in it."""

    is_importable = True
    uses_runpy = True

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.path_entry = self.text if sys.version_info < (3, 9) else _absolute(self.text)

    def call(self, namespace: dict[str, Any]) -> tuple[object, ...]:
        import runpy

        return runpy._run_module_as_main, "__main__", False  # type: ignore[attr-defined]


def prepare(target: Target) -> Program:
    """The program of a target.  UsageError: it cannot be run."""
    if target.kind == "script":
        return _Folder(target) if _is_folder(target.text) else _Script(target)
    return {"module": _Module, "code": _Code, "stdin": _Stdin}[target.kind](target)


def take_path_entry() -> None:
    """Remove what `python -m` put on sys.path, before the program's own entry is added."""
    if not _is_safe_path() and sys.path:
        del sys.path[0]


def enter(program: Program) -> dict[str, Any]:
    """Set up sys as the interpreter does for this program; returns the namespace of a fresh
    `__main__`."""
    if program.is_importable or not _is_safe_path():
        sys.path.insert(0, program.path_entry)
    program.command_line = _bare_command_line(program)
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = list(program.command_line)
    sys.argv = program.argv
    return _fresh_main()


def _bare_command_line(program: Program) -> list[str]:
    """The interpreter and its original options, then the program's words."""
    given = _children.command_line()
    options = given[: len(given) - (len(sys.argv) - 1)]
    # What starts Kymo: two words, or one (`-mkymo`, the path of _start.py).
    own = 2 if options[-2:] == ["-m", "kymo"] else 1
    return (options[:-own] or [sys.executable]) + program.words


def forget_start_modules() -> None:
    """Remove the modules that only `python -m` needed from sys.modules.

    The interpreter does not load them for a script, which may have files of these names
    in its folder.  They came after `site`; modules enter when they are complete, so that what
    site loads came before it."""
    names = list(sys.modules)
    last = "site" if "site" in names else "__main__"
    for name in names[names.index(last) + 1 :]:
        if name.partition(".")[0] not in ("__main__", "encodings", "kymo"):
            del sys.modules[name]


def _run_bare(command_line: list[str]) -> None:
    """Replace the process by the bare interpreter: for a file that does not compile, and of which
    nothing has run, it has messages that compile() cannot give.  Returns if that fails."""
    if sys.executable:
        try:
            os.execv(sys.executable, command_line)
        except OSError:
            return


# The interpreter that runs _start.py accesses its initial namespace again at the end (pythonrun.c,
# the removal of __file__) and keeps no reference to it.
_first_main: list[object] = []


def _fresh_main() -> dict[str, Any]:
    _first_main.append(sys.modules["__main__"])
    has_annotations = "__annotations__" in sys.modules["__main__"].__dict__
    main = type(sys)("__main__")
    sys.modules["__main__"] = main
    namespace = main.__dict__
    namespace["__loader__"] = importlib_core.BuiltinImporter
    if has_annotations:
        namespace["__annotations__"] = {}
    namespace["__builtins__"] = sys.modules["builtins"]
    return namespace


def _name_file(namespace: dict[str, Any], file: str) -> None:
    namespace["__file__"] = file
    if sys.version_info < (3, 15):
        namespace["__cached__"] = None


def _unname_file(namespace: dict[str, Any]) -> None:
    namespace.pop("__file__", None)
    namespace.pop("__cached__", None)


def _is_folder(path: str) -> bool:
    """Whether the interpreter would import `__main__` from path.  UsageError: a directory
    that has none."""
    if os.path.isdir(path):
        names = ("__main__.py", "__main__.pyc")
        if not any(os.path.exists(os.path.join(path, name)) for name in names):
            raise UsageError(f"'{path}' is a directory without a __main__.py")
        return True
    for hook in sys.path_hooks:
        try:
            hook(path)
            return True
        except ImportError:
            continue
    return False


def _dedent(source: str) -> str:
    """The code without the common indentation of its lines, as `python -c` removes it from 3.14
    on.  textwrap would be searched in the current folder first, and stay in sys.modules."""
    lines = [line if line.strip(" \t") else "" for line in source.split("\n")]
    filled = [line for line in lines if line]
    first, last = min(filled, default=""), max(filled, default="")
    margin = 0
    while margin < len(first) and first[margin] == last[margin] and first[margin] in " \t":
        margin += 1
    return "\n".join(line[margin:] for line in lines)


def _absolute(path: str) -> str:
    """An absolute path, otherwise unchanged, as the interpreter makes it."""
    return path if os.path.isabs(path) else os.path.join(os.getcwd(), path)


def _is_safe_path() -> bool:
    """Whether an option keeps the program's folder off sys.path."""
    return bool(getattr(sys.flags, "safe_path", sys.flags.isolated))
