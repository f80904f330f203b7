"""Reward functions as a person writes them for TRL; the conformance tests load them from this file."""

import asyncio
import math


def exact(completions, answer, **kwargs):
    return [1.0 if text.strip() == gold else 0.0 for text, gold in zip(completions, answer)]


def brevity(completions, **kwargs):
    return [1 / (1 + len(text)) for text in completions]


def sometimes(completions, answer, **kwargs):
    return [None if text == "x" else len(text) % 3 for text in completions]


def endless(completions, **kwargs):
    return [math.inf if text == "" else 0.5 for text in completions]


async def slow(completions, **kwargs):
    await asyncio.sleep(0.01)
    return [0.1 * len(text) for text in completions]


def flat(completions, **kwargs):
    return [0.35 for _ in completions]


def silent(completions, **kwargs):
    return [None for _ in completions]
