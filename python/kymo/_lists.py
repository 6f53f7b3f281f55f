"""Lists as settings write them: items separated by blanks, commas or semicolons, or in quotes."""

from __future__ import annotations

_SEPARATORS = " \t\r\n,;"


def split_list(text: str) -> list[str]:
    """The items of a list setting."""
    items = []
    at = 0
    while at < len(text):
        if text[at] in _SEPARATORS:
            at += 1
            continue
        if text[at] in "\"'" and text.find(text[at], at + 1) > 0:
            end = text.find(text[at], at + 1)
            items.append(text[at + 1 : end])
            at = end + 1
            continue
        end = at
        while end < len(text) and text[end] not in _SEPARATORS:
            end += 1
        items.append(text[at:end])
        at = end
    return items


def join_list(items: list[str]) -> str:
    """A list setting with these items."""
    return " ".join(_quoted(item) for item in items)


def _quoted(item: str) -> str:
    if item and item[0] not in "\"'" and not any(each in _SEPARATORS for each in item):
        return item
    quote = "'" if '"' in item else '"'
    return quote + item + quote
