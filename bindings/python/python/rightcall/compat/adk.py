"""ADK's `TrajectoryEvaluator`, with the numbers of the *package* `google-adk` 2.13; there is no document.

    from rightcall.compat.adk import TrajectoryEvaluator

instead of `google.adk.evaluation.trajectory_evaluator`. It is a subclass of ADK's own evaluator, so its registry and results work as
before; only the comparison of calls is done here. Values that JSON cannot represent are compared by ADK itself. `evaluate` and
`are_tools_equal`, which ADK 2 has removed, are available too.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from warnings import warn

from ._needed import needed

with needed("google-adk", __name__):
    from google.adk.evaluation.eval_case import Invocation, get_all_tool_calls
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator as Original

from .. import _native

__all__ = ["TrajectoryEvaluator"]


@lru_cache(maxsize=None)
def _engine(match_type: str, ignore_args: bool) -> _native.Native:
    config = {"threshold": 1.0, "match_type": match_type, "ignore_args": ignore_args}
    return _native.Evaluator.from_config("adk/trajectory", config)


class TrajectoryEvaluator(Original):  # type: ignore[misc, unused-ignore]
    """Were the expected tools called in each invocation: exactly these, in this order, or in any order?

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

    @staticmethod
    def evaluate(eval_dataset: list[list[dict[str, Any]]], *, print_detailed_results: bool = False) -> float:
        """The mean over all turns of all conversations: 1 for turns with the expected tool use, else 0; NaN without turns.

        Deprecated as in ADK 1: use `evaluate_invocations`.

        Args:
            eval_dataset: conversations, each a list of turns with `query`, `response`, `actual_tool_use` and `expected_tool_use`.
            print_detailed_results: whether to print all turns, and not only failures.

        Raises:
            ValueError: the data set is empty.
        """
        _warn("evaluate", "evaluate_invocations")
        if not eval_dataset:
            raise ValueError("The evaluation dataset is empty.")
        turns = [(number, turn) for conversation in eval_dataset for number, turn in enumerate(conversation, 1)]
        scores = [float(_are_equal(turn["actual_tool_use"], turn["expected_tool_use"])) for _, turn in turns]
        failures = [turn for turn, score in zip(turns, scores) if score == 0.0]
        if failures:
            print("Failures:")
        for number, turn in failures:
            print(f"turn {number}: query {turn['query']!r}")
            print(f"  actual   {turn['actual_tool_use']}")
            print(f"  expected {turn['expected_tool_use']}")
        if print_detailed_results:
            print("query | response | actual_tool_use | expected_tool_use | tool_use_accuracy")
            for (_, turn), score in zip(turns, scores):
                cells = [turn[key] for key in ("query", "response", "actual_tool_use", "expected_tool_use")]
                print(" | ".join(map(str, [*cells, score])))
        return sum(scores) / len(scores) if scores else float("nan")

    @staticmethod
    def are_tools_equal(list_a_original: list[dict[str, Any]], list_b_original: list[dict[str, Any]]) -> bool:
        """True if two lists of `tool_name` and `tool_input` are equal. Deprecated as in ADK 1."""
        _warn("are_tools_equal", "evaluate_invocations")
        return _are_equal(list_a_original, list_b_original)


def _warn(name: str, instead: str) -> None:
    warn(f"{name} is deprecated, and ADK 2 has it no longer. Please use {instead} instead.", DeprecationWarning, stacklevel=3)


def _are_equal(actual: list[dict[str, Any]], expected: list[dict[str, Any]]) -> bool:
    """True if the same tools were used with the same input."""
    sides = [[{"name": use["tool_name"], "args": use["tool_input"]} for use in side] for side in (expected, actual)]
    try:
        invocations = ([{"intermediate_data": {"tool_uses": side}}] for side in sides)
        result, *_ = _engine("EXACT", False).result_exact(*invocations)
    except TypeError:
        result = None
    # Python compares values that are not objects, or that JSON cannot represent.
    return sides[0] == sides[1] if result is None else bool(result["score"])


def _invocation(invocation: Invocation) -> list[dict[str, Any]]:
    """A list with only this invocation, reduced to its calls."""
    calls = get_all_tool_calls(invocation.intermediate_data)
    return [{"intermediate_data": {"tool_uses": [{"name": call.name, "args": call.args} for call in calls]}}]
