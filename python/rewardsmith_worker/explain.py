"""What a row's call asked of texts on its way: matches of patterns and comparisons.

The user's modules are compiled from a syntax tree in which receivers, arguments and results of such expressions pass
through three functions that give back what they are given. The expression itself still runs in the user's own frame, so
order of evaluation, results, exceptions, tracebacks and ``super()`` stay as they are. Nothing is looked at until the
call is over: texts can't change, and of other values the ``repr`` is kept.
"""

from .own import BUILTINS as __builtins__  # noqa: F401

import ast
import builtins
import re
import sys

from .probe import Probe, flag_names
from .places import SampleTexts, Utf16
from .trace import text_of

_getframe = sys._getframe
# Names under which the three are found as builtins: no module's ``globals()`` changes.
_LOOK, _SEEN = "__rewardsmith_look__", "__rewardsmith_seen__"
_RECEIVER = -1

OBSERVATIONS = 500
# Characters of one text, of all texts together, of a side of a comparison.
TEXT, TEXTS, SIDE = 20_000, 2_000_000, 2_000
SPANS, GROUPS = 100, 50
# Frames between an expression in a helper and the reward file's own line that led there.
_DEPTH = 200

_PATTERN_ARGUMENTS = {
    "search": ("string", "pos", "endpos"),
    "match": ("string", "pos", "endpos"),
    "fullmatch": ("string", "pos", "endpos"),
    "findall": ("string", "pos", "endpos"),
    "finditer": ("string", "pos", "endpos"),
    "split": ("string", "maxsplit"),
    "sub": ("repl", "string", "count"),
    "subn": ("repl", "string", "count"),
}
_TEXT_METHODS = ("startswith", "endswith", "find", "index", "count")
_METHODS = frozenset(_PATTERN_ARGUMENTS) | frozenset(_TEXT_METHODS)
_FUNCTIONS = {getattr(re, name): name for name in _PATTERN_ARGUMENTS}
_OPERATORS = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}


class _Rewriter(ast.NodeTransformer):
    """Numbers the expressions that are watched: ``sites`` holds (file, line, method or operator) of each."""

    def __init__(self, path: str, sites: list) -> None:
        self._path = path
        self._sites = sites

    def _through(self, name: str, node, *before):
        """``name(*before, node)``, standing where ``node`` stands."""
        arguments = [ast.copy_location(ast.Constant(value), node) for value in before]
        function = ast.copy_location(ast.Name(name, ast.Load()), node)
        return ast.copy_location(ast.Call(function, arguments + [node], []), node)

    def _site(self, node, what: str) -> int:
        self._sites.append((self._path, node.lineno, what))
        return len(self._sites) - 1

    def visit_Call(self, node):
        self.generic_visit(node)
        function = node.func
        method = isinstance(function, ast.Attribute) and function.attr in _METHODS
        if not method and not (isinstance(function, ast.Name) and function.id in _PATTERN_ARGUMENTS):
            return node
        if any(isinstance(item, ast.Starred) for item in node.args) or any(
            item.arg is None for item in node.keywords
        ):
            return node
        site = self._site(node, function.attr if method else function.id)
        if method:
            function.value = self._through(_LOOK, function.value, site, _RECEIVER)
        else:
            node.func = self._through(_LOOK, function, site, _RECEIVER)
        node.args = [self._through(_LOOK, item, site, number) for number, item in enumerate(node.args)]
        for item in node.keywords:
            item.value = self._through(_LOOK, item.value, site, item.arg)
        return self._through(_SEEN, node, site)

    def visit_Compare(self, node):
        self.generic_visit(node)
        operator = _OPERATORS.get(type(node.ops[0])) if len(node.ops) == 1 else None
        if operator is None:
            return node
        site = self._site(node, operator)
        node.left = self._through(_LOOK, node.left, site, 0)
        node.comparators = [self._through(_LOOK, node.comparators[0], site, 1)]
        return self._through(_SEEN, node, site)

    # Annotations may be kept as text; a class's own body may look names up in a mapping of the user's.

    def visit_arg(self, node):
        return node

    def visit_AnnAssign(self, node):
        node.target = self.visit(node.target)
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def _function(self, node):
        node.decorator_list = [self.visit(item) for item in node.decorator_list]
        node.args = self.visit(node.args)
        node.body = [self.visit(item) for item in node.body]
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_ClassDef(self, node):
        inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        node.body = [self.visit(item) if isinstance(item, inner) else item for item in node.body]
        return node

    def visit_TypeAlias(self, node):
        return node

    visit_MatchValue = visit_MatchMapping = visit_MatchClass = visit_TypeAlias


class Explainer:
    """``compile`` before the modules load, ``begin`` before the call, ``end`` after it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._sites = []
        self._active = False
        self._steps = None
        self._texts = None
        self._open = {}
        self._notes = []
        self._full = False
        vars(builtins).update({_LOOK: self._looker(), _SEEN: self._seer()})

    def compile(self, source, path: str):
        """Code of the rewritten module; None where it can't be had, and the plain source is to be compiled."""
        known = len(self._sites)
        try:
            tree = _Rewriter(path, self._sites).visit(ast.parse(source, path))
            return compile(tree, path, "exec", dont_inherit=True)
        except Exception:  # also RecursionError; what is wrong with the source, its own compilation says
            del self._sites[known:]
            return None

    def begin(self, steps, samples, row: int) -> None:
        self._steps = steps
        self._texts = SampleTexts(samples, row)
        self._open, self._notes, self._full = {}, [], False
        self._active = True

    def stop(self) -> None:
        """The call is over: what runs from now on isn't part of it."""
        self._active = False

    def end(self):
        """(observations, whether there were more)."""
        self._active = False
        self._unfinished()
        notes, self._notes, self._open = self._notes, [], {}
        notes.sort(key=lambda note: note["step"])
        return _Report(self._texts).of(notes), self._full

    # -- called by the user's code ---------------------------------------------------------------------------------

    def _looker(self):
        def look(site, slot, value):
            if self._active:
                key = (id(_getframe(1)), site)
                parts = self._open.get(key)
                # The first of a new expression; what an exception left behind there is forgotten.
                if slot == _RECEIVER or slot == 0 and (parts is None or _RECEIVER not in parts):
                    self._open[key] = {slot: value}
                elif parts is not None:
                    parts[slot] = value
            return value

        return look

    def _seer(self):
        def seen(site, result):
            if self._active:
                frame = _getframe(1)
                parts = self._open.pop((id(frame), site), None)
                if parts is not None and not self._full:
                    # What is written here may run code of the user's (``__repr__``), which isn't part of the call.
                    self._active = False
                    try:
                        self._note(frame, site, parts, result)
                    except Exception:
                        pass
                    finally:
                        self._active = True
            return result

        return seen

    def _note(self, frame, site: int, parts: dict, result) -> None:
        what = self._sites[site][2]
        if _RECEIVER not in parts:
            note = _comparison(what, parts.get(0), parts.get(1), result)
        elif type(parts[_RECEIVER]) is str:
            note = _text_method(what, parts, result)
        else:
            note = _matching(what, parts, result)
        if note is None:
            return
        place = self._place(frame, site)
        if place is None or len(self._notes) >= OBSERVATIONS:
            self._full = True
            return
        note.update(place)
        self._notes.append(note)

    def _place(self, frame, site: int):
        """Step and line of the reward file that the expression belongs to; None beyond the last step that is kept."""
        file, line, _ = self._sites[site]
        helper = None if file == self.path else {"file": file, "line": line}
        for _ in range(_DEPTH):
            if frame is None:
                break
            at = self._steps.at(frame)
            if at is None and not self._steps.cut and frame.f_code.co_filename == self.path:
                # A function on one line: some versions of Python tell no line of it.
                at = max(0, len(self._steps.steps) - 1), frame.f_lineno
            if at is not None:
                number, here = at
                place = {"step": number, "line": line if helper is None else here}
                if helper is not None:
                    place["helper"] = helper
                return place
            frame = frame.f_back
        return None

    def _unfinished(self) -> None:
        """``text.index(part)`` raises where the part isn't there: the one watched call that says no by raising."""
        for (_, site), parts in list(self._open.items()):
            text, part = parts.get(_RECEIVER), parts.get(0)
            _, line, what = self._sites[site]
            if what != "index" or type(text) is not str or type(part) is not str or len(parts) != 2:
                continue
            steps = self._steps.steps
            if part in text or not steps or self._full or len(self._notes) >= OBSERVATIONS:
                continue
            note = _text_method(what, parts, -1)
            if self._sites[site][0] == self.path:
                number = max((n for n, step in enumerate(steps) if step["line"] == line), default=len(steps) - 1)
                note.update(step=number, line=line)
                self._notes.append(note)


def _side(value) -> dict:
    return {"shown": text_of(value, SIDE), "text": value if type(value) is str else None}


def _truth(result):
    """As bool; None where it isn't one (an array of them, say)."""
    if type(result) is bool:
        return result
    kind = type(result)
    return bool(result) if kind.__name__ in ("bool", "bool_") and kind.__module__ == "numpy" else None


def _comparison(operator: str, left, right, result):
    truth = _truth(result)
    if truth is None:
        return None
    return {"kind": "compare", "op": operator, "left": _side(left), "right": _side(right), "result": truth}


def _text_method(method: str, parts: dict, result):
    if method not in _TEXT_METHODS:
        return None
    if 0 not in parts:
        return None
    if method == "count":
        truth = result > 0
    elif method in ("find", "index"):
        truth = result >= 0
    else:
        truth = result
    return {
        "kind": "compare",
        "op": method,
        "left": _side(parts[_RECEIVER]),
        "right": _side(parts[0]),
        "result": truth,
    }


def _matching(method: str, parts: dict, result):
    """``re.search(pattern, text)``, ``search(pattern, text)`` or ``pattern.search(text)``."""
    receiver = parts[_RECEIVER]
    if type(receiver) is re.Pattern:
        names = _PATTERN_ARGUMENTS.get(method, ())
        given = _named(parts, names)
        pattern = receiver
    else:
        function = getattr(receiver, method, None) if receiver is re else receiver
        called = _FUNCTIONS.get(function) if callable(function) and getattr(function, "__hash__", None) else None
        if called is None:
            return None
        method = called
        own = tuple(name for name in _PATTERN_ARGUMENTS[method] if name not in ("pos", "endpos"))
        names = ("pattern",) + own + ("flags",)
        given = _named(parts, names)
        # Compiled a moment ago, so from re's own cache.
        pattern = given.get("pattern")
        if type(pattern) is not re.Pattern:
            pattern = re.compile(pattern, given.get("flags", 0))
    text = given.get("string")
    if text is None:
        return None
    most = given.get("count", 0) or given.get("maxsplit", 0)
    return {
        "kind": "match",
        "method": method,
        "pattern": pattern,
        "text": text,
        "pos": given.get("pos", 0),
        "endpos": given.get("endpos", sys.maxsize),
        "most": most if most > 0 else SPANS,
        "found": result if type(result) is re.Match else None,
    }


def _named(parts: dict, names) -> dict:
    return {names[slot] if type(slot) is int else slot: value for slot, value in parts.items() if slot != _RECEIVER}


class _Report:
    """Notes in the order of their steps, in the form of the schema's ``Observation``."""

    def __init__(self, texts) -> None:
        self._texts = texts
        self._probe = Probe()
        self._room = TEXTS

    def of(self, notes: list) -> list:
        made = []
        for note in notes:
            try:
                shown = self._match(note) if note["kind"] == "match" else self._compare(note)
            except Exception:
                continue
            head = {"kind": note["kind"], "step": note["step"], "line": note["line"]}
            if "helper" in note:
                head["helper"] = note["helper"]
            made.append(dict(head, **shown))
        return made

    def _cut(self, text: str):
        keep = max(0, min(TEXT, self._room))
        shown = text[:keep]
        self._room -= len(shown)
        return shown, len(shown) < len(text)

    def _match(self, note: dict) -> dict:
        pattern, text = note["pattern"], note["text"]
        is_text = isinstance(text, str)
        # One character a byte: spans stay what they are.
        readable = str.__str__(text) if is_text else bytes(text).decode("latin-1")
        source = pattern.pattern if isinstance(pattern.pattern, str) else bytes(pattern.pattern).decode("latin-1")
        spans, groups = self._probe.spans(note, min(SPANS, note["most"]))
        units = Utf16(readable)
        place = self._texts.place(readable) if is_text else None
        if place is not None:
            self._texts.extracted(readable, place, spans[:1] + [span for span in groups if span], units)
        shown, cut = self._cut(readable)
        reached, would = None, []
        if not spans and is_text:
            would, found = self._probe.miss(note)
            if found is not None:
                end, span = found
                reached = {"pattern": Utf16(source).at(end), "text": units.span(span)}
        return {
            "method": note["method"],
            "pattern": source[:TEXT],
            "flags": flag_names(pattern),
            "text": shown,
            "cut": cut,
            "spans": [units.span(span) for span in spans],
            "groups": [None if span is None else units.span(span) for span in groups[:GROUPS]],
            "place": place,
            "reached": reached,
            "wouldMatch": would,
        }

    def _compare(self, note: dict) -> dict:
        left, right = note["left"], note["right"]
        places = self._texts.sides(note["op"], left["text"], right["text"], note["result"])
        return {
            "op": note["op"],
            "left": left["shown"],
            "right": right["shown"],
            "result": note["result"],
            "leftPlace": places[0],
            "rightPlace": places[1],
        }
