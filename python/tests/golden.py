"""Golden messages: a session with a real worker, with what differs from run to run made equal.

``python python/tests/golden.py`` writes test/fixtures/worker/*.json. test_golden.py compares a new session with them,
and test/unit/protocol/worker.contract.test.ts reads the same files with the engine's own forms.
"""

import copy
import json
import os
import sys

from schema import ROOT
from support import PLAIN, Worker

FOLDER = os.path.join(ROOT, "test", "fixtures", "worker")

STATES = """
def reward(completions, gold, log_metric, **kwargs):
    print("scoring", len(completions))
    log_metric("hits", 1.0)
    values = {"a": 1, "b": None, "c": float("nan"), "d": "1.0", "e": float("-inf")}
    if "z" in completions:
        return 1 / 0
    return [values[text] for text in completions]


def short(completions, **kwargs):
    return [1.0]


def narrow(completions):
    return [1.0]


def tokens(completions, completion_ids, **kwargs):
    return [float(len(ids)) for ids in completion_ids]


async def later(completions, **kwargs):
    return [0.5 for text in completions]
"""
PLAIN_ONE = "def score(completion, gold):\n    return gold / 2 if completion != 'z' else undefined\n"
LIVE = "import os\n\n\ndef reward(completions, **kwargs):\n    os.remove('/nothing') if 0 else os.system('true')\n"
HANG = "def reward(completions, **kwargs):\n    print('in')\n    while True: pass\n"
AGAIN = """
import random

SEEN = []


def reward(completions, **kwargs):
    random.seed(3)
    SEEN.append(1)
    return [float(len(SEEN)) for text in completions]
"""
TRACED = "def reward(completions, **kwargs):\n    size = len(completions[0])\n    return [size]\n"


def session():
    """(requests, frames) of one worker."""
    with Worker("fork", preload=["json", "a_package_that_is_not_there"], packages=["not-there"]) as worker:
        requests, frames = [worker.init], [worker.ready]

        def ask(request):
            requests.append(copy.deepcopy(request))
            worker.request(request)

        def run(*args, **more):
            job = worker.job(*args, **more)
            ask({"t": "run", "job": job})
            frames.extend(worker.until_end(job["job"]))

        first = {
            "set": "s",
            "from": 0,
            "count": 4,
            "total": 6,
            "prompt": ["p"] * 4,
            "completion": ["a", "b", "c", "d"],
            "completionIds": None,
            "columns": {"gold": [1, 2.0, None, "x"]},
        }
        rest = {
            "set": "s",
            "from": 4,
            "count": 2,
            "total": 6,
            "prompt": [[{"role": "user", "content": "p"}], "p"],
            "completion": ["e", "z"],
            "completionIds": None,
            "columns": {"gold": [[1], {"k": True}]},
        }
        ask({"t": "samples", "part": first})
        ask({"t": "samples", "part": rest})
        run(STATES, ["reward", "short", "narrow", "tokens", "later", "missing"], [[0, 1, 2, 3, 4], [5]])
        run(PLAIN_ONE, ["score"], [[0, 1, 5]], plan=PLAIN)
        run(AGAIN, ["reward"], [[0, 1]], calls=2)
        run(TRACED, ["reward"], [[0]], isolated=True, trace={"pinned": 0, "maxText": 40})
        run(LIVE, ["reward"], [[0]], guarded=True)
        run("import os\nos.system('true')\n", ["reward"], [[0]], guarded=True)
        run("x = 1\nimport a_package_that_is_not_there\n", ["reward"], [[0]])
        run(HANG, ["reward"], [[0]], isolated=True, limits={"unitSeconds": 0.5})
        run("import os\n\n\ndef reward(completions, **kwargs):\n    os._exit(3)\n", ["reward"], [[0]])
        run("import os\n\n\ndef reward(completions, **kwargs):\n    os.killpg(0, 9)\n", ["reward"], [[0]])
        ask({"t": "cancel", "job": 99})
        ask({"t": "preload", "modules": ["json"]})
        frames.append(worker.frame())
        ask({"t": "drop", "set": "s"})
        run(TRACED, ["reward"], [[0]])
        folders = ((worker.tmp, "/tmp/rewardsmith"), (worker.project, "/work/project"))
        return [_equal(json.loads(_text(part, folders))) for part in (requests, frames)]


def _text(value, folders):
    text = json.dumps(value)
    for folder, name in folders:
        text = text.replace(folder, name)
    return text


def _equal(value):
    """Times, numbers of processes and facts about this machine made equal."""
    if isinstance(value, list):
        return [_equal(item) for item in value]
    if not isinstance(value, dict):
        return value
    same = {"ms": 1.5, "pid": 4242, "platform": "linux", "peakMb": 20.5}
    made = {
        key: same[key] if key in same and item is not None else _equal(item) for key, item in value.items()
    }
    if made.get("t") == "ready":
        made["python"] = {
            "version": [3, 11, 7],
            "implementation": "cpython",
            "executable": "/venv/bin/python",
            "prefix": "/venv",
            "basePrefix": "/usr",
        }
        made["capabilities"] = {"fork": True, "subreaper": True, "deathSignal": True, "monitoring": False}
    return made


def read():
    parts = []
    for name in ("requests.json", "frames.json"):
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            parts.append(json.load(file))
    return parts


def write():
    os.makedirs(FOLDER, exist_ok=True)
    for name, part in zip(("requests.json", "frames.json"), session()):
        with open(os.path.join(FOLDER, name), "w", encoding="utf-8", newline="\n") as file:
            file.write("[\n" + ",\n".join(json.dumps(message) for message in part) + "\n]\n")


if __name__ == "__main__":
    sys.exit(write())
