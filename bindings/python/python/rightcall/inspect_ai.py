"""A scorer for Inspect AI.

    from rightcall.inspect_ai import tool_calls

    @task
    def refunds():
        return Task(dataset=samples, solver=generate(), scorer=tool_calls("trajectory", match={"args": "subset"}))

The calls are those in the sample's assistant messages, with their results. The expectation is in the sample's metadata under `expected`, or
in its target as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from inspect_ai.model import ChatMessageAssistant, ChatMessageTool
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from . import Evaluator
from .errors import CaseError

if TYPE_CHECKING:
    from ._types import EvaluatorLike

__all__ = ["calls_of", "tool_calls"]


@scorer(metrics=[mean(), stderr()])
def tool_calls(
    evaluator: EvaluatorLike = "trajectory",
    *,
    expected: Callable[[TaskState, Target], Any] | None = None,
    **settings: Any,
) -> Scorer:
    """Judges the tool calls of a sample.

    Args:
        evaluator: the id of an evaluator, a dict as in a suite, or an `Evaluator`.
        expected: the expectation, if neither the sample's metadata nor its target has one.
        settings: the evaluator's settings.

    Returns:
        A scorer with the score as its value. A sample without the data to judge is unscored, with the reason; an evaluation error is
        raised.
    """
    made = Evaluator(evaluator, **settings) if settings else Evaluator(evaluator)
    find = expected or _expected

    async def score(state: TaskState, target: Target) -> Score:
        actual = calls_of(state)
        evaluation = made.evaluate(expected=find(state, target), actual=actual)
        answer = ", ".join(call["name"] for call in actual)
        if evaluation.outcome == "error":
            raise CaseError(f"{made.id}: {evaluation.reason}")
        if evaluation.score is None:
            return Score.unscored(reason="not_applicable", answer=answer, explanation=evaluation.reason)
        metadata = {"evaluator": made.id, "edition": made.edition, "passed": evaluation.passed, "details": evaluation.details}
        return Score(value=evaluation.score, answer=answer, explanation=evaluation.explain(), metadata=metadata)

    return score


def calls_of(state: TaskState) -> list[dict[str, Any]]:
    """The tool calls in the messages of a sample, in order, with their results."""
    results = {
        message.tool_call_id: message for message in state.messages if isinstance(message, ChatMessageTool)
    }
    calls = []
    turns = [message for message in state.messages if isinstance(message, ChatMessageAssistant)]
    for turn, message in enumerate(turns):
        for asked in message.tool_calls or []:
            call: dict[str, Any] = {"name": asked.function, "args": asked.arguments, "id": asked.id, "turn": turn}
            result = results.get(asked.id)
            if result is not None:
                call["output"] = result.text
                if result.error is not None:
                    call["error"] = result.error.message
            calls.append(call)
    return calls


def _expected(state: TaskState, target: Target) -> Any:
    if "expected" in state.metadata:
        return state.metadata["expected"]
    try:
        return json.loads(target.text)
    except ValueError as error:
        raise CaseError(
            "expected calls in the sample's metadata under `expected`, or as JSON in its target; "
            f"found the target {target.text[:80]!r}"
        ) from error
