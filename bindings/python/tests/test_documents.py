"""The examples of the reference documents, run with our tools: only the imports differ."""

from typing import Any

import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan

from rightcall.compat.axion import DatasetItem, MetricRunner, ToolCall, ToolCorrectness
from rightcall.compat.uipath import AgentExecution, ToolCallCountEvaluator, ToolCallOrderEvaluator


def spans(*names: str) -> list[ReadableSpan]:
    return [
        ReadableSpan(
            name=name, start_time=at, end_time=at + 1, attributes={"tool.name": name}, resource=Resource.get_empty()
        )
        for at, name in enumerate(names)
    ]


def execution(*names: str) -> AgentExecution:
    return AgentExecution(agent_input={"task": "move a box"}, agent_output={"status": "done"}, agent_trace=spans(*names))


async def count(names: list[str], wanted: dict[str, tuple[str, int]], strict: bool = False) -> Any:
    evaluator = ToolCallCountEvaluator(id="count-1", config={"name": "ToolCallCountEvaluator", "strict": strict})
    return await evaluator.validate_and_evaluate_criteria(
        agent_execution=execution(*names), evaluation_criteria={"tool_calls_count": wanted}
    )


async def test_counts_that_all_match_score_1() -> None:
    wanted = {"open": ("=", 1), "lift": ("=", 5), "close": ("=", 1)}
    result = await count(["open", *["lift"] * 5, "close"], wanted)
    assert result.score == 1.0
    assert str(result.details)


async def test_counts_are_scored_in_proportion() -> None:
    result = await count(["open", *["lift"] * 3, "close"], {"open": ("=", 1), "lift": ("=", 5), "close": ("=", 1)})
    assert result.score == 2 / 3
    assert result.details.explained_tool_calls_count == {
        "open": "Actual: 1, Expected: 1, Score: 1.0",
        "lift": "Actual: 3, Expected: 5, Score: 0.0",
        "close": "Actual: 1, Expected: 1, Score: 1.0",
    }


async def test_one_wrong_count_costs_everything_when_strict() -> None:
    wanted = {"open": ("=", 1), "lift": ("=", 1), "close": ("=", 1)}
    assert (await count(["open", "lift", "lift", "close"], wanted, strict=True)).score == 0.0


async def test_redundant_calls_can_be_prevented() -> None:
    wanted = {"crane": ("<=", 1), "lift": ("<=", 3), "ask": ("<=", 2)}
    assert (await count(["crane", "lift", "lift", "ask"], wanted)).score == 1.0


async def test_loops_can_be_counted() -> None:
    wanted = {"lift": ("=", 10), "check": ("=", 10), "put": ("=", 10)}
    assert (await count(["lift", "check", "put"] * 10, wanted)).score == 1.0


async def test_retries_can_be_bounded() -> None:
    wanted = {"try_lift": ("<=", 3), "note": (">=", 1), "report": ("=", 1)}
    assert (await count(["try_lift", "note", "try_lift", "report"], wanted)).score == 1.0


async def test_calls_can_be_demanded() -> None:
    wanted = {"weigh": (">=", 1), "secure": (">=", 1), "log": (">", 0)}
    assert (await count(["weigh", "secure", "log"], wanted)).score == 1.0


async def order(names: list[str], wanted: list[str] | None, **config: Any) -> Any:
    evaluator = ToolCallOrderEvaluator(id="order-1", config={"name": "ToolCallOrderEvaluator", "strict": False, **config})
    criteria = None if wanted is None else {"tool_calls_order": wanted}
    return await evaluator.validate_and_evaluate_criteria(
        agent_execution=execution(*names), evaluation_criteria=criteria
    )


async def test_the_expected_order_scores_1() -> None:
    names = ["check_user", "check_stock", "order"]
    result = await order(names, names)
    assert result.score == 1.0
    assert result.details.actual_tool_calls_order == result.details.expected_tool_calls_order == names


@pytest.mark.parametrize("wanted, score", [(["sign_in", "allow", "read"], 1.0), (["allow", "sign_in", "read"], 0.0)])
async def test_a_strict_order_is_kept_or_not(wanted: list[str], score: float) -> None:
    assert (await order(["sign_in", "allow", "read"], wanted, strict=True)).score == score


async def test_what_was_kept_of_an_order_counts() -> None:
    result = await order(["seek", "sieve", "show"], ["seek", "sieve", "sort", "show"])
    assert result.score == 0.75
    assert result.details.lcs == ["seek", "sieve", "show"]


async def test_the_worked_example_of_the_algorithm() -> None:
    assert (await order(["A", "X", "B", "D"], ["A", "B", "C", "D"])).score == 0.75


async def test_a_transaction_must_be_exact() -> None:
    names = ["begin", "check", "write", "commit"]
    assert (await order(names, names, strict=True)).score == 1.0


async def test_a_workflow_of_five_calls() -> None:
    names = ["token", "fetch", "enrich", "post", "log"]
    assert (await order(names, names)).score == 1.0


async def test_default_criteria_stand_in() -> None:
    names = ["init", "work", "tidy"]
    result = await order(names, None, default_evaluation_criteria={"tool_calls_order": names})
    assert result.score == 1.0


async def test_a_metric_compares_names() -> None:
    metric = ToolCorrectness()
    item = DatasetItem(
        tools_called=[ToolCall(name="look_up", args={"word": "crane"}), ToolCall(name="tell", args={"tone": "dry"})],
        expected_tools=[ToolCall(name="look_up", args={}), ToolCall(name="tell", args={})],
    )
    result = await metric.execute(item)
    assert result.score == 1.0


async def test_a_metric_compares_parameters() -> None:
    metric = ToolCorrectness(check_parameters=True, parameter_matching_strategy="exact")
    called = [ToolCall(name="add", args={"a": 5, "b": 3})]
    result = await metric.execute(DatasetItem(tools_called=called, expected_tools=[ToolCall(name="add", args={"a": 5, "b": 3})]))
    assert result.score == 1.0


async def test_a_metric_compares_order() -> None:
    metric = ToolCorrectness(strict_order=True)
    names = ["get", "mill", "keep"]
    expected = [ToolCall(name=name, args={}) for name in names]
    right = DatasetItem(tools_called=expected, expected_tools=expected)
    wrong = DatasetItem(tools_called=[expected[1], expected[0], expected[2]], expected_tools=expected)
    assert (await metric.execute(right)).score == 1.0
    result = await metric.execute(wrong)
    assert (result.score, result.explanation) == (0.0, "Tool mismatch at position 0: expected 'get', got 'mill'")


async def test_a_metric_compares_fuzzily() -> None:
    metric = ToolCorrectness(check_parameters=True, parameter_matching_strategy="fuzzy", fuzzy_threshold=0.8)
    item = DatasetItem(
        tools_called=[ToolCall(name="seek", args={"query": "what is machine learning"})],
        expected_tools=[ToolCall(name="seek", args={"query": "what is ML"})],
    )
    assert (await metric.execute(item)).score == 0.0
    close = DatasetItem(
        tools_called=[ToolCall(name="seek", args={"query": "what is machine learning?"})],
        expected_tools=[ToolCall(name="seek", args={"query": "what is machine learning"})],
    )
    assert (await metric.execute(close)).score == 1.0


async def test_a_runner_judges_a_dataset() -> None:
    metric = ToolCorrectness(check_parameters=True)
    runner = MetricRunner(metrics=[metric])
    expected = [ToolCall(name="get", args={"id": 1}), ToolCall(name="keep", args={})]
    dataset = [
        DatasetItem(tools_called=expected, expected_tools=expected),
        DatasetItem(tools_called=expected[:1], expected_tools=expected),
    ]
    lines = []
    for item_result in await runner.run(dataset):
        lines.append(f"Score: {item_result.score:.2f}")
        lines.append(f"Explanation: {item_result.explanation}")
    assert lines == [
        "Score: 1.00",
        "Explanation: Correctly called: ['get', 'keep']",
        "Score: 0.50",
        "Explanation: Correctly called: ['get']; Missing/incorrect calls: ['keep({})']",
    ]


@pytest.mark.parametrize(
    "expected, called, score, explanation",
    [
        (["seek", "parse"], ["seek", "parse"], 1.0, "Correctly called: ['seek', 'parse']"),
        (["get", "turn", "keep"], ["get", "turn"], 2 / 3, "Correctly called: ['get', 'turn']; Missing tools: ['keep']"),
        (["add"], ["seek"], 0.0, "Missing tools: ['add']; Unexpected tools: ['seek']"),
    ],
)
async def test_the_scenarios_of_the_document(
    expected: list[str], called: list[str], score: float, explanation: str
) -> None:
    item = DatasetItem(
        tools_called=[ToolCall(name=name, args={}) for name in called],
        expected_tools=[ToolCall(name=name, args={}) for name in expected],
    )
    result = await ToolCorrectness().execute(item)
    assert (result.score, result.explanation) == (score, explanation)


async def test_parameters_that_differ_in_a_letter_differ() -> None:
    item = DatasetItem(
        tools_called=[ToolCall(name="seek", args={"query": "rust book"})],
        expected_tools=[ToolCall(name="seek", args={"query": "Rust books"})],
    )
    assert (await ToolCorrectness(check_parameters=True, parameter_matching_strategy="exact").execute(item)).score == 0.0
