"""Arguments of a call as labels show them; the native module calls this at the enter."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_VARARGS = 0x04
_VARKEYWORDS = 0x08
_LIMIT = 120  # characters of one value


def format_arguments(frame: FrameType) -> str:
    """ "(n=5)", "(a=1, key=2, *rest=(3,), **named={})": the arguments a frame began with."""
    code = frame.f_code
    names = code.co_varnames
    values = frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    labels = list(names[:count])
    parts = [f"{name}={_format_value(values[name])}" for name in labels if name in values]
    for flag, stars in ((_VARARGS, "*"), (_VARKEYWORDS, "**")):
        if code.co_flags & flag:
            name = names[count]
            count += 1
            if name in values:
                parts.append(f"{stars}{name}={_format_value(values[name])}")
    return "(" + ", ".join(parts) + ")"


def _format_value(value: object) -> str:
    """repr() on one line, truncated; never raises when the program's own code does."""
    try:
        text = repr(_beginning(value))
    except Exception:
        return "<?>"
    if "\n" in text:
        text = " ".join(text.split())
    return text if len(text) <= _LIMIT else text[: _LIMIT - 3] + "..."


def _beginning(value: object) -> object:
    """The part of a large value that fits the limit: repr() of all of it may take seconds."""
    if type(value) in (str, bytes, list, tuple) and len(value) > _LIMIT:  # type: ignore[arg-type]
        return value[:_LIMIT]  # type: ignore[index]
    return value
