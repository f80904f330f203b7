import type { RecipeInput } from "../../recipe";
import { assignments } from "./constants";
import { REWARDS_PART } from "./python";

/**
 * `job/rewards.py`: the run's rewards for one completion at a time, for frameworks that don't call them as TRL does. A
 * function of TRL's contract is given lists of one; a plain one its completion and the columns that it names.
 */
export function rewardsModule(input: RecipeInput, more = ""): string {
  const functions = input.reward?.functions ?? [];
  return [
    `"""The rewards of this run for one completion at a time, taken from ../reward as they were at the launch."""

import asyncio
import importlib.util
import inspect
import json
import math
import sys
from pathlib import Path

`,
    assignments([
      ["REWARD_FILE", input.reward?.file ?? ""],
      ["REWARDS", functions.map(({ name }) => name)],
      [
        "CONTRACTS",
        functions.map(({ contract }) => contract),
        "trl: lists in, a list out. plain: one in, a number out.",
      ],
      ["WEIGHTS", functions.map(({ weight }) => weight)],
    ]),
    `RUN = Path(__file__).resolve().parent.parent\nsys.dont_write_bytecode = True  # the snapshot stays as it was taken\n`,
    REWARDS_PART,
    SCORING,
    more,
  ].join("");
}

const SCORING = String.raw`

# In the order in which a parameter is taken for the completion.
COMPLETION_NAMES = ["completion", "response", "completion_text", "response_text", "generation",
                    "prediction", "model_output", "output", "text"]
FUNCTIONS = None


def arguments(function, contract, prompt, text, columns):
    """What the function is called with: only what it asks for, by name."""
    parameters = inspect.signature(function).parameters.values()
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters)
    if contract == "trl":
        chat = isinstance(prompt, list)
        completion = [{"role": "assistant", "content": text}] if chat else text
        given = {"prompts": [prompt], "completions": [completion], **{k: [v] for k, v in columns.items()}}
        given.update(trainer_state=None, log_extra=lambda *_: None, log_metric=lambda *_: None)
    else:
        own = next((name for name in COMPLETION_NAMES if name in names), names[0] if names else "completion")
        given = {"prompt": prompt, **columns, own: text}
    return given if takes_all else {name: value for name, value in given.items() if name in names}


async def call(function, contract, prompt, text, columns):
    """One function's score, or None where it says nothing of this completion."""
    given = arguments(function, contract, prompt, text, columns)
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):
        value = await function(**given)
    else:
        value = await asyncio.to_thread(function, **given)
    if contract == "trl":
        values = list(value)
        if len(values) != 1:
            raise ValueError(f"{function.__name__} gave {len(values)} scores for one completion.")
        value = values[0]
    if value is None or math.isnan(value):
        return None
    return float(value)


async def score(prompt, text, columns):
    """(weighted sum, {function: score or None}). Raises where no function gave a score: that is no zero."""
    global FUNCTIONS
    if FUNCTIONS is None:
        FUNCTIONS = load_rewards()
    parts = {}
    for name, contract, function in zip(REWARDS, CONTRACTS, FUNCTIONS):
        parts[name] = await call(function, contract, prompt, text, columns)
    known = [(weight, parts[name]) for name, weight in zip(REWARDS, WEIGHTS) if parts[name] is not None]
    if not known:
        raise ValueError("No reward function gave a score for this completion (all None or NaN).")
    return sum(weight * value for weight, value in known), parts
`;
