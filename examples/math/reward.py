"""Two rewards for short word problems, called the way TRL's GRPOTrainer calls them:

    GRPOTrainer(reward_funcs=[correctness, answer_format], ...)
"""

import re

from numbers_util import find_numbers, same_number

ANSWER = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
SAID = re.compile(r"\banswer\b(.*)\Z", re.IGNORECASE)
LAYOUT = re.compile(r"\s*<think>.+?</think>\s*<answer>.+?</answer>\s*", re.DOTALL)


def final_answer(completion):
    """What stands between the answer tags; without tags, what follows the word "answer" at the very end."""
    found = ANSWER.findall(completion) or SAID.findall(completion)
    return found[-1] if found else ""


def correctness(completions, answer, **kwargs):
    """1.0 where the final answer is the reference number, else 0.0."""
    scores = []
    for completion, gold in zip(completions, answer):
        numbers = find_numbers(final_answer(completion))
        target = find_numbers(gold)[0]
        if any(same_number(number, target) for number in numbers):
            scores.append(1.0)
        else:
            scores.append(0.0)
    return scores


def answer_format(completions, **kwargs):
    """1.0 for thinking, then an answer, and nothing else; 0.5 where only the answer tags are there."""
    scores = []
    for completion in completions:
        if LAYOUT.fullmatch(completion):
            scores.append(1.0)
        elif ANSWER.search(completion):
            scores.append(0.5)
        else:
            scores.append(0.0)
    return scores
