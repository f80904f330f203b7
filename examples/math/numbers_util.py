"""Reading numbers as people write them: 1,250 · $12.50 · 3/4 · 45% · -7."""

import re

NUMBER = re.compile(
    r"""
    (?<![\w.])                        # not in the middle of a word or number
    (-?\d{1,3}(?:,\d{3})+(?:\.\d+)?   # 1,250 or 1,250.75
    |-?\d+/\d+                        # 3/4
    |-?\d+(?:\.\d+)?)                 # 1250, 12.5
    """,
    re.VERBOSE,
)


def to_float(text):
    """The value of one written number, or None."""
    text = text.replace(",", "")
    if "/" in text:
        above, below = text.split("/")
        return float(above) / float(below) if float(below) else None
    return float(text)


def find_numbers(text):
    """All numbers in a text, in order, as floats."""
    values = (to_float(match) for match in NUMBER.findall(text))
    return [value for value in values if value is not None]


def same_number(a, b, tolerance=1e-6):
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))
