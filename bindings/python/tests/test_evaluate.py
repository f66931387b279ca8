"""One case at a time: inputs, results, and reasons if a case cannot be judged."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import gc
import json
import math
import pickle
import re
import subprocess
import sys
import weakref
from collections import UserString, namedtuple
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import ANY, Mock

import pytest
from conftest import Cases

import rightcall
from rightcall.rewards import tool_calls

EXPECTED = [{"name": "find_order", "args": {"id": 7}}, {"name": "refund", "args": {"id": 7, "amount": 3.5}}]
ACTUAL = [{"name": "find_order", "args": {"id": 7}}, {"name": "refund", "args": {"id": 8, "amount": 3.5}}]


REMEDY = ": convert it to a dict, a list, a text or a number first"


def judge(expected: Any = EXPECTED, actual: Any = ACTUAL, evaluator: str = "axion/tool-correctness", **settings: Any) -> Any:
    return rightcall.evaluate(evaluator, expected=expected, actual=actual, **settings)


def test_an_evaluation_tells_score_verdict_details_and_alignment() -> None:
    evaluation = judge(check_parameters=True)
    assert (evaluation.score, evaluation.passed, evaluation.outcome, evaluation.reason) == (0.5, True, "scored", None)
    assert evaluation.details["explanation"].startswith("Correctly called: ['find_order']")
    assert evaluation.result["score"] == 0.5
    [pair] = [pair for pair in evaluation.alignment["pairs"] if pair["differences"]]
    assert pair["differences"] == [{"pointer": "/id", "expected": 7, "found": 8}]
    assert evaluation.sentence == "expected refund(id=7), called refund(id=8)"


def test_an_evaluation_is_readable() -> None:
    evaluation = judge(check_parameters=True)
    assert repr(evaluation) == 'Evaluation("axion/tool-correctness", score=0.5, passed=True)'
    assert "/id   expected 7   found 8" in str(evaluation)
    assert "\x1b[" in evaluation.explain(color=True) and "\x1b[" not in str(evaluation)
    html = evaluation._repr_html_()
    assert "<b>axion/tool-correctness</b>" in html and "passed" in html and "refund(id=7" in html


def test_html_is_escaped() -> None:
    evaluation = judge([{"name": "<script>"}], [{"name": "<b>"}])
    assert "<script>" not in evaluation._repr_html_()


def test_an_evaluation_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match="passed"):
        assert judge()


def test_without_a_run_there_is_no_score_but_a_reason() -> None:
    evaluation = judge(actual=None)
    assert (evaluation.score, evaluation.outcome) == (None, "not_applicable")
    assert "no run" in evaluation.reason


def test_arguments_that_were_not_recorded_are_not_wrong() -> None:
    evaluation = judge([{"name": "a", "args": {"x": 1}}], [{"name": "a"}], "trajectory", match={"args": "exact"})
    assert (evaluation.score, evaluation.outcome) == (None, "not_applicable")


def test_settings_editions_and_thresholds_are_keywords() -> None:
    assert judge([], [], "uipath/tool-call-order").outcome == "not_applicable"
    assert judge([], [], "uipath/tool-call-order", edition="package").score == 1.0
    assert judge(evaluator="uipath/tool-call-order", threshold=0.9).passed is True
    assert judge(evaluator="tool-call-order").evaluator == "uipath/tool-call-order"


def test_each_evaluation_has_the_edition_that_it_asks_for() -> None:
    def outcome(**settings: Any) -> str:
        return judge([], [], "uipath/tool-call-order", **settings).outcome

    for edition in ["package", "documented", None, "package", "pack" + "age", "documented"]:
        assert outcome(edition=edition) == ("scored" if edition == "package" else "not_applicable")
        assert outcome(edition=edition, strict=True) == outcome(edition=edition, strict=False) == outcome(edition=edition)
        assert outcome() == "not_applicable"
    with pytest.raises(rightcall.ConfigError, match="no `shipped` edition"):
        outcome(edition="shipped")
    made = rightcall.Evaluator("uipath/tool-call-order")
    with pytest.raises(TypeError, match="beside settings"):
        rightcall.evaluate(made, expected=[], actual=[], edition="package")


def test_the_edition_can_be_set_for_the_process() -> None:
    rightcall.set_edition("package")
    assert rightcall.edition() == "package"
    assert judge([], [], "uipath/tool-call-order").score == 1.0
    rightcall.set_edition(None)
    assert judge([], [], "uipath/tool-call-order").outcome == "not_applicable"
    with pytest.raises(ValueError, match='found "shipped"'):
        rightcall.set_edition("shipped")  # type: ignore[arg-type]


@dataclasses.dataclass
class Call:
    name: str
    args: dict[str, Any]


class Tool(enum.Enum):
    FIND = "find_order"
    REFUND = "refund"


CallTuple = namedtuple("CallTuple", ["name", "args"])


def models() -> list[Any]:
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("CallModel", name=(str, ...), args=(dict, ...))
    return [model(**call) for call in ACTUAL]


@pytest.mark.parametrize(
    "actual",
    [
        tuple(ACTUAL),
        [Call(**call) for call in ACTUAL],
        [CallTuple(**call) for call in ACTUAL],
        [MappingProxyType(call) for call in ACTUAL],
        [{"name": call["name"], "args": MappingProxyType(call["args"])} for call in ACTUAL],
        [{"name": Tool(call["name"]), "args": call["args"]} for call in ACTUAL],
        [{"name": call["name"], "arguments": json.dumps(call["args"])} for call in ACTUAL],
        [{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": call["name"], "arguments": json.dumps(call["args"])}}]} for call in ACTUAL],
        [{"attributes": {"tool.name": call["name"], "input.value": json.dumps(call["args"])}} for call in ACTUAL],
    ],
    ids=["tuple", "dataclass", "namedtuple", "mapping", "inner mapping", "enum", "text", "messages", "spans"],
)
def test_calls_come_in_many_forms(actual: Any) -> None:
    assert judge(actual=actual, check_parameters=True).score == 0.5


def test_calls_may_be_pydantic_models() -> None:
    assert judge(actual=models(), check_parameters=True).score == 0.5


def test_calls_may_be_messages_of_langchain() -> None:
    messages = pytest.importorskip("langchain_core.messages")
    calls = [{**call, "id": str(at)} for at, call in enumerate(ACTUAL)]
    assert judge(actual=[messages.HumanMessage("go"), messages.AIMessage("", tool_calls=calls)], check_parameters=True).score == 0.5


def spans_of(attributes: list[dict[str, Any]]) -> list[Any]:
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    exporter = export.InMemorySpanExporter()
    provider = trace.TracerProvider()
    provider.add_span_processor(pytest.importorskip("opentelemetry.sdk.trace.export").SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("tests")
    with tracer.start_as_current_span("invoke_agent"):
        for given in attributes:
            with tracer.start_as_current_span("execute_tool", attributes=given):
                pass
    return list(exporter.get_finished_spans())


def test_calls_may_be_spans_in_any_dialect() -> None:
    semantic = [
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call["name"],
            "gen_ai.tool.call.arguments": json.dumps(call["args"]),
        }
        for call in ACTUAL
    ]
    uipath = [{"tool.name": call["name"], "input.value": json.dumps(call["args"])} for call in ACTUAL]
    openinference = [
        {"openinference.span.kind": "TOOL", "tool.name": call["name"], "input.value": json.dumps(call["args"])} for call in ACTUAL
    ]
    for attributes in (semantic, uipath, openinference):
        assert judge(actual=spans_of(attributes), check_parameters=True).score == 0.5


def test_values_of_arguments_are_taken_by_what_they_are() -> None:
    numpy = pytest.importorskip("numpy")
    args = {
        "date": datetime.date(2026, 1, 2),
        "count": numpy.int64(3),
        "ratio": numpy.float64(0.5),
        "row": numpy.array([1, 2]),
        "pair": (1, "a"),
        "big": 10**30,
        "color": Tool.FIND,
    }
    plain = {"date": "2026-01-02", "count": 3, "ratio": 0.5, "row": [1, 2], "pair": [1, "a"], "big": 10**30, "color": "find_order"}
    evaluation = judge([{"name": "a", "args": plain}], [{"name": "a", "args": args}], "trajectory", match={"args": "exact"})
    assert evaluation.score == 1.0, str(evaluation)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.0, 2**63, -(2**64), "\ud800", "\udc00x", "é\u0000\U0001f642", True, None])
def test_odd_values_stay_what_they_are(value: Any) -> None:
    call = {"name": "a", "args": {"x": value}}
    equal = judge([call], [call], check_parameters=True).score == 1.0
    assert equal == (value == value)
    changed = {"name": "a", "args": {"x": "other"}}
    [pair] = judge([call], [changed], "trajectory", match={"args": "exact"}).alignment["pairs"]
    found = pair["differences"][0]["expected"]
    # An alignment is strict JSON, so a non-finite number in it is a text.
    wanted = value if not isinstance(value, float) or math.isfinite(value) else json.dumps(value)
    assert found == wanted and type(found) is type(wanted)


@pytest.mark.parametrize(
    "args, message",
    [
        ({"x": [1, {2}]}, "/args/x/1: expected a value that JSON can hold, found a set: make a list of it first, `sorted(it)`"),
        ({3: 1, "3": 1}, "/args: expected texts or integers as keys, found an int beside the text of its digits"),
        ({True: 1}, "/args: expected texts or integers as keys, found a bool"),
        ({(1, 2): 1}, "/args: expected texts or integers as keys, found a tuple"),
        ({"x": Decimal("0.10000000000000000001")}, "/args/x: expected a decimal with digits that a number of JSON keeps, found 0.10000000000000000001"),
        ({"x": Decimal("1E+999")}, "/args/x: expected a decimal of at most 400 digits, found more"),
        ({"x": datetime.timedelta(1)}, "/args/x: expected a value that JSON can hold, found an object of class timedelta" + REMEDY),
        ({"x": dict}, "/args/x: expected a value that JSON can hold, found a class" + REMEDY),
    ],
)
def test_what_json_cannot_hold_is_a_type_error_with_its_place(args: Any, message: str) -> None:
    actual = [{"name": "b", "args": {}}, {"name": "a", "args": args}]
    message = "/actual/1" + message
    with pytest.raises(TypeError, match="expected") as caught:
        judge([{"name": "a", "args": {"x": 1, "y": 2}}, {"name": "a", "args": {"x": 1}}], actual, "uipath/tool-call-args")
    assert isinstance(caught.value, rightcall.UnsuitedType)
    assert str(caught.value) == message
    # The same if there is no value to compare with.
    with pytest.raises(rightcall.UnsuitedType) as caught:
        judge([{"name": "find_order", "args": {}}], actual, check_parameters=True)
    assert str(caught.value) == message


class OddCases(Cases):
    """Values that are nearly equal, or unusual."""

    VALUES = (float("nan"), -0.0, 0, 2**53, 2**53 + 1, float(2**53), 10**30, "\ud800", "\u00e9", (1, 2), [1, 2], {"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": {"b": [True]}}, {"a": {"b": [1]}})


@pytest.mark.parametrize("values", [Cases, OddCases])
@pytest.mark.parametrize(
    "evaluator",
    [
        "uipath/tool-call-order",
        "uipath/tool-call-count",
        "uipath/tool-call-args",
        "axion/tool-correctness",
        "axion/tool-correctness,check_parameters=true",
        "axion/tool-correctness,check_parameters=true,strict_order=true",
        "tpmjs/tool-call-accuracy-score",
        "evalite/tool-call-accuracy,mode=flexible",
        'deepeval/tool-correctness,evaluation_params=["input_parameters"]',
        "trajectory",
    ],
)
def test_two_sides_are_judged_as_a_case_of_them_is(evaluator: str, values: type[Cases]) -> None:
    cases = values(21)
    for _ in range(100):
        expected, actual = cases.pair()
        one = rightcall.evaluate(evaluator, expected=expected, actual=actual)
        [other] = rightcall.score([{"expected": expected, "actual": actual}], evaluators=evaluator)
        assert (one.score, one.outcome, one.reason) == (other.score, other.outcome, other.reason)
        assert (one.details, one.alignment, one.sentence) == (other.details, other.alignment, other.sentence)
        # The lists may change during the evaluation, like those of a running agent.
        for call in actual:
            call["args"]["later"] = 1
        actual.append({"name": "later", "args": {}})
        assert "later" not in one.explain()


@pytest.mark.parametrize("keys", [("arguments", "arguments"), ("args", "arguments"), ("arguments", "args")])
def test_arguments_may_stand_under_another_key(keys: tuple[str, str]) -> None:
    def under(key: str, calls: list[Any]) -> list[Any]:
        return [{"name": call["name"], key: call["args"]} for call in calls]

    one = judge(under(keys[0], EXPECTED), under(keys[1], ACTUAL), check_parameters=True)
    other = judge(check_parameters=True)
    assert (one.score, one.details, one.alignment) == (other.score, other.details, other.alignment)
    with pytest.raises(TypeError, match=f"/actual/1/{keys[1]}/amount: expected a value that JSON can hold, found a set"):
        judge(under(keys[0], EXPECTED), under(keys[1], [ACTUAL[0], {"name": "refund", "args": {"id": 7, "amount": {3.5}}}]), check_parameters=True)


def test_arguments_may_change_after_the_judgement() -> None:
    expected, actual = [{"name": "a", "args": {"x": 1}}], [{"name": "a", "args": {"x": 1}}]
    evaluation = judge(expected, actual, check_parameters=True)
    actual[0]["args"]["x"] = 2
    assert evaluation.score == 1.0 and evaluation.alignment["pairs"][0]["differences"] == []
    assert judge(expected, actual, check_parameters=True).score == 0.0


def test_what_holds_itself_ends_in_an_error() -> None:
    args: dict[str, Any] = {}
    args["args"] = args
    with pytest.raises(rightcall.UnsuitedType, match="holds itself"):
        judge([{"name": "a", "args": args}], [{"name": "a", "args": args}], check_parameters=True)


@pytest.mark.parametrize(
    "actual, pointer",
    [(7, "/actual"), ([7], "/actual/0"), ([{"name": 7}], "/actual/0/name"), ([{"args": {}}], "/actual/0/name"), ([{"name": "a", "args": 7}], "/actual/0/args")],
)
def test_what_is_no_call_is_a_value_error_with_its_place(actual: Any, pointer: str) -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        judge(actual=actual)
    assert isinstance(caught.value, rightcall.CaseError)
    assert caught.value.pointer == pointer


def test_errors_of_python_come_through() -> None:
    class Broken:
        def model_dump(self) -> Any:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        judge(actual=[Broken()])


def test_unknown_evaluators_and_settings_are_named_with_their_nearest() -> None:
    with pytest.raises(rightcall.ConfigError, match="did you mean `axion/tool-correctness`"):
        judge(evaluator="axion/tool-correctnes")
    with pytest.raises(rightcall.ConfigError, match="did you mean `check_parameters`"):
        judge(check_parameter=True)
    with pytest.raises(TypeError, match="evaluator: expected the id"):
        rightcall.evaluate(7, expected=[], actual=[])  # type: ignore[arg-type]


def test_evaluators_can_be_made_once_compared_and_pickled() -> None:
    made = rightcall.Evaluator("axion/tool-correctness", check_parameters=True, name="strict", threshold=0.75)
    assert (made.id, made.name, made.edition, made.threshold) == ("axion/tool-correctness", "strict", "documented", 0.75)
    again = pickle.loads(pickle.dumps(made))
    assert again == made and hash(again) == hash(made)
    assert again.spec == made.spec == rightcall.Evaluator(made.spec).spec
    evaluation = again.evaluate(expected=EXPECTED, actual=ACTUAL)
    assert (evaluation.name, evaluation.score, evaluation.passed) == ("strict", 0.5, False)
    assert rightcall.evaluate(again, expected=EXPECTED, actual=ACTUAL).score == 0.5
    case = made.evaluate_case({"id": "refund-7", "trial": 2, "expected": EXPECTED, "actual": ACTUAL})
    assert (case.case, case.trial) == ("refund-7", 2)


def test_an_evaluator_keeps_its_edition_when_it_is_sent() -> None:
    rightcall.set_edition("package")
    made = rightcall.Evaluator("uipath/tool-call-order")
    rightcall.set_edition(None)
    assert pickle.loads(pickle.dumps(made)).edition == "package"


def test_all_evaluators_are_listed() -> None:
    listed = rightcall.evaluators()
    assert {"uipath/tool-call-order", "trajectory", "adk/trajectory"} <= {entry["id"] for entry in listed}
    for entry in listed:
        assert entry["summary"] and entry["editions"]
        assert rightcall.Evaluator(entry["id"], **({"threshold": 0.5} if entry["id"] == "adk/trajectory" else {})).id == entry["id"]


def test_objects_are_judged_as_files_are(cases: Cases, tmp_path: Any) -> None:
    """The walk over plain dicts and the reader of case files have the same results."""
    evaluators = ["axion/tool-correctness,check_parameters=true", "trajectory", "uipath/tool-call-order,edition=package", "deepeval/tool-correctness"]
    extras: list[dict[str, Any]] = [{}, {"id": "c1"}, {"turn": 1, "output": {"ok": True}}, {"tool_id": "t"}, {"start": 5, "end": 6.5, "error": "no"}]
    made = []
    for number in range(300):
        expected, actual = cases.pair()
        for call in (*expected, *actual):
            call.update(cases.choice(extras))
        made.append({"id": f"case-{number}", "expected": expected, "actual": actual})
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps(case) + "\n" for case in made))
    in_memory = rightcall.score(made, evaluators=evaluators)
    of_file = rightcall.score(rightcall.scan(file), evaluators=evaluators, details=True, alignment=True)
    assert len(in_memory) == len(of_file) == 1200
    for ours, theirs in zip(in_memory, of_file, strict=True):
        assert (ours.case, ours.evaluator, ours.score, ours.passed, ours.reason) == (
            theirs.case,
            theirs.evaluator,
            theirs.score,
            theirs.passed,
            theirs.reason,
        )
        assert ours.details == theirs.details and ours.alignment == theirs.alignment
    ours, theirs = in_memory.summary, of_file.summary
    assert ours == theirs


def test_an_evaluation_keeps_none_of_the_objects() -> None:
    class Arguments(dict[str, Any]):
        pass

    arguments = Arguments(id=7)
    plain, odd = ([{"name": "find_order", "args": args}] for args in ({"id": 7}, arguments))
    evaluation = rightcall.evaluate("trajectory", expected=plain, actual=odd)
    gone = weakref.ref(arguments)
    del arguments, plain, odd
    gc.collect()
    assert gone() is None and "find_order(id=7)" in str(evaluation)


def test_matchers_blocks_and_variables_are_read_in_dicts() -> None:
    order = [{"name": "find", "args": {"id": 7}}, {"name": "pay", "args": {"amount": 30, "tags": ["a"]}}]

    def score(expected: object) -> float | None:
        return rightcall.evaluate("trajectory", expected=expected, actual=order).score

    pay = {"name": "pay", "args": {"amount": {"$lte": 50}, "tags": [{"$pattern": "^a$"}]}}
    assert score([order[0], pay]) == 1.0
    assert score([{"name": "find", "args": {"id": {"$gt": 7}}}, pay]) == 0.5
    assert score([{"any_order": [pay, "find"]}]) == 1.0
    assert score([{"name": "find", "args": {"id": {"$literal": {"$gt": 6}}}}, pay]) == 0.5
    with pytest.raises(rightcall.CaseError, match="did you mean"):
        score([{"name": "find", "args": {"id": {"$gtt": 7}}}])
    # Further keys next to name and arguments, and tuples instead of lists, mean the same.
    more = ({"name": "find", "args": {"id": {"$type": "integer"}}, "id": "c1"}, pay)
    assert score(more) == 1.0
    case = {"expected": [{"name": "find", "args": {"id": {"$any": True}}}, pay], "actual": order}
    assert [it.score for it in rightcall.score([case], evaluators="trajectory")] == [1.0]
    # Actual calls are data, even if they look like matchers.
    acted = [{"name": "query", "args": {"price": {"$gt": 50}}}]
    assert rightcall.evaluate("trajectory", expected=["query"], actual=acted).score == 1.0


def test_what_is_still_to_run_says_how() -> None:
    async def agent() -> list[Any]:
        return []

    async def stream() -> AsyncIterator[Any]:
        yield {}

    running = agent()
    made = [(running, "await it first"), (stream(), "await its items first"), (iter([]), r"list\(it\)"), (agent, "call it first")]
    for actual, help in made:
        with pytest.raises(rightcall.UnsuitedType, match=help):
            rightcall.evaluate("trajectory", expected=["find"], actual=actual)
    running.close()


def test_the_package_shows_its_names_alone() -> None:
    assert dir(rightcall) == sorted(rightcall.__all__)


def test_blocks_are_explained_with_the_names_of_tools(tmp_path: Any) -> None:
    expected = [{"any_order": [{"name": "refund"}, {"name": "find_order", "args": {"id": {"$lte": 5}}}]}]
    actual = [{"name": "find_order", "args": {"id": 8}}, {"name": "refund", "args": {"id": 8}}]
    case = {"id": "a", "expected": expected, "actual": actual}
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(case) + "\n")
    for evaluator in ("trajectory", "fitness"):
        alone = rightcall.evaluate(evaluator, expected=expected, actual=actual)
        [in_memory] = rightcall.score([case], evaluators=evaluator)
        command = subprocess.run(
            [sys.executable, "-m", "rightcall", "explain", str(file), "-e", evaluator, "--color", "never"], capture_output=True, text=True, encoding="utf-8"
        ).stdout
        for text in (str(alone), str(in_memory), command):
            assert "find_order" in text.split("actual")[1].split("≠")[0], text
            assert "criterion" not in text
        # The command is as wide as its terminal.
        assert str(in_memory).split("\n", 1)[1].split() == command.split("\n", 1)[1].split()
        assert "find_order(" in alone.sentence and "call(" not in alone.sentence


def test_numbers_that_json_lacks_are_shown() -> None:
    nan, infinity = math.nan, math.inf
    evaluation = rightcall.evaluate(
        "trajectory", expected=[{"name": "f", "args": {"x": None, "y": infinity}}], actual=[{"name": "f", "args": {"x": nan, "y": -infinity}}]
    )
    text = str(evaluation)
    assert "expected null   found NaN" in text and "expected Infinity   found -Infinity" in text
    assert [(it["expected"], it["found"]) for it in evaluation.alignment["pairs"][0]["differences"]] == [(None, "NaN"), ("Infinity", "-Infinity")]
    assert "x=NaN" in evaluation.sentence
    json.dumps(evaluation.to_dict(), allow_nan=False)


def test_a_missing_expectation_is_none() -> None:
    missing: list[Any] = [None, {}, math.nan]
    try:
        import pandas
    except ImportError:
        pass
    else:
        missing += [pandas.NA, pandas.NaT]
    for expected in missing:
        wanted = "no expectation: the case has no expected calls"
        assert rightcall.evaluate("trajectory", expected=expected, actual=["f"]).reason == wanted
        run = rightcall.score([{"expected": expected, "actual": ["f"]}], evaluators="trajectory")
        assert (run[0].reason, run.ok) == (wanted, False)
    assert rightcall.evaluate("trajectory", expected=[], actual=[]).score == 1.0
    assert "no run" in rightcall.evaluate("trajectory", expected=["f"], actual=math.nan).reason


def test_a_misspelled_side_is_an_error() -> None:
    case = {"expectd": ["f"], "actual": ["f"]}
    run = rightcall.score([case, {"expected": ["f"], "actual": ["f"]}], evaluators="trajectory")
    assert [it.outcome for it in run] == ["error", "scored"] and not run.ok and run.exit_code == 2
    assert repr(run) == "Run(2 cases, 1 problem; trajectory: mean 1.000, 1 error)"
    with pytest.raises(rightcall.CaseError, match="expected a key of a case, found the key `expectd`") as caught:
        rightcall.Evaluator("trajectory").evaluate_case(case)
    assert caught.value.help == "did you mean `expected`?"
    # A case that is judged alone has no warnings, so every misspelled key is an error.
    with pytest.raises(rightcall.CaseError, match="found the key `tgs`"):
        rightcall.Evaluator("trajectory").evaluate_case({"expected": ["f"], "actual": ["f"], "tgs": ["a"]})
    assert rightcall.score([{"expected": ["f"], "actual": ["f"], "tgs": ["a"]}], evaluators="trajectory").warnings


def test_the_threshold_in_effect_is_shown() -> None:
    evaluation = rightcall.evaluate("axion/tool-correctness", threshold=0, expected=["x"], actual=["y"])
    assert evaluation.passed is False and "threshold 0.5" in str(evaluation)
    assert rightcall.Evaluator("axion/tool-correctness", threshold=0).threshold == 0.5


def test_wide_numbers_are_floats_or_errors() -> None:
    numpy = pytest.importorskip("numpy")
    for wide in (numpy.longdouble(0.1), numpy.longdouble(3), numpy.array([1, 2.5], dtype=numpy.longdouble)):
        same = wide.tolist() if wide.ndim else float(wide)
        same = [float(it) for it in same] if isinstance(same, list) else same
        assert rightcall.evaluate("trajectory", expected=[{"name": "f", "args": {"x": same}}], actual=[{"name": "f", "args": {"x": wide}}]).score == 1.0
    wide = numpy.longdouble(1) / numpy.longdouble(3)
    if wide != float(wide):
        with pytest.raises(rightcall.UnsuitedType, match="with more digits: convert it with `float`"):
            rightcall.evaluate("trajectory", expected=[], actual=[{"name": "f", "args": {"x": wide}}])
    for value, remedy in (({1}, "sorted"), (1j, "convert it to a dict, a list, a text or a number")):
        with pytest.raises(rightcall.UnsuitedType, match=remedy):
            rightcall.evaluate("trajectory", expected=[], actual=[{"name": "f", "args": {"x": value}}])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: rightcall.score([], evaluators=None), "evaluators: expected names, dicts or Evaluators, found None"),  # type: ignore[arg-type]
        (lambda: rightcall.score([], evaluators=7), "evaluators: expected names, dicts or Evaluators, found an int"),  # type: ignore[arg-type]
        (lambda: rightcall.scan(b'{"id": 1}'), "paths: expected a path or a list of paths, found bytes"),  # type: ignore[arg-type]
        (lambda: rightcall.scan(None), "paths: expected a path or a list of paths, found None"),  # type: ignore[arg-type]
        (lambda: rightcall.scan([7]), "paths: expected paths, found an int"),  # type: ignore[list-item]
        (lambda: rightcall.learn(None), "runs: expected a list of runs, found None"),  # type: ignore[arg-type]
        (lambda: rightcall.learn("abc"), "runs: expected a list of runs, found a str"),
        (lambda: rightcall.evaluate("trajectory", expected=["f"], actual=Mock()), "/actual: expected calls, found an object of class Mock"),
        (lambda: rightcall.calls(Mock(spec=["new_items"])), "expected calls, found an object of class Mock"),
        (lambda: rightcall.evaluate("trajectory", actual=[{"name": "f", "args": {"a": 10**5000}}]), "/actual/0/args/a: expected an integer of at most 4300 digits"),
        (lambda: tool_calls(tools=7), "tools: expected a list of tool definitions, found an int"),  # type: ignore[arg-type]
        (lambda: tool_calls(weights=7), "weights: expected a dict from the name of a part to its weight, found an int"),  # type: ignore[arg-type]
        (lambda: tool_calls()(completions="abc", answer_calls=[[]] * 3), "completions: expected a list of texts or of messages, found a str"),
        (lambda: tool_calls()(completions=["a"], answer_calls=7), "answer_calls: expected a list with the calls of each completion, found an int"),
    ],
)
def test_an_argument_of_a_wrong_type_is_named(ask: Any, message: str) -> None:
    with pytest.raises(rightcall.RightcallError) as raised:
        ask()
    assert message in str(raised.value) and isinstance(raised.value, TypeError)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('"text"', 'expected a case, which is an object, found the text "text"'),
        ("null", "expected a case, which is an object, found null"),
        ("[1]", "expected a case, which is an object, found a list"),
        ("{bad", "expected a string as key"),
        ('{"expected": [{"name": "f", "args": {"a": %s}}], "actual": []}' % ("9" * 5000), "an integer of at most 4300 digits"),
    ],
)
def test_iterating_over_a_file_names_an_invalid_line(line: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id": "a", "expected": ["f"], "actual": []}\n' + line + "\n")
    cases = iter(rightcall.scan(file))
    assert next(cases)["id"] == "a"
    with pytest.raises(rightcall.ReadError) as raised:
        next(cases)
    assert raised.value.line == 2 and message in str(raised.value)


class OwnText(UserString):
    pass


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (ANY, 'found an object of class _ANY: write {"$any": true}, `rightcall.expect.anything()`'),
        (re.compile("x"), 'found an object of class Pattern: write {"$pattern": "…"}'),
        (Decimal("1e500"), "expected a decimal of at most 400 digits, found more"),
        (UserString("x"), "found an object of class UserString"),
        (OwnText("x"), "found an object of class OwnText"),
        ({"$regex": "x"}, "did you mean `$pattern`?"),
        ({"$zzz": "x"}, "the matchers are $any"),
    ],
)
def test_a_value_in_an_expectation_that_is_none_is_named(value: Any, message: str) -> None:
    with pytest.raises((rightcall.UnsuitedType, rightcall.CaseError)) as raised:
        rightcall.evaluate("trajectory", expected=[{"name": "f", "args": {"a": value}}], actual=[])
    assert raised.value.pointer.startswith("/expected/0/args/a") and message in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "help"),
    [({"expectd": ["a"]}, "did you mean `expected`?"), ({"reference": ["a"]}, "the sides are `expected` and `actual`; its settings are ")],
)
def test_a_keyword_that_is_no_setting_is_named(settings: dict[str, Any], help: str) -> None:
    with pytest.raises(rightcall.ConfigError) as raised:
        rightcall.evaluate("trajectory", actual=[], **settings)
    assert (raised.value.help or "").startswith(help)


def test_advice_names_arguments_of_python() -> None:
    with pytest.raises(rightcall.CaseError) as raised:
        rightcall.evaluate("trajectory", actual=[{"role": "assistant", "tool_calls": [{"function": {"nam": "f"}}]}])
    assert "use `format=`" in (raised.value.help or "") and "--input-format" not in (raised.value.help or "")


def test_a_drop_in_names_its_package() -> None:
    modules = {"ragas": "ragas", "deepeval": "deepeval", "adk": "google-adk"}
    for module, package in modules.items():
        program = f"import sys; sys.modules[{package.replace('google-adk', 'google')!r}] = None; import rightcall.compat.{module}"
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert f"rightcall.compat.{module} needs the package {package}: pip install {package}" in ended.stderr, ended.stderr
