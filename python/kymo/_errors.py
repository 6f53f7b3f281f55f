"""Errors before anything is recorded, each with one line for the user."""

from __future__ import annotations

import _imp
import os
import sys


class NativeModuleError(ImportError):
    """This interpreter cannot record: no native module was built for it, or it does not load."""


class UsageError(Exception):
    """An impossible command line; the text says what to change."""


# Control characters of terminals, and how the commands of Kymo escape them: C0 controls and
# DEL, C1 controls, controls of direction and of lines, and bytes that are not UTF-8 (surrogates
# in Python).
_BYTES = (0xDC80, 0xDCFF)
_CONTROLS = (
    *((0, 0x1F), (0x7F, 0x9F), (0x61C, 0x61C), (0x200E, 0x200F)),
    *((0x2028, 0x202E), (0x2066, 0x2069), _BYTES),
)


def _written_out(code: int) -> str:
    if chr(code) in "\n\r\t":
        return repr(chr(code))[1:-1]
    if code >= _BYTES[0]:
        return f"\\x{code & 0xFF:02x}"
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"


def plain(text: str) -> str:
    """Text for users in one line: names in it may contain any characters."""
    codes = {ord(sign) for sign in text}
    found = [code for code in codes if any(low <= code <= high for low, high in _CONTROLS)]
    return text.translate({code: _written_out(code) for code in found})


def say(text: str) -> None:
    """One line on standard error: the program's own output is not affected."""
    try:
        os.write(2, f"kymo: {plain(text)}\n".encode(errors="backslashreplace"))
    except OSError:
        return


def explain_native(error: ImportError, package: str) -> str:
    """Why kymo._native cannot be imported here, and what to do about it."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    build = f"cmake -S <kymo> -B <build> -DKYMO_PYTHON_VERSIONS={version}"
    if sys.implementation.name != "cpython":
        return f"Kymo profiles CPython only; this interpreter is {sys.implementation.name}"
    if "t" in sys.abiflags:
        return (
            f"Kymo does not support the free-threaded build of Python {version}; "
            f"run the program with the default build"
        )
    if _has_native(package):
        return f"cannot load Kymo's native module for Python {version}: {error}"
    built = _built_versions(package)
    has = "it has one for " + ", ".join(built) if built else "it has none at all"
    return f"Kymo has no native module for Python {version} ({has}); build it with: {build}"


def _has_native(package: str) -> bool:
    """Whether the package has a native module for this very interpreter."""
    return any(
        os.path.exists(os.path.join(package, "_native" + suffix))
        for suffix in _imp.extension_suffixes()
    )


def _built_versions(package: str) -> list[str]:
    """Versions that have a native module in the package, oldest first."""
    found = []
    for file in os.listdir(package):
        _, mark, rest = file.partition("_native.cpython-")
        tag = rest.partition("-")[0]
        if mark and tag.isdigit() and len(tag) > 1:
            found.append((int(tag[0]), int(tag[1:])))
    return [f"{major}.{minor}" for major, minor in sorted(set(found))]
