"""Calls a reward function once, for one sample, for a debugger: ``python debug.py JOB.json``.

In this process, in its main thread, from the files on disk, with nothing laid over them, no limits and no trace of ours.
Prints the score at the end; what the function raises comes through as it is (exit status 1).
"""

import os
import sys


def main(file: str) -> int:
    here = os.path.dirname(os.path.abspath(__file__))
    outer = os.path.dirname(here)
    # Our modules must not shadow the user's.
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
    sys.path.insert(0, outer)
    try:
        from rewardsmith_worker import loader, randomness, values, wire
        from rewardsmith_worker.call import Plan
        from rewardsmith_worker.samples import SampleSet
    finally:
        sys.path.remove(outer)

    sys.dont_write_bytecode = True
    with open(file, "rb") as source:
        asked = wire.decode(source.read())
    job, samples = asked["job"], SampleSet()
    samples.add(asked["sample"])
    user = loader.UserFiles(loader.Overlays({}))
    draws = randomness.Randomness(job["seed"])
    draws.seed()
    module = loader.load(job["path"], job["module"], job["roots"], user)
    name = job["function"]["name"]
    function = getattr(module, name, None)
    if not callable(function):
        print("rewardsmith: there is no function called %s in %s" % (name, job["path"]), file=sys.stderr)
        return 1
    plan = Plan(function, job["function"]["plan"], samples, lambda: loader.import_asyncio(job["roots"], user))
    arguments = plan.arguments(0 if plan.by_sample else [0])
    draws.seed()
    result = plan.call(arguments)
    rows = values.read_list(result, 1) if plan.returns == "list" else values.read_number(result)
    state = "scored" if rows.states is None else rows.states[0]
    reason = rows.failed or rows.reasons.get("0")
    score = rows.values[0]
    if isinstance(score, dict):
        score = score["nonFinite"]
    print("rewardsmith: %s, row %d: %s" % (name, job["row"] + 1, state if score is None else score))
    if state != "scored" and reason:
        print("rewardsmith: %s (%s)" % (state, reason.get("text", reason["code"])))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python debug.py JOB.json")
    sys.exit(main(sys.argv[1]))
