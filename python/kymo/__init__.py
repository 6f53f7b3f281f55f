"""Kymo: record what a Python program does over time.

Importing this package starts nothing.  `python -m kymo script.py` records a whole program;
`@kymo.profile` and `with kymo.profile():` record a part of one; `kymo.region("name")` marks
a section of work by name.  Settings are in `kymo.profiler.config`; see docs/python.md.
"""

from __future__ import annotations

import sys
from time import thread_time_ns as _thread_time_ns

_began_ns = _thread_time_ns()  # for the report: what starting Kymo takes
__version__ = "0.1.0"

# Type checkers take this name for true; importing `typing` would cost more than the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from kymo import profiler as profiler
    from kymo import user as user
    from kymo._errors import NativeModuleError as NativeModuleError
    from kymo.profiler import Config as Config
    from kymo.profiler import FakeProfiler as FakeProfiler
    from kymo.profiler import Profiler as Profiler
    from kymo.profiler import config as config
    from kymo.profiler import finalize as finalize
    from kymo.profiler import initialize as initialize
    from kymo.profiler import is_finalized as is_finalized
    from kymo.profiler import is_initialized as is_initialized
    from kymo.profiler import noprofile as noprofile
    from kymo.profiler import profile as profile
    from kymo.profiler import start as start
    from kymo.profiler import stop as stop
    from kymo.user import Region as Region
    from kymo.user import region as region

# The module of each public name, which is imported at first use.
_HOMES = {
    "Config": "profiler",
    "FakeProfiler": "profiler",
    "NativeModuleError": "_errors",
    "Profiler": "profiler",
    "Region": "user",
    "config": "profiler",
    "finalize": "profiler",
    "initialize": "profiler",
    "is_finalized": "profiler",
    "is_initialized": "profiler",
    "noprofile": "profiler",
    "profile": "profiler",
    "profiler": "profiler",
    "region": "user",
    "start": "profiler",
    "stop": "profiler",
    "user": "user",
}

__all__ = [
    "Config",
    "FakeProfiler",
    "NativeModuleError",
    "Profiler",
    "Region",
    "config",
    "finalize",
    "initialize",
    "is_finalized",
    "is_initialized",
    "noprofile",
    "profile",
    "profiler",
    "region",
    "start",
    "stop",
    "user",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'kymo' has no attribute {name!r}")
        # A program that is being recorded does not import this; the thread is paused for it.
        session = sys.modules.get("kymo._session")
        if session:
            session.native.pause()
        try:
            module = __import__(f"kymo.{home}", fromlist=[name])
        finally:
            if session:
                session.native.resume()
        value = module if name == home else getattr(module, name)
        globals()[name] = value
        return value


def load_ipython_extension(shell: object) -> None:
    """`%load_ext kymo` in a notebook: %kymo and %%kymo."""
    from kymo import _notebook

    _notebook.load(shell)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
