"""The reward `tool_calls` compared with a reward in plain Python, by ToolRL's rule: CPU time of one thread.

    python bench/toolrl.py

ToolRL (Qian et al. 2025, arXiv:2504.13958) scores tool names, argument keys and values, each expected call with the predicted call of its
name that is nearest to it. It is written anew here, from the paper.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from rightcall.rewards import tool_calls

Call = dict[str, Any]
BLOCK = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)


def toolrl(completions: Sequence[Any], answer_calls: Sequence[list[Call]]) -> list[float]:
    """The rewards of a batch: the format earns 1, the calls earn from -3 to 3."""
    return [reward(completion, expected) for completion, expected in zip(completions, answer_calls, strict=True)]


def reward(completion: Any, expected: list[Call]) -> float:
    try:
        predicted = calls_of_text(completion) if isinstance(completion, str) else calls_of_messages(completion)
    except (ValueError, KeyError, TypeError):
        return -3.0
    return 1.0 + correctness(expected, predicted)


def calls_of_text(text: str) -> list[Call]:
    calls = [json.loads(block) for block in BLOCK.findall(text)]
    return [{"name": call["name"], "args": call["arguments"]} for call in calls]


def calls_of_messages(messages: list[dict[str, Any]]) -> list[Call]:
    calls = []
    for message in messages:
        if message["role"] == "assistant":
            for call in message.get("tool_calls") or []:
                args = call["function"]["arguments"]
                calls.append({"name": call["function"]["name"], "args": json.loads(args) if isinstance(args, str) else args})
    return calls


def correctness(expected: list[Call], predicted: list[Call]) -> float:
    best = 1.0 + len(expected) + sum(len(call["args"]) for call in expected)
    score = overlap([call["name"] for call in expected], [call["name"] for call in predicted])
    left = list(predicted)
    for call in expected:
        nearest, most = None, 0.0
        for at, other in enumerate(left):
            if other["name"] == call["name"]:
                likeness = alike(call["args"], other["args"])
                if nearest is None or likeness > most:
                    nearest, most = at, likeness
        if nearest is not None:
            del left[nearest]
            score += most
    return 6.0 * score / best - 3.0


def overlap(one: Any, other: Any) -> float:
    """The share of names or keys that two lists have in common."""
    one, other = set(one), set(other)
    return len(one & other) / len(one | other) if one or other else 1.0


def alike(expected: dict[str, Any], found: dict[str, Any]) -> float:
    """The overlap of the keys, and the number of equal values."""
    return overlap(expected, found) + sum(1.0 for key, value in expected.items() if key in found and found[key] == value)


def calls(random: random.Random, count: int, names: int) -> list[Call]:
    def args() -> dict[str, Any]:
        return {"order_id": random.randrange(10**6), "reason": random.choice(("late", "broken", "lost")), "notify": random.random() < 0.5}

    return [{"name": f"tool_{at % names}", "args": args()} for at in range(count)]


def spoiled(random: random.Random, expected: list[Call]) -> list[Call]:
    """The same calls in half of all cases; else one value is another."""
    made = [{"name": call["name"], "args": dict(call["args"])} for call in expected]
    if random.random() < 0.5:
        random.choice(made)["args"]["order_id"] = -1
    return made


def as_text(made: list[Call]) -> str:
    blocks = (json.dumps({"name": call["name"], "arguments": call["args"]}) for call in made)
    return "I look into the orders of the customer first.\n" + "\n".join(f"<tool_call>\n{block}\n</tool_call>" for block in blocks)


def as_messages(made: list[Call]) -> list[dict[str, Any]]:
    asked = [{"id": f"c{at}", "type": "function", "function": {"name": call["name"], "arguments": json.dumps(call["args"])}} for at, call in enumerate(made)]
    return [{"role": "assistant", "content": "I look into the orders of the customer first.", "tool_calls": asked}]


def microseconds(work: Callable[[], Any], rows: int, rounds: int) -> float:
    """CPU time of the fastest round for one row."""

    def one() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(one() for _ in range(rounds)) / rows * 1e6


def main(rows: int = 256, rounds: int = 200) -> None:
    ours = tool_calls(threads=1)
    print("calls                       form      rightcall  plain Python")
    for label, count, names in (("5 of different tools", 5, 5), ("20 of one tool", 20, 1)):
        for form, write in (("messages", as_messages), ("text", as_text)):
            source = random.Random(7)
            expected = [calls(source, count, names) for _ in range(rows)]
            completions = [write(spoiled(source, it)) for it in expected]
            right = [value == 1.0 for value in ours(completions=completions, answer_calls=expected)]
            assert right == [value == 4.0 for value in toolrl(completions, expected)] and 0 < sum(right) < rows
            own = microseconds(lambda: ours(completions=completions, answer_calls=expected), rows, rounds)
            plain = microseconds(lambda: toolrl(completions, expected), rows, rounds)
            print(f"{label:26}  {form:8}  {own:6.1f} µs  {plain:9.1f} µs")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
