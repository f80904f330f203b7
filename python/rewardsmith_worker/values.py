"""What a reward function gave back, read as TRL's ``torch.tensor(list(rewards), dtype=torch.float32)`` reads it.

Seen in TRL 1.16.0 with torch: numbers, bools, numpy scalars, one-element tensors and whatever has ``__float__`` or
``__index__`` are taken; strings, bytes, lists, tuples, dicts and complex numbers are refused; numpy arrays are
refused unless 0-dimensional and not first in the list (torch asks the first item for a length).
"""

from .own import BUILTINS as __builtins__  # noqa: F401

import math
from itertools import islice

from .reasons import describe, shown

# From here on a double becomes infinite as float32 (half a unit in the last place over the largest).
FLOAT32 = 3.4028235677973366e38
_isfinite, _ldexp = math.isfinite, math.ldexp


class Rows:
    """Outcome of one call: values, states, reasons in the batch's order; ``failed`` where the call as a whole failed."""

    __slots__ = ("values", "states", "reasons", "failed", "spoiled")

    def __init__(self, values, states=None, reasons=None, failed=None, spoiled=False):
        self.values = values
        self.states = states
        self.reasons = reasons or {}
        self.failed = failed
        self.spoiled = spoiled

    @classmethod
    def all(cls, count: int, state: str, failed: dict) -> "Rows":
        return cls([None] * count, [state] * count, None, failed)


def tagged(value: float):
    if _isfinite(value):
        return value
    return {"nonFinite": "nan" if value != value else "inf" if value > 0 else "-inf"}


def close(coroutine) -> None:
    """Ends a coroutine that nobody awaits, so that "was never awaited" isn't the only sign of it."""
    try:
        coroutine.close()
    except BaseException:
        pass


def _is_awaitable(value) -> bool:
    return hasattr(type(value), "__await__")


def _number(value) -> float:
    """As PyFloat_AsDouble takes it. Raises what the value raises; TypeError for what isn't one number."""
    if isinstance(value, (str, bytes, bytearray, list, tuple, dict, complex)) and not hasattr(
        type(value), "dtype"
    ):
        raise TypeError("must be real number, not " + type(value).__name__)
    if getattr(value, "ndim", 0) and type(value).__module__.partition(".")[0] != "torch":
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return _ldexp(value, 0)


def _item(value, first: bool, narrow: bool):
    """(value, state, reason) of one item."""
    if value is None:
        return None, "not-applicable", {"code": "none"}
    try:
        if first and narrow and getattr(value, "ndim", None) == 0 and _is_numpy_array(value):
            raise TypeError("len() of unsized object")
        number = _number(value)
    except BaseException as error:
        code = "coroutine" if _is_awaitable(value) else "wrong-type"
        if code == "coroutine":
            close(value)
        return None, "invalid-return", {"code": code, "text": shown(value) + ": " + describe(error)}
    if narrow and not -FLOAT32 < number < FLOAT32 and _isfinite(number):
        infinite = math.copysign(math.inf, number)
        return tagged(infinite), "non-finite", {"code": "infinite", "text": repr(number) + " as float32"}
    if _isfinite(number):
        return number, "scored", None
    return tagged(number), "non-finite", {"code": "nan" if number != number else "infinite"}


def _is_numpy_array(value) -> bool:
    return type(value).__name__ == "ndarray" and type(value).__module__ == "numpy"


def read_list(result, count: int) -> Rows:
    """One number (or None) per completion in an iterable, which is read once. Errors of the iterable come through."""
    if type(result) is not list:
        if _is_awaitable(result):
            close(result)
            return Rows.all(count, "invalid-return", {"code": "coroutine", "text": shown(result)})
        if result is None or isinstance(result, (str, bytes, bytearray, dict)):
            return Rows.all(count, "invalid-return", {"code": "not-a-list", "text": shown(result)})
        try:
            items = iter(result)
        except TypeError:
            return Rows.all(count, "invalid-return", {"code": "not-a-list", "text": shown(result)})
        result = list(items)
    got = len(result)
    if got != count:
        return Rows.all(
            count,
            "invalid-return",
            {"code": "wrong-count", "expected": count, "got": got, "text": _preview(result)},
        )
    for value in result:
        kind = type(value)
        if (kind is not float and kind is not int and kind is not bool) or not -FLOAT32 < value < FLOAT32:
            break
    else:
        return Rows([float(value) for value in result])
    values, states, reasons = [], [], {}
    for position, item in enumerate(result):
        value, state, reason = _item(item, position == 0, True)
        values.append(value)
        states.append(state)
        if reason:
            reasons[str(position)] = reason
    return Rows(values, states, reasons, None, "invalid-return" in states)


def _preview(result: list) -> str:
    try:
        return (
            "["
            + ", ".join(repr(item)[:40] for item in islice(result, 5))
            + (", …]" if len(result) > 5 else "]")
        )
    except BaseException:
        return "a list"


def read_number(result) -> Rows:
    """A single number or None."""
    if type(result) is float and _isfinite(result):
        return Rows([result])
    value, state, reason = _item(result, False, False)
    return Rows([value], None if state == "scored" else [state], {"0": reason} if reason else None)
