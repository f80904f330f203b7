"""Calls a function as the contract's plan says: by keyword, with fresh arguments each time."""

from .own import BUILTINS as __builtins__  # noqa: F401

import functools
import inspect
from types import CodeType, FunctionType, MethodType


class NoTokens(Exception):
    """The reward read token ids, and the samples have none."""


def _refuses(name):
    def method(self, *args, **kwargs):
        self._log.append(self._row)
        raise NoTokens("the samples have no token ids")

    method.__name__ = name
    return method


class MissingTokens(list):
    """Stands where token ids would be: passes for a list until somebody looks inside."""

    __hash__ = None

    def __init__(self, log: list, row=None) -> None:
        super().__init__()
        self._log = log
        self._row = row

    def __repr__(self) -> str:
        return "<no token ids in the samples>"

    for _name in (
        "__len__ __iter__ __getitem__ __contains__ __bool__ __reversed__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ "
        "__add__ __mul__ __rmul__ __setitem__ __delitem__ __iadd__ __imul__ __reduce_ex__ append extend insert pop "
        "remove clear index count sort reverse copy"
    ).split():
        locals()[_name] = _refuses(_name)
    del _name


class TrainerState:
    """The attributes of ``transformers.TrainerState`` with its first values."""

    def __init__(self) -> None:
        self.epoch = 0
        self.global_step = 0
        self.max_steps = 0
        self.logging_steps = 500
        self.eval_steps = 500
        self.save_steps = 500
        self.train_batch_size = None
        self.num_train_epochs = 0
        self.num_input_tokens_seen = 0
        self.total_flos = 0
        self.log_history = []
        self.best_metric = None
        self.best_global_step = None
        self.best_model_checkpoint = None
        self.is_local_process_zero = True
        self.is_world_process_zero = True
        self.is_hyper_param_search = False
        self.trial_name = None
        self.trial_params = None
        self.stateful_callbacks = {}

    def __repr__(self) -> str:
        return "TrainerState(" + ", ".join("%s=%r" % item for item in vars(self).items()) + ")"


_ASYNC = inspect.CO_COROUTINE


def is_async(function) -> bool:
    """``async def``, also behind ``functools.partial`` or marked so."""
    try:
        return inspect.iscoroutinefunction(function)
    except BaseException:  # user code broke what inspect needs
        code = getattr(function, "__code__", None)
        return isinstance(code, CodeType) and bool(code.co_flags & _ASYNC)


def is_async_call(function) -> bool:
    """An object whose ``__call__`` is ``async def``."""
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, (FunctionType, MethodType, type)):
        return False
    return is_async(getattr(function, "__call__", None))


def definition_line(function, path: str, user):
    """1-based line of the ``def`` (below its decorators) where it stands in ``path``, else None."""
    while isinstance(function, functools.partial):
        function = function.func
    try:
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code is None or code.co_filename != path:
            return None
        for number in range(code.co_firstlineno, code.co_firstlineno + 60):
            text = user.line(path, number)
            if text.startswith(("def ", "async ")) or "lambda" in text:
                return number
        return code.co_firstlineno
    except Exception:
        return None


class Plan:
    """A call plan made ready for one function and one sample set."""

    def __init__(self, function, plan: dict, samples, asyncio) -> None:
        """``asyncio`` gives that module of the standard library."""
        self.by_sample = plan["unit"] == "sample"
        self.returns = plan["returns"]
        self.no_tokens = []
        self.logged = []
        self.bind_error = None
        self._function = function
        self._samples = samples
        named = [part["name"] for part in plan["arguments"] if part["from"] != "columns"]
        self._makers = []
        for part in plan["arguments"]:
            source = part["from"]
            if source == "columns":
                for name in samples.columns:
                    if name not in named:
                        self._makers.append((name, self._column(samples.columns[name])))
            elif source == "column":
                column = samples.columns.get(part["column"])
                if column is not None:
                    self._makers.append((part["name"], self._column(column)))
            else:
                self._makers.append((part["name"], getattr(self, "_make_" + source)()))
        self._bind(plan["passing"])
        awaited = is_async(function) or (plan["awaits"] == "callables" and is_async_call(function))
        self._run = asyncio().run if awaited else None

    def _bind(self, passing: str) -> None:
        try:
            signature = inspect.signature(self._function, follow_wrapped=False)
        except BaseException:  # none to be had (TypeError, ValueError), or user code broke what inspect needs
            return
        parameters = signature.parameters.values()
        if passing == "named" and not any(p.kind is p.VAR_KEYWORD for p in parameters):
            asked = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
            self._makers = [maker for maker in self._makers if maker[0] in asked]
        try:
            signature.bind(**dict.fromkeys(name for name, _ in self._makers))
        except TypeError as error:
            name = getattr(self._function, "__name__", type(self._function).__name__)
            self.bind_error = "%s() %s" % (name, error)

    # -- arguments: each maker takes the rows (one row for a call by sample) and gives the value -------------------

    def _column(self, column):
        return column.one if self.by_sample else column.take

    def _make_prompt(self):
        column = self._samples.prompt
        if column is None:
            return (lambda row: None) if self.by_sample else (lambda rows: [None] * len(rows))
        return self._column(column)

    def _make_completion(self):
        return self._column(self._samples.completion)

    def _make_completion_ids(self):
        column, log = self._samples.completion_ids, self.no_tokens
        if column is None:
            return lambda rows: MissingTokens(log)

        def one(row):
            cell = column.one(row)
            return MissingTokens(log, row) if cell is None else cell

        return one if self.by_sample else (lambda rows: [one(row) for row in rows])

    def _make_trainer_state(self):
        return lambda rows: TrainerState()

    def _make_log_extra(self):
        logged = self.logged

        def log_extra(column, values):
            logged.append(str(column))

        return lambda rows: log_extra

    def _make_log_metric(self):
        logged = self.logged

        def log_metric(name, value):
            logged.append(str(name))

        return lambda rows: log_metric

    def arguments(self, rows) -> dict:
        return {name: make(rows) for name, make in self._makers}

    def call(self, arguments: dict):
        result = self._function(**arguments)
        return result if self._run is None else self._run(result)
