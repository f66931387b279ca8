"""An evaluator for pydantic-evals.

    from rightcall.pydantic_evals import ToolCalls

    dataset = Dataset(name="refunds", cases=[Case(name="refund", inputs="Refund 7", expected_output=[…])], evaluators=[ToolCalls()])
    dataset.evaluate_sync(agent.run)

The calls come from the output if it is a run result that `rightcall.live` recognizes, else from the recorded spans. The expectation is in
the metadata of the case under `expected`, or is its expected output.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext, EvaluatorOutput

from . import Evaluator as _Evaluator
from .errors import CaseError
from .live import calls_of

__all__ = ["ToolCalls"]


@dataclass
class ToolCalls(Evaluator[Any, Any, Any]):
    """Judges the tool calls of a task.

    Attributes:
        evaluator: the id of an evaluator, or a dict as in a suite.
        settings: the evaluator's settings.
        evaluation_name: the name in reports (default: the evaluator's name or id).
    """

    evaluator: str | dict[str, Any] = "trajectory"
    settings: dict[str, Any] = field(default_factory=dict)
    evaluation_name: str | None = None

    def evaluate(self, ctx: EvaluatorContext[Any, Any, Any]) -> EvaluatorOutput:
        """The score with the reason for a low one, and the verdict if there is one; empty if the case cannot be judged.

        Raises:
            CaseError: the evaluation ended in an error, or neither the output nor a span holds calls.
        """
        evaluator: Any = self.evaluator
        made = _Evaluator(evaluator, **self.settings) if self.settings else _Evaluator(evaluator)
        metadata = ctx.metadata if isinstance(ctx.metadata, dict) else {}
        evaluation = made.evaluate(expected=metadata.get("expected", ctx.expected_output), actual=_actual(ctx))
        if evaluation.outcome == "error":
            raise CaseError(f"{made.id}: {evaluation.reason}")
        name = self.evaluation_name or made.name or made.id
        told: dict[str, EvaluationReason] = {}
        if evaluation.score is not None:
            told[name] = EvaluationReason(evaluation.score, evaluation.sentence or None)
        if evaluation.passed is not None:
            told[f"{name} passed"] = EvaluationReason(evaluation.passed, evaluation.sentence or None)
        return told


def _actual(ctx: EvaluatorContext[Any, Any, Any]) -> Any:
    calls = calls_of(ctx.output)
    if calls is not ctx.output or isinstance(calls, (list, dict)):
        return calls
    try:
        return calls_of(ctx.span_tree)
    except Exception as error:
        raise CaseError(
            f"expected the result of a run as output, or spans that were recorded meanwhile, found {type(ctx.output).__name__}: {error}"
        ) from error
