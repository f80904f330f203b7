"""A real worker process for the tests. Every line that it writes is checked against the schema."""

import copy
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

import schema

WORKER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "rewardsmith_worker")
FRAME, REQUEST = schema.load("frame"), schema.load("request")
LINUX = sys.platform == "linux"
MODES = ("fork", "spare") if LINUX else ("spare",)

TRL = {
    "unit": "batch",
    "arguments": [
        {"name": "prompts", "from": "prompt"},
        {"name": "completions", "from": "completion"},
        {"name": "completion_ids", "from": "completion_ids"},
        {"from": "columns"},
        {"name": "trainer_state", "from": "trainer_state"},
        {"name": "log_extra", "from": "log_extra"},
        {"name": "log_metric", "from": "log_metric"},
    ],
    "passing": "keyword",
    "returns": "list",
    "awaits": "functions",
}
PLAIN = {
    "unit": "sample",
    "arguments": [
        {"name": "completion", "from": "completion"},
        {"name": "prompt", "from": "prompt"},
        {"from": "columns"},
    ],
    "passing": "named",
    "returns": "number",
    "awaits": "callables",
}


class Died(Exception):
    pass


class Worker:
    def __init__(self, mode="fork", preload=(), packages=(), env=None, checked=True):
        self.mode = mode
        self.checked = checked
        self.id = uuid.uuid4().hex
        self.token = uuid.uuid4().hex
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="rewardsmith-test-"))
        self.tmp = os.path.join(self.folder, "tmp")
        self.project = os.path.join(self.folder, "project")
        os.mkdir(self.tmp)
        os.mkdir(self.project)
        self.path = os.path.join(self.project, "reward.py")
        self.stderr = tempfile.TemporaryFile()
        environment = dict(
            os.environ, REWARDSMITH_TOKEN=self.token, REWARDSMITH_WORKER=self.id, **(env or {})
        )
        self.process = subprocess.Popen(
            [sys.executable, "-X", "utf8", "-u", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.stderr,
            env=environment,
            cwd=self.project,
            start_new_session=hasattr(os, "setsid"),
        )
        self._buffer = b""
        self._lines = []
        self._jobs = 0
        self.strange = []
        self.init = {
            "t": "init",
            "protocol": 1,
            "mode": mode,
            "tmp": self.tmp,
            "preload": list(preload),
            "packages": list(packages),
        }
        self.request(self.init)
        try:
            self.ready = self.frame(120)
            assert self.ready["t"] == "ready", self.ready
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("the worker didn't end when its input closed")
        finally:
            self.process.stdout.close()
            self.stderr.close()
            left = self.left()
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            shutil.rmtree(self.folder, ignore_errors=True)
        assert not left, "left running: %r" % left

    def left(self, patience=2.0, running=""):
        """Processes that carry this worker's mark, apart from the worker itself; ``running``: only those whose
        command line holds it."""
        until = time.monotonic() + patience
        while True:
            found = []
            for name in os.listdir("/proc") if LINUX else ():
                if not name.isdigit() or int(name) == self.process.pid:
                    continue
                try:
                    with open("/proc/%s/environ" % name, "rb") as file:
                        mine = b"REWARDSMITH_WORKER=" + self.id.encode() in file.read()
                    with open("/proc/%s/cmdline" % name, "rb") as file:
                        if mine and running.encode() in file.read():
                            found.append(int(name))
                except OSError:
                    continue
            if not found or time.monotonic() > until:
                return found
            time.sleep(0.02)

    def errors(self):
        self.stderr.seek(0)
        return self.stderr.read().decode("utf-8", "replace")

    def request(self, request):
        if self.checked:
            schema.check(request, REQUEST)
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()

    def frame(self, timeout=30.0):
        """The next frame. Lines without the token are kept in ``strange``."""
        until = time.monotonic() + timeout
        head = self.token.encode() + b" "
        while True:
            while self._lines:
                line = self._lines.pop(0)
                if line.startswith(head):
                    frame = json.loads(line[len(head) :], parse_constant=_refuse)
                    if self.checked:
                        schema.check(frame, FRAME)
                    return frame
                if line:
                    self.strange.append(line)
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise AssertionError("no frame in %s s; stderr: %s" % (timeout, self.errors()))
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            if not data:
                raise Died(self.errors())
            parts = (self._buffer + data).split(b"\n")
            self._buffer = parts.pop()
            self._lines += parts

    def samples(self, completions, prompts=None, ids=None, name="s", **columns):
        count = len(completions)
        part = {
            "set": name,
            "from": 0,
            "count": count,
            "total": count,
            "prompt": ["p"] * count if prompts is None else prompts,
            "completion": completions,
            "completionIds": ids,
            "columns": columns,
        }
        self.request({"t": "samples", "part": part})

    def job(self, text, functions, batches, plan=None, allow=(), limits=None, overlays=None, **more):
        self._jobs += 1
        job = {
            "job": self._jobs,
            "path": self.path,
            "module": "reward",
            "roots": [self.project],
            "overlays": {} if text is None else {self.path: text},
            "functions": [
                {"name": name, "plan": dict(copy.deepcopy(TRL), **(plan or {})), "allow": list(allow)}
                for name in functions
            ],
            "set": "s",
            "batches": batches,
            "isolated": False,
            "limits": dict(
                {"unitSeconds": 10.0, "loadSeconds": 10.0, "memoryMb": 2000, "outputBytes": 10_000},
                **(limits or {}),
            ),
            "guarded": False,
            "seed": 7,
            "calls": 1,
            "trace": None,
        }
        job["overlays"].update(overlays or {})
        job.update(more)
        return job

    def start(self, *args, **more):
        job = self.job(*args, **more)
        self.request({"t": "run", "job": job})
        return job

    def run(self, *args, **more):
        """All frames of a job."""
        job = self.start(*args, **more)
        return Result(self.until_end(job["job"]))

    def until_end(self, number):
        frames = []
        while True:
            frame = self.frame()
            frames.append(frame)
            if frame["t"] == "end" and frame["job"] == number:
                return frames


def _refuse(name):
    raise AssertionError("a bare %s in a frame" % name)


class Result:
    def __init__(self, frames):
        self.frames = frames
        self.loaded = self._first("loaded")
        self.failed = self._first("loadFailed")
        self.units = [frame for frame in frames if frame["t"] == "unit"]
        self.end = frames[-1]

    def _first(self, kind):
        return next((frame for frame in self.frames if frame["t"] == kind), None)

    @property
    def unit(self):
        assert len(self.units) == 1, self.frames
        return self.units[0]


class WorkerTest(unittest.TestCase):
    maxDiff = None

    def wait_for(self, condition, seconds=10.0):
        until = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), until, "waited in vain")
            time.sleep(0.01)

    def worker(self, *args, **more):
        worker = Worker(*args, **more)
        worker.__enter__()
        self.addCleanup(worker.__exit__)
        return worker

    @classmethod
    def shared_worker(cls, *args, **more):
        """One worker for a class of tests."""
        worker = Worker(*args, **more)
        worker.__enter__()
        cls.addClassCleanup(worker.__exit__)
        return worker

    def score(self, text, completions=("a", "bb"), mode="fork", name="reward", batches=None, **more):
        """Runs one function once in a worker of its own."""
        extra = {key: more.pop(key) for key in ("prompts", "ids", "columns") if key in more}
        worker = self.worker(mode if LINUX else "spare")
        worker.samples(list(completions), extra.get("prompts"), extra.get("ids"), **extra.get("columns", {}))
        return worker.run(text, [name], batches or [list(range(len(completions)))], **more)


def both_modes(test):
    def run(self):
        for mode in MODES:
            with self.subTest(mode=mode):
                test(self, mode)

    run.__name__ = test.__name__
    run.__doc__ = test.__doc__
    return run
