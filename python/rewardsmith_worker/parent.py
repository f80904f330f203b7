"""fork mode: one thread that waits for requests, frames, output and deadlines, and forks a child for each job."""

from .own import BUILTINS as __builtins__  # noqa: F401

import gc
import os
import select
import shutil
import signal
import sys
import time
import traceback

from . import child, facts, hang, loader, system, tree, wire
from .output import Output
from .samples import Samples

_POLL = 0.05
_PIPE = 1 << 20
_F_SETPIPE_SZ = 1031


class Gone(BaseException):
    """The engine has gone, or asked us to end."""


class _Job:
    """A job that runs: its child, its pipes, its limits."""

    def __init__(self, job: dict) -> None:
        self.job = job
        self.number = job["job"]
        self.token = os.urandom(12).hex().encode()
        self.lines = wire.Lines(self.token + b" ")
        self.output = Output(self.token, job["limits"]["outputBytes"])
        self.loading = True
        self.done = False
        self.load_failed = False
        self.damaged = False
        self.peak = 0
        self.frames, self.frames_child = os.pipe()
        self.out, self.out_child = os.pipe()
        for fd in (self.out, self.frames):
            os.set_blocking(fd, False)
        try:
            import fcntl

            fcntl.fcntl(self.out, _F_SETPIPE_SZ, _PIPE)
            fcntl.fcntl(self.frames, _F_SETPIPE_SZ, _PIPE)
        except (ImportError, OSError):
            pass
        self.frames_child = wire.out_of_reach(self.frames_child)
        self.out_child = wire.out_of_reach(self.out_child)
        self.hang = wire.out_of_reach(os.memfd_create("stack"))
        self.open = {self.frames, self.out}
        self.pid = 0
        self.handle = None
        self.restart()

    def restart(self) -> None:
        """A frame came: the clock of the next unit starts."""
        limits = self.job["limits"]
        seconds = limits["loadSeconds"] if self.loading else limits["unitSeconds"] * self.job["calls"]
        self.deadline = time.monotonic() + seconds

    def close(self) -> None:
        for fd in (self.frames, self.out, self.hang, self.handle):
            if fd is not None:
                os.close(fd)


class Parent:
    def __init__(
        self, requests: int, writer: wire.Writer, worker: str, init: dict, buffered: wire.Lines
    ) -> None:
        self._requests = requests
        self._lines = buffered
        self._writer = writer
        self._worker = worker
        self._folder = os.path.join(init["tmp"], "pass-%d" % os.getpid())
        self._packages = init["packages"]
        self._samples = Samples()
        self._queue = []
        self._running = None
        self._frozen = False
        self._idle = False
        self._wanted = None
        self._failed = facts.preload(init["preload"])
        self._abilities = {"subreaper": system.become_subreaper(), "deathSignal": False}
        self._abilities["deathSignal"] = system.die_with_parent(os.getppid())
        signal.signal(signal.SIGTERM, self._on_signal)
        gc.disable()

    @staticmethod
    def _on_signal(number, frame) -> None:
        raise Gone

    def serve(self, waiting) -> None:
        """Until the engine goes. ``waiting``: requests that came together with ``init``."""
        status = 0
        try:
            self._ready()
            for request in waiting:
                self._take(request)
            while True:
                self._turn()
        except (Gone, BrokenPipeError, KeyboardInterrupt):
            pass
        except BaseException:
            status = child.BROKEN
            traceback.print_exc()
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            if self._running is not None:
                running, self._running = self._running, None
                self._end_tree(running)
            shutil.rmtree(self._folder, ignore_errors=True)
            os._exit(status)

    def _ready(self) -> None:
        forks = sys.platform == "linux" and hasattr(os, "fork") and hasattr(os, "memfd_create")
        frame = facts.ready(forks, self._abilities, self._packages, self._failed)
        self._forks = frame["capabilities"]["fork"]
        self._writer.send(frame)

    # -- one turn ------------------------------------------------------------------------------------------------

    def _turn(self) -> None:
        running = self._running
        poll = select.poll()
        poll.register(self._requests, select.POLLIN)
        timeout = None if self._idle else 0.2
        if running is not None:
            # User code may close its ends; a pipe at its end would wake us without pause.
            for fd in running.open:
                poll.register(fd, select.POLLIN)
            if running.handle is not None:
                poll.register(running.handle, select.POLLIN)
            timeout = min(running.deadline, self._next_look) - time.monotonic()
        events = dict(poll.poll(None if timeout is None else max(0, timeout * 1000)))
        if running is None and not events:
            self._idle = True
            self._warm()
        if running is not None:
            if running.frames in events:
                self._read_frames(running)
            if self._running is running and running.out in events:
                self._read_output(running, 4 << 20)
            if self._running is running and not running.done:
                self._watch(running, running.handle in events)
        if self._requests in events:
            self._read_requests()

    def _warm(self) -> None:
        """While nothing is asked: what the next child would otherwise import itself."""
        import asyncio  # noqa: F401

        facts.prepare()
        self._frozen = False

    def _watch(self, running: _Job, ended: bool) -> None:
        now = time.monotonic()
        if ended or (running.handle is None and tree.has_ended(running.pid)):
            self._read_frames(running)
            if self._running is running:
                self._finish(running, None)
        elif now >= running.deadline:
            # Frames may have come while this process was busy.
            self._read_frames(running)
            if self._running is running and time.monotonic() >= running.deadline:
                self._finish(running, "load-timeout" if running.loading else "unit-timeout")
        elif now >= self._next_look:
            self._next_look = now + _POLL
            limit = running.job["limits"]["memoryMb"] * (1 << 20)
            pids = [running.pid, *tree.descendants(running.pid)]
            used = tree.resident(pids)
            if used > limit:
                used = tree.proportional(pids)
            running.peak = max(running.peak, used)
            if used > limit:
                self._finish(running, "memory")

    # -- requests ------------------------------------------------------------------------------------------------

    def _read_requests(self) -> None:
        data = wire.read_some(self._requests, 1 << 20)
        if data == b"":
            raise Gone
        for request in self._writer.requests(self._lines.feed(data or b"")):
            self._take(request)

    def _take(self, request: dict) -> None:
        kind = request.get("t")
        if kind == "samples":
            try:
                self._samples.add(request["part"])
                self._frozen = False
            except ValueError as error:
                self._writer.log("error", str(error))
        elif kind == "drop":
            self._samples.drop(request["set"])
        elif kind == "preload":
            self._wanted = request["modules"]
            self._preload()
        elif kind == "run":
            self._queue.append(request["job"])
            self._next()
        elif kind == "cancel":
            self._cancel(request["job"])
        else:
            self._writer.log("error", "unknown request %r" % (kind,))

    def _preload(self) -> None:
        """Imports what was asked for, once no job runs: an import can take longer than a job's limits."""
        if self._wanted is None or self._running is not None:
            return
        modules, self._wanted = self._wanted, None
        self._failed = facts.preload(modules)
        facts.prepare()
        self._frozen = False
        self._ready()

    def _cancel(self, number: int) -> None:
        if self._running is not None and self._running.number == number:
            self._finish(self._running, "cancelled")
            return
        for job in [job for job in self._queue if job["job"] == number]:
            self._queue.remove(job)
            self._send_end(number, "cancelled")

    # -- jobs ----------------------------------------------------------------------------------------------------

    def _next(self) -> None:
        while self._running is None and self._queue:
            job = self._queue.pop(0)
            samples = self._samples.get(job["set"])
            if samples is None or not self._forks:
                why = "this process can't fork safely" if samples else "no samples called %s" % job["set"]
                self._writer.log("error", why)
                self._send_end(job["job"], "exit", output=why)
                continue
            try:
                self._start(job, samples)
            except OSError as error:
                self._writer.log("error", "a job didn't start: %s" % error)
                self._send_end(job["job"], "exit", output=str(error))
        self._preload()

    def _start(self, job: dict, samples) -> None:
        folder = self._folder
        os.makedirs(folder, exist_ok=True)
        running = _Job(job)
        if not self._frozen:
            loader.note_modules()
            # Collecting in a child would write to every page it shares with us.
            gc.collect()
            gc.freeze()
            self._frozen = True
        self._spare = set(tree.children(os.getpid()))
        us = os.getpid()
        pid = os.fork()
        if pid == 0:
            for fd in (self._requests, self._writer.fd, running.frames, running.out):
                os.close(fd)
            child.run(
                job, samples, running.frames_child, running.out_child, running.hang, running.token, folder, us
            )
        os.close(running.frames_child)
        os.close(running.out_child)
        running.pid = pid
        running.handle = tree.wait_handle(pid)
        running.restart()
        self._next_look = time.monotonic() + 0.02
        self._running = running

    def _read_frames(self, running: _Job) -> None:
        while self._running is running and not running.done:
            data = wire.read_some(running.frames)
            if not data:
                if data is not None:
                    running.open.discard(running.frames)
                return
            self._relay(running, data)
            if running.done:
                self._finish(running, "done")

    def _relay(self, running: _Job, data: bytes) -> None:
        """Passes on the frames in ``data``, up to the one that says that the child is done."""
        bodies = []
        for line in running.lines.feed(data):
            body = self._frame(running, line)
            if running.done:
                break
            if body is not None:
                bodies.append(body)
        self._writer.send_json(*bodies)

    def _frame(self, running: _Job, line: bytes):
        """A frame with its output put in; None where there is nothing to pass on."""
        parsed = wire.parse_child_line(line)
        if parsed is None:
            running.damaged = True
            return None
        kind, mark, body = parsed
        if kind == wire.DONE:
            running.done = True
            return None
        running.loading = False
        running.load_failed = kind == wire.LOAD_FAILED
        running.restart()
        if mark:
            text, seen = self._printed(running, mark)
            if text or seen:
                extra = {"output": text}
                if kind == wire.UNIT:
                    extra["outputBytes"] = seen
                if kind == wire.LOAD_FAILED:
                    body = body.replace(b',"output":""}', b"}")
                body = body[:-1] + b"," + wire.encode(extra)[1:]
        return body

    def _printed(self, running: _Job, mark: int):
        # The mark is in the pipe already, unless user code closed it; others may go on printing meanwhile.
        for _ in range(16):
            if running.output.has(mark) or not self._read_output(running, _PIPE):
                break
        return running.output.cut(mark)

    @staticmethod
    def _read_output(running: _Job, most: int) -> bool:
        """Reads up to ``most`` bytes; False when there was nothing."""
        got = 0
        while got < most:
            data = wire.read_some(running.out)
            if not data:
                if data is not None:
                    running.open.discard(running.out)
                break
            running.output.feed(data)
            got += len(data)
        return got > 0

    def _end_tree(self, running: _Job) -> tree.Ended:
        return tree.end(
            running.pid, self._spare, self._worker, str(running.number), self._abilities["subreaper"]
        )

    def _finish(self, running: _Job, reason) -> None:
        """Ends the tree and says how the job ended; None: the child ended by itself."""
        hung = reason in ("unit-timeout", "load-timeout")
        dump = hang.read_dump(running.hang)
        if hung and "Timeout (" not in dump:
            time.sleep(0.05)
            dump = hang.read_dump(running.hang)
        ended = self._end_tree(running)
        if not running.done:
            self._read_last_frames(running)
        self._read_output(running, 4 * _PIPE)
        self._running = None
        exit_code = number = None
        if reason is None:
            if os.WIFSIGNALED(ended.status):
                reason, number = "signal", os.WTERMSIG(ended.status)
            else:
                reason = "load-failed" if running.load_failed else "exit"
                exit_code = None if running.load_failed else os.WEXITSTATUS(ended.status)
        if reason == "done" and running.damaged:
            reason = "exit"
        line = hang.find_line(dump, running.job["path"]) if hung or number is not None else None
        peaks = [value for value in (running.peak, (ended.peak or 0) * 1024) if value]
        self._send_end(
            running.number,
            reason,
            exitCode=exit_code,
            signal=None if number is None else _signal_name(number),
            hangLine=line,
            hangText=line and hang.source_line(running.job["path"], line, running.job["overlays"]),
            output=running.output.rest() if reason != "done" else "",
            killed=ended.killed,
            peakMb=round(max(peaks) / (1 << 20), 1) if peaks else None,
        )
        running.close()
        self._clean()
        self._next()

    def _clean(self) -> None:
        """Empties the folder that the pass had for its temporary files; one that stayed empty serves the next pass."""
        try:
            if os.listdir(self._folder):
                shutil.rmtree(self._folder, ignore_errors=True)
        except OSError:
            pass  # User code removed it.

    def _read_last_frames(self, running: _Job) -> None:
        while True:
            data = wire.read_some(running.frames)
            if not data:
                return
            self._relay(running, data)

    def _send_end(self, number: int, reason: str, **more) -> None:
        frame = {
            "t": "end",
            "job": number,
            "reason": reason,
            "exitCode": None,
            "signal": None,
            "hangLine": None,
            "hangText": None,
            "output": "",
            "killed": 0,
            "peakMb": None,
        }
        frame.update(more)
        self._writer.send(frame)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "signal %d" % number
