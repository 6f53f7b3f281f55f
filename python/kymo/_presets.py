"""Presets of `kymo run` for `python -m kymo`: the command reads them and prints what they set.

It is started without the module subprocess, which is not to be in the program's sys.modules."""

from __future__ import annotations

import os

from kymo._errors import UsageError, say
from kymo._tool_place import ToolError, environment, find

_SETTING = "  KYMO_"


def settings_of(name: str, is_verbose: bool) -> list[str]:
    """ "NAME=VALUE" of what a preset sets; what this build has not is said where asked for.
    UsageError: there is none of that name, or it is wrong."""
    try:
        lines = _explain(name)
    except (OSError, ToolError) as error:
        raise UsageError(f"cannot read the preset '{name}': {error}") from None
    settings = [line[len(_SETTING) :] for line in lines if line.startswith(_SETTING)]
    for line in lines[len(settings) + 2 :] if is_verbose else ():
        say(f"preset '{name}': {line.strip()}, which this build does not have")
    return settings


def _explain(name: str) -> list[str]:
    command = find()
    reading, writing = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, writing, 1), (os.POSIX_SPAWN_DUP2, writing, 2)]
    words = [command, "run", f"--explain={name}"]
    try:
        process = os.posix_spawn(command, words, environment(), file_actions=actions)
    finally:
        os.close(writing)
        with open(reading, encoding="utf-8", errors="surrogateescape") as pipe:
            lines = pipe.read().splitlines()
    if os.waitpid(process, 0)[1] != 0:
        text = lines[-1] if lines else "the command failed"
        raise UsageError(text.partition(": ")[2] or text)
    return lines
