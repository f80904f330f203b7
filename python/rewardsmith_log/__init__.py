"""Numbers and rollouts of a training run, where Rewardsmith's dashboard and viewer read them.

    import rewardsmith_log
    rewardsmith_log.log(step=3, reward=0.4, entropy=1.2)
    rewardsmith_log.rollout(step=3, prompt="2+2?", completion="4", reward=1.0, rewards={"format": 1.0})

Metrics go to the file that REWARDSMITH_LOG names (Rewardsmith sets REWARDSMITH_METRICS for the jobs it starts), one
JSON object a line: {"step": 3, "at": milliseconds, "values": {name: number}}; NaN and infinity are
{"nonFinite": "nan" | "inf" | "-inf"}, None is null: it was to be measured and couldn't be. Rollouts go to
`rollouts.jsonl` beside it. Nothing here raises into training: what can't be written is dropped, and said once on
stderr. Without a path nothing is written. Only the standard library is used; the file may be copied.
"""

import json
import math
import os
import sys
import threading
import time

__all__ = ["log", "rollout"]

_lock = threading.Lock()
_said = set()


def log(step=None, path=None, **values):
    """Writes numbers of one step. True: the line is in the file. Values that are no number are dropped, and said once."""
    try:
        kept = {}
        for name, value in values.items():
            try:
                kept[str(name)] = None if value is None else _tagged(value)
            except Exception:
                _say("value", "%s is not a number and is not logged" % name)
        row = {"step": _step(step), "at": int(time.time() * 1000), "values": kept}
        return _append(_path(path), row)
    except Exception as error:
        _say("log", "a step is not logged: %s" % error)
        return False


def rollout(step=None, prompt=None, completion=None, reward=None, path=None, **fields):
    """Writes one rollout: texts or lists of messages, its reward, and whatever else belongs to it (`rewards`, `group`)."""
    try:
        target = _path(path)
        if path is None and target:
            target = os.path.join(os.path.dirname(target), "rollouts.jsonl")
        row = {"step": _step(step), "prompt": prompt, "completion": completion, "reward": reward}
        row.update(fields)
        return _append(target, _plain(row))
    except Exception as error:
        _say("rollout", "a rollout is not logged: %s" % error)
        return False


def _step(step):
    value = int(step)
    if value != step or value < 0:
        raise ValueError("step must be a whole number and not negative, not %r" % (step,))
    return value


def _path(path):
    return path or os.environ.get("REWARDSMITH_LOG") or os.environ.get("REWARDSMITH_METRICS") or ""


def _tagged(value):
    if isinstance(value, (str, bytes)):
        raise TypeError
    # Tensors and NumPy's numbers: `item` gives Python's own.
    value = float(value.item() if hasattr(value, "item") else value)
    if math.isfinite(value):
        return value
    return {"nonFinite": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}


def _plain(value, depth=0):
    """What JSON can hold; the rest as its text. NaN in a rollout stays Python's word, which the viewer reads."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if depth > 50:
        return str(value)
    if isinstance(value, dict):
        return {str(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist(), depth + 1)
    return str(value)


def _append(path, row):
    if not path:
        _say("path", "REWARDSMITH_LOG is not set: nothing is logged")
        return False
    line = (json.dumps(row, separators=(",", ":")) + "\n").encode("utf-8")
    with _lock:
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        # One write to a file opened for appending: lines of several processes don't mix.
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            written = os.write(file, line)
            if written < len(line):
                # The disk is full: what stands there is no line, and the next one must not be glued to it.
                os.write(file, b"\n")
                raise OSError("only a part of the line could be written")
        finally:
            os.close(file)
    return True


def _say(what, text):
    if what in _said:
        return
    _said.add(what)
    try:
        sys.stderr.write("rewardsmith_log: %s\n" % text)
    except Exception:
        pass
