"""The calls of one run, from objects, files and bytes."""

from __future__ import annotations

import copy
import dataclasses
import doctest
import errno
import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import rightcall
from rightcall import _calls
from rightcall.pytest_plugin import assert_tool_calls

TRACES = sorted((ROOT / "crates/rightcall-formats/tests/traces").iterdir())

MESSAGES = [
    {"role": "user", "content": "Please refund order 7"},
    {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "refund", "arguments": '{"id": 7}'}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "done"},
]


def test_calls_come_of_what_actual_takes() -> None:
    plain = [{"name": "find_order", "args": {"id": 7}, "id": "c0"}, {"name": "refund"}]
    assert rightcall.calls(plain) == plain
    assert rightcall.calls(["find_order", {"name": "refund", "input": {"id": 7}}]) == [{"name": "find_order"}, {"name": "refund", "args": {"id": 7}}]
    assert rightcall.calls([]) == []
    [call] = rightcall.calls(MESSAGES)
    assert (call["name"], call["args"], call["output"]) == ("refund", {"id": 7}, "done")
    spans = [{"attributes": {"tool.name": "refund", "input.value": '{"id": 8}'}}]
    assert rightcall.calls(spans) == [{"name": "refund", "args": {"id": 8}}]
    assert doctest.testmod(_calls, extraglobs={"rightcall": rightcall}) == (0, 1)


def test_what_an_agent_framework_returned_is_a_source() -> None:
    class Item:
        type = "tool_call_item"
        raw_item = {"type": "function_call", "call_id": "c1", "name": "refund", "arguments": '{"id": 7}'}

    class Result:
        new_items = [Item()]

    assert [(call["name"], call["args"]) for call in rightcall.calls(Result())] == [("refund", {"id": 7})]


def test_calls_are_judged_as_their_source_is() -> None:
    calls = rightcall.calls(MESSAGES)
    for expected in ([{"name": "refund", "args": {"id": 7}}], [{"name": "refund", "args": {"id": 8}}]):
        of_calls, of_source = (rightcall.evaluate("trajectory", expected=expected, actual=it) for it in (calls, MESSAGES))
        assert of_calls.score == of_source.score


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_a_file_with_one_run_gives_its_calls(path: Path) -> None:
    try:
        runs = list(rightcall.scan(path))
    except rightcall.ReadError:
        runs = []
    if len(runs) == 1 and "actual" in runs[0]:
        calls = rightcall.calls(path)
        assert calls == rightcall.calls(str(path)) == [{**call, **understood(call)} for call in runs[0]["actual"]]
        assert rightcall.calls(path.read_bytes(), format_of(path)) == calls
    else:
        with pytest.raises((rightcall.CaseError, rightcall.ReadError), match="expected"):
            rightcall.calls(path)


def understood(call: dict[str, Any]) -> dict[str, Any]:
    """Parses arguments that are the JSON text of an object."""
    try:
        args = json.loads(call["args"] or "{}")
    except (KeyError, TypeError, ValueError):
        return {}
    return {"args": args} if isinstance(args, dict) else {}


def format_of(path: Path) -> str | None:
    """The format of a text file by its name, which the text alone does not always show."""
    return None if path.suffix != ".txt" else path.name.split(".")[0]


def test_what_looks_like_a_call_and_was_not_read_is_malformed(tmp_path: Path) -> None:
    unknown = {"type": "custom_action", "name": "refund", "arguments": {"id": 7}}
    content = [{"type": "tool_use", "id": "t1", "name": "find_order", "input": {"id": 7}}, unknown]
    messages = json.dumps([{"role": "user", "content": "go"}, {"role": "assistant", "content": content}]).encode()
    file = tmp_path / "run.json"
    file.write_bytes(messages)
    for source in (messages, bytearray(messages), file):
        calls = rightcall.calls(source)
        assert [call["name"] for call in calls] == ["find_order"]
        assert {(it["looks"], it["count"]) for it in calls.malformed} >= {("`name` with `arguments`", 1)}
        assert all(it["first"] for it in calls.malformed)
    assert rightcall.calls(MESSAGES).malformed == []


@pytest.mark.parametrize(
    "source",
    [7, "", {}, {"a": 1}, [7], [{"args": {}}], [{"name": 7}], [{"name": "a", "args": 7}], [{"name": "a", "agrs": {}}], b"", b"{}", b"7", b"[]", b"what is this?", b'{"expected": ["a"]}'],
    ids=repr,
)
def test_what_is_not_recognized_is_an_error(source: Any) -> None:
    with pytest.raises((rightcall.CaseError, rightcall.ReadError, OSError)):
        rightcall.calls(source)


def test_errors_name_the_place() -> None:
    with pytest.raises(rightcall.CaseError) as caught:
        rightcall.calls([{"name": "a"}, {"name": "b", "args": 7}])
    assert caught.value.pointer == "/1/args"
    with pytest.raises(rightcall.UnsuitedType, match="/0/args/x: expected a value that JSON can hold, found a set"):
        rightcall.calls([{"name": "a", "args": {"x": {1}}}])
    with pytest.raises(FileNotFoundError):
        rightcall.calls("no-such-file.json")
    with pytest.raises(rightcall.ArgumentError, match="no-such-format"):
        rightcall.calls([], format="no-such-format")


def test_one_run_is_read_and_no_more() -> None:
    two = "".join(json.dumps({"id": str(number), "actual": ["a"]}) + "\n" for number in range(2))
    with pytest.raises(rightcall.ReadError, match="expected the calls of one run, found 2 runs"):
        rightcall.calls(two.encode())
    with pytest.raises(rightcall.ReadError, match="expected the calls of one run, found no message or call of an agent"):
        rightcall.calls(b'{"expected": ["a"]}')


def test_the_format_can_be_said() -> None:
    chat = rightcall.calls(MESSAGES, format="openai-chat")
    assert chat == rightcall.calls(json.dumps(MESSAGES).encode(), "openai-chat") and chat[0]["name"] == "refund"
    with pytest.raises(rightcall.CaseError):
        rightcall.calls(MESSAGES, format="otlp")


def test_the_catalogue_stands_beside_the_run() -> None:
    tools = [{"type": "function", "function": {"name": "refund", "parameters": {"type": "object"}}}]
    for given in (tools, ["refund"], None):
        assert rightcall.calls(MESSAGES, tools=given) == rightcall.calls(MESSAGES)
    assert rightcall.calls(json.dumps(MESSAGES).encode(), tools=tools) == rightcall.calls(MESSAGES)
    with pytest.raises(rightcall.UnsuitedType, match="/tools"):
        rightcall.calls(MESSAGES, tools={refund for refund in "ab"})


def test_calls_are_plain_values() -> None:
    calls = _calls.Calls([{"name": "a"}], [{"looks": "x", "count": 1, "first": "y"}])
    for again in (copy.deepcopy(calls), copy.copy(calls), pickle.loads(pickle.dumps(calls))):
        assert again == calls == [{"name": "a"}] and again.malformed == calls.malformed
    assert isinstance(calls, list) and repr(calls) == "[{'name': 'a'}]"


MAP = {"run": "session", "call": {"when": {"kind": "tool"}, "name": "tool", "args": "input", "output": "result"}}
LOG = '{"session": "r1", "kind": "tool", "tool": "find", "input": {"id": 7}, "result": "shipped"}\n'


def test_a_map_reads_a_log_of_ones_own(tmp_path):
    log, file = tmp_path / "log.jsonl", tmp_path / "shop.json"
    log.write_text(LOG)
    file.write_text(json.dumps(MAP))
    for given in (MAP, file, str(file)):
        for source in (log, LOG.encode()):
            assert rightcall.calls(source, map=given) == [{"name": "find", "args": {"id": 7}, "output": "shipped", "turn": 0}]
    assert [case["id"] for case in rightcall.scan(log, map=MAP)] == ["r1"]


def test_a_map_that_cannot_be_read_names_its_line(tmp_path):
    file = tmp_path / "shop.yaml"
    file.write_text("run: session\ncall: {nam: tool}\n")
    with pytest.raises(rightcall.ReadError, match="shop.yaml:2: expected a key of `call`, found `nam`"):
        rightcall.calls(LOG.encode(), map=file)
    with pytest.raises(rightcall.ArgumentError, match="either `format` or `map`"):
        rightcall.scan("log.jsonl", format="otlp", map=MAP)


def test_rows_of_a_table_are_read_by_a_map():
    pyarrow = pytest.importorskip("pyarrow")
    rows = [
        {"session": "r1", "kind": "tool", "tool": "find", "input": '{"id": 7}', "expected": '[{"name": "find", "args": {"id": 7}}]'},
        {"session": "r1", "kind": "note", "tool": None, "input": None, "expected": None},
    ]
    table = pyarrow.Table.from_pylist(rows)
    run = rightcall.score(table, evaluators="trajectory", group_by="session", map=MAP)
    assert [(it.case, it.score) for it in run] == [("r1", 1.0)]
    with pytest.raises(rightcall.ArgumentError, match="map: expected `group_by` too"):
        rightcall.score(table, evaluators="trajectory", map=MAP)


INCOMPLETE = [
    {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "find", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "1", "content": "ok"},
    {"role": "tool", "tool_call_id": "2", "content": "ok"},
    {"role": "assistant", "content": "done"},
]


def test_calls_that_may_lack_some_say_so_wherever_they_go(tmp_path: Path) -> None:
    expected = [{"name": "find", "args": {}}]
    calls = rightcall.calls(INCOMPLETE)
    assert calls.incomplete == "1 result without a call" and rightcall.calls(MESSAGES).incomplete is None
    file = tmp_path / "run.json"
    file.write_text(json.dumps(INCOMPLETE))
    [case] = rightcall.scan(file)
    assert case["incomplete"] == case["actual"].incomplete == calls.incomplete
    wanted = rightcall.evaluate("trajectory", expected=expected, actual=INCOMPLETE)
    assert wanted.outcome == "not_applicable" and "1 result without a call" in wanted.reason
    evaluator = rightcall.Evaluator("trajectory")
    for actual in (calls, rightcall.calls(file), case["actual"], copy.deepcopy(calls), pickle.loads(pickle.dumps(calls))):
        evaluations = [
            rightcall.evaluate("trajectory", expected=expected, actual=actual),
            rightcall.score([{"expected": expected, "actual": actual}], evaluators="trajectory")[0],
            rightcall.score([{"expected": expected, "actual": tuple(actual), "incomplete": actual.incomplete}], evaluators="trajectory")[0],
            evaluator.evaluate_case(rightcall.Case(expected=expected, actual=actual)),
            evaluator.evaluate_case(OwnCase(expected, actual)),
        ]
        assert {it.reason for it in evaluations} == {wanted.reason}
        with pytest.raises(AssertionError, match="1 result without a call"):
            assert_tool_calls(actual, expected)
        # What needs only the presence of calls is judged.
        assert rightcall.evaluate("constraints", actual=actual, rules=["at least 1 find"]).score == 1.0
    with pytest.raises(rightcall.CaseError, match="/expected: expected all calls that are expected, found 1 result without a call"):
        rightcall.evaluate("trajectory", expected=calls, actual=expected)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"expected": [expected, expected], "actual": [calls, [{"name": "find", "args": {}}]]})
    assert [it.outcome for it in rightcall.score(frame, evaluators="trajectory")] == ["not_applicable", "scored"]


@dataclasses.dataclass
class OwnCase:
    expected: Any
    actual: Any


def test_a_text_is_no_path(tmp_path: Path) -> None:
    for text in ('[{"name": "find"}]', '{"messages": []}', "a\nb"):
        with pytest.raises(rightcall.ArgumentError, match="source: expected a path, found a text; for the text of a file: rightcall.calls"):
            rightcall.calls(text)
    missing = str(tmp_path / "nope.json")
    for read in (rightcall.calls, lambda path: next(iter(rightcall.scan(path))), lambda path: rightcall.score(rightcall.scan(path), evaluators="trajectory")):
        with pytest.raises(FileNotFoundError) as caught:
            read(missing)
        error = caught.value
        assert (error.errno, error.strerror, error.filename) == (errno.ENOENT, os.strerror(errno.ENOENT), missing)
        assert str(error) == f"[Errno 2] No such file or directory: {missing!r}"


def test_a_single_call_is_no_list() -> None:
    for side in ("expected", "actual"):
        sides = {"expected": ["find"], "actual": ["find"], side: {"name": "find", "args": {"id": 7}}}
        with pytest.raises(rightcall.CaseError) as caught:
            rightcall.evaluate("trajectory", **sides)
        assert "write a call in a list: " in str(caught.value)


def test_a_source_without_a_run_is_named() -> None:
    with pytest.raises(rightcall.CaseError, match="found one that was not recorded: nothing of the agent's own turn was read"):
        rightcall.calls([{"role": "user", "content": "Hello"}])
    with pytest.raises(rightcall.CaseError, match="expected the calls of one run, found no message or call of an agent"):
        rightcall.calls(None)
    with pytest.raises(rightcall.ConfigError, match='write {"evaluator": "trajectory", …}'):
        rightcall.score([], evaluators=[{"trajectory": {}}])
