"""Where a hang stands: ``faulthandler``'s own thread writes the stack shortly before the limit.

It needs neither the interpreter lock nor a signal handler, so it works inside the regex engine and after user code
has replaced every handler.
"""

from .own import BUILTINS as __builtins__  # noqa: F401

import faulthandler
import os
import re
from time import monotonic

from .loader import split_lines

_later = faulthandler.dump_traceback_later
_FRAME = re.compile(r'^ *File "(.*)", line (\d+) in ')
_LIMIT = 500


class Alarm:
    """``arm`` before each unit. Re-armed only when the last time is long ago: arming starts a thread (some 40 µs)."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._limit = 0.0
        self._at = 0.0

    def arm(self, limit: float) -> None:
        now = monotonic()
        if limit == self._limit and now - self._at < limit / 8:
            return
        self._limit, self._at = limit, now
        try:
            _later(max(0.005, limit - min(0.1, limit / 10)), file=self._fd)
        except Exception:
            pass


def crashes(fd: int) -> None:
    """Has a crash of the interpreter (SIGSEGV …) leave its stack too."""
    try:
        faulthandler.enable(file=fd, all_threads=True)
    except Exception:
        pass


def _as_written(path: str) -> str:
    """``faulthandler`` escapes what isn't printable ASCII, and cuts."""
    out = []
    for letter in path[:_LIMIT]:
        code = ord(letter)
        if 32 <= code < 127:
            out.append(letter)
        elif code <= 0xFF:
            out.append("\\x%02x" % code)
        else:
            out.append(("\\u%04x" if code <= 0xFFFF else "\\U%08x") % code)
    return "".join(out) + ("..." if len(path) > _LIMIT else "")


def find_line(dump: str, path: str):
    """1-based line of the innermost frame in ``path`` of the last dump; the main thread's before others'. Or None."""
    start = max(dump.rfind("Timeout ("), dump.rfind("Fatal Python error"))
    if start < 0:
        return None
    wanted = _as_written(path)
    threads, found = [], None
    for line in dump[start:].splitlines():
        if line.startswith(("Thread 0x", "Current thread 0x")):
            threads.append(None)
            continue
        match = _FRAME.match(line)
        if match and match.group(1) == wanted and threads and threads[-1] is None:
            threads[-1] = int(match.group(2))
    for number in threads:
        found = number or found
    return found


def source_line(path: str, number: int, overlays: dict):
    """The text of that line, from the unsaved text or the disk; None where there is none."""
    text = overlays.get(path)
    try:
        if text is None:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
        return split_lines(text)[number - 1].strip()[:500]
    except (OSError, IndexError):
        return None


def read_dump(fd: int) -> str:
    try:
        size = os.fstat(fd).st_size
        start = max(0, size - 65536)
        return os.pread(fd, 65536, start).decode("ascii", "replace")
    except OSError:
        return ""
