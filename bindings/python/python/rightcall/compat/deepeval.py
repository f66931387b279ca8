"""DeepEval's `ToolCorrectnessMetric`.

    from rightcall.compat.deepeval import ToolCorrectnessMetric

in place of `deepeval.metrics`. It is a metric of DeepEval's own kind, so `assert_test` and `evaluate` take it; the rest of DeepEval
stays where it is. No model is asked, so none need be configured.
"""

from __future__ import annotations

from typing import Any

from deepeval.metrics import BaseMetric
from deepeval.metrics.utils import prepare_measure
from deepeval.test_case import LLMTestCase, SingleTurnParams, ToolCall, ToolCallParams

from .. import _native

__all__ = ["ToolCorrectnessMetric"]


class ToolCorrectnessMetric(BaseMetric):  # type: ignore[misc, no-untyped-call, unused-ignore]
    """Are the expected tools called, with the expected arguments and outputs, in the expected order?

    Args:
        threshold: the pass mark.
        evaluation_params: what is compared beside the names: arguments, outputs.
        strict_mode: whether only a score of 1 counts.
        should_exact_match: whether the calls must be exactly the expected ones.
        should_consider_ordering: whether their order counts.
        include_reason, async_mode, verbose_mode: as in DeepEval.

    Raises:
        ValueError: `available_tools` is given. Whether the tools were well chosen among these is for a model to say, and nothing here
            asks one.
    """

    _required_params: Any = [SingleTurnParams.INPUT, SingleTurnParams.TOOLS_CALLED, SingleTurnParams.EXPECTED_TOOLS]

    def __init__(
        self,
        available_tools: list[ToolCall] | None = None,
        threshold: float | None = 0.5,
        evaluation_params: list[ToolCallParams] | None = None,
        model: Any = None,
        include_reason: bool = True,
        async_mode: bool = True,
        strict_mode: bool = False,
        verbose_mode: bool = False,
        should_exact_match: bool = False,
        should_consider_ordering: bool = False,
        **_: Any,
    ) -> None:
        if available_tools:
            raise ValueError(
                "available_tools: a model would have to say whether the tools were well chosen; "
                "use deepeval.metrics.ToolCorrectnessMetric for that"
            )
        self.available_tools = available_tools
        self.threshold = 1 if strict_mode else threshold
        self.evaluation_params = list(evaluation_params or [])
        self.model = None
        self.evaluation_model = None
        self.include_reason = include_reason
        self.async_mode = async_mode
        self.strict_mode = strict_mode
        self.verbose_mode = verbose_mode
        self.should_exact_match = should_exact_match
        self.should_consider_ordering = should_consider_ordering
        config = {
            "threshold": threshold,
            "strict_mode": strict_mode,
            "evaluation_params": [getattr(param, "value", param) for param in self.evaluation_params],
            "should_exact_match": should_exact_match,
            "should_consider_ordering": should_consider_ordering,
        }
        self._native = _native.Evaluator.from_config("deepeval/tool-correctness", config, edition="package")

    def measure(
        self, test_case: LLMTestCase, _show_indicator: bool = True, _in_component: bool = False, **_: Any
    ) -> float:
        """The score of a test case; `score`, `reason` and `success` of the metric are set too."""
        prepare_measure(self, test_case)
        self.test_case = test_case
        self.tools_called: list[ToolCall] = test_case.tools_called or []
        self.expected_tools: list[ToolCall] = test_case.expected_tools or []
        result, _passed, outcome, reason = self._native.result(_tools(self.expected_tools), _tools(self.tools_called))
        if result is None:
            raise ValueError(reason or outcome)
        self.score = result["score"]
        self.success = result["success"]
        self.reason = self._say() if self.include_reason else None
        if self.verbose_mode:
            self.verbose_logs = self.reason
        return float(result["score"])

    async def a_measure(
        self, test_case: LLMTestCase, _show_indicator: bool = True, _in_component: bool = False, **_: Any
    ) -> float:
        """The same for whoever awaits it."""
        return self.measure(test_case, _show_indicator=False)

    def is_successful(self) -> bool:
        """Whether the last test case passed."""
        return self.error is None and bool(self.success)

    def _say(self) -> str:
        expected = [tool.name for tool in self.expected_tools]
        called = [tool.name for tool in self.tools_called]
        parts = [f"expected {expected}, called {called}"]
        alignment = self._native.alignment(_tools(self.expected_tools), _tools(self.tools_called))
        if alignment is not None:
            missed = [expected[index] for index in alignment["missed"]]
            extra = [called[index] for index in alignment["extra"]]
            parts += [f"missed {missed}"] if missed else []
            parts += [f"not expected {extra}"] if extra else []
            for pair in alignment["pairs"]:
                places = [difference["pointer"] or "the arguments" for difference in pair["differences"]]
                if places:
                    parts.append(f"call {pair['actual']} ({called[pair['actual']]}) differs at {', '.join(places)}")
        return "; ".join(parts) + "."

    @property
    def __name__(self) -> str:
        return "Tool Correctness"


def _tools(tools: list[ToolCall]) -> list[dict[str, Any]]:
    """The fields of the calls that count."""
    fields = ("name", "type", "input_parameters", "output")
    return [
        {field: getattr(tool, field) for field in fields if getattr(tool, field, None) is not None} for tool in tools
    ]
