"""The native module; importing this module fails with one clear line if it is missing."""

from __future__ import annotations

import os

from kymo._errors import NativeModuleError, explain_native

PACKAGE = os.path.dirname(os.path.abspath(__file__))

try:
    from kymo import _native as native
except ImportError as error:
    raise NativeModuleError(explain_native(error, PACKAGE), name="kymo._native") from None

__all__ = ["PACKAGE", "native"]
