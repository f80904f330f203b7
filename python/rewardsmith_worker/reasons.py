"""Python's own words for what went wrong, in the form of ``Reason``."""

from .own import BUILTINS as __builtins__  # noqa: F401

import os

# Half of the schema's limits: they count UTF-16 units, a character may take two.
TEXT, TYPE, TRACEBACK, TARGET = 2000, 100, 10_000, 1000
_FRAMES = 30
_OURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


def cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def type_name(kind) -> str:
    try:
        name = type.__getattribute__(kind, "__qualname__")
        return cut(str(name), TYPE)
    except BaseException:
        return "object"


def message(error: BaseException) -> str:
    try:
        return cut(str(error), TEXT)
    except BaseException as second:
        return "<its text raised " + type_name(type(second)) + ">"


def describe(error: BaseException) -> str:
    name, text = type_name(type(error)), message(error)
    return cut(name + ": " + text if text else name, TEXT)


def shown(value) -> str:
    """What was returned, for a message: ``'0.5' (str)``."""
    try:
        text = repr(value[:80] if isinstance(value, (str, bytes)) else value)
    except BaseException:
        text = "<repr failed>"
    return cut(text, 200) + " (" + type_name(type(value)) + ")"


def _frames(error: BaseException) -> list:
    """(file, line, function) from the outermost to the innermost; none of ours."""
    frames = []
    step = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if not file.startswith(_OURS):
            frames.append((file, step.tb_lineno, step.tb_frame.f_code.co_name))
        step = step.tb_next
    return frames


def _shorten(path: str, base: str) -> str:
    return path[len(base) + 1 :] if path.startswith(base + os.sep) else path


def _render(error: BaseException, user, base: str, seen: set) -> list:
    seen.add(id(error))
    lines = []
    cause, context = error.__cause__, error.__context__
    if cause is not None and id(cause) not in seen and len(seen) < 4:
        lines += _render(cause, user, base, seen)
        lines += ["", "The above exception was the direct cause of the following exception:", ""]
    elif context is not None and not error.__suppress_context__ and id(context) not in seen and len(seen) < 4:
        lines += _render(context, user, base, seen)
        lines += ["", "During handling of the above exception, another exception occurred:", ""]
    frames = _frames(error)
    kept = [frame for frame in frames if frame[0] in user.known]
    if frames and frames[-1][0] not in user.known and kept:
        kept.append(frames[-1])
    if kept:
        lines.append("Traceback (most recent call last):")
    if len(kept) > _FRAMES:
        dropped = len(kept) - _FRAMES
        kept = kept[: _FRAMES // 2] + [None] + kept[-_FRAMES // 2 :]
    for frame in kept:
        if frame is None:
            lines.append("  … %d more frames" % dropped)
            continue
        path, number, name = frame
        lines.append('  File "%s", line %d, in %s' % (_shorten(path, base), number, name))
        source = user.line(path, number)
        if source:
            lines.append("    " + source)
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        lines.append('  File "%s", line %d' % (_shorten(str(error.filename), base), error.lineno))
        if error.text:
            lines.append("    " + str(error.text).strip())
        lines.append(type_name(type(error)) + ": " + str(error.msg))
    else:
        lines.append(describe(error))
    return lines


def traceback(error: BaseException, user, path: str) -> str:
    """Trimmed to the user's frames and the one that raised; files relative to the reward file's folder."""
    try:
        text = "\n".join(_render(error, user, os.path.dirname(path), set()))
    except BaseException:
        text = describe(error)
    if len(text) > TRACEBACK:
        text = text[: TRACEBACK // 2] + "\n…\n" + text[-TRACEBACK // 2 + 3 :]
    return text


def line_in(error: BaseException, path: str):
    """1-based line of the innermost frame in ``path``, or None."""
    number = None
    for file, line, _ in _frames(error):
        if file == path:
            number = line
    return number


def raised(error: BaseException, user, path: str) -> dict:
    reason = {
        "code": "exception",
        "type": type_name(type(error)),
        "text": describe(error),
        "traceback": traceback(error, user, path),
    }
    line = line_in(error, path)
    if line:
        reason["line"] = line
    return reason


def places(error: BaseException) -> list:
    """(file, line) of each frame, outermost first."""
    return [(file, line) for file, line, _ in _frames(error)]
