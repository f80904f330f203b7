"""Which lines of the reward file ran, and what the pinned row's names held on the way."""

from .own import BUILTINS as __builtins__  # noqa: F401

import dis
import sys
from types import CodeType

_getframe = sys._getframe
_monitoring = getattr(sys, "monitoring", None)
# Steps kept for the pinned row; a loop can make millions.
_STEPS = 2000
_ITEMS = 8
_MUTABLE = (list, dict, set, bytearray)


def text_of(value, limit: int, depth: int = 2) -> str:
    """``repr`` that costs little for large containers and never raises."""
    try:
        kind = type(value)
        if kind is str or kind is bytes:
            text = repr(value[: limit + 1])
        elif kind in (list, tuple, set, frozenset) and (depth == 0 or len(value) > _ITEMS):
            shown = [] if depth == 0 else [text_of(item, limit, depth - 1) for item in _head(value)]
            text = "%s of %d: %s, …" % (kind.__name__, len(value), ", ".join(shown))
        elif kind in (list, tuple, set, frozenset):
            inner = ", ".join(text_of(item, limit, depth - 1) for item in value)
            if kind is list:
                text = "[" + inner + "]"
            elif kind is tuple:
                text = "(" + inner + (",)" if len(value) == 1 else ")")
            else:
                text = "{" + inner + "}" if value else kind.__name__ + "()"
        elif kind is dict:
            shown = [] if depth == 0 else _head(value.items())
            inner = ", ".join(
                text_of(key, limit, 0) + ": " + text_of(item, limit, depth - 1) for key, item in shown
            )
            text = "{" + inner + (", …}" if len(value) > len(shown) else "}")
        elif kind is int and value.bit_length() > 4000:
            text = "int of %d bits" % value.bit_length()
        else:
            text = repr(value)
            if type(text) is not str:
                text = str.__str__(text)
    except BaseException as error:
        text = "<repr raised %s>" % type(error).__name__
    return text if len(text) <= limit else text[: max(1, limit - 1)] + "…"


def _head(values) -> list:
    out = []
    for value in values:
        out.append(value)
        if len(out) == _ITEMS:
            break
    return out


def all_codes(code) -> list:
    """A module's code and all code inside it."""
    found = [code]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found += all_codes(constant)
    return found


def stored_names(code) -> dict:
    """Line → names that are assigned there."""
    names, line = {}, code.co_firstlineno
    for instruction in dis.get_instructions(code):
        start = instruction.starts_line
        if start is not None and start is not False:
            line = getattr(instruction, "line_number", None) or (start if start is not True else line)
        if instruction.opname.startswith(("STORE_FAST", "STORE_NAME", "STORE_DEREF", "STORE_GLOBAL")):
            value = instruction.argval
            for name in value if isinstance(value, tuple) else (value,):
                names.setdefault(line, set()).add(name)
    return names


class Steps:
    """The pinned row's way: a step is a line together with the values that became visible after it."""

    def __init__(self, limit: int) -> None:
        self.steps = []
        self.cut = False
        self._limit = limit
        self._open = {}
        self._stored = {}

    def line(self, frame, number: int) -> None:
        """A line of ``frame`` is about to run."""
        self._close(frame)
        if len(self.steps) < _STEPS:
            step = {"line": number, "values": {}}
            self.steps.append(step)
            self._open[frame] = (step, self._changing(frame), len(self.steps) - 1)
        else:
            self.cut = True

    def at(self, frame):
        """(index of the step that ``frame`` is in, its line), or None."""
        opened = self._open.get(frame)
        return None if opened is None else (opened[2], opened[0]["line"])

    def leave(self, frame, value) -> None:
        step = self._open.get(frame)
        self._close(frame)
        if step is not None:
            step[0]["values"]["return"] = text_of(value, self._limit)

    def _changing(self, frame) -> dict:
        """Texts of values that a line may change in place."""
        return {
            name: text_of(value, self._limit)
            for name, value in frame.f_locals.items()
            if type(value) in _MUTABLE
        }

    def _close(self, frame) -> None:
        opened = self._open.pop(frame, None)
        if opened is None:
            return
        step, before, _ = opened
        code = frame.f_code
        if code not in self._stored:
            self._stored[code] = stored_names(code)
        assigned = self._stored[code].get(step["line"], ())
        values = frame.f_locals
        for name in assigned:
            if name in values:
                step["values"][name] = text_of(values[name], self._limit)
        for name, text in before.items():
            if name in values and name not in assigned:
                now = text_of(values[name], self._limit)
                if now != text:
                    step["values"][name] = now


class Tracer:
    """``begin`` before a row's call, ``end`` after it gives ``(lines, steps or None)``."""

    def __init__(self, code, pinned, limit: int) -> None:
        self._pinned = pinned
        self._limit = limit
        self._codes = frozenset(all_codes(code))
        self._lines = set()
        self._steps = None
        self._raising = None
        self._tool = None
        self._wanted = 0
        if _monitoring is not None:
            self._tool = self._claim()

    def _claim(self):
        for tool in (4, 3, 1, 2):
            if _monitoring.get_tool(tool) is None:
                _monitoring.use_tool_id(tool, "rewardsmith")
                events = _monitoring.events
                _monitoring.register_callback(tool, events.LINE, self._on_line)
                _monitoring.register_callback(tool, events.PY_RETURN, self._on_return)
                return tool
        return None

    @property
    def steps(self):
        """Of the row whose call is running; None where it isn't the pinned one."""
        return self._steps

    def begin(self, row: int) -> None:
        self._lines = set()
        self._steps = Steps(self._limit) if row == self._pinned else None
        if self._tool is None:
            sys.settrace(self._on_call)
            return
        events = _monitoring.events
        wanted = events.LINE | (events.PY_RETURN if self._steps is not None else 0)
        if wanted != self._wanted:
            self._wanted = wanted
            for code in self._codes:
                _monitoring.set_local_events(self._tool, code, wanted)
        # Lines that ran for the row before were switched off one by one.
        _monitoring.restart_events()

    def end(self):
        if self._tool is None:
            sys.settrace(None)
        return sorted(
            line for line in self._lines if line
        ), None if self._steps is None else self._steps.steps

    # -- sys.monitoring ------------------------------------------------------------------------------------------

    def _on_line(self, code, number):
        self._lines.add(number)
        if self._steps is None:
            return _monitoring.DISABLE
        frame = _getframe(1)
        if frame.f_code is code:
            self._steps.line(frame, number)
        return None

    def _on_return(self, code, offset, value):
        frame = _getframe(1)
        if self._steps is not None and frame.f_code is code:
            self._steps.leave(frame, value)

    # -- sys.settrace --------------------------------------------------------------------------------------------

    def _on_call(self, frame, event, argument):
        return self._on_event if frame.f_code in self._codes else None

    def _on_event(self, frame, event, argument):
        if event == "line":
            self._raising = None
            self._lines.add(frame.f_lineno)
            if self._steps is not None:
                self._steps.line(frame, frame.f_lineno)
        elif event == "exception":
            self._raising = frame
        elif event == "return" and self._steps is not None and self._raising is not frame:
            # Leaving by an exception is told as a return of None, right after the exception.
            self._steps.leave(frame, argument)
        return self._on_event
