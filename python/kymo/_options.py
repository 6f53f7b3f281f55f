"""The options of `python -m kymo`: one table, and the help written from it."""

from __future__ import annotations

USAGE = "python -m kymo [options] [--] (SCRIPT | -m MODULE | -c CODE | -) [arguments]"


class Option:
    """One row of the table."""

    __slots__ = ("help", "key", "kind", "metavar", "names")

    def __init__(self, names: str, kind: str, key: str, metavar: str, help: str) -> None:
        self.names = names.split()
        self.kind = kind
        self.key = key
        self.metavar = metavar
        self.help = help


TABLE = (
    Option("-h --help", "answer", "help", "", "Show this help and exit"),
    Option("--version", "answer", "version", "", "Show the version and exit"),
    Option("-v --verbosity", "level", "", "[N]", "Say more on standard error"),
    Option("-q --quiet", "setting", "QUIET", "", "Print errors only, and no summary"),
    Option(
        "-b --builtin",
        "builtin",
        "",
        "",
        "Put 'profile', 'noprofile', 'trace' and 'notrace' into builtins and record only "
        "where the program uses them: '@profile', 'with profile:'",
    ),
    Option(
        "-c --config",
        "config",
        "",
        "FILE",
        "Configuration file.  '-c X' is code to run unless X is a file or ends in .cfg, "
        ".json, .xml or .conf; '--config' always means a file",
    ),
    Option(
        "--preset",
        "preset",
        "",
        "NAME|FILE",
        "Use the settings of a preset; other options override them.  "
        "'kymo run --list-presets' lists them",
    ),
    Option(
        "-s --setup",
        "setup",
        "",
        "FILE",
        "Code to run first, unrecorded, in the program's namespace",
    ),
    Option("-o --output", "value", "OUTPUT_PATH", "DIR", "Output folder"),
    Option(
        "--keep-sources",
        "setting",
        "KEEP_SOURCES",
        "",
        "Keep copies of the sources of what was measured with the run, for 'kymo view'",
    ),
    Option("-T --trace", "setting", "TRACE", "", "Record a trace: every call with its time"),
    Option(
        "--timing",
        "value",
        "PYTHON_TIMING",
        "{full,sampled}",
        "full: time each call, the default.  sampled: count each call and time none; a helper "
        "samples a thousand times a second where each thread is",
    ),
    Option(
        "-F --full-filepath",
        "switch",
        "PYTHON_FULL_FILEPATH",
        "[BOOL]",
        "Whole file paths in labels in place of base names",
    ),
    Option(
        "--label",
        "labels",
        "PYTHON_LABEL",
        "[{args,file,line} ...]",
        "Put arguments, file name and line number into labels",
    ),
    Option(
        "-I --function-include",
        "patterns",
        "include_functions",
        "FUNC [FUNC ...]",
        "Record functions of these names whatever is excluded",
    ),
    Option(
        "-E --function-exclude",
        "patterns",
        "exclude_functions",
        "FUNC [FUNC ...]",
        "Record no functions of these names, nor what they call",
    ),
    Option(
        "-R --function-restrict",
        "patterns",
        "restrict_functions",
        "FUNC [FUNC ...]",
        "Record only functions of these names",
    ),
    Option(
        "-MI --module-include",
        "patterns",
        "include_modules",
        "FILE [FILE ...]",
        "Record functions of these files whatever is excluded by file",
    ),
    Option(
        "-ME --module-exclude",
        "patterns",
        "exclude_modules",
        "FILE [FILE ...]",
        "Record no functions of these files",
    ),
    Option(
        "-MR --module-restrict",
        "patterns",
        "restrict_modules",
        "FILE [FILE ...]",
        "Record only functions of these files",
    ),
    Option(
        "--trace-c",
        "switch",
        "PYTHON_TRACE_C",
        "[BOOL]",
        "Record C functions called from Python",
    ),
    Option(
        "-a --annotate-trace",
        "switch",
        "PYTHON_ANNOTATE_TRACE",
        "[BOOL]",
        "Keep file, line and code sizes with every event of the trace",
    ),
    Option(
        "--instrumenter-type",
        "instrumenter",
        "PYTHON_INSTRUMENTER",
        "NAME",
        "How to hook the interpreter: frame, dispatch, monitoring, cProfile, profile, cTrace, "
        "trace, dummy; the default is the fastest correct one of its version",
    ),
    Option(
        "--noinstrumenter",
        "noinstrumenter",
        "",
        "",
        "Record calls only where the program itself starts it",
    ),
    Option(
        "--include-internal",
        "switch",
        "PYTHON_INCLUDE_INTERNAL",
        "[BOOL]",
        "Record the functions of Kymo's own package",
    ),
    Option(
        "--set",
        "pair",
        "",
        "NAME=VALUE",
        "Any setting; 'kymo avail --settings' lists them",
    ),
)


def find(name: str) -> list[Option]:
    """The options of this name; several when it is the beginning of several long ones."""
    exact = [option for option in TABLE if name in option.names]
    if exact or not name.startswith("--") or name == "--":
        return exact
    return [option for option in TABLE if any(each.startswith(name) for each in option.names)]


def help_text() -> str:
    """The answer to --help."""
    lines = [f"usage: {USAGE}", "", "Records a Python program.", "", "options:"]
    for option in TABLE:
        names = ", ".join(option.names)
        lines.append(f"  {names} {option.metavar}".rstrip())
        lines.extend(_folded(option.help))
    lines += ["", "All words after the program are its arguments; '--' ends the options."]
    return "\n".join(lines)


def _folded(text: str, indent: int = 24, width: int = 80) -> list[str]:
    lines, line = [], " " * (indent - 1)
    for word in text.split():
        if len(line) + 1 + len(word) > width:
            lines.append(line)
            line = " " * (indent - 1)
        line += " " + word
    return [*lines, line]
