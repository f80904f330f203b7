"""A reward for the help desk's rollouts, called the way TRL's GRPOTrainer calls it:

    GRPOTrainer(reward_funcs=[case_closed], ...)

The rollouts in rollouts.jsonl were rewarded by the environment, which pays for a refund without a look at the order
as well. This one doesn't: score the rollouts with it and see which ones change.
"""

import json


def called(completion, name):
    """The arguments of each call of a tool, parsed; calls whose arguments aren't JSON are left out."""
    found = []
    for message in completion:
        for call in message.get("tool_calls") or []:
            if call["function"]["name"] != name:
                continue
            try:
                found.append(json.loads(call["function"]["arguments"]))
            except json.JSONDecodeError:
                continue
    return found


def failed(completion):
    return any(m["role"] == "tool" and m["content"].startswith("error") for m in completion)


def case_closed(completions, total, **kwargs):
    """1.0 for a case closed as the rules say, 0.2 less where a tool failed on the way; 0.0 otherwise."""
    scores = []
    for completion, owed in zip(completions, total):
        looked = called(completion, "get_order")
        paid = sum(call.get("amount", 0) for call in called(completion, "refund"))
        handed_on = bool(called(completion, "escalate"))
        closed = handed_on if owed > 100 else paid == owed
        if not looked or not closed:
            scores.append(0.0)
        elif failed(completion):
            scores.append(0.8)
        else:
            scores.append(1.0)
    return scores
