"""Lines in and out: JSON, tokens, descriptors that user code is unlikely to hit."""

from .own import BUILTINS as __builtins__  # noqa: F401

import json
import os
import sys
from binascii import crc32
from json import encoder as _encoder
from os import fstat as _fstat
from os import read as _read
from os import write as _write

try:
    import fcntl as _fcntl
    import resource as _resource
except ImportError:  # Windows
    _fcntl = None
    _resource = None


def _refuse(value):
    raise TypeError("not JSON: " + type(value).__name__)


if _encoder.c_make_encoder is None:  # PyPy

    def encode(value) -> bytes:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")

else:
    # The encoder is held ready: json.dumps goes through Python code that user code can break.
    _iterencode = _encoder.c_make_encoder(
        None, _refuse, _encoder.encode_basestring_ascii, None, ":", ",", False, False, False
    )

    def encode(value) -> bytes:
        """JSON text in ASCII (lone surrogates become escapes). Raises ValueError for NaN and infinities."""
        return "".join(_iterencode(value, 0)).encode("ascii")


def decode(line: bytes):
    """JSON as Python reads it, integers of any size too. Raises ValueError, RecursionError."""
    if not hasattr(sys, "set_int_max_str_digits"):
        return json.loads(line)
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return json.loads(line)
    finally:
        sys.set_int_max_str_digits(limit)


def write_all(fd: int, data) -> None:
    """Writes everything to a blocking descriptor."""
    view = memoryview(data)
    while view:
        view = view[_write(fd, view) :]


def out_of_reach(fd: int) -> int:
    """Moves a descriptor to a high number, closed on exec: code that writes to or closes the low ones misses it."""
    if _fcntl is None:
        os.set_inheritable(fd, False)
        return fd
    soft = _resource.getrlimit(_resource.RLIMIT_NOFILE)[0]
    base = 4000 if soft == _resource.RLIM_INFINITY or soft > 4096 else max(3, soft - 64)
    try:
        high = _fcntl.fcntl(fd, _fcntl.F_DUPFD_CLOEXEC, base)
    except OSError:
        os.set_inheritable(fd, False)
        return fd
    os.close(fd)
    return high


def identity(fd: int):
    """What a descriptor stands for; another value (or None) once user code has closed it or put something else there."""
    try:
        stat = _fstat(fd)
        return stat.st_dev, stat.st_ino
    except OSError:
        return None


class Writer:
    """Frames to the engine: newline, token, space, JSON, newline."""

    def __init__(self, fd: int, token: str) -> None:
        self.fd = fd
        self._head = b"\n" + token.encode("ascii", "backslashreplace") + b" "

    def send(self, frame: dict) -> None:
        self.send_json(encode(frame))

    def send_json(self, *texts: bytes) -> None:
        """Frames that are JSON already, in one write."""
        if texts:
            write_all(self.fd, b"".join([self._head + text + b"\n" for text in texts]))

    def log(self, level: str, text: str) -> None:
        self.send({"t": "log", "level": level, "text": text[:4000]})

    def requests(self, lines):
        """Requests out of lines; one that isn't JSON becomes a line in the log."""
        for line in lines:
            try:
                yield decode(line)
            except (ValueError, RecursionError) as error:
                self.log("error", "a request can't be read: %s" % error)


class Lines:
    """Cuts a byte stream into lines. Lines that don't begin with ``prefix`` are dropped without being kept."""

    def __init__(self, prefix: bytes = b"") -> None:
        self._prefix = prefix
        self._parts = []
        self._skipping = False

    def feed(self, data: bytes):
        """Yields whole lines without newline and prefix."""
        start = 0
        while True:
            end = data.find(b"\n", start)
            piece = data[start:] if end < 0 else data[start:end]
            if not self._skipping and piece:
                self._parts.append(piece)
                if self._prefix and len(self._parts) < 4 and not self._may_begin():
                    self._parts.clear()
                    self._skipping = True
            if end < 0:
                return
            start = end + 1
            if not self._skipping and self._parts:
                line = b"".join(self._parts)
                if line.startswith(self._prefix):
                    yield line[len(self._prefix) :]
            self._parts.clear()
            self._skipping = False

    def _may_begin(self) -> bool:
        head = b"".join(self._parts)[: len(self._prefix)]
        return self._prefix.startswith(head)


# From a job's child to the parent: "\n<token> <kind> <crc> <mark> <json>\n". The checksum finds frames into which
# another thread of the user's wrote; the mark is the number of the cut in the output pipe that belongs to the frame.
LOADED, LOAD_FAILED, START, UNIT, DONE = b"L", b"F", b"S", b"U", b"D"


def child_line(token: bytes, kind: bytes, mark: int, body: bytes) -> bytes:
    return b"\n%s %s %d %d %s\n" % (token, kind, crc32(body), mark, body)


def parse_child_line(line: bytes):
    """(kind, mark, body), or None where the line is damaged."""
    parts = line.split(b" ", 3)
    if len(parts) != 4:
        return None
    kind, crc, mark, body = parts
    try:
        if crc32(body) != int(crc):
            return None
        return kind, int(mark), body
    except ValueError:
        return None


def read_some(fd: int, size: int = 1 << 18) -> bytes:
    """What a descriptor has, b"" at its end; None where a non-blocking one has nothing."""
    try:
        return _read(fd, size)
    except (BlockingIOError, InterruptedError):
        return None
    except OSError:
        return b""
