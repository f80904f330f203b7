"""spare mode: preload, wait, run one job in this process's main thread, exit."""

from .own import BUILTINS as __builtins__  # noqa: F401

import _thread
import os
import shutil
import signal
import sys
import time

from . import facts, hang, system, wire
from .child import LOST_FRAMES, flush, printing
from .output import Output
from .runner import Runner, prepare_process
from .samples import Samples

_exit = os._exit

# Behind the copy of a unit's output on standard error: what comes after it is the next unit's.
UNIT_END = b"\0end of unit\0"


class Drain:
    """Reads what user code prints, in a thread; a capped copy goes to standard error as it comes."""

    def __init__(self, token: bytes, cap: int, echo: int) -> None:
        self._token = token
        self._cap = cap
        self._echo = echo
        self._echoed = 0
        self._number = 0
        self._settled = False
        self._output = Output(token, cap)
        self._came = _thread.allocate_lock()
        self._source, write = os.pipe()
        self._source = wire.out_of_reach(self._source)
        for fd in (1, 2):
            os.dup2(write, fd)
        self._marks = wire.out_of_reach(write)
        _thread.start_new_thread(self._read, ())

    def _read(self) -> None:
        while True:
            data = wire.read_some(self._source, 1 << 16)
            if not data:
                return
            room = self._cap - self._echoed
            if room > 0 and self._token not in data:
                self._echoed += len(data)
                try:
                    wire.write_all(self._echo, data[:room])
                except OSError:
                    self._echoed = self._cap
            self._output.feed(data)

    def settle(self) -> None:
        """Marks the end of a unit's output and waits until the thread has seen it."""
        self._number += 1
        self._settled = True
        try:
            wire.write_all(self._marks, Output.mark(self._token, self._number))
        except OSError:
            return
        until = time.monotonic() + 2.0
        while not self._output.has(self._number) and time.monotonic() < until:
            time.sleep(0.00002)
        if self._echoed:
            self._echoed = 0
            try:
                wire.write_all(self._echo, UNIT_END)
            except OSError:
                pass

    def taken(self):
        """(text, bytes) since the mark before, once after ``settle``."""
        if not self._settled:
            return "", 0
        self._settled = False
        return self._output.cut(self._number)


class Sink:
    """Frames straight to the engine, with the unit's output in them."""

    def __init__(self, writer: wire.Writer, drain: Drain, streams) -> None:
        self._writer = writer
        self._drain = drain
        self._streams = streams
        self._identity = wire.identity(writer.fd)
        self.settle = drain.settle

    def flush(self) -> None:
        flush(self._streams)

    def send(self, kind: bytes, frame) -> None:
        if kind == wire.DONE:
            return
        if kind in (wire.UNIT, wire.LOADED, wire.LOAD_FAILED):
            text, seen = self._drain.taken()
            if seen:
                frame["output"] = text
                if kind == wire.UNIT:
                    frame["outputBytes"] = seen
        if wire.identity(self._writer.fd) != self._identity:
            _exit(LOST_FRAMES)
        self._writer.send(frame)


def serve(requests: int, writer: wire.Writer, init: dict, lines: wire.Lines, waiting) -> None:
    """Answers until one job has run. Never returns."""
    failed = facts.preload(init["preload"])
    death = system.die_with_parent(os.getppid(), getattr(signal, "SIGKILL", signal.SIGTERM))
    samples = Samples()
    abilities = {"subreaper": False, "deathSignal": death}
    writer.send(facts.ready(False, abilities, init["packages"], failed))
    pending = list(waiting)
    while True:
        while pending:
            request = pending.pop(0)
            kind = request.get("t")
            if kind == "samples":
                samples.add(request["part"])
            elif kind == "drop":
                samples.drop(request["set"])
            elif kind == "preload":
                failed = facts.preload(request["modules"])
                writer.send(facts.ready(False, abilities, init["packages"], failed))
            elif kind == "run":
                _run(request["job"], samples, writer, init["tmp"])
        data = wire.read_some(requests, 1 << 20)
        if data == b"":
            _exit(0)
        pending += writer.requests(lines.feed(data or b""))


def _run(job: dict, samples: Samples, writer: wire.Writer, tmp: str) -> None:
    folder = os.path.join(tmp, "pass-%d-%d" % (job["job"], os.getpid()))
    reason, text = "exit", ""
    try:
        os.makedirs(folder, exist_ok=True)
        echo = wire.out_of_reach(os.dup(2))
        drain = Drain(os.urandom(12).hex().encode(), job["limits"]["outputBytes"], echo)
        streams = printing(1), printing(2)
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = streams
        prepare_process(job, folder)
        hang.crashes(echo)
        found = samples.get(job["set"])
        if found is None:
            text = "no samples called %s" % job["set"]
            writer.log("error", text)
        elif Runner(job, found, Sink(writer, drain, streams), echo, folder).run():
            reason = "done"
        else:
            reason = "load-failed"
    except BaseException as error:
        text = "Rewardsmith's worker failed: %r" % (error,)
    try:
        writer.send(
            {
                "t": "end",
                "job": job["job"],
                "reason": reason,
                "exitCode": None,
                "signal": None,
                "hangLine": None,
                "hangText": None,
                "output": text[:4000],
                "killed": 0,
                "peakMb": None,
            }
        )
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        _exit(0)
