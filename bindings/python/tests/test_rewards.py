"""Rewards for trainers."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from conftest import ROOT

import rightcall
from rightcall.errors import ArgumentError, ArgumentTypeError, ConfigError
from rightcall.rewards import tool_calls

EXPECTED = [{"name": "book", "args": {"city": "Oslo", "nights": 2}}]


def text(name: str = "book", **arguments: Any) -> str:
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


RIGHT = text(city="Oslo", nights=2)


def message(*calls: Any, **others: Any) -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": call} for call in calls], **others}]


def test_rewards_are_in_order() -> None:
    reward = tool_calls(malformed=-1.0, missing=-0.5)
    completions = ["<tool_call>{", "No.", text("other"), text(city="Oslo"), text(city="Oslo", nights="2"), text(city="Oslo", nights=3), RIGHT]
    rewards = reward(prompts=["p"] * 7, completions=completions, answer_calls=[EXPECTED] * 7, completion_ids=[[1]] * 7)
    assert rewards[:2] == [-1.0, -0.5]
    assert rewards[-1] == 1.0
    known = [reward for reward in rewards if reward is not None]
    assert sorted(known) == known and known[4] == known[5] < 0.5


def test_rows_without_expectation_have_no_reward() -> None:
    reward = tool_calls()
    assert reward(completions=[RIGHT, RIGHT, "Hello."], answer_calls=[None, "null", []]) == [None, None, 1.0]
    assert reward(completions=[], answer_calls=[]) == []


def test_expectations_are_objects_or_their_text() -> None:
    block = [{"any_order": [{"name": "book", "args": {"city": {"$pattern": "^Os"}, "nights": {"$gte": 2}}}, "pay"]}]
    completion = text("pay") + "\n" + RIGHT
    rewards = tool_calls(expected="answer")(completions=[completion] * 2, answer=[block, json.dumps(block)])
    assert rewards == [1.0, 1.0]


def test_messages_and_turns() -> None:
    right = message({"name": "book", "arguments": '{"city": "Oslo", "nights": 2}'})
    as_dict = message({"name": "book", "arguments": {"city": "Oslo", "nights": 2}})
    in_text = [{"role": "assistant", "content": RIGHT}]
    twice = [*message({"name": "find", "arguments": {}}), {"role": "tool", "content": "found"}, *right]
    completions = [right, as_dict, in_text, right[0], twice]
    assert tool_calls(turns="last")(completions=completions, answer_calls=[EXPECTED] * 5) == [1.0] * 5
    last = tool_calls()(completions=[twice], answer_calls=[EXPECTED])[0]
    assert last is not None and last < 1.0


@pytest.mark.parametrize(
    "completion",
    [
        message({"name": "book", "arguments": '{"city": '}),
        message({"arguments": {}}),
        message("book"),
        [{"role": "assistant", "tool_calls": "book"}],
        [{"role": "assistant", "content": '<tool_call>{"arguments": {}}</tool_call>'}],
        '<tool_call>{"name": "book", "arguments": [1]}</tool_call>',
        "<tool_call>{\"name\": \"book\", \"arguments\": {\"city\": \"\ud800",
    ],
)
def test_what_a_model_wrote_never_raises(completion: Any) -> None:
    reward = tool_calls(malformed=-1.0)
    assert reward(completions=[completion] * 2, answer_calls=[EXPECTED, []]) == [-1.0, -1.0]


FIND = {"name": "find", "args": {"id": 7}}
DIALECTS: dict[str, Any] = {
    "gemini": [{"role": "model", "parts": [{"functionCall": {"name": "find", "args": {"id": 7}}}]}],
    "older openai": [{"role": "assistant", "content": None, "function_call": {"name": "find", "arguments": '{"id": 7}'}}],
    "bedrock": [{"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "find", "input": {"id": 7}}}]}],
    "langchain": [{"type": "ai", "content": "", "tool_calls": [{"name": "find", "args": {"id": 7}, "id": "1", "type": "tool_call"}]}],
    "responses": [{"type": "function_call", "call_id": "1", "name": "find", "arguments": '{"id": 7}'}],
    "pydantic ai": [{"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "find", "args": {"id": 7}, "tool_call_id": "1"}]}],
    "haystack": [{"role": "assistant", "meta": {}, "name": None, "content": [{"tool_call": {"tool_name": "find", "arguments": {"id": 7}, "id": None}}]}],
    "llamaindex": [{"role": "assistant", "blocks": [{"block_type": "tool_call", "tool_call_id": "1", "tool_name": "find", "tool_kwargs": {"id": 7}}], "additional_kwargs": {}}],
    "a reply": [{"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message({"name": "find", "arguments": '{"id": 7}'})[0]}]}],
    "text of a list": [{"role": "assistant", "content": "", "tool_calls": json.dumps([{"function": {"name": "find", "arguments": {"id": 7}}}])}],
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_messages_of_any_format_are_read_as_evaluate_reads_them(dialect: str) -> None:
    completion = DIALECTS[dialect]
    reward = tool_calls(malformed=-1.0, missing=-0.5)
    judged = rightcall.evaluate("trajectory", expected=[FIND], actual=completion)
    assert judged.score == 1.0
    right, unasked = reward(completions=[completion] * 2, answer_calls=[[FIND], []])
    assert right == 1.0 and unasked is not None and -0.5 <= unasked < 1.0
    assert tool_calls(turns="last")(completions=[completion], answer_calls=[[FIND]]) == [1.0]
    if dialect == "gemini":
        wrong = [{"role": "model", "parts": [{"functionCall": {"name": "drop", "args": {}}}]}, {"role": "user", "parts": [{"text": "no"}]}]
        assert tool_calls(turns="last")(completions=[[*wrong, *completion]], answer_calls=[[FIND]]) == [1.0]


@pytest.mark.parametrize(
    "completion",
    [
        [{"foo": 1}],
        [{"role": "user", "content": "Find order 7."}],
        [{"role": "tool", "tool_call_id": "1", "content": "found"}],
        [{"role": "narrator", "content": "It was found."}],
        [{"role": "assistant", "content": "Done.", "actions": [{"name": "find", "input": {"id": 7}}]}],
        [{"role": "assistant", "content": "Done.", "tool_call": {"function": {"name": "find", "arguments": "{}"}}}],
        [{"role": "assistant", "content": [{"type": "function", "name": "find", "arguments": {}}]}],
        ["find"],
        [[{"role": "assistant", "content": RIGHT}]],
    ],
)
def test_messages_that_are_not_read_are_never_no_call(completion: Any) -> None:
    rewards = tool_calls(malformed=-1.0, missing=-0.5)(completions=[completion] * 2, answer_calls=[[], [FIND]])
    judged = [rightcall.score([{"expected": [], "actual": completion}], evaluators="trajectory")[0].score]
    assert rewards[0] == -1.0 if judged == [None] else rewards[0] is not None and rewards[0] < 1.0


def test_a_quoted_call_is_no_call() -> None:
    quoted = 'You could write:\n```json\n{"name": "find", "arguments": {"id": 7}}\n```\nbut no call is needed.'
    as_message = [{"role": "assistant", "content": quoted}]
    assert rightcall.evaluate("trajectory", expected=[], actual=as_message).score == 1.0
    rewards = tool_calls(malformed=-1.0, missing=-0.5)(completions=[quoted, as_message, quoted], answer_calls=[[], [], [FIND]])
    assert rewards == [1.0, 1.0, -0.5]


def test_messages_of_other_classes_earn_the_same() -> None:
    class Turn(dict[str, Any]):
        pass

    arguments = {"city": "Osl\ud800", "nights": 2, "price": 1.5, "seats": [None, True, {"row": 7}], "id": 10**30}
    for given in (arguments, json.dumps(arguments)):
        plain = message({"name": "book", "arguments": given}, content="I book.")
        others = [tuple(plain), [Turn(plain[0])], plain[0], Turn(plain[0])]
        expected = [{"name": "book", "args": arguments}]
        assert tool_calls()(completions=[plain, *others], answer_calls=[expected] * 5) == [1.0] * 5
        wrong = [{"name": "book", "args": {**arguments, "nights": 2.0}}]
        rewards = tool_calls()(completions=[plain, *others], answer_calls=[wrong] * 5)
        assert len(set(rewards)) == 1 and rewards[0] != 1.0


def test_expected_names_are_those_of_tools() -> None:
    assert tool_calls()(completions=[text("shop.find-1")], answer_calls=[["shop.find-1"]]) == [1.0]
    assert tool_calls()(completions=[text("find order")], answer_calls=[["find order"]]) == [1.0]
    for no_name in ('{"name": "f"}', "Thought: none", "find(id=7)"):
        with pytest.raises(ArgumentError, match=r"answer_calls\[0\]: /expected/0: expected a call"):
            tool_calls()(completions=[""], answer_calls=[[no_name]])


def test_tools_type_values() -> None:
    tools = [{"type": "function", "function": {"name": "book", "parameters": {"properties": {"nights": {"type": "integer"}}}}}]
    written = "<tool_call><function=book><parameter=city>Oslo</parameter><parameter=nights>2</parameter></function></tool_call>"
    untyped = tool_calls()(completions=[written], answer_calls=[EXPECTED])[0]
    assert tool_calls(tools=tools)(completions=[written], answer_calls=[EXPECTED]) == [1.0]
    assert untyped is not None and untyped < 1.0


def test_parts_are_logged() -> None:
    logged: dict[str, list[Any]] = {}
    means: dict[str, float] = {}
    completions = [RIGHT, text(city="Oslo", nights=3), "<tool_call>{", RIGHT]
    tool_calls()(completions=completions, answer_calls=[EXPECTED] * 3 + [None], log_extra=logged.__setitem__, log_metric=means.__setitem__)
    assert logged == {
        "name": [1.0, 1.0, 0.0, None],
        "keys": [1.0, 1.0, 0.0, None],
        "values": [1.0, 0.5, 0.0, None],
        "order": [1.0, 0.0, 0.0, None],
        "extra": [0.0, 0.0, 0.0, None],
        "format": [1.0, 1.0, 0.0, None],
    }
    assert means["tool_calls/values"] == 0.5


def test_threads_change_nothing() -> None:
    completions = [text(city="Oslo", nights=number % 4) for number in range(500)]
    columns = {"completions": completions, "answer_calls": [EXPECTED] * 500}
    assert tool_calls(threads=1)(**columns) == tool_calls(threads=2)(**columns) == tool_calls()(**columns)


def test_an_evaluator_that_errors_can_raise_needs_a_word() -> None:
    with pytest.raises(ArgumentError, match=r"allow_gameable=True(.|\n)*\(a\): "):
        tool_calls(metric="trajectory,score=recall")
    with pytest.raises(ArgumentError, match="another order does not lower"):
        tool_calls(weights={"order": 0})
    reward = tool_calls(metric="trajectory", allow_gameable=True, malformed=-1.0, missing=-1.0)
    assert reward(completions=[RIGHT, "No."], answer_calls=[EXPECTED] * 2) == [1.0, -1.0]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"malformed": 0.5}, ArgumentError, "malformed <= missing"),
        ({"malformed": -2.0, "missing": -1.5}, ArgumentError, "-1 <="),
        ({"missing": float("nan")}, ArgumentError, "missing NaN"),
        ({"weights": {"nam": 1}}, ArgumentError, "found `nam`"),
        ({"weights": {"name": 2}}, ArgumentError, "from 0 to 1"),
        ({"metric": "trajectory", "weights": {}}, ArgumentError, "found an evaluator"),
        ({"metric": "no/such"}, ConfigError, "no/such"),
        ({"metric": 1}, ArgumentTypeError, "an int"),
        ({"turns": "first"}, ArgumentError, "turns"),
    ],
)
def test_arguments_are_checked(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        tool_calls(**arguments)


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({}, ArgumentError, "completions: expected a list"),
        ({"completions": [RIGHT], "answers": [EXPECTED]}, ArgumentError, "expected a column `answer_calls`, found answers"),
        ({"completions": [RIGHT], "answer_calls": []}, ArgumentError, "answer_calls: expected 1 values, one a completion, found 0"),
        ({"completions": [7], "answer_calls": [EXPECTED]}, ArgumentTypeError, "completions[0]: expected a text or a list of messages"),
        ({"completions": [RIGHT], "answer_calls": ["book"]}, ArgumentError, "answer_calls[0]: expected calls or their JSON text"),
        ({"completions": ["", ""], "answer_calls": [[], [{"nam": "f"}]]}, ArgumentError, "answer_calls[1]: "),
    ],
)
def test_columns_are_checked(columns: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        tool_calls()(**columns)


def test_the_name_is_that_of_logs() -> None:
    assert tool_calls().__name__ == "tool_calls"


def test_the_examples_hold() -> None:
    import doctest

    from rightcall import rewards

    result = doctest.testmod(rewards)
    assert result.attempted >= 4 and result.failed == 0
    first, trainers = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "rewards.md").read_text(), re.DOTALL)
    exec(compile(first, "docs/rewards.md", "exec"), {})
    compile(trainers, "docs/rewards.md", "exec")
    assert rightcall.__version__
