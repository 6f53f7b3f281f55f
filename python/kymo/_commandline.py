"""Reads the command line of `python -m kymo` and finds where the program's own begins.

Written without argparse: modules imported here would be in the program's sys.modules,
and argparse would consume the program's arguments."""

from __future__ import annotations

import os

from kymo import __version__
from kymo._config import is_true
from kymo._errors import UsageError
from kymo._options import Option, find, help_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

_BOOLEANS = ("on", "off", "true", "false", "yes", "no", "y", "n", "t", "f", "1", "0")
_LABELS = ("args", "file", "line")
_CONFIG_SUFFIXES = (".cfg", ".json", ".xml", ".conf")
_SCRIPT_SUFFIXES = (".py", ".pyw", ".pyc", ".pyz")
_BARE_KINDS = ("answer", "setting", "builtin", "noinstrumenter")


class Target:
    """What to run: kind "script", "module", "code" or "stdin", its text, its arguments."""

    __slots__ = ("arguments", "kind", "text")

    def __init__(self, kind: str, text: str, arguments: list[str]) -> None:
        self.kind = kind
        self.text = text
        self.arguments = arguments


class Request:
    """The options of a command line."""

    def __init__(self) -> None:
        self.target: Target | None = None
        self.settings: list[str] = []  # "NAME=VALUE"
        self.patterns: list[tuple[str, str]] = []  # (field of the configuration, pattern)
        self.config_files: list[str] = []
        self.presets: list[str] = []
        self.setup = ""
        self.instrumenter = ""
        self.has_builtins = False
        self.has_instrumenter = True
        self.verbosity = 0
        self.answer = ""  # text to print instead of running anything


def parse(words: list[str]) -> Request:
    """Parse a command line.  UsageError: it is wrong."""
    return _Parser(words).parse()


class _Parser:
    """Parses words from left to right until the program begins."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.at = 0
        self.request = Request()

    def parse(self) -> Request:
        request = self.request
        while self.at < len(self.words) and not request.target and not request.answer:
            self._read_word()
        if request.config_files:
            request.settings.append("CONFIG_FILE=" + ":".join(request.config_files))
        if not request.target and not request.answer:
            raise UsageError("nothing to run: give a script, '-m MODULE', '-c CODE' or '-'")
        return request

    def _read_word(self) -> None:
        word = self.words[self.at]
        if word == "--":
            self.at += 1
            self._read_target(is_separated=True)
        elif not _is_dashed(word) or word == "-" or self._begins_module_or_code():
            self._read_target(is_separated=False)
        else:
            self.at += 1
            self._read_option(word)

    def _begins_module_or_code(self) -> bool:
        word = self.words[self.at]
        if word[:2] == "-c":
            code = word[2:] or "".join(self.words[self.at + 1 : self.at + 2])
            return code != "" and not _is_config_file(code.lstrip("="))
        return word[:2] == "-m"

    def _read_target(self, is_separated: bool) -> None:
        rest = self.words[self.at :]
        if not rest:
            raise UsageError("nothing to run after '--'")
        kind, text, arguments = "script", rest[0], rest[1:]
        if text[:2] in ("-m", "-c"):
            kind = "module" if text[1] == "m" else "code"
            text, arguments = (text[2:], arguments) if text[2:] else _split_first(text, arguments)
        elif text == "-":
            kind = "stdin"
        elif is_separated and _is_dashed(text) and not os.path.exists(text):
            raise UsageError(f"'{text}' comes after '--': options of Kymo belong before it")
        self.request.target = Target(kind, text, arguments)

    def _read_option(self, word: str) -> None:
        name, equals, value = word.partition("=")
        attached = value if equals else None
        options = find(name)
        if not options and word[:2] != "--":
            options, attached = find(word[:2]), word[2:]
        if not options:
            raise UsageError(f"unknown option '{name}'; '--help' lists the options")
        if len(options) > 1:
            names = ", ".join(option.names[-1] for option in options)
            raise UsageError(f"option '{name}' may be one of {names}")
        option = options[0]
        if attached is not None and option.kind in _BARE_KINDS:
            raise UsageError(f"option '{option.names[0]}' takes no value")
        read: Callable[[Option, str | None], None] = getattr(self, "_read_" + option.kind)
        read(option, attached)

    # How kinds of options are applied; attached is a value in the same word.

    def _read_answer(self, option: Option, attached: str | None) -> None:
        self.request.answer = help_text() if option.key == "help" else f"kymo {__version__}"

    def _read_setting(self, option: Option, attached: str | None) -> None:
        self.request.settings.append(f"{option.key}=ON")

    def _read_builtin(self, option: Option, attached: str | None) -> None:
        self.request.has_builtins = True

    def _read_noinstrumenter(self, option: Option, attached: str | None) -> None:
        self.request.has_instrumenter = False

    def _read_level(self, option: Option, attached: str | None) -> None:
        text = attached
        if text is None and _is_number(self._next()):
            text = self._take(option)
        if text is not None and not _is_number(text):
            raise UsageError(f"option '{option.names[0]}' takes a number, not '{text}'")
        self.request.verbosity = int(text) if text is not None else self.request.verbosity + 1
        self.request.settings.append(f"VERBOSE={self.request.verbosity}")

    def _read_config(self, option: Option, attached: str | None) -> None:
        self.request.config_files.append(self._file(option, attached, "configuration"))

    def _read_preset(self, option: Option, attached: str | None) -> None:
        self.request.presets.append(self._value(option, attached))

    def _read_setup(self, option: Option, attached: str | None) -> None:
        self.request.setup = self._file(option, attached, "setup")

    def _read_value(self, option: Option, attached: str | None) -> None:
        self.request.settings.append(f"{option.key}={self._value(option, attached)}")

    def _read_instrumenter(self, option: Option, attached: str | None) -> None:
        self.request.instrumenter = self._value(option, attached)
        self.request.settings.append(f"{option.key}={self.request.instrumenter}")

    def _read_pair(self, option: Option, attached: str | None) -> None:
        pair = self._value(option, attached)
        if "=" not in pair:
            raise UsageError(f"option '--set' takes NAME=VALUE, not '{pair}'")
        self.request.settings.append(pair)

    def _read_switch(self, option: Option, attached: str | None) -> None:
        text = attached
        if text is None and self._next().lower() in _BOOLEANS:
            text = self._take(option)
        if text is not None and text.lower() not in _BOOLEANS:
            raise UsageError(f"option '{option.names[0]}' takes on or off, not '{text}'")
        is_on = text is None or is_true(text)
        self.request.settings.append(f"{option.key}={'ON' if is_on else 'OFF'}")

    def _read_labels(self, option: Option, attached: str | None) -> None:
        labels = attached.split(",") if attached is not None else []
        while attached is None and self._has_value():
            word = self._next()
            if word.split(",")[0] not in _LABELS and self._may_be_script(word):
                break
            labels += self._take(option).split(",")
        for label in labels:
            if label not in _LABELS:
                raise UsageError(f"unknown label '{label}'; there are args, file and line")
        self.request.settings.append(f"{option.key}={','.join(labels)}")

    def _read_patterns(self, option: Option, attached: str | None) -> None:
        patterns = [self._value(option, attached)]
        if attached is None:
            end = self._end_of_list(option)
            patterns += self.words[self.at : end]
            self.at = end
        self.request.patterns += [(option.key, pattern) for pattern in patterns]

    # Words.

    def _next(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def _has_value(self) -> bool:
        return self.at < len(self.words) and not _is_dashed(self.words[self.at])

    def _take(self, option: Option) -> str:
        if self.at == len(self.words) or self.words[self.at] == "--":
            raise UsageError(f"option '{option.names[0]}' needs a value: {option.metavar}")
        self.at += 1
        return self.words[self.at - 1]

    def _value(self, option: Option, attached: str | None) -> str:
        return attached if attached is not None else self._take(option)

    def _file(self, option: Option, attached: str | None, what: str) -> str:
        path = self._value(option, attached)
        try:
            with open(path, "rb"):
                return path
        except OSError as error:
            advice = "; for code write '-- -c CODE'" if option.names[0] == "-c" else ""
            raise UsageError(
                f"cannot read the {what} file '{path}': {error.strerror}{advice}"
            ) from None

    # Lists end at '--' or at an option; without either, where the script is.

    def _end_of_values(self) -> int:
        end = self.at
        while end < len(self.words) and not _is_dashed(self.words[end]):
            end += 1
        return end

    def _is_separated(self) -> bool:
        return self.words[self._end_of_values() :][:1] == ["--"]

    def _may_be_script(self, word: str) -> bool:
        return not self._is_separated() and _is_script(word)

    def _end_of_list(self, option: Option) -> int:
        end = self._end_of_values()
        if self._is_separated():
            return end
        found = [at for at in range(self.at, end) if _is_script(self.words[at])]
        if not found:
            return end
        suffixed = [at for at in found if _has_script_suffix(self.words[at])]
        # A file pattern looks like a script, and so does a script's argument.
        is_clear = found[0] in suffixed if suffixed else True
        if option.key.endswith("_modules"):
            is_clear = is_clear and len(suffixed) <= 1
        if not is_clear:
            choice = ", ".join(f"'{self.words[at]}'" for at in found)
            raise UsageError(f"which of {choice} is the script? write '--' before it")
        return found[0]


def _is_dashed(word: str) -> bool:
    return word.startswith("-")


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdigit()


def _is_config_file(text: str) -> bool:
    return text.endswith(_CONFIG_SUFFIXES) or os.path.isfile(text)


def _has_script_suffix(word: str) -> bool:
    return word.endswith(_SCRIPT_SUFFIXES)


def _is_script(word: str) -> bool:
    return _has_script_suffix(word) or os.path.isfile(word)


def _split_first(option: str, words: list[str]) -> tuple[str, list[str]]:
    if not words:
        raise UsageError(f"'{option}' needs {'a module' if option == '-m' else 'code'} to run")
    return words[0], words[1:]
