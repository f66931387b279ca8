"""Compares the drop-in modules with the real packages on golden and random cases."""

from __future__ import annotations

import asyncio
import importlib.util
from typing import Any

import pytest
from conftest import ROOT, Cases, golden_lines, outcome_of

import rightcall

uipath_package = pytest.importorskip("uipath.eval.evaluators", reason="the package uipath is not installed")
deepeval_package = pytest.importorskip("deepeval", reason="the package deepeval is not installed")
agentevals_package = pytest.importorskip("agentevals", reason="the package agentevals is not installed")

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan

from rightcall.compat import agentevals, axion, deepeval, uipath
from rightcall.compat.package import uipath as package_of_uipath

RUNS = 400


@pytest.fixture(autouse=True)
def _as_the_packages_do() -> None:
    rightcall.set_edition("package")


CLASSES = {
    "tool-call-count": "ToolCallCountEvaluator",
    "tool-call-order": "ToolCallOrderEvaluator",
    "tool-call-args": "ToolCallArgsEvaluator",
    "tool-call-output": "ToolCallOutputEvaluator",
}


@pytest.mark.parametrize("kind", [*CLASSES, "exact-match"])
def test_uipaths_factory_makes_our_evaluators_of_tool_calls(kind: str) -> None:
    data = {"version": "1.0", "id": "mine", "name": "Mine", "evaluatorTypeId": f"uipath-{kind}", "evaluatorConfig": {}}
    made = package_of_uipath.EvaluatorFactory.create_evaluator(data)
    ours = getattr(package_of_uipath, CLASSES.get(kind, ""), None)
    assert made.id == "mine" and made.name == "Mine" and type(made) is (ours or uipath_package.ExactMatchEvaluator)


def uipath_all(kind: str, config: Any, criteria: Any, spans: list[dict[str, Any]]) -> tuple[Any, Any, Any]:
    """The results of the package, of its drop-in, and of the drop-in for the documents."""
    from uipath.eval.models import WorkloadExecution

    resource = Resource.get_empty()
    trace = [
        ReadableSpan(name="span", start_time=0, end_time=1, attributes=span.get("attributes"), resource=resource)
        for span in spans
    ]
    execution = WorkloadExecution(agent_input={}, workload_output={}, workload_trace=trace)

    def judge(module: Any) -> Any:
        def run() -> Any:
            config_of_its_own = {"name": kind, **config} if isinstance(config, dict) else config
            evaluator = getattr(module, CLASSES[kind]).model_validate({"id": "1", "evaluatorConfig": config_of_its_own})
            result = asyncio.run(evaluator.validate_and_evaluate_criteria(workload_execution=execution, evaluation_criteria=criteria))
            details = result.details
            if not isinstance(details, str):
                details = details.model_dump()
            else:
                details = details.split("\n")[0]
            return result.score, int(result.score_type), details

        return outcome_of(run)

    return judge(uipath_package), judge(package_of_uipath), judge(uipath)


@pytest.mark.parametrize("kind", CLASSES)
def test_uipath_on_golden_cases(kind: str) -> None:
    lines = golden_lines(f"uipath-{kind}.jsonl")
    checked = 0
    for line in lines:
        if not all(isinstance(span.get("attributes") or {}, dict) for span in line["actual"]):
            continue
        package, ours, documented = uipath_all(kind, line["config"], line["expected"], line["actual"])
        assert ours == package, line["id"]
        # In the documents' modules outputs may be objects, as on UiPath's pages.
        assert documented == package or line["id"] == "tool-call-output-edge-output-dict-expected", line["id"]
        checked += 1
    assert checked > 50


@pytest.mark.parametrize("kind", CLASSES)
def test_uipath_on_random_cases(kind: str, cases: Cases) -> None:
    for _ in range(RUNS):
        expected, actual = cases.pair()
        names = [call["name"] for call in expected]
        criteria: Any = {
            "tool-call-count": {"tool_calls_count": {name: (cases.choice(["=", ">=", "<", "!="]), names.count(name)) for name in names}},
            "tool-call-order": {"tool_calls_order": names},
            "tool-call-args": {"tool_calls": expected},
            "tool-call-output": {"tool_outputs": [{"name": name, "output": cases.choice(["ok", "no"])} for name in names]},
        }[kind]
        spans = []
        for call in actual:
            attributes = {"tool.name": call["name"], "input.value": str(call["args"]), "output.value": cases.choice(["ok", '{"content": "ok"}'])}
            if cases.choice([True, False, False]):
                attributes["tool.id"] = cases.choice(["refund", "find_order"])
            spans.append({"attributes": attributes})
        package, ours, documented = uipath_all(kind, {"strict": cases.choice([True, False])}, criteria, spans)
        assert ours == documented == package, (criteria, spans)


class NoModel(deepeval_package.models.DeepEvalBaseLLM if hasattr(deepeval_package, "models") else object):  # type: ignore[misc]
    """A model that must never be called."""

    def __init__(self) -> None:
        pass

    def load_model(self) -> Any:
        return self

    def generate(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("a deterministic metric asked its model")

    a_generate = generate

    def get_model_name(self) -> str:
        return "none"


def deepeval_both(settings: dict[str, Any], expected: list[Any], actual: list[Any]) -> tuple[Any, Any]:
    from deepeval.metrics import ToolCorrectnessMetric
    from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams

    settings = dict(settings)
    settings["evaluation_params"] = [ToolCallParams(param) for param in settings.get("evaluation_params") or []]

    def judge(make: Any, **more: Any) -> Any:
        def run() -> Any:
            metric = make(async_mode=False, **settings, **more)
            tools = [[ToolCall(**call) for call in calls] for calls in (actual, expected)]
            case = LLMTestCase(input="-", actual_output="-", tools_called=tools[0], expected_tools=tools[1])
            score = metric.measure(case, _show_indicator=False)
            assert score == metric.score
            return score, metric.is_successful(), metric.threshold, metric.reason, metric.verbose_logs

        return outcome_of(run)

    return judge(ToolCorrectnessMetric, model=NoModel()), judge(deepeval.ToolCorrectnessMetric)


def test_deepeval_on_golden_cases() -> None:
    checked = 0
    for line in golden_lines("deepeval-tool-correctness.jsonl"):
        if line["expected"] is None or line["actual"] is None:
            continue
        package, ours = deepeval_both(line["config"], line["expected"], line["actual"])
        assert ours == package, line["id"]
        checked += 1
    assert checked > 50


def test_deepeval_on_random_cases(cases: Cases) -> None:
    for _ in range(RUNS):
        expected, actual = cases.pair()
        calls = [[{"name": call["name"], "input_parameters": call["args"]} for call in side] for side in (expected, actual)]
        settings = {
            "evaluation_params": cases.choice([[], ["input_parameters"], ["input_parameters", "output"]]),
            "should_consider_ordering": cases.choice([True, False]),
            "should_exact_match": cases.choice([True, False, False]),
            "strict_mode": cases.choice([True, False]),
            "threshold": cases.choice([0.5, 0.8]),
        }
        package, ours = deepeval_both(settings, *calls)
        assert ours == package, (settings, calls)


def test_deepeval_runs_the_metric_in_its_own_harness() -> None:
    from deepeval import assert_test
    from deepeval.test_case import LLMTestCase, ToolCall

    case = LLMTestCase(
        input="-", actual_output="-", tools_called=[ToolCall(name="a")], expected_tools=[ToolCall(name="a"), ToolCall(name="b")]
    )
    assert_test(case, [deepeval.ToolCorrectnessMetric(threshold=0.5)], run_async=False)
    with pytest.raises(AssertionError, match="missing tools"):
        assert_test(case, [deepeval.ToolCorrectnessMetric(threshold=0.8)], run_async=False)


def test_deepeval_evaluates_a_list_of_cases() -> None:
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig
    from deepeval.test_case import LLMTestCase, ToolCall

    case = LLMTestCase(input="-", actual_output="-", tools_called=[ToolCall(name="a")], expected_tools=[ToolCall(name="a")])
    result = evaluate(
        [case],
        [deepeval.ToolCorrectnessMetric()],
        async_config=AsyncConfig(run_async=False),
        cache_config=CacheConfig(write_cache=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
    )
    [metric] = result.test_results[0].metrics_data
    assert (metric.name, metric.score, metric.success) == ("Tool Correctness", 1.0, True)


def agentevals_both(config: dict[str, Any], expected: Any, actual: Any) -> tuple[Any, Any]:
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    def judge(make: Any) -> Any:
        return outcome_of(lambda: dict(make(**config)(outputs=actual, reference_outputs=expected)))

    return judge(create_trajectory_match_evaluator), judge(agentevals.create_trajectory_match_evaluator)


@pytest.mark.parametrize("name", ["agentevals-trajectory-match.jsonl", "agentevals-messages.jsonl"])
def test_agentevals_on_golden_cases(name: str) -> None:
    for line in golden_lines(name):
        package, ours = agentevals_both(line["config"], line["expected"], line["actual"])
        assert ours == package, line["id"]


def messages(calls: list[dict[str, Any]], cases: Cases) -> list[dict[str, Any]]:
    """One assistant message for every few calls, in one of the two formats of calls."""
    import json

    made: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for place, call in enumerate(calls):
        asked = {"id": f"c{place}", "type": "function", "function": {"name": call["name"], "arguments": json.dumps(call["args"])}}
        if cases.choice([True, False]) and made[-1]["role"] == "assistant":
            made[-1]["tool_calls"].append(asked)
        else:
            made.append({"role": "assistant", "content": "", "tool_calls": [asked]})
    return made


def same_length(left: dict[str, Any], right: dict[str, Any]) -> bool:
    return len(left) == len(right)


def test_agentevals_on_random_cases(cases: Cases) -> None:
    overrides: list[Any] = [None, {"refund": "ignore"}, {"refund": ["id", "deep.x"]}, {"refund": same_length, "find_order": "subset"}]
    for _ in range(RUNS):
        expected, actual = cases.pair()
        config = {
            "trajectory_match_mode": cases.choice(["strict", "unordered", "subset", "superset"]),
            "tool_args_match_mode": cases.choice(["exact", "ignore", "subset", "superset"]),
            "tool_args_match_overrides": cases.choice(overrides),
        }
        sides = messages(expected, cases), messages(actual, cases)
        package, ours = agentevals_both(config, *sides)
        assert ours == package, (config, sides)


def test_agentevals_takes_messages_of_langchain() -> None:
    from langchain_core.messages import AIMessage, HumanMessage

    made = [HumanMessage("go"), AIMessage("", tool_calls=[{"name": "refund", "args": {"id": 7}, "id": "c"}])]
    other = [HumanMessage("go"), AIMessage("", tool_calls=[{"name": "refund", "args": {"id": 8}, "id": "c"}])]
    assert agentevals_both({}, made, made)[0]["score"] is True
    for expected in (made, other):
        package, ours = agentevals_both({}, expected, made)
        assert ours == package
    rightcall.set_edition("documented")
    _, ours = agentevals_both({}, other, made)
    assert ours["score"] is False and "/id" in ours["comment"]


def test_agentevals_evaluators_can_be_awaited() -> None:
    evaluator = agentevals.create_async_trajectory_match_evaluator(trajectory_match_mode="superset")
    said = [{"role": "assistant", "content": "", "tool_calls": [{"name": "a", "args": {}, "id": "1"}]}]
    assert asyncio.run(evaluator(outputs=said, reference_outputs=[]))["score"] is True


def peer_drivers() -> Any:
    """The benchmark's drivers of the packages, including Axion's metric reimplemented from its document."""
    spec = importlib.util.spec_from_file_location("peers", ROOT / "xtask" / "bench" / "peers.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_axion_on_golden_cases() -> None:
    """The package is not in the registry. These lines are its recorded output, including texts."""
    raised = 0
    for line in golden_lines("axion-tool-correctness.jsonl"):

        def judged(line: dict[str, Any] = line) -> Any:
            sides = [line[side] and [axion.ToolCall(**call) for call in line[side]] for side in ("actual", "expected")]
            item = axion.DatasetItem(tools_called=sides[0], expected_tools=sides[1])
            result = asyncio.run(axion.ToolCorrectness(**line["config"]).execute(item))
            return result.score, result.explanation

        wanted = (line["result"]["score"], line["result"]["explanation"]) if "result" in line else "raises"
        assert outcome_of(judged) == wanted, line["id"]
        raised += wanted == "raises"
    assert raised == 4


@pytest.mark.parametrize("kind", ["name", "exact", "subset", "fuzzy"])
def test_axion_on_random_cases(kind: str, cases: Cases) -> None:
    settings = {"check_parameters": kind != "name", "parameter_matching_strategy": kind}
    metric = axion.ToolCorrectness(**settings)
    pairs = [cases.pair() for _ in range(RUNS)]
    theirs = peer_drivers().axion(kind)([{"expected": expected, "actual": actual} for expected, actual in pairs])
    for (expected, actual), score in zip(pairs, theirs, strict=True):
        calls = [[axion.ToolCall(**call) for call in side] for side in (actual, expected)]
        item = axion.DatasetItem(tools_called=calls[0], expected_tools=calls[1])
        assert asyncio.run(metric.execute(item)).score == score
