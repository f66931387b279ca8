"""Ragas' `ToolCallAccuracy` and `ToolCallF1`, with the numbers of the *package* `ragas` 0.4; there is no document.

    from rightcall.compat.ragas import ToolCallAccuracy, ToolCallF1

instead of `ragas.metrics`; `rightcall.compat.ragas.collections` replaces `ragas.metrics.collections`. They are subclasses of Ragas' own
metrics, so its `evaluate` accepts them; only the scoring is done here. Ragas itself compares the arguments if there is a custom
`arg_comparison_metric`, or if JSON cannot represent them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._needed import needed

with needed("ragas", __name__):
    from ragas.dataset_schema import MultiTurnSample
    from ragas.messages import AIMessage, ToolCall
    from ragas.metrics import ExactMatch
    from ragas.metrics import ToolCallAccuracy as OriginalAccuracy
    from ragas.metrics import ToolCallF1 as OriginalF1

from ... import _native

__all__ = ["ToolCallAccuracy", "ToolCallF1"]

_STRICT, _FLEXIBLE = (
    _native.Evaluator.from_config("ragas/tool-call-accuracy", {"strict_order": strict}) for strict in (True, False)
)
_F1 = _native.Evaluator.from_config("ragas/tool-call-f1", {})


@dataclass
class ToolCallAccuracy(OriginalAccuracy):  # type: ignore[misc, unused-ignore]
    """The share of matching arguments in the reference, if the tools are the same.

    Args:
        strict_order: whether the calls must come in the order of the reference.
        arg_comparison_metric: compares two arguments as texts (default: they must be equal).
    """

    async def _multi_turn_ascore(self, sample: MultiTurnSample, callbacks: Any = None) -> float:
        called, reference = _called(sample.user_input), sample.reference_tool_calls
        metric = self.arg_comparison_metric
        is_plain = type(metric) is ExactMatch and "single_turn_ascore" not in vars(metric)
        score = _accuracy(self.strict_order, called, reference) if is_plain else None
        if score is not None:
            return score
        return await super()._multi_turn_ascore(sample, callbacks)  # type: ignore[no-any-return]


@dataclass
class ToolCallF1(OriginalF1):  # type: ignore[misc, unused-ignore]
    """The F1 of two sets of calls, with their arguments."""

    async def _multi_turn_ascore(self, sample: MultiTurnSample, callbacks: Any = None) -> float:
        called, reference = _called(sample.user_input), sample.reference_tool_calls or []
        # Ragas puts arguments into sets, which cannot hold lists and objects.
        is_plain = all(_is_hashable(call) for call in (*called, *reference))
        score = _score(_F1, called, reference) if is_plain else None
        return await super()._multi_turn_ascore(sample, callbacks) if score is None else score


def _called(messages: list[Any]) -> list[ToolCall]:
    return [
        call
        for message in messages
        if isinstance(message, AIMessage) and message.tool_calls is not None
        for call in message.tool_calls
    ]


def _is_hashable(call: ToolCall) -> bool:
    return not any(isinstance(value, (list, dict)) for value in call.args.values())


def _accuracy(strict_order: bool, called: list[ToolCall], reference: list[ToolCall] | None) -> float | None:
    # Ragas warns about empty lists and lists of different lengths; both score 0.
    if not reference or len(called) != len(reference):
        return None
    return _score(_STRICT if strict_order else _FLEXIBLE, called, reference)


def _score(native: _native.Native, called: list[ToolCall], reference: list[ToolCall]) -> float | None:
    """The score; `None` if only Python can compute it."""
    try:
        result, *_ = native.result_exact(
            {"reference_tool_calls": _calls(reference)}, [{"type": "ai", "content": "", "tool_calls": _calls(called)}]
        )
    except TypeError:
        return None
    return None if result is None else float(result["score"])


def _calls(calls: list[ToolCall]) -> list[dict[str, Any]]:
    return [{"name": call.name, "args": call.args} for call in calls]
