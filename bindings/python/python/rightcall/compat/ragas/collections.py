"""Ragas' `ToolCallAccuracy` and `ToolCallF1` of its collections, with the numbers of the *package* `ragas` 0.4; there is no document.

    from rightcall.compat.ragas.collections import ToolCallAccuracy, ToolCallF1

instead of `ragas.metrics.collections`. They are subclasses of Ragas' own metrics, with its `ascore`, `score` and `batch_score`; only the
scoring is done here. Values that JSON cannot represent are scored by Ragas itself, which also warns and raises exceptions.
"""

from __future__ import annotations

from typing import Any

from .._needed import needed

with needed("ragas", __name__):
    from ragas.messages import ToolCall
    from ragas.metrics.collections import ToolCallAccuracy as OriginalAccuracy
    from ragas.metrics.collections import ToolCallF1 as OriginalF1
    from ragas.metrics.result import MetricResult

from . import _F1, _accuracy, _called, _score

__all__ = ["ToolCallAccuracy", "ToolCallF1"]


class ToolCallAccuracy(OriginalAccuracy):  # type: ignore[misc, unused-ignore]
    """The share of matching arguments in the reference, if the tools are the same.

    Args:
        strict_order: whether the calls must come in the order of the reference.
        name: the name of the metric.
    """

    async def ascore(self, user_input: list[Any], reference_tool_calls: list[ToolCall]) -> MetricResult:
        score = None
        if _are_lists(user_input, reference_tool_calls):
            score = _accuracy(self.strict_order, _called(user_input), reference_tool_calls)
        return await super().ascore(user_input, reference_tool_calls) if score is None else MetricResult(value=score)


class ToolCallF1(OriginalF1):  # type: ignore[misc, unused-ignore]
    """The F1 of two sets of calls with their arguments, which may include lists and objects."""

    async def ascore(self, user_input: list[Any], reference_tool_calls: list[ToolCall]) -> MetricResult:
        score = None
        if _are_lists(user_input, reference_tool_calls):
            score = _score(_F1, _called(user_input), reference_tool_calls)
        return await super().ascore(user_input, reference_tool_calls) if score is None else MetricResult(value=score)


def _are_lists(*given: object) -> bool:
    return all(isinstance(it, list) for it in given)
