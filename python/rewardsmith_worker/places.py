"""Where a text that user code looked at lies in the sample; offsets in UTF-16 units, as JavaScript counts them."""

from .own import BUILTINS as __builtins__  # noqa: F401

from bisect import bisect_left

_MOST = 5_000


class Utf16:
    """Python's positions (code points) in one text → UTF-16 units."""

    __slots__ = ("_wide",)

    def __init__(self, text: str) -> None:
        astral = not text.isascii() and max(text) > "\uffff"
        self._wide = [at for at, letter in enumerate(text) if letter > "\uffff"] if astral else None

    def at(self, position: int) -> int:
        return position if self._wide is None else position + bisect_left(self._wide, position)

    def span(self, span) -> list:
        return [self.at(span[0]), self.at(span[1])]


def part_text(value):
    """The text of a completion or prompt that places count in: itself; of a conversation the content of its last
    message (parts of a content joined by a space). None where there is none."""
    if isinstance(value, str):
        return value
    last = value[-1] if isinstance(value, list) and value else value
    content = last.get("content") if isinstance(last, dict) else None
    if isinstance(content, list):
        parts = [part.get("text", "") if isinstance(part, dict) else part for part in content]
        return " ".join(part if isinstance(part, str) else "" for part in parts)
    return content if isinstance(content, str) else None


class SampleTexts:
    """Completion, prompt and text columns of one row."""

    def __init__(self, samples, row: int) -> None:
        self._parts = []
        self._add("completion", "", part_text(samples.completion.one(row)))
        if samples.prompt is not None:
            self._add("prompt", "", part_text(samples.prompt.one(row)))
        for name, column in samples.columns.items():
            cell = column.one(row)
            self._add("column", name, cell if isinstance(cell, str) else None)
        self._extracted = {}
        self._known = {}

    def _add(self, part: str, name: str, text) -> None:
        if text:
            self._parts.append((part, name, text, Utf16(text)))

    def place(self, text: str):
        """The part that the text is, whole; else what a match took out; else the part that holds it exactly once."""
        if not text:
            return None
        found = self._whole(text, ("completion",)) or self._extracted.get(text)
        if found is None:
            found = self._known.get(text, False)
        if found is False:
            found = self._whole(text) or self._once(text)
            if len(self._known) < _MOST:
                self._known[text] = found
        return found

    def _whole(self, text: str, parts=("prompt", "column")):
        for part, name, own, units in self._parts:
            if part in parts and own == text:
                return _place(part, name, 0, units.at(len(own)))
        return None

    def _once(self, text: str):
        for part, name, own, units in self._parts:
            at = own.find(text)
            if at >= 0 and own.find(text, at + 1) < 0:
                return _place(part, name, units.at(at), units.at(at + len(text)))
        return None

    def extracted(self, text: str, place: dict, spans: list, units: Utf16) -> None:
        """A match in a text that lies at ``place`` took these spans out of it: later comparisons may use them."""
        for start, end in spans:
            if start < end and len(self._extracted) < _MOST:
                at = place["from"]
                self._extracted[text[start:end]] = _place(
                    place["part"], place["name"], at + units.at(start), at + units.at(end)
                )

    def sides(self, operator: str, left, right, result: bool):
        """Places of a comparison's sides (texts, or None)."""
        there, here = (self.place(side) if side else None for side in (left, right))
        if left is not None and left == right:
            # What was taken out of the completion equals what it is compared with: one of each, not the same twice.
            there = self._extracted.get(left) or self._once(left) or there
            here = self._whole(right) or here
        elif result and left and right:
            if operator == "in":
                there = self._within(right, left, here, right.find(left)) or there
            elif operator in ("startswith", "endswith", "find", "index", "count"):
                at = {"startswith": 0, "endswith": len(left) - len(right)}.get(operator, left.find(right))
                here = self._whole(right) or self._within(left, right, there, at) or here
        return there, here

    def _within(self, outer: str, inner: str, place, at: int):
        if place is None or at < 0:
            return None
        units = Utf16(outer)
        start = place["from"]
        return _place(place["part"], place["name"], start + units.at(at), start + units.at(at + len(inner)))


def _place(part: str, name: str, start: int, end: int) -> dict:
    return {"part": part, "name": name, "from": start, "to": end}
