"""The configuration of the Python collector: what is recorded and what labels contain."""

from __future__ import annotations

from kymo._lists import join_list, split_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Union

    Value = Union[bool, int, str, list[str]]

_FLAGS = (
    "trace_c",
    "include_internal",
    "include_args",
    "include_line",
    "include_filename",
    "full_filepath",
    "annotate_trace",
)
_LISTS = (
    "restrict_functions",
    "restrict_modules",
    "include_functions",
    "include_modules",
    "exclude_functions",
    "exclude_modules",
)
_LABELS = {"include_args": "args", "include_filename": "file", "include_line": "line"}
_FLAG_SETTINGS = {
    "trace_c": "PYTHON_TRACE_C",
    "include_internal": "PYTHON_INCLUDE_INTERNAL",
    "full_filepath": "PYTHON_FULL_FILEPATH",
    "annotate_trace": "PYTHON_ANNOTATE_TRACE",
}
_LIST_SETTINGS = {
    "restrict_functions": "PYTHON_FUNCTION_RESTRICT",
    "restrict_modules": "PYTHON_MODULE_RESTRICT",
    "include_functions": "PYTHON_FUNCTION_INCLUDE",
    "include_modules": "PYTHON_MODULE_INCLUDE",
    "exclude_functions": "PYTHON_FUNCTION_EXCLUDE",
    "exclude_modules": "PYTHON_MODULE_EXCLUDE",
}
_TRUE = ("on", "true", "yes", "1", "y", "t")


def is_true(text: str | None) -> bool:
    """A boolean setting's text."""
    return text is not None and text.lower() in _TRUE


class Configuration:
    """Fields that select what is recorded; a change takes effect at the next start.

    Lists hold regular expressions that match anywhere in a name.  Assigning to a list adds to it:
    `config.restrict_functions += ["fib"]` and `config.restrict_functions = ["fib"]` do the
    same; its own methods (`clear()`, `remove()`) take patterns away."""

    trace_c: bool
    include_internal: bool
    include_args: bool
    include_line: bool
    include_filename: bool
    full_filepath: bool
    annotate_trace: bool
    verbosity: int
    restrict_functions: list[str]
    restrict_modules: list[str]
    include_functions: list[str]
    include_modules: list[str]
    exclude_functions: list[str]
    exclude_modules: list[str]
    _chosen: set[str]  # fields the program set: settings do not change these

    def __init__(self) -> None:
        values = self.__dict__
        for name in _FLAGS:
            values[name] = False
        values["verbosity"] = 0
        for name in _LISTS:
            values[name] = []
        values["_chosen"] = set()

    if not TYPE_CHECKING:  # it would allow every name

        def __setattr__(self, name: str, value: object) -> None:
            if name in _LISTS:
                self._insert(name, value)
            elif name in _FLAGS:
                self.__dict__[name] = _checked(name, value, (bool, int), "True or False", bool)
                self._chosen.add(name)
            elif name == "verbosity":
                self.__dict__[name] = _checked(name, value, (int,), "a whole number", int)
                self._chosen.add(name)
            else:
                raise AttributeError(f"kymo.profiler.config has no field {name!r}")

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.values().items())
        return f"<kymo.profiler.config: {fields}>"

    @property
    def _is_running(self) -> bool:
        from kymo.profiler import Profiler

        return Profiler.is_enabled()

    def values(self) -> dict[str, Value]:
        """Every field with a copy of its value."""
        return {
            name: list(value) if isinstance(value, list) else value
            for name, value in self.__dict__.items()
            if name != "_chosen"
        }

    def adopt_settings(self, setting: Callable[[str], str | None]) -> None:
        """Take the values of the runtime's settings, except of fields that the program set."""
        labels = split_list(setting("PYTHON_LABEL") or "")
        for name, label in _LABELS.items():
            self._adopt(name, label in labels)
        for name, source in _FLAG_SETTINGS.items():
            self._adopt(name, is_true(setting(source)))
        verbose = setting("VERBOSE") or "0"
        self._adopt("verbosity", int(verbose) if verbose.lstrip("-").isdigit() else 0)
        for name, source in _LIST_SETTINGS.items():
            text = setting(source)
            if text is not None:
                base = split_list(text)
                own = [item for item in self.__dict__[name] if item not in base]
                self.__dict__[name][:] = base + own

    def as_settings(self) -> list[str]:
        """ "NAME=VALUE" of every setting that gives a child process this configuration."""
        values = self.__dict__
        labels = [label for name, label in _LABELS.items() if values[name]]
        lines = ["PYTHON_LABEL=" + ",".join(labels)]
        for name, setting in _FLAG_SETTINGS.items():
            lines.append(f"{setting}={'ON' if values[name] else 'OFF'}")
        for name, setting in _LIST_SETTINGS.items():
            lines.append(f"{setting}={join_list(values[name])}")
        return lines

    def _adopt(self, name: str, value: Value) -> None:
        if name not in self._chosen:
            self.__dict__[name] = value

    def _insert(self, name: str, patterns: object) -> None:
        if isinstance(patterns, str) or not _is_strings(patterns):
            raise TypeError(f"kymo.profiler.config.{name} takes a list of patterns")
        current = self.__dict__[name]
        for pattern in list(patterns):  # type: ignore[call-overload]
            if pattern not in current:
                current.append(pattern)


def _is_strings(value: object) -> bool:
    try:
        return all(isinstance(item, str) for item in value)  # type: ignore[attr-defined]
    except TypeError:
        return False


def _checked(name: str, value: object, kinds: tuple[type, ...], wanted: str, make: type) -> object:
    if not isinstance(value, kinds):
        raise TypeError(f"kymo.profiler.config.{name} takes {wanted}, not {value!r}")
    return make(value)


config = Configuration()
