"""ADK's `TrajectoryEvaluator`, with the numbers of the *package* `google-adk` 2.13; there is no document.

    from rightcall.compat.adk import TrajectoryEvaluator

in place of `google.adk.evaluation.trajectory_evaluator`. It is ADK's own evaluator, so its registry and its results stay what they are;
only the calls are compared here. What JSON has nothing like is compared by ADK itself.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from google.adk.evaluation.eval_case import Invocation, get_all_tool_calls
from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator as Original

from .. import _native

__all__ = ["TrajectoryEvaluator"]


@lru_cache(maxsize=None)
def _engine(match_type: str, ignore_args: bool) -> _native.Native:
    config = {"threshold": 1.0, "match_type": match_type, "ignore_args": ignore_args}
    return _native.Evaluator.from_config("adk/trajectory", config)


class TrajectoryEvaluator(Original):  # type: ignore[misc, unused-ignore]
    """Were the expected tools called in each invocation: these exactly, in this order, or in any?

    Args:
        threshold: the pass mark; or
        eval_metric: a metric whose criterion has a `threshold`, a `match_type` and `ignore_args`.

    Raises:
        ValueError: neither or both are given, or the criterion is of another kind.
    """

    def _calculate_tool_use_accuracy(self, actual_invocation: Invocation, expected_invocation: Invocation) -> float:
        sides = [_invocation(invocation) for invocation in (expected_invocation, actual_invocation)]
        try:
            result, *_ = _engine(self._match_type.name, bool(self._ignore_args)).result_exact(*sides)
        except (AttributeError, TypeError, ValueError):
            result = None
        if result is None:
            return super()._calculate_tool_use_accuracy(actual_invocation, expected_invocation)  # type: ignore[no-any-return]
        return float(result["score"])


def _invocation(invocation: Invocation) -> list[dict[str, Any]]:
    """An invocation as a list of itself, with the calls alone."""
    calls = get_all_tool_calls(invocation.intermediate_data)
    return [{"intermediate_data": {"tool_uses": [{"name": call.name, "args": call.args} for call in calls]}}]
