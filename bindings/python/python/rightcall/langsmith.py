"""Evaluators for LangSmith.

    from langsmith import evaluate
    from rightcall.langsmith import tool_calls

    evaluate(agent, data="refunds", evaluators=[tool_calls("trajectory", match={"args": "subset"})])

An evaluator receives the outputs of the run and of the example as dicts. It uses the calls, messages or spans under one of the usual keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import Evaluator
from .errors import CaseError

if TYPE_CHECKING:
    from ._types import EvaluatorLike

__all__ = ["tool_calls"]

_KEYS = ("expected", "actual", "tool_calls", "calls", "messages", "trajectory", "spans")


def tool_calls(
    evaluator: EvaluatorLike = "trajectory",
    *,
    actual: Callable[[dict[str, Any]], Any] | None = None,
    expected: Callable[[dict[str, Any]], Any] | None = None,
    key: str | None = None,
    **settings: Any,
) -> Callable[..., dict[str, Any]]:
    """Creates an evaluator of tool calls.

    Args:
        evaluator: the id of an evaluator, a dict as in a suite, or an `Evaluator`.
        actual: the key of a run's outputs to judge (default: one of the usual keys).
        expected: the key of an example's reference outputs (default: one of the usual keys).
        key: the name of the feedback (default: the id of the evaluator).
        settings: the evaluator's settings.

    Returns:
        A function of `outputs` and `reference_outputs` that returns feedback: `key`, `score`, `comment` with the reason for a low score,
            and `metadata`. If there is no score, `score` is None, and `comment` says why.
    """
    made = Evaluator(evaluator, **settings) if settings else Evaluator(evaluator)
    name = key or made.name or made.id

    def judge(outputs: dict[str, Any], reference_outputs: dict[str, Any]) -> dict[str, Any]:
        evaluation = made.evaluate(
            expected=(expected or _taken)(reference_outputs),
            actual=(actual or _taken)(outputs),
        )
        if evaluation.outcome == "error":
            raise CaseError(f"{made.id}: {evaluation.reason}")
        comment = evaluation.reason if evaluation.score is None else evaluation.sentence
        metadata = {"evaluator": made.id, "edition": made.edition, "passed": evaluation.passed}
        return {"key": name, "score": evaluation.score, "comment": comment or None, "metadata": metadata}

    judge.__name__ = name
    return judge


def _taken(outputs: dict[str, Any]) -> Any:
    for key in _KEYS:
        if key in outputs:
            return outputs[key]
    found = ", ".join(f"`{key}`" for key in outputs) or "nothing"
    raise CaseError(f"expected calls, messages or spans under one of {', '.join(_KEYS)}; found {found}")
