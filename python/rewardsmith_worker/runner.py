"""Runs one job in the current process, in its main thread: the part that both modes share."""

from .own import BUILTINS as __builtins__  # noqa: F401

import os
import signal
import sys
import tempfile
from time import perf_counter

from . import facts, loader, reasons, values
from .call import NoTokens, Plan, definition_line, is_async, is_async_call
from .guard import Guard
from .hang import Alarm
from .randomness import Randomness
from .trace import Tracer
from .wire import DONE, LOAD_FAILED, LOADED, START, UNIT

try:
    import resource
except ImportError:  # Windows
    resource = None

_getpid, _exit = os.getpid, os._exit
_gettrace, _settrace = sys.gettrace, sys.settrace
_getprofile, _setprofile = sys.getprofile, sys.setprofile
_setitimer = getattr(signal, "setitimer", None)
_REAL = getattr(signal, "ITIMER_REAL", 0)


def prepare_process(job: dict, folder: str) -> None:
    """What both modes set up for user code: the job's mark, its own folder for temporary files, no core dumps."""
    os.environ["REWARDSMITH_JOB"] = str(job["job"])
    if resource is not None:
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        except (OSError, ValueError):
            pass
    for name in ("TMPDIR", "TEMP", "TMP"):
        os.environ[name] = folder
    tempfile.tempdir = folder


class Runner:
    """``sink.send(kind, frame)`` takes frames in order; ``sink.settle()`` marks the end of a unit's output."""

    def __init__(self, job: dict, samples, sink, hang_fd: int, folder: str) -> None:
        self._job = job
        self._samples = samples
        self._sink = sink
        self._pid = _getpid()
        self._path = job["path"]
        self._user = loader.UserFiles(loader.Overlays(job["overlays"]))
        self._guard = Guard(folder) if job["guarded"] else None
        self._alarm = Alarm(hang_fd)
        self._limit = job["limits"]["unitSeconds"] * job["calls"]
        self._random = Randomness(job["seed"])
        self._tracer = None
        if job["trace"] is not None and job["trace"].get("explain"):
            from .explain import Explainer  # with ``ast``, which no other job needs

            self._user.explainer = Explainer(self._path)

    def run(self) -> bool:
        """True when every unit was sent, False when the module didn't load."""
        module = self._load()
        if module is None:
            return False
        functions = [self._find(module, item) for item in self._job["functions"]]
        plans = [
            Plan(function, item["plan"], self._samples, self._asyncio) if callable(function) else None
            for function, item in zip(functions, self._job["functions"])
        ]
        self._send_loaded(functions, plans)
        if self._job["trace"] is not None:
            trace = self._job["trace"]
            self._tracer = Tracer(self._user.codes[self._path], trace["pinned"], trace["maxText"])
        for fn, plan in enumerate(plans):
            self._random.forget()
            for batch, rows in enumerate(self._job["batches"]):
                if self._job["isolated"]:
                    self._sink.send(START, {"t": "start", "job": self._job["job"], "fn": fn, "batch": batch})
                self._alarm.arm(self._limit)
                self._unit(fn, batch, rows, plan)
        self._sink.send(DONE, None)
        return True

    def _asyncio(self):
        return loader.import_asyncio(self._job["roots"], self._user)

    def _find(self, module, item: dict):
        """The function by its name, None where there is none. A module's ``__getattr__`` is user code and may raise
        anything, or do what it isn't allowed to."""
        if self._guard:
            self._guard.begin(item["allow"], self._user, self._path)
        try:
            found = getattr(module, item["name"], None)
        except BaseException:
            found = None
        held = self._guard.end() if self._guard else None
        return found if held is None else None

    # -- loading -------------------------------------------------------------------------------------------------

    def _load(self):
        job = self._job
        allow = {effect for item in job["functions"] for effect in item["allow"]}
        # The same limit as the first unit's, where that isn't longer: one alarm then serves both.
        self._alarm.arm(min(job["limits"]["loadSeconds"], self._limit))
        self._random.seed()
        self._began = perf_counter()
        failed, module = None, None
        if self._guard:
            self._guard.begin(allow, self._user, self._path)
        try:
            module = loader.load(self._path, job["module"], job["roots"], self._user)
        except BaseException as error:
            failed = error
        held = self._guard.end() if self._guard else None
        self._quiet()
        if failed is None and held is None:
            self._path = next(
                (path for path in self._user.files if loader.same(path, self._path)), self._path
            )
            if self._user.explainer is not None:
                self._user.explainer.path = self._path
            return module
        frame = self._load_failed(failed) if failed is not None else {}
        if held is not None:
            frame.update(kind="exception", type="Held", message="%s: %s" % (held["effect"], held["target"]))
            frame.update(path=self._path, line=held.get("line"), column=None, module=None, held=held)
            frame.setdefault("traceback", "")
        self._sink.settle()
        self._sink.send(LOAD_FAILED, {"t": "loadFailed", "job": job["job"], **frame, "output": ""})
        return None

    def _load_failed(self, error: BaseException) -> dict:
        kind, path, line, column, module = "exception", None, None, None, None
        for file, number in reasons.places(error):
            if file in self._user.known:
                path, line = file, number
        if isinstance(error, loader.MissingFile):
            kind, path = "missing-file", self._path
        elif isinstance(error, SyntaxError) and (error.filename in self._user.known):
            kind, path, line, column = "syntax", error.filename, error.lineno, error.offset
        elif isinstance(error, (SyntaxError, ValueError)) and path is None and self._user.files:
            # Null bytes or text that isn't Unicode: the compiler gives no place.
            kind, path = "syntax", self._user.files[-1]
        elif isinstance(error, ImportError):
            kind = "import"
            if isinstance(error, ModuleNotFoundError) and isinstance(error.name, str):
                module = error.name[: reasons.TARGET]
        return {
            "kind": kind,
            "type": reasons.type_name(type(error)),
            "message": reasons.message(error.msg if kind == "syntax" and hasattr(error, "msg") else error),
            "path": path,
            "line": line if line and line > 0 else None,
            "column": column,
            "module": module,
            "traceback": reasons.traceback(error, self._user, self._path),
        }

    def _send_loaded(self, functions, plans) -> None:
        third_party = loader.third_party_modules()
        described = []
        for item, function, plan in zip(self._job["functions"], functions, plans):
            described.append(
                {
                    "name": item["name"],
                    "found": function is not None,
                    "callable": plan is not None,
                    "isAsync": plan is not None and is_async(function),
                    "asyncCall": plan is not None and is_async_call(function),
                    "bindError": plan.bind_error if plan else None,
                    "line": definition_line(function, self._path, self._user) if plan else None,
                }
            )
        frame = {
            "t": "loaded",
            "job": self._job["job"],
            "ms": (perf_counter() - self._began) * 1000,
            "functions": described,
            "files": list(self._user.files),
            "thirdParty": third_party,
            "versions": facts.versions(third_party),
        }
        self._sink.settle()
        self._sink.send(LOADED, frame)

    # -- units ---------------------------------------------------------------------------------------------------

    def _unit(self, fn: int, batch: int, rows: list, plan) -> None:
        item = self._job["functions"][fn]
        frame = {"t": "unit", "job": self._job["job"], "fn": fn, "batch": batch, "ms": 0.0}
        if plan is None or plan.bind_error is not None:
            text = plan.bind_error if plan else "there is no function called %s in this file" % item["name"]
            failed = (
                {"code": "signature", "type": "TypeError", "text": text}
                if plan
                else {"code": "module", "text": text}
            )
            outcome = values.Rows.all(len(rows), "raised", failed)
            changed = drew = ()
            again = None
        else:
            if self._tracer is not None:
                self._begin_trace(rows[0])
            outcome, frame["ms"] = self._call(item, plan, rows, 0)
            if self._tracer is not None:
                frame.update(self._end_trace())
            changed, drew = self._random.after()
            again = None
            if plan.logged:
                frame["logged"] = sorted(set(plan.logged))[:100]
            self._sink.settle()
            if self._job["calls"] == 2:
                second, _ = self._call(item, plan, rows, 1)
                if not _same(outcome, second):
                    again = second.values
        frame["values"] = outcome.values
        if outcome.states is not None:
            frame["states"] = outcome.states
        if outcome.reasons:
            frame["reasons"] = outcome.reasons
        if outcome.failed is not None:
            frame["failed"] = outcome.failed
        if outcome.spoiled:
            frame["spoiled"] = True
        if changed:
            frame["changed"] = changed
        if drew:
            frame["drew"] = drew
        if again is not None:
            frame["again"] = again
        self._sink.send(UNIT, frame)

    def _begin_trace(self, row: int) -> None:
        self._tracer.begin(row)
        if self._user.explainer is not None and self._tracer.steps is not None:
            self._user.explainer.begin(self._tracer.steps, self._samples, row)

    def _end_trace(self) -> dict:
        way = self._tracer.steps
        if self._user.explainer is not None:
            self._user.explainer.stop()
        lines, steps = self._tracer.end()
        found = {"lines": lines}
        if steps is not None:
            found["steps"] = steps
            cut = way.cut
            if self._user.explainer is not None:
                found["observations"], more = self._user.explainer.end()
                cut = cut or more
            if cut:
                found["cut"] = True
        return found

    def _call(self, item: dict, plan, rows: list, turn: int):
        """One call over a batch: (Rows, milliseconds)."""
        del plan.logged[:]
        self._random.seed(turn)
        if not plan.by_sample:
            outcome, ms = self._once(item, plan, rows, rows)
            return outcome, ms
        parts, ms = [], 0.0
        for row in rows:
            part, took = self._once(item, plan, row, (row,))
            ms += took
            if part.failed is not None:
                part.reasons["0"] = part.failed
            parts.append(part)
        if all(part.states is None for part in parts):
            return values.Rows([part.values[0] for part in parts]), ms
        joined = values.Rows(
            [part.values[0] for part in parts],
            [part.states[0] if part.states else "scored" for part in parts],
            {str(position): part.reasons["0"] for position, part in enumerate(parts) if part.reasons},
        )
        return joined, ms

    def _once(self, item: dict, plan, rows, all_rows):
        count = len(all_rows)
        arguments = plan.arguments(rows)
        error, result = None, None
        del plan.no_tokens[:]
        if self._guard:
            self._guard.begin(item["allow"], self._user, self._path)
        start = perf_counter()
        try:
            result = plan.call(arguments)
            outcome = (
                values.read_list(result, count) if plan.returns == "list" else values.read_number(result)
            )
        except BaseException as caught:
            error = caught
        ms = (perf_counter() - start) * 1000
        if _getpid() != self._pid:
            # A copy of this process that user code forked came back from the call: it isn't us.
            _exit(0)
        held = self._guard.end() if self._guard else None
        self._quiet()
        if held is not None:
            return values.Rows.all(count, "held", held), ms
        if plan.no_tokens:
            return self._no_tokens(plan, all_rows, error), ms
        if error is not None:
            outcome = values.Rows.all(count, "raised", reasons.raised(error, self._user, self._path))
        return outcome, ms

    def _no_tokens(self, plan, rows, error) -> values.Rows:
        """Rows whose missing token ids were read; where only some rows lack them, the others are scored alone."""
        reason = {"code": "no-tokens"}
        missing = set(plan.no_tokens)
        if None in missing or missing.issuperset(rows):
            outcome = values.Rows([None] * len(rows), ["not-applicable"] * len(rows))
            outcome.reasons = {str(position): reason for position in range(len(rows))}
            return outcome
        states = ["not-applicable" if row in missing else "raised" for row in rows]
        outcome = values.Rows([None] * len(rows), states)
        outcome.reasons = {str(position): reason for position, row in enumerate(rows) if row in missing}
        if error is None or isinstance(error, NoTokens):
            outcome.failed = dict(reason, text="another row of the batch has no token ids")
        else:
            outcome.failed = reasons.raised(error, self._user, self._path)
        return outcome

    def _quiet(self) -> None:
        """Takes off what user code may have left running in this thread, then writes out what it printed."""
        try:
            if _gettrace() is not None:
                _settrace(None)
            if _getprofile() is not None:
                _setprofile(None)
        except BaseException:
            pass
        try:
            if _setitimer is not None:
                _setitimer(_REAL, 0)
        except BaseException:
            pass
        self._sink.flush()


def _same(one: values.Rows, two: values.Rows) -> bool:
    return one.values == two.values and one.states == two.states
