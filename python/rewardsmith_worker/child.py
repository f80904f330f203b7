"""The forked child of one job: its own session, its own pipes, nothing of the parent's."""

from .own import BUILTINS as __builtins__  # noqa: F401

import gc
import io
import os
import signal
import sys

from . import hang, system
from .output import Output
from .runner import Runner, prepare_process
from .wire import child_line, encode, identity, write_all

_exit = os._exit
# Exit statuses of our own, above what programs use and below those of shells for signals.
LOST_FRAMES, BROKEN = 113, 114


def printing(fd: int):
    """A text stream over a descriptor, written out line by line; lone surrogates are escaped, not an error."""
    raw = io.FileIO(fd, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw, 1 << 16), encoding="utf-8", errors="backslashreplace", line_buffering=True
    )


def flush(streams) -> None:
    """Writes out what user code printed, whatever it put in place of ``sys.stdout``."""
    for stream in (sys.__dict__.get("stdout"), sys.__dict__.get("stderr"), *streams):
        try:
            stream.flush()
        except BaseException:
            continue


class Sink:
    """Frames into the job's own pipe, with a token that user code wasn't given."""

    def __init__(self, frames: int, marks: int, token: bytes, streams) -> None:
        self._frames = frames
        self._identity = identity(frames)
        self._marks = marks
        self._token = token
        self._streams = streams
        self._number = 0
        self._settled = False

    def flush(self) -> None:
        flush(self._streams)

    def settle(self) -> None:
        self._number += 1
        self._settled = True
        try:
            write_all(self._marks, Output.mark(self._token, self._number))
        except OSError:
            pass  # User code closed it; the parent then takes what has come so far.

    def send(self, kind: bytes, frame) -> None:
        body = b"" if frame is None else encode(frame)
        mark = self._number if self._settled else 0
        self._settled = False
        if identity(self._frames) != self._identity:
            _exit(LOST_FRAMES)
        write_all(self._frames, child_line(self._token, kind, mark, body))


def run(
    job: dict, samples, frames: int, out: int, hang_fd: int, token: bytes, folder: str, parent: int
) -> None:
    """Never returns."""
    status = BROKEN
    try:
        os.setsid()
        system.die_with_parent(parent, signal.SIGKILL)
        for number, handler in (
            (signal.SIGTERM, signal.SIG_DFL),
            (signal.SIGINT, signal.default_int_handler),
        ):
            signal.signal(number, handler)
        os.dup2(out, 1)
        os.dup2(out, 2)
        streams = printing(1), printing(2)
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = streams
        prepare_process(job, folder)
        hang.crashes(hang_fd)
        gc.enable()
        sink = Sink(frames, out, token, streams)
        status = 0 if Runner(job, samples, sink, hang_fd, folder).run() else 1
    except BaseException as error:
        try:
            write_all(2, ("Rewardsmith's worker failed: %r\n" % (error,)).encode("utf-8", "replace"))
        except BaseException:
            pass
    finally:
        _exit(status)
