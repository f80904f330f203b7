from helper import points


def correctness(completions, answer, **kwargs):
    return [points() if text == gold else 0.0 for text, gold in zip(completions, answer)]


def brevity(completions, **kwargs):
    return [1.0 if len(text) < 4 else 0.0 for text in completions]
