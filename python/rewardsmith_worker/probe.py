"""Looks at a match again after the call: where the matches lie, and of a miss how far it got and what would have matched.

A pattern may take for ever on a text that it misses, so everything has a limit of processor time. On Unix a timer's
signal reaches into the regex engine (it asks for signals on its way); elsewhere patterns with a repeat inside a repeat aren't tried.
"""

from .own import BUILTINS as __builtins__  # noqa: F401

import re
import signal
import warnings
from time import process_time

try:
    from re import _compiler as _sre
except ImportError:  # before 3.11
    import sre_compile as _sre

_setitimer = getattr(signal, "setitimer", None)
_TIMER, _SIGNAL = getattr(signal, "ITIMER_VIRTUAL", 0), getattr(signal, "SIGVTALRM", 0)
# Seconds of processor time for one question, and for all of a call.
ONE, ALL = 0.015, 0.05
_QUANTIFIER = re.compile(r"(?:[*+?]|\{(\d*)(?:,\d*)?\})[?+]?")
_OPENING = re.compile(r"\((?!\?)|\(\?(?::|=|P<\w+>|[a-zA-Z-]+:)")
_FLAGS_ONLY = re.compile(r"\(\?[a-zA-Z-]+\)")
_GROUP_REPEAT = re.compile(r"\)[*+{]")
_REPEAT = re.compile(r"[*+{]")
# Where nothing can end the regex engine: repeats in a pattern, characters of a text.
_REPEATS, _LENGTH = 6, 5_000
_FLAGS = (("ASCII", re.A), ("IGNORECASE", re.I), ("LOCALE", re.L), ("MULTILINE", re.M), ("DOTALL", re.S), ("VERBOSE", re.X))


class _Spent(BaseException):
    pass


def flag_names(pattern) -> str:
    return "|".join(name for name, flag in _FLAGS if pattern.flags & flag)


def _ask(pattern, method: str, text, pos=0, endpos=None):
    """The first match, or None."""
    call = {"match": pattern.match, "fullmatch": pattern.fullmatch}.get(method, pattern.search)
    return call(text, pos) if endpos is None else call(text, pos, endpos)


def _compiled(source: str, flags: int):
    """Not through re's cache. None where it doesn't compile."""
    try:
        return _sre.compile(source, flags & ~re.DEBUG)
    except Exception:
        return None


def endings(source: str, verbose: bool):
    """Places at which a beginning of the pattern may end, each with the number of groups that are open there, such that
    whatever the whole matches, each beginning matches too: behind an atom with its quantifier, also inside groups
    that must match once. None where the pattern is a choice at its top."""
    ends, choice, _ = _sequence(source, 0, verbose)
    return None if choice else ends


def _sequence(source: str, at: int, verbose: bool):
    """(ends, whether it is a choice, where it stops: at its closing parenthesis or the end)."""
    ends, choice, size = [], False, len(source)
    while at < size and source[at] != ")":
        letter = source[at]
        if letter == "|":
            choice = True
            at += 1
            continue
        if verbose and (letter.isspace() or letter == "#"):
            line = source.find("\n", at)
            at = at + 1 if letter != "#" else size if line < 0 else line
            continue
        inner = []
        if letter == "\\":
            at += 2
        elif letter == "[":
            at = _past_class(source, at)
        elif letter == "(":
            start = _OPENING.match(source, at)
            if start is None:
                # A comment, flags, a name again: nothing inside.  Else a look behind, a condition: taken as a whole.
                simple = source[at + 1 : at + 3] in ("?#", "?P") or _FLAGS_ONLY.match(source, at)
                at = source.find(")", at) if simple else _sequence(source, at + 2, verbose)[2]
                at = size if at < 0 else at + 1
            else:
                inner, chosen, at = _sequence(source, start.end(), verbose)
                at += 1
                if chosen:
                    inner = []
        else:
            at += 1
        quantifier = _QUANTIFIER.match(source, at)
        if quantifier is not None:
            at = quantifier.end()
            if quantifier.group(0)[0] in "*?" or quantifier.group(1) in ("", "0"):
                inner = []
        if at > size:
            break
        ends += [(end, depth + 1) for end, depth in inner]
        ends.append((at, 0))
    return ends, choice, at


def _past_class(source: str, at: int) -> int:
    at += 1
    at += source[at : at + 1] == "^"
    at += source[at : at + 1] == "]"
    while at < len(source) and source[at] != "]":
        at += 2 if source[at] == "\\" else 1
    return at + 1


class Probe:
    """Answers for one call; equal questions are asked once."""

    def __init__(self) -> None:
        self._left = ALL
        self._misses = {}
        self._armed = False

    def spans(self, note: dict, most: int):
        """(whole matches, groups of the first); None among the groups: took no part."""
        found = note["found"]
        if note["method"] in ("search", "match", "fullmatch"):
            return ([], []) if found is None else ([found.span()], _groups(found))
        spans, groups = [], []

        def look():
            for match in note["pattern"].finditer(note["text"], note["pos"], note["endpos"]):
                if not spans:
                    groups.extend(_groups(match))
                spans.append(match.span())
                if len(spans) >= most:
                    return

        self._limited(look)
        return spans, groups

    def miss(self, note: dict):
        """(what would have matched, (end in the pattern, span of the text) of the longest beginning that matches). The
        latter is None where time ran out; the end is 0 where not even the first piece matches."""
        pattern = note["pattern"]
        key = (pattern, note["method"], note["text"], note["pos"], note["endpos"])
        if _setitimer is None and _may_run_away(pattern.pattern, note["text"]):
            return [], None
        if key not in self._misses:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._misses[key] = self._would(note), self._reached(note)
        return self._misses[key]

    def _would(self, note: dict) -> list:
        pattern, method, text = note["pattern"], note["method"], note["text"]
        pos, endpos = note["pos"], note["endpos"]
        source, flags = pattern.pattern, pattern.flags
        found = []

        def attempt(name, make):
            if self._limited(make):
                found.append(name)

        for name, flag in (("DOTALL", re.S), ("IGNORECASE", re.I), ("MULTILINE", re.M)):
            if not flags & flag:
                attempt(name, lambda flag=flag: _matches(_compiled(source, flags | flag), method, text, pos, endpos))
        if method in ("match", "fullmatch"):
            attempt("search", lambda: _matches(pattern, "search", text, pos, endpos))
        stripped = text.strip()
        if stripped != text:
            attempt("strip", lambda: _matches(pattern, method, stripped))
        return found

    def _reached(self, note: dict):
        pattern, text = note["pattern"], note["text"]
        # How far a full match got is how far a match at the start gets.
        method = "match" if note["method"] == "fullmatch" else note["method"]
        source, flags = pattern.pattern, pattern.flags
        best = [None]

        def attempt(end, depth):
            made = _compiled(source[:end] + ")" * depth, flags)
            match = None if made is None else _ask(made, method, text, note["pos"], note["endpos"])
            if match is not None:
                best[0] = end, match.span()
            return match is not None

        def look():
            ends = endings(source, bool(flags & re.X))
            if ends is None:
                return
            low, high = 0, len(ends)
            while low < high:
                middle = (low + high) // 2
                if attempt(*ends[middle]):
                    low = middle + 1
                else:
                    high = middle
            if best[0] is None:
                best[0] = 0, (0, 0)

        self._limited(look)
        return best[0]

    def _limited(self, work):
        """What ``work`` gives, None where the time is over."""
        if self._left <= 0.001:
            return None
        began = process_time()
        try:
            return work() if _setitimer is None else self._timed(work, min(ONE, self._left))
        except Exception:
            return None
        finally:
            self._left -= process_time() - began

    def _timed(self, work, seconds: float):
        def over(number, frame):
            if self._armed:
                raise _Spent

        before = signal.signal(_SIGNAL, over)
        try:
            self._armed = True
            _setitimer(_TIMER, seconds, seconds)
            return work()
        except _Spent:
            return None
        finally:
            self._armed = False
            _setitimer(_TIMER, 0)
            signal.signal(_SIGNAL, signal.SIG_DFL if before is None else before)


def _may_run_away(source: str, text: str) -> bool:
    repeats = len(_REPEAT.findall(source))
    nested = repeats > 1 and _GROUP_REPEAT.search(source) is not None
    return nested or repeats > _REPEATS or len(text) > _LENGTH


def _matches(pattern, method: str, text, pos=0, endpos=None) -> bool:
    return pattern is not None and _ask(pattern, method, text, pos, endpos) is not None


def _groups(match) -> list:
    return [None if span[0] < 0 else span for span in match.regs[1:]]
