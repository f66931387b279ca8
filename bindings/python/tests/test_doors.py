"""One case through every interface: objects, tables and files have the same scores, reasons and errors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Cases

import rightcall
from rightcall.pytest_plugin import assert_tool_calls

EVALUATORS = [
    rightcall.Evaluator(entry["id"], **({"threshold": 0.5} if entry["id"] == "adk/trajectory" else {})) for entry in rightcall.evaluators()
]

FOR_ARGUMENTS = (
    "args arguments input inputs input_parameters inputParameters input_args parameters params kwargs tool_input toolInput tool_args "
    "toolArgs arg Args tool-input function_arguments call_args"
).split()
FOR_NAMES = ["name", "tool", "tool_name", "toolName", "function", "function_name", "Name"]
SLIPS = ["agrs", "argz", "arguements", "argumnets", "paramters", "tool_nput"]
NO_KEYS = ["payload", "data", "result", "status", "reasoning"]


def call(number: int, arguments: str = "args", name: str = "name") -> dict[str, Any]:
    return {name: "refund", arguments: {"id": number, "why": "late"}}


def nested(number: int) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": "refund", "arguments": json.dumps({"id": number, "why": "late"})}}


def spelled() -> dict[str, dict[str, Any]]:
    """Cases with a call in another notation on one side, on the other, or on both; its arguments are right or wrong."""
    cases: dict[str, dict[str, Any]] = {}
    spellings: dict[str, Callable[[int], Any]] = {"function:{}": nested}
    for key in (*FOR_ARGUMENTS, *SLIPS, *NO_KEYS):
        spellings[key] = lambda number, key=key: call(number, arguments=key)
    for key in (*FOR_NAMES, "nmae", "title"):
        spellings[f"{key} for the name"] = lambda number, key=key: call(number, name=key)
        spellings[f"{key} and input"] = lambda number, key=key: call(number, "input", key)
        spellings[f"{key} and arg"] = lambda number, key=key: call(number, "arg", key)
    for spelling, made in spellings.items():
        for what, number in (("right", 7), ("wrong", 8)):
            cases[f"expected {spelling}, {what}"] = {"expected": [made(7)], "actual": [call(number)]}
            cases[f"actual {spelling}, {what}"] = {"expected": [call(7)], "actual": [made(number)]}
            cases[f"both {spelling}, {what}"] = {"expected": [made(7)], "actual": [made(number)]}
    return cases


LONE_TEXTS = ["", " ", "a b", "a, b", "Thought: none", "<refund>", "id=7", "which?", "a\nb", "[refund]", '{"name": "refund"}', "refund (old)"]
"""Texts that are no names of tools, and some that are."""


def odd() -> dict[str, dict[str, Any]]:
    """Cases with nulls, duplicates, and unusual values."""
    right = call(7)
    calls: dict[str, Any] = {
        "args null": {"name": "refund", "args": None},
        "arguments null": {"name": "refund", "arguments": None},
        "input null": {"name": "refund", "input": None},
        "args, and arguments null": {**right, "arguments": None},
        "args, and input null": {**right, "input": None},
        "args null, and input": {"name": "refund", "args": None, "input": {"id": 8}},
        "args and arguments, alike": {**right, "arguments": right["args"]},
        "args and arguments": {**right, "arguments": {"id": 8}},
        "args and input": {**right, "input": {"id": 8}},
        "name and tool": {**right, "tool": "refund"},
        "name null": {"name": None, "args": {}},
        "name null, and tool": {"name": None, "tool": "refund", "args": {"id": 7}},
        "name empty": {"name": "", "args": {}},
        "name a number": {"name": 7, "args": {}},
        "name an object": {"name": {"text": "refund"}, "args": {}},
        "name a call": {"name": "refund(id=7)"},
        "name a call, and args": {"name": "refund(id=7)", "args": {"id": 7}},
        "name with a bracket": {"name": "refund (old)", "args": {"id": 7}},
        "no name": {"args": {"id": 7}},
        "no arguments": {"name": "refund"},
        "nothing": {},
        "a name alone": "refund",
        "a call alone": "refund(id=7)",
        **{f"the text {text!r} alone": text for text in LONE_TEXTS},
        "null": None,
        "a number": 7,
        "a list": [right],
        "args a list": {"name": "refund", "args": [1]},
        "args a number": {"name": "refund", "args": 7},
        "args false": {"name": "refund", "args": False},
        "args text": {"name": "refund", "args": '{"id": 7, "why": "late"}'},
        "args text of Python": {"name": "refund", "args": "{'id': 7, 'why': 'late'}"},
        "args text of nothing": {"name": "refund", "args": "id = 7"},
        "args text with a matcher": {"name": "refund", "args": '{"id": {"$gt": 6}}'},
        "args empty text": {"name": "refund", "args": ""},
        "args empty": {"name": "refund", "args": {}},
        "args with a matcher": {"name": "refund", "args": {"id": {"$gt": 6}, "why": {"$any": True}}},
        "args with a slip of a matcher": {"name": "refund", "args": {"id": {"$gtt": 6}}},
        "args with odd values": {"name": "refund", "args": {"a": float("nan"), "b": -0.0, "c": 10**30, "d": 2**63, "e": [float("inf")], "": None}},
        "args with odd texts": {"name": "réfund\u2028", "args": {"a\"b\\": "\ud800 \U0001f642 \u0000"}},
        "id": {**right, "id": "c1"},
        "id a number": {**right, "id": 7},
        "id null": {**right, "id": None},
        "id a list": {**right, "id": []},
        "call_id": {**right, "call_id": "c1"},
        "toolCallId": {**right, "toolCallId": "c1"},
        "output": {**right, "output": {"ok": [True, None]}},
        "output null": {**right, "output": None},
        "output false": {**right, "output": False},
        "error": {**right, "error": "no such order"},
        "error false": {**right, "error": False},
        "error null": {**right, "error": None},
        "turn": {**right, "turn": 0},
        "turn below 0": {**right, "turn": -1},
        "turn a text": {**right, "turn": "0"},
        "times": {**right, "start": 1, "end": "2026-01-02T03:04:05Z"},
        "group and actor": {**right, "group": "g", "actor": "user"},
        "actor a number": {**right, "actor": 7},
        "requestor": {**right, "requestor": "user"},
        "parent": {**right, "parent": 0},
        "run": {**right, "run": "provider"},
        "compare_args": {**right, "compare_args": ["id"]},
        "compare_args a text": {**right, "compare_args": "id"},
        "allow_partial_match": {**right, "allow_partial_match": True},
        "tool_id": {**right, "tool_id": "t"},
        "role": {**right, "role": "assistant"},
        "role alone": {"name": "refund", "role": "assistant"},
        "content": {**right, "content": "x"},
        "attributes": {"name": "refund", "attributes": {"tool.name": "refund"}},
    }
    cases: dict[str, dict[str, Any]] = {}
    for what, it in calls.items():
        cases[f"expected {what}"] = {"expected": [right, it], "actual": [right, right]}
        cases[f"actual {what}"] = {"expected": [right], "actual": [right, it]}
        cases[f"both {what}"] = {"expected": [it], "actual": [it]}
    sides: dict[str, Any] = {"null": None, "empty": [], "text": "refund", "number": 7, "object": {}, "call": right, "calls": {"calls": [right]}, "order": {"order": ["refund"]}}
    for what, it in sides.items():
        cases[f"expected is {what}"] = {"expected": it, "actual": [right]}
        cases[f"actual is {what}"] = {"expected": [right], "actual": it}
        cases[f"both are {what}"] = {"expected": it, "actual": it}
    return cases


def whole() -> dict[str, dict[str, Any]]:
    """Cases with more or fewer than two sides."""
    sides = {"expected": [call(7)], "actual": [call(7)]}
    return {
        "id": {"id": "c", **sides},
        "id empty": {"id": "", **sides},
        "id a number": {"id": 7, **sides},
        "id null": {"id": None, **sides},
        "id a list": {"id": [], **sides},
        "trial": {"id": "c", "trial": 2, **sides},
        "trial null": {"id": "c", "trial": None, **sides},
        "tags": {"tags": ["a"], **sides},
        "tags a number": {"tags": 7, **sides},
        "meta": {"meta": {"model": "m"}, "model": "m", **sides},
        "description a number": {"description": 7, **sides},
        "no run": {"expected": [call(7)]},
        "nothing expected": {"actual": [call(7)]},
        "a slip": {"expectd": [call(7)], "actual": [call(7)]},
        "output as run": {"expected": [call(7)], "output": [call(8)]},
        "an answer": {"expected": [call(7)], "output": "done"},
        "messages": {"expected": [call(7)], "actual": [{"role": "assistant", "tool_calls": [nested(8)]}]},
        "spans": {"expected": [call(7)], "actual": [{"attributes": {"tool.name": "refund", "input.value": '{"id": 8}'}}]},
        "nothing": {},
    }


def value_of(text: str) -> Any:
    """The value of a document, or the list of values of JSON Lines; `None` if the text is not JSON."""
    for load in (json.loads, lambda text: [json.loads(line) for line in text.splitlines() if line.strip()]):
        try:
            return load(text)
        except ValueError:
            continue
    return None


def runs() -> dict[str, Any]:
    """The examples of the formats' pages, and files that were parsed wrongly in the past."""
    texts = {}
    for page in sorted((ROOT / "docs/formats").glob("*.md")):
        example = re.search(r"\n## Example\n\n```json\n# \S+\n(.*?)\n```", page.read_text(encoding="utf-8"), re.DOTALL)
        if example:
            texts[page.stem] = example[1]
    found = ROOT / "crates/rightcall-formats/tests/found"
    for file in sorted(found.rglob("*.json*")):
        texts[str(file.relative_to(found))] = file.read_text(encoding="utf-8")
    values = {name: value_of(text) for name, text in texts.items()}
    return {name: value for name, value in values.items() if isinstance(value, (dict, list))}


def of_runs() -> dict[str, dict[str, Any]]:
    cases: dict[str, dict[str, Any]] = {}
    for name, value in runs().items():
        cases[f"actual is {name}"] = {"expected": [call(7)], "actual": value}
        cases[f"expected is {name}"] = {"expected": value, "actual": [call(7)]}
    return cases


CASES = {**spelled(), **odd(), **whole(), **of_runs()}


def told(evaluations: Any) -> list[Any]:
    return [(it.evaluator, it.outcome, it.score, it.passed, it.reason) for it in evaluations]


def by_file(case: dict[str, Any], tmp_path: Path) -> Any:
    file = tmp_path / "case.jsonl"
    file.write_text(json.dumps(case) + "\n", encoding="utf-8")
    try:
        # The format of a record without either side cannot be recognized.
        scan = rightcall.scan(file, format=None if {"expected", "actual"} & set(case) else "cases")
        return told(rightcall.score(scan, evaluators=EVALUATORS))
    except rightcall.ReadError as error:
        return plain(error)


def plain(error: Any) -> tuple[str, str, str | None]:
    """An error without the file or the number of the case."""
    return error.pointer, error.message, error.help


def by_score(case: dict[str, Any]) -> Any:
    run = rightcall.score([case], evaluators=EVALUATORS)
    assert len(run) == len(EVALUATORS)
    return plain(run.problems[0]) if run.problems else told(run)


def by_evaluate(case: dict[str, Any]) -> Any:
    try:
        sides = {key: case.get(key) for key in ("expected", "actual")}
        return told(it.evaluate(**sides) for it in EVALUATORS)
    except rightcall.CaseError as error:
        return plain(error)


def by_name(case: dict[str, Any]) -> Any:
    try:
        return told(
            rightcall.evaluate(it.id, expected=case.get("expected"), actual=case.get("actual"), threshold=it.threshold)
            if it.threshold is not None
            else rightcall.evaluate(it.id, expected=case.get("expected"), actual=case.get("actual"))
            for it in EVALUATORS
        )
    except rightcall.CaseError as error:
        return plain(error)


@pytest.mark.parametrize("what", CASES)
def test_objects_come_to_the_same_as_the_file(what: str, tmp_path: Path) -> None:
    case = CASES[what]
    of_file = by_file(case, tmp_path)
    if what == "a slip":
        # For a file it is a warning.
        assert by_score(case) == ("", "expected a key of a case, found the key `expectd`", "did you mean `expected`?")
        return
    assert by_score(case) == of_file
    # Built-in and similar types (tuples, subclasses) must behave alike.
    assert by_score({key: tuple(side) if isinstance(side, list) and key in ("expected", "actual") else side for key, side in case.items()}) == of_file
    if set(case) <= {"expected", "actual"}:
        assert by_evaluate(case) == by_name(case) == of_file


def test_rows_of_tables_come_to_the_same_as_the_file(tmp_path: Path) -> None:
    pyarrow, pandas, polars = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "polars"))
    sides = {what: case for what, case in CASES.items() if set(case) == {"expected", "actual"}}
    rows = [
        {"id": what, **{key: json.dumps(side) if isinstance(side, (list, dict)) else None for key, side in case.items()}}
        for what, case in sides.items()
        # A null in a column counts as missing, and other texts and numbers are not JSON.
        if all(side is None or isinstance(side, (list, dict)) for side in case.values())
    ]
    expected = {row["id"]: by_file(sides[row["id"]], tmp_path) for row in rows}
    for table in (pyarrow.Table.from_pylist(rows), pandas.DataFrame(rows), polars.DataFrame(rows)):
        found = rightcall.score(table, evaluators=EVALUATORS)
        assert len(found) == len(rows) * len(EVALUATORS)
        for number, row in enumerate(rows):
            of_row = found[number * len(EVALUATORS) : (number + 1) * len(EVALUATORS)]
            assert {it.case for it in of_row} == {row["id"]}
            of_file = expected[row["id"]]
            if isinstance(of_file, tuple):
                pointer, words, _ = of_file
                assert {(it.outcome, it.reason) for it in of_row} == {("error", f"{pointer}: {words}" if pointer else words)}, row
            else:
                assert told(of_row) == of_file, row


def test_columns_of_structs_come_to_the_same_as_the_file(tmp_path: Path) -> None:
    pyarrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    for key in FOR_ARGUMENTS:
        for name in FOR_NAMES:
            case = {"id": "c", "expected": [call(7, key, name)], "actual": [call(8, key, name)]}
            of_file = by_file(case, tmp_path)
            for table in (pyarrow.Table.from_pylist([case]), polars.DataFrame([case])):
                assert told(rightcall.score(table, evaluators=EVALUATORS)) == of_file, (key, name)


@pytest.mark.parametrize("key", [*FOR_ARGUMENTS, *SLIPS, *NO_KEYS])
def test_wrong_arguments_are_wrong_under_any_key(key: str) -> None:
    """A regression test: the walk over dicts used to skip unknown keys, and a call without conditions matches everything."""
    spelled, plainly = [call(7, key)], [call(8)]
    if key in FOR_ARGUMENTS:
        assert rightcall.evaluate("trajectory", expected=spelled, actual=plainly).score == 0.0
        assert rightcall.evaluate("trajectory", expected=spelled, actual=[call(7)]).score == 1.0
        with pytest.raises(AssertionError):
            assert_tool_calls(plainly, spelled)
    else:
        with pytest.raises(rightcall.CaseError, match="expected"):
            rightcall.evaluate("trajectory", expected=spelled, actual=plainly)
        with pytest.raises((AssertionError, rightcall.CaseError)):
            assert_tool_calls(plainly, spelled)


@pytest.mark.parametrize("depth", [1, 2, 20, *range(500, 520)])
def test_nesting_ends_where_it_ends_in_files(depth: int, tmp_path: Path) -> None:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value} if depth % 2 else [value]
    calls = [{"name": "a", "args": {"x": value}}]
    file = tmp_path / "case.jsonl"
    file.write_text(json.dumps({"expected": calls, "actual": calls}))

    def is_read(score: Callable[[], Any]) -> bool:
        try:
            score()
        except (rightcall.CaseError, rightcall.ReadError, rightcall.UnsuitedType):
            return False
        return True

    of_file = is_read(lambda: rightcall.score(rightcall.scan(file, format="cases"), evaluators="trajectory"))
    assert of_file == (depth <= 508)
    assert is_read(lambda: rightcall.evaluate("trajectory", expected=calls, actual=calls)) == of_file
    [evaluation] = rightcall.score([{"expected": calls, "actual": calls}], evaluators="trajectory")
    assert (evaluation.outcome == "scored") == of_file


def test_random_spellings_come_to_the_same_as_the_file(cases: Cases, tmp_path: Path) -> None:
    keys = (*FOR_ARGUMENTS[:10], *["args"] * 20)
    made = []
    for number in range(300):
        expected, actual = cases.pair()
        for calls in (expected, actual):
            for it in calls:
                it[cases.choice(keys)] = it.pop("args")
                it.update(cases.choice([{}, {}, {"id": "c"}, {"output": {"ok": True}}, {"output": None}, {"error": "no"}, {"input": None}]))
        made.append({"id": f"case-{number}", "expected": expected, "actual": actual})
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps(case) + "\n" for case in made))
    in_memory = rightcall.score(made, evaluators=EVALUATORS, skip_invalid=True)
    of_file = rightcall.score(rightcall.scan(file), evaluators=EVALUATORS, skip_invalid=True)
    assert len(in_memory) == len(made) * len(EVALUATORS)
    unread = {problem.case for problem in in_memory.problems}  # type: ignore[attr-defined]
    rows = [row for at, row in enumerate(told(in_memory)) if f"cases[{at // len(EVALUATORS)}]" not in unread]
    assert rows == told(of_file) and len(rows) > 200 * len(EVALUATORS)
    assert [plain(it) for it in in_memory.problems] == [plain(it) for it in of_file.problems]
