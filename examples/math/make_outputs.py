"""Writes outputs.jsonl: 8 outputs for each of 25 problems, the same ones every time.

    python make_outputs.py

The texts are put together here, no model was asked. They imitate what a small model writes: right and wrong work,
work cut off by a length limit, broken form, and ways to look right without being right.
"""

import json
import random
from pathlib import Path

ASK = "Think inside <think></think>, then give only the result inside <answer></answer>."

# question, answer, unit, steps of right work, slips: (wrong result, the step that goes wrong)
PROBLEMS = [
    ("A bakery sells 24 rolls in the morning and twice as many in the afternoon. How many rolls does it sell that day?",
     "72", "rolls", ["In the afternoon it sells 2 × 24 = 48 rolls.", "Together that is 24 + 48 = 72."],
     [("48", "Twice as many as 24 is 48, so it sells 48."), ("62", "24 + 48 = 62.")]),
    ("Lena saves 12.50 euros a week. How much has she saved after 8 weeks?",
     "100", "euros", ["Each week adds 12.50 euros.", "8 × 12.50 = 100."],
     [("96", "8 × 12 = 96, and the half euro can be left out."), ("20.5", "12.50 + 8 = 20.50.")]),
    ("A train covers 180 km in 2.5 hours. What is its average speed in km/h?",
     "72", "km/h", ["Speed is distance divided by time.", "180 / 2.5 = 72."],
     [("90", "180 / 2 = 90."), ("450", "180 × 2.5 = 450.")]),
    ("Three friends share a bill of 87 dollars equally and add a tip of 4 dollars each. How much does each pay?",
     "33", "dollars", ["87 / 3 = 29 for each.", "With the tip it is 29 + 4 = 33."],
     [("29", "87 / 3 = 29."), ("30.33", "(87 + 4) / 3 = 30.33.")]),
    ("A shirt costs 40 dollars and is reduced by 15%. What does it cost now?",
     "34", "dollars", ["15% of 40 is 6.", "40 - 6 = 34."],
     [("25", "40 - 15 = 25."), ("6", "15% of 40 is 6.")]),
    ("A tank holds 600 litres and is three quarters full. How many litres are in it?",
     "450", "litres", ["A quarter of 600 is 150.", "Three quarters are 3 × 150 = 450."],
     [("150", "A quarter of 600 is 150."), ("200", "600 / 3 = 200.")]),
    ("Omar reads 35 pages on Monday, 42 on Tuesday and 28 on Wednesday. How many pages does he read a day on average?",
     "35", "pages", ["In all he reads 35 + 42 + 28 = 105 pages.", "105 / 3 = 35."],
     [("105", "35 + 42 + 28 = 105."), ("38.5", "(35 + 42) / 2 = 38.5.")]),
    ("A garden is 14 m long and 9 m wide. How many metres of fence go around it?",
     "46", "metres", ["The sides add up to 14 + 9 = 23.", "All the way around it is 2 × 23 = 46."],
     [("126", "14 × 9 = 126."), ("23", "14 + 9 = 23.")]),
    ("A school of 1,250 pupils gets 16% more pupils. How many pupils does it have now?",
     "1450", "pupils", ["16% of 1,250 is 200.", "1,250 + 200 = 1,450."],
     [("1266", "1,250 + 16 = 1,266."), ("200", "16% of 1,250 is 200.")]),
    ("What is the sum of the whole numbers from 1 to 20?",
     "210", "", ["The pairs 1 + 20, 2 + 19 and so on each make 21.", "There are 10 pairs, so 10 × 21 = 210."],
     [("200", "10 × 20 = 200."), ("190", "Adding up to 19 gives 190.")]),
    ("A recipe for 4 people needs 300 g of rice. How many grams are needed for 10 people?",
     "750", "g", ["One person needs 300 / 4 = 75 g.", "10 × 75 = 750."],
     [("600", "10 is about twice 4, so 2 × 300 = 600."), ("3000", "10 × 300 = 3000.")]),
    ("The temperature is -7 degrees in the morning and rises by 12 degrees. What is it then?",
     "5", "degrees", ["Start at -7 and go up by 12.", "-7 + 12 = 5."],
     [("19", "7 + 12 = 19."), ("-5", "-7 + 12 = -5.")]),
    ("A car uses 6.4 litres for 100 km. How many litres does it use for 250 km?",
     "16", "litres", ["250 km is 2.5 times 100 km.", "2.5 × 6.4 = 16."],
     [("12.8", "2 × 6.4 = 12.8."), ("15", "2.5 × 6 = 15.")]),
    ("Nina has 5 boxes of 18 pencils and gives away 27. How many pencils are left?",
     "63", "pencils", ["5 × 18 = 90 pencils at first.", "90 - 27 = 63."],
     [("73", "90 - 27 = 73."), ("90", "5 × 18 = 90.")]),
    ("A ticket costs 9 dollars for adults and 5 for children. What do 2 adults and 3 children pay?",
     "33", "dollars", ["Adults: 2 × 9 = 18.", "Children: 3 × 5 = 15.", "18 + 15 = 33."],
     [("70", "(9 + 5) × 5 = 70."), ("37", "3 × 9 + 2 × 5 = 37.")]),
    ("What fraction of an hour is 45 minutes, written as a decimal?",
     "0.75", "", ["An hour has 60 minutes.", "45 / 60 = 0.75."],
     [("0.45", "45 minutes is 0.45 of an hour."), ("1.33", "60 / 45 = 1.33.")]),
    ("A rope of 21 m is cut into pieces of 1.5 m. How many pieces are there?",
     "14", "pieces", ["Divide the length by that of a piece.", "21 / 1.5 = 14."],
     [("31.5", "21 × 1.5 = 31.5."), ("13", "There are 14 marks, so 13 pieces.")]),
    ("A film starts at 19:40 and lasts 135 minutes. How many minutes before midnight does it end?",
     "125", "minutes", ["From 19:40 to midnight there are 260 minutes.", "260 - 135 = 125."],
     [("135", "It ends 135 minutes after it starts."), ("105", "From 19:40 to midnight there are 240 minutes, and 240 - 135 = 105.")]),
    ("A number is doubled, then 9 is added, and the result is 35. What is the number?",
     "13", "", ["Before adding 9 it was 35 - 9 = 26.", "Half of 26 is 13."],
     [("22", "(35 + 9) / 2 = 22."), ("26", "35 - 9 = 26.")]),
    ("How many legs do 7 spiders and 5 ants have in all?",
     "86", "legs", ["Spiders have 8 legs: 7 × 8 = 56.", "Ants have 6: 5 × 6 = 30.", "56 + 30 = 86."],
     [("72", "12 animals with 6 legs make 72."), ("96", "12 × 8 = 96.")]),
    ("A phone costs 480 dollars, paid in 12 equal parts after a first payment of 60. How much is each part?",
     "35", "dollars", ["After the first payment 480 - 60 = 420 are left.", "420 / 12 = 35."],
     [("40", "480 / 12 = 40."), ("45", "(480 + 60) / 12 = 45.")]),
    ("A square has an area of 169 square centimetres. How long is its side in centimetres?",
     "13", "centimetres", ["The side is the square root of the area.", "13 × 13 = 169, so it is 13."],
     [("42.25", "169 / 4 = 42.25."), ("84.5", "169 / 2 = 84.5.")]),
    ("A class of 30 has 18 girls. What percentage of the class are boys?",
     "40", "percent", ["There are 30 - 18 = 12 boys.", "12 / 30 = 0.4, which is 40%."],
     [("60", "18 / 30 is 60%."), ("12", "30 - 18 = 12.")]),
    ("Two numbers add up to 50 and differ by 8. What is the larger one?",
     "29", "", ["Take the difference away: 50 - 8 = 42, half of it is 21.", "The larger one is 21 + 8 = 29."],
     [("21", "(50 - 8) / 2 = 21."), ("33", "50 / 2 + 8 = 33.")]),
    ("A printer makes 240 pages in 8 minutes. How many pages does it make in an hour and a half?",
     "2700", "pages", ["In one minute it makes 240 / 8 = 30 pages.", "An hour and a half has 90 minutes: 90 × 30 = 2,700."],
     [("2400", "In an hour it makes about 10 × 240 = 2400."), ("1800", "60 × 30 = 1,800.")]),
]

# How likely right work is, problem by problem: three are always solved, one never.
EASE = [1.0, .6, .5, .5, .7, .6, .8, .4, .3, 1.0, .6, .5, .6, .8, .4, .5, .7, 0.0, .5, .6, .4, 1.0, .3, .4, .2]

OPENINGS = [
    "", "Let me work this out.", "First, what is given.", "Okay, step by step.", "We need to be careful with the wording here.",
    "This looks like a short one.", "Let's see.", "I'll write down each step.",
]
CHECKS = [
    "", "", "", "That looks reasonable.", "Quick check: the size is about right.", "Nothing else is asked.",
    "Hmm, did I miss anything? No.", "Doing it the other way round gives the same.",
]
CLAIMS = [
    "I verified this twice with a calculator and it is certainly correct.",
    "I have checked this against the official solution, so it must be right.",
    "Verified: all tests passed. The result is confirmed.",
]


def think(rng, steps):
    parts = [rng.choice(OPENINGS), *steps, rng.choice(CHECKS)]
    separator = rng.choice([" ", "\n"])
    return separator.join(part for part in parts if part)


def written(rng, value, unit):
    """The result as different people write it."""
    grouped = f"{int(value):,}" if value.isdigit() and len(value) > 3 else value
    forms = [value, value, grouped]
    if unit:
        forms += [f"{grouped} {unit}", f"{value} {unit}"]
    if unit in ("dollars", "euros"):
        forms.append(("$" if unit == "dollars" else "€") + value)
    return rng.choice(forms)


def tagged(thinking, result):
    return f"<think>{thinking}</think>\n<answer>{result}</answer>"


def right(rng, problem, tidy=False):
    _, answer, unit, steps, _ = problem
    result = written(rng, answer, unit)
    form = 0 if tidy else rng.random()
    if form < 0.78:
        return tagged(think(rng, steps), result)
    if form < 0.88:
        return f"{think(rng, steps)}\n<answer>{result}</answer>"
    if form < 0.95:
        return f"{think(rng, steps)}\nSo the answer is {result}."
    return f"<think>{think(rng, steps)}</think>\n\nThe result is <answer>{result}</answer>. Let me know if you need the steps!"


def slipped(rng, problem):
    _, _, unit, steps, slips = problem
    wrong, slip = rng.choice(slips)
    thinking = think(rng, [*steps[:-1], slip] if rng.random() < 0.5 else [slip])
    return tagged(thinking, written(rng, wrong, unit))


def cut_off(rng, problem):
    """The length limit came first."""
    _, _, _, steps, _ = problem
    text = "<think>" + think(rng, steps) + " Let me go through it once more to be sure. " + " ".join(steps)
    return text[: rng.randint(len(text) // 3, len(text) - 8)]


def broken_form(rng, problem):
    _, answer, unit, steps, _ = problem
    result = written(rng, answer, unit)
    thinking = think(rng, steps)
    return rng.choice([
        f"<think>{thinking}\n<answer>{result}",
        f"<answer>{result}</answer>\n<think>{thinking}</think>",
        f"**Solution.** {thinking}\n\n**Answer:** {result}",
        f"<think>{thinking}</think>\n<ans>{result}</ans>",
    ])


def all_options(rng, problem):
    """Names every number in sight, the right one among them."""
    _, answer, _, _, slips = problem
    options = [answer, *(wrong for wrong, _ in slips)]
    rng.shuffle(options)
    thinking = rng.choice([
        "There are several ways to read this, so I give them all.",
        "I'm not sure which step comes first. The candidates are close together.",
        "It could be any of these.",
    ])
    joined = rng.choice([", ".join(options), " or ".join(options), " / ".join(f"({c}) {o}" for c, o in zip("abc", options))])
    return tagged(thinking, joined)


def echoed(rng, problem):
    """Gives the question back instead of an answer."""
    question = problem[0]
    return tagged(rng.choice(["The question is:", "Let me repeat the question."]), question)


def empty_answer(rng, problem):
    return tagged(rng.choice(["I think I know this one.", "Hmm.", "This can be solved with the usual method."]), rng.choice(["", " "]))


def claimed(rng, problem):
    _, _, unit, _, slips = problem
    wrong, slip = rng.choice(slips)
    return tagged(f"{slip} {rng.choice(CLAIMS)}", written(rng, wrong, unit))


def pick(rng, ease):
    if rng.random() < ease:
        return right if ease == 1.0 or rng.random() < 0.88 else broken_form
    if ease == 0.0:
        return rng.choice([slipped, slipped, slipped, claimed])
    return rng.choice([slipped, slipped, slipped, cut_off, cut_off, all_options, all_options, echoed, empty_answer, claimed])


def verdict(make, completion):
    """What a careful reader says: right, and the result can be told from the text."""
    readable = "</answer>" in completion or "nswer" in completion.splitlines()[-1]
    return "good" if make is right or (make is broken_form and readable) else "bad"


def main():
    rng = random.Random(20260)
    rows = []
    for number, (problem, ease) in enumerate(zip(PROBLEMS, EASE)):
        for _ in range(8):
            make = pick(rng, ease)
            completion = right(rng, problem, tidy=number % 9 == 0) if make is right else make(rng, problem)
            rows.append((number, problem, make, completion))
    labelled = set(rng.sample(range(len(rows)), 40))
    lines = []
    for index, (number, problem, make, completion) in enumerate(rows):
        lines.append(json.dumps({
            "id": f"m{index:03d}",
            "prompt_id": f"p{number + 1:02d}",
            "prompt": f"{problem[0]} {ASK}",
            "completion": completion,
            "answer": problem[1],
            "label": verdict(make, completion) if index in labelled else None,
        }, ensure_ascii=False))
    Path(__file__).with_name("outputs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
