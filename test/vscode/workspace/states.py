import os
import time


def every_way(completions, **kwargs):
    return [one(text) for text in completions]


def one(text):
    if text == "nothing":
        return None
    if text == "nan":
        return float("nan")
    if text == "word":
        return "high"
    if text == "raise":
        raise ValueError("no number in it")
    if text == "hang":
        time.sleep(60)
    if text == "exit":
        os._exit(0)
    if text == "write":
        with open("made-while-typing.txt", "w") as file:
            file.write("x")
    return 1.0
