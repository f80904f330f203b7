"""Writes rollouts.jsonl: 6 rollouts for each of 10 tasks of a help desk with tools, the same ones every time.

    python make_rollouts.py

No model was asked: the texts are put together here. They imitate what a small agent does: right work, work without a
look at the order, invented tools and arguments, the same call again and again, refusals, answers cut off by a length
limit, and a claim of success after a tool that failed. One line is one group, in the form in which ART keeps them.
"""

import json
import random
from pathlib import Path

SYSTEM = (
    "You are the help desk of a bicycle shop. Use the tools; look an order up before you promise anything. "
    "Refunds above 100 euros need a person: use escalate. End with one sentence for the customer."
)
TOOLS = [
    ("find_order", "Orders of a customer.", {"customer": "string"}),
    ("get_order", "One order with its articles, total in euros and state.", {"order_id": "string"}),
    ("refund", "Pays money back, at most 100 euros.", {"order_id": "string", "amount": "number"}),
    ("escalate", "Hands the case to a person.", {"order_id": "string", "reason": "string"}),
]
# customer, order, article, total, what is asked
TASKS = [
    ("Ida Holm", "B-1041", "chain", 24.0, "The chain I ordered came in the wrong width. I want my money back."),
    ("Jonas Reed", "B-1077", "helmet", 64.5, "My helmet arrived with a crack. Please refund it."),
    ("Marta Silva", "B-1102", "wheel set", 389.0, "The wheels are bent. I want all of it back."),
    ("Tom Okafor", "B-1115", "lamp", 18.9, "The lamp never came. Give me my money back."),
    ("Lea Brandt", "B-1130", "saddle", 79.0, "The saddle is too hard, I sent it back last week. Where is my refund?"),
    ("Yuki Mori", "B-1144", "cargo bike", 2150.0, "The brakes of my new cargo bike fail. I want a refund today."),
    ("Paul Engel", "B-1160", "gloves", 32.0, "One glove is missing. A refund, please."),
    ("Nora Kaya", "B-1171", "pump", 27.5, "The pump doesn't hold air. Can I have the money back?"),
    ("Sam Ortiz", "B-1188", "tyres", 96.0, "You sent two front tyres. I would like to return both."),
    ("Eva Lind", "B-1203", "frame bag", 54.0, "The zip of the bag broke on the first day. Refund?"),
]
LIMIT = 100.0


class Rollout:
    def __init__(self, task):
        self.task = task
        self.messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": task[4]}]
        self.calls = 0
        self.errors = 0
        self.done = False

    def say(self, text, finish="stop"):
        self.messages.append(choice({"role": "assistant", "content": text}, finish))

    def call(self, name, arguments, text=""):
        self.calls += 1
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        call = {"id": f"call_{self.calls}", "type": "function", "function": {"name": name, "arguments": written}}
        self.messages.append(choice({"role": "assistant", "content": text, "tool_calls": [call]}, "tool_calls"))
        self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": self.answer(name, arguments)})

    def answer(self, name, arguments):
        customer, order, article, total, _ = self.task
        if name not in [tool for tool, _, _ in TOOLS]:
            return self.fail(f"unknown tool {name}")
        if isinstance(arguments, str):
            return self.fail("the arguments are not JSON")
        wanted = next(fields for tool, _, fields in TOOLS if tool == name)
        for key in arguments:
            if key not in wanted:
                return self.fail(f"unknown field {key}")
        if name == "find_order":
            return json.dumps([{"order_id": order}] if arguments["customer"] == customer else [])
        if arguments["order_id"] != order:
            return self.fail(f"no order {arguments['order_id']}")
        if name == "get_order":
            return json.dumps({"order_id": order, "articles": [article], "total": total, "state": "delivered"})
        if name == "refund":
            if arguments["amount"] > LIMIT:
                return self.fail("refunds above 100 euros need a person")
            self.done = arguments["amount"] == total
            return json.dumps({"refunded": arguments["amount"]})
        self.done = total > LIMIT
        return json.dumps({"escalated": True})

    def fail(self, message):
        self.errors += 1
        return f"error: {message}"


def choice(message, finish):
    return {"finish_reason": finish, "index": 0, "message": message}


def right(r):
    customer, order, article, total, _ = r.task
    r.call("find_order", {"customer": customer}, "Let me look up your order.")
    r.call("get_order", {"order_id": order})
    if total > LIMIT:
        r.call("escalate", {"order_id": order, "reason": f"refund of {total} euros for {article}"})
        r.say(f"A colleague will take care of the refund for your {article} today.")
    else:
        r.call("refund", {"order_id": order, "amount": total})
        r.say(f"I have paid back {total:.2f} euros for your {article}.")


def without_looking(r):
    _, order, article, total, _ = r.task
    r.call("refund", {"order_id": order, "amount": total}, "I'll pay that back at once.")
    r.say(f"I have paid back {total:.2f} euros for your {article}.")


def wrong_field(r):
    customer, order, article, total, _ = r.task
    r.call("find_order", {"name": customer})
    r.call("find_order", {"customer": customer}, "The field is called customer.")
    r.call("get_order", {"order_id": order})
    amount = min(total, LIMIT)
    r.call("refund", {"order_id": order, "amount": amount})
    r.say(f"I have paid back {amount:.2f} euros for your {article}.")


def invented(r):
    r.call("cancel_order", {"order_id": r.task[1]}, "I'll cancel it for you.")
    r.say("Your order has been cancelled successfully.")


def loop(r):
    for _ in range(4):
        r.call("find_order", {"customer": r.task[0].split()[0]})
    r.say("I could not find your order.")


def broken(r):
    r.call("find_order", '{"customer": "' + r.task[0])
    r.say("Something went wrong, please write again.")


def refusal(r):
    r.say("I'm sorry, but I can't help with refunds.")


def cut_off(r):
    r.call("find_order", {"customer": r.task[0]})
    r.say("Thank you for writing to us. Before I do anything I would like to explain in detail how our", "length")


WAYS = [right, without_looking, wrong_field, invented, loop, broken, refusal, cut_off]
SHARES = [6, 2, 3, 1, 1, 1, 1, 1]


def main():
    rng = random.Random(7)
    lines = []
    for number, task in enumerate(TASKS):
        trajectories = []
        for _ in range(6):
            rollout = Rollout(task)
            # The last task is one that every rollout gets right: its group teaches nothing.
            way = right if number == len(TASKS) - 1 else rng.choices(WAYS, SHARES)[0]
            way(rollout)
            tools = 0.2 if rollout.calls > 0 and rollout.errors == 0 else 0.0
            solved = 1.0 if rollout.done else 0.0
            trajectories.append({
                "reward": round(solved + tools, 3),
                "metrics": {"solved": solved, "clean_tools": tools, "turns": len(rollout.messages) - 2},
                "metadata": {"task": task[1], "total": task[3]},
                "messages_and_choices": rollout.messages,
                "tools": [tool_schema(*tool) for tool in TOOLS],
                "additional_histories": [],
                "logs": [],
            })
        lines.append(json.dumps({"trajectories": trajectories}))
    Path(__file__).with_name("rollouts.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def tool_schema(name, description, fields):
    properties = {key: {"type": kind} for key, kind in fields.items()}
    parameters = {"type": "object", "properties": properties, "required": list(fields)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


if __name__ == "__main__":
    main()
