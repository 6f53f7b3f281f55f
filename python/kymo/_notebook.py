"""The notebook extension: `%load_ext kymo`, then `%kymo statement` and `%%kymo`.

A process has one recording.  Each profiled cell is a region of it with a name of its own, and
`kymo extract` makes a run of that region: the cell's calls and nothing else, however often it
is run."""

from __future__ import annotations

import ast
import html
import importlib
import json
import os
import shutil
import tempfile

from kymo import _session, _tool
from kymo._binding import native
from kymo._config import config
from kymo._tool_place import ToolError
from kymo.user import Region

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Installed when this is loaded, but not where the package is only checked.
_core: Any = importlib.import_module("IPython.core.magic")
_error: Any = importlib.import_module("IPython.core.error")
_display: Any = importlib.import_module("IPython.display")

# For its parser of options, which leaves the statement after them unchanged.
_Parser: Any = _core.magics_class(type("Parser", (_core.Magics,), {}))

_FOLDER = "kymo-notebook-output"
_TOP = "15"
_OPTIONS = ("instrumenter=", "top=", "sort=", "trace", "output=")
_LETTERS = "n:s:To:"
_HELP = """[--instrumenter NAME] [-n|--top N] [-s|--sort ORDER] [-T|--trace] [-o|--output RUN]"""

# Cells are no files: IPython names those of its own terminal so.
_CELLS = "^<ipython-input"
# IPython's name of the code that runs a cell's own statements: the cell itself is the region.
_STATEMENTS = "^<(module|cell line: [0-9]+)>$"


class Options:
    """The options after %kymo or %%kymo, before the statement."""

    def __init__(self, given: dict[str, Any]) -> None:
        def of(*names: str) -> Any:
            return next((given[name] for name in names if name in given), None)

        self.instrumenter = of("instrumenter")
        self.top = of("n", "top") or _TOP
        self.sort = of("s", "sort")
        self.has_trace = of("T", "trace") is not None
        self.output = of("o", "output")
        if not str(self.top).isdigit():
            raise _error.UsageError(f"--top takes a whole number, not '{self.top}'")


class Profile:
    """The result of a cell: a table in the notebook, text elsewhere."""

    def __init__(self, run: str, page: str, options: Options) -> None:
        self.run = run
        self.page = page  # "" = there is none
        self._arguments = ["report", run, "--top", str(options.top)]
        if options.sort:
            self._arguments += ["--sort", options.sort]
        self._text = _tool.output(*self._arguments)

    def __repr__(self) -> str:
        return f"{self._text}\n  run        {self.run}"

    def _repr_html_(self) -> str:
        report = json.loads(_tool.output(*self._arguments, "--format", "json"))
        rows = "".join(_row(each) for each in report["regions"])
        facts = f"{_duration(report['duration'])}, {report['calls']:,} calls"
        losses = "".join(f"<li>{html.escape(each)}</li>" for each in report["losses"])
        return (
            f'<div class="kymo"><p><b>{html.escape(report["program"])}</b> {facts}</p>'
            f"<ul>{losses}</ul><table><thead><tr><th>% self</th><th>self</th><th>total</th>"
            f"<th>calls</th><th>per call</th><th>region</th></tr></thead><tbody>{rows}</tbody>"
            f"</table>{self._link()}</div>"
        )

    def _link(self) -> str:
        run = f"<p>run: <code>{html.escape(self.run)}</code></p>"
        if not self.page:
            return run
        address = html.escape(self.page, quote=True)
        return (
            f'{run}<details><summary>page (<a href="{address}" target="_blank">open</a>)'
            f'</summary><iframe src="{address}" loading="lazy" width="100%" height="600">'
            f"</iframe></details>"
        )


def _row(region: dict[str, Any]) -> str:
    place = os.path.basename(region["file"] or region["module"] or "")
    if region["line"]:
        place += f":{region['line']}"
    cells = (
        f"{region['self_percent']:.1f}",
        _duration(region["self"]),
        _duration(region["total"]),
        f"{region['calls']:,}" if region["calls"] else "-",  # time that is in no region
        _duration(region["per_call"]) if region["calls"] else "-",
    )
    numbers = "".join(f"<td>{each}</td>" for each in cells)
    name = f"<code>{html.escape(region['name'])}</code> {html.escape(place)}"
    return f'<tr>{numbers}<td style="text-align: left">{name}</td></tr>'


def _duration(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if abs(seconds) * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


class Cells:
    """%kymo and %%kymo of one shell."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.count = 0
        self.names: set[str] = set()
        self.default = ""  # the instrumenter, where none is asked for
        self.folder = ""  # of the process's recording

    def kymo(self, line: str, cell: str | None = None) -> Any:
        """Profile a statement, or the cell: `%kymo [options] statement`, `%%kymo [options]`.

        --instrumenter NAME   how to hook the interpreter
        -n, --top N           rows of the table (15)
        -s, --sort ORDER      self, total, calls, name, min, max or mean
        -T, --trace           record every call with its time; from the first use on
        -o, --output RUN      keep the run there; by default in kymo-notebook-output
        """
        given, statement = _Parser(self.shell).parse_options(
            line, _LETTERS, *_OPTIONS, posix=False, strict=False, preserve_non_opts=True
        )
        options = Options(given)
        if cell is not None and statement.strip():
            raise _error.UsageError(f"unexpected '{statement.strip()}'; options are {_HELP}")
        code = statement if cell is None else cell
        if not code.strip():
            raise _error.UsageError(f"what is to be profiled? %kymo {_HELP} statement")
        return self._profile(code, options)

    def _profile(self, code: str, options: Options) -> Any:
        body, last = self._compile(code)
        self._prepare(options)
        name = self._name()
        names = self.shell.user_ns
        value = None
        try:
            _session.begin()
            with Region(name):
                exec(body, names)
                if last is not None:
                    value = eval(last, names)
        finally:
            _session.end()
            self._show(name, options)
        return value

    def _compile(self, code: str) -> tuple[Any, Any]:
        """The statements, and the expression at the end whose value is shown."""
        source = self.shell.transform_cell(code)
        compiler = self.shell.compile
        try:
            file = compiler.cache(source, self._number(), raw_code=code)
        except TypeError:
            file = compiler.cache(source, self._number())
        tree = self.shell.transform_ast(compiler.ast_parse(source, filename=file))
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not _is_silent(source):
            last = compiler(ast.Expression(tree.body.pop().value), file, "eval")
        return compiler(tree, file, "exec"), last

    def _prepare(self, options: Options) -> None:
        """Open the recording at the first use."""
        if native.state() == "new":
            self.folder = tempfile.mkdtemp(prefix="kymo-notebook-")
            settings = ["SUMMARY=OFF", "FINISH=OFF", "TIME_OUTPUT=OFF"]
            settings.append(f"OUTPUT_PATH={self.folder}")
            settings.append(f"TRACE={'ON' if options.has_trace else 'OFF'}")
            _session.open_recording(settings, ["notebook"])
            config.include_modules = [_CELLS]
            config.exclude_functions = [_STATEMENTS]
        if native.state() != "active":
            raise _error.UsageError("the recording of this kernel is closed: restart the kernel")
        if options.has_trace and native.setting("TRACE") != "ON":
            raise _error.UsageError(
                "this kernel records no trace: restart it, and give --trace first"
            )
        self._choose(options.instrumenter)

    def _choose(self, name: str | None) -> None:
        self.default = self.default or native.instrumenter()
        try:
            native.set_instrumenter(name or self.default)
        except (ValueError, RuntimeError) as error:
            raise _error.UsageError(str(error)) from None

    def _number(self) -> int:
        """Of the cell, as it is shown: newer versions have counted it already."""
        return int(self.shell.displayhook.prompt_count)

    def _name(self) -> str:
        """The region of this cell; no two have the same."""
        self.count += 1
        name = f"In [{self._number()}]"
        if name in self.names:
            name += f" #{self.count}"
        self.names.add(name)
        return name

    def _show(self, name: str, options: Options) -> None:
        try:
            run = self._extract(name, options)
            _display.display(Profile(run, _page(run), options))
        except (ToolError, OSError) as error:
            print(f"kymo: {error}")

    def _extract(self, name: str, options: Options) -> str:
        run = options.output or os.path.join(_FOLDER, str(os.getpid()), f"cell-{self.count}")
        os.makedirs(os.path.dirname(run) or ".", exist_ok=True)
        _clear(run)
        _tool.output("extract", f"--region={name}", f"--output={run}", native.directory())
        return str(run)

    def close(self) -> None:
        """At the end of the kernel: its recording is of no more use."""
        if self.folder:
            _session.close_recording(0)
            shutil.rmtree(self.folder, ignore_errors=True)


def _is_silent(source: str) -> bool:
    """A semicolon at the end keeps the value from being shown."""
    lines = [line.partition("#")[0].strip() for line in source.splitlines()]
    lines = [line for line in lines if line]
    return bool(lines) and lines[-1].endswith(";")


def _clear(run: str) -> None:
    """Make way for a run, where an older one of ours is."""
    if not os.path.isdir(run):
        return
    names = os.listdir(run)
    if not all(name.startswith("extract-") and name.endswith(".kymo") for name in names):
        raise OSError(f"'{run}' holds more than an older cell; name another output")
    shutil.rmtree(run)


def _page(run: str) -> str:
    """The page of a run, beside it; "" where this command makes none."""
    path = run + ".html"
    if _tool.call("view", "-o", path, "--no-open", run).returncode != 0:
        return ""
    return path


def load(shell: Any) -> None:
    """What `%load_ext kymo` does."""
    import atexit

    cells = Cells(shell)
    shell.register_magic_function(cells.kymo, "line_cell", "kymo")
    atexit.register(cells.close)
