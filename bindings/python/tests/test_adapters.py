"""The adapters in the packages that they are for."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import rightcall

FIND = {"name": "find_order", "args": {"id": 7}}
REFUND = {"name": "refund", "args": {"id": 7}}


@pytest.fixture
def inspect_log(tmp_path: Path) -> Any:
    """The log of an Inspect evaluation with three samples."""
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageAssistant, ChatMessageTool
    from inspect_ai.solver import solver
    from inspect_ai.tool import ToolCall

    from rightcall.inspect_ai import tool_calls

    @solver
    def replay() -> Any:
        """A deterministic agent without a model."""

        async def solve(state: Any, generate: Any) -> Any:
            for number, call in enumerate((FIND, REFUND)):
                asked = ToolCall(id=f"call-{number}", function=call["name"], arguments=call["args"])
                state.messages.append(ChatMessageAssistant(content="", tool_calls=[asked]))
                state.messages.append(ChatMessageTool(content="done", tool_call_id=asked.id, function=call["name"]))
            return state

        return solve

    samples = [
        Sample(input="refund 7", target=json.dumps([FIND, REFUND])),
        Sample(input="refund 7", target="", metadata={"expected": [FIND, {"name": "refund", "args": {"id": 8}}]}),
        Sample(input="refund 7", target=json.dumps({"counts": {"find_order": 1}})),
    ]
    task = inspect_ai.Task(dataset=MemoryDataset(samples), solver=replay(), scorer=tool_calls("trajectory"))
    [log] = inspect_ai.eval(task, model="mockllm/model", display="none", log_dir=str(tmp_path))
    return log


def test_inspect_scores_with_the_scorer(inspect_log: Any) -> None:
    assert inspect_log.status == "success", inspect_log.error
    scores = [sample.scores["tool_calls"] for sample in inspect_log.samples]
    assert [score.value for score in scores[:2]] == [1.0, 0.5]
    assert scores[0].answer == "find_order, refund" and scores[0].metadata["evaluator"] == "trajectory"
    assert "/id   expected 8   found 7" in scores[1].explanation
    assert math.isnan(scores[2].value) and "no expectation" in scores[2].explanation
    metrics = inspect_log.results.scores[0].metrics
    assert metrics["mean"].value == 0.75


def test_langsmith_evaluates_with_the_evaluator() -> None:
    pytest.importorskip("langsmith")
    import uuid
    from datetime import datetime, timezone

    from langsmith import Client, evaluate
    from langsmith.schemas import Example

    from rightcall.compat.agentevals import create_trajectory_match_evaluator
    from rightcall.langsmith import tool_calls

    def example(expected: list[Any]) -> Example:
        return Example(
            id=uuid.uuid4(),
            dataset_id=uuid.uuid4(),
            inputs={"question": "refund 7"},
            outputs={"messages": said(expected)},
            created_at=datetime.now(timezone.utc),
        )

    def said(calls: list[Any]) -> list[Any]:
        return [{"role": "assistant", "content": "", "tool_calls": [{**call, "id": str(at), "type": "tool_call"} for at, call in enumerate(calls)]}]

    results = evaluate(
        lambda inputs: {"messages": said([FIND, REFUND])},
        data=[example([FIND, REFUND]), example([REFUND])],
        evaluators=[tool_calls("axion/tool-correctness", scoring="precision"), create_trajectory_match_evaluator(trajectory_match_mode="superset")],
        client=Client(api_url="http://127.0.0.1:9", api_key="none"),
        upload_results=False,
        blocking=True,
        max_concurrency=0,
    )
    found = [{each.key: each for each in row["evaluation_results"]["results"]} for row in results]
    assert sorted(row["axion/tool-correctness"].score for row in found) == [0.5, 1.0]
    assert all(row["trajectory_superset_match"].score is True for row in found)


def test_a_langsmith_evaluator_says_what_it_lacks() -> None:
    from rightcall.langsmith import tool_calls

    judge = tool_calls("uipath/tool-call-order", key="order")
    told = judge({"calls": ["a"]}, {"calls": ["a", "b"]})
    assert (told["key"], told["score"], told["comment"]) == ("order", 0.5, "1 missed: b")
    assert judge({"calls": []}, {"calls": []})["score"] is None
    with pytest.raises(ValueError, match="found `answer`"):
        judge({"answer": "yes"}, {"calls": []})
    own = tool_calls("trajectory", actual=lambda outputs: outputs["did"], expected=lambda outputs: outputs["should"])
    assert own({"did": ["a"]}, {"should": ["a"]})["score"] == 1.0


def test_evaluators_of_rightcall_are_what_the_adapters_take() -> None:
    from rightcall.langsmith import tool_calls

    made = rightcall.Evaluator("trajectory", name="calls")
    assert tool_calls(made)({"calls": ["a"]}, {"calls": ["a"]})["key"] == "calls"
