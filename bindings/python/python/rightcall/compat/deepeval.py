"""DeepEval's `ToolCorrectnessMetric`, with the numbers of the *package* `deepeval` 4.3; there is no document.

    from rightcall.compat.deepeval import ToolCorrectnessMetric

instead of `deepeval.metrics`. It is a subclass of DeepEval's own metric, so `assert_test` and `evaluate` accept it; only the scoring is
done here. `reason` and `verbose_logs` are DeepEval's own texts, computed on first access. No model is called, so none needs to be
configured.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ._needed import needed

with needed("deepeval", __name__):
    from deepeval.metrics import ToolCorrectnessMetric as Original
    from deepeval.metrics.utils import prepare_measure
    from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams

from .. import _native

__all__ = ["ToolCorrectnessMetric"]


@lru_cache(maxsize=None)
def _engine(params: tuple[str, ...], exact: bool, ordered: bool) -> _native.Native:
    config = {
        "threshold": 0.5,
        "evaluation_params": list(params),
        "should_exact_match": exact,
        "should_consider_ordering": ordered,
    }
    return _native.Evaluator.from_config("deepeval/tool-correctness", config, edition="package")


class ToolCorrectnessMetric(Original):  # type: ignore[misc, unused-ignore]
    """Are the expected tools called, with the expected arguments and outputs, in the expected order?

    Args:
        threshold: the pass mark.
        evaluation_params: what to compare in addition to names: arguments, outputs.
        strict_mode: whether every score below 1 becomes 0.
        should_exact_match: whether the calls must be exactly the expected ones.
        should_consider_ordering: whether their order counts.
        include_reason, async_mode, verbose_mode, flaky: as in DeepEval.
        model, system_one_model, eval_mode, evaluation_template: accepted and ignored, because no model is called.

    Raises:
        TypeError: an unknown keyword.
        ValueError: `available_tools` is given. Judging the choice among them needs a model, and no model is called here.
    """

    def __init__(
        self,
        available_tools: list[ToolCall] | None = None,
        threshold: float | None = 0.5,
        evaluation_params: list[ToolCallParams] = [],
        model: Any = None,
        system_one_model: Any = None,
        eval_mode: Any = None,
        include_reason: bool = True,
        async_mode: bool = True,
        strict_mode: bool = False,
        verbose_mode: bool = False,
        should_exact_match: bool = False,
        should_consider_ordering: bool = False,
        flaky: bool = False,
        evaluation_template: Any = None,
    ) -> None:
        if available_tools:
            raise ValueError(
                "available_tools: a model would have to say whether the tools were well chosen; "
                "use deepeval.metrics.ToolCorrectnessMetric for that"
            )
        self.available_tools = available_tools
        self.threshold: Any = 1 if strict_mode else threshold
        self.evaluation_params = evaluation_params
        self.model = None
        self.using_native_model = False
        self.system_one_model = None
        self.eval_mode = None
        self.evaluation_model = None
        self.evaluation_template = evaluation_template
        self.include_reason = include_reason
        self.async_mode = async_mode
        self.strict_mode = strict_mode
        self.verbose_mode = verbose_mode
        self.should_exact_match = should_exact_match
        self.should_consider_ordering = should_consider_ordering
        self.flaky = flaky

    def measure(self, test_case: LLMTestCase, _show_indicator: bool = True, _in_component: bool = False) -> float:
        """Scores a test case; also sets `score`, `reason` and `success` of the metric."""
        prepare_measure(self, test_case)
        self.test_case = test_case
        self.tools_called: list[ToolCall] = test_case.tools_called
        self.expected_tools: list[ToolCall] = test_case.expected_tools
        score = min(self._calculate_score(), 1)
        self.score = 0 if self.strict_mode and score < self.threshold else score
        self.success = self.is_successful()
        self._reason = self._logs = _UNTOLD
        if self.verbose_mode:
            self._tell()
        return self.score

    async def a_measure(
        self, test_case: LLMTestCase, _show_indicator: bool = True, _in_component: bool = False
    ) -> float:
        """The async version of `measure`."""
        return self.measure(test_case, _show_indicator=False)

    def _calculate_score(self) -> float:
        params = tuple(param.value if isinstance(param, ToolCallParams) else "" for param in self.evaluation_params)
        exact, ordered = bool(self.should_exact_match), bool(self.should_consider_ordering)
        try:
            native = _engine(params, exact, ordered)
            result, *_ = native.result_exact(_tools(self.expected_tools), _tools(self.tools_called))
        except (TypeError, ValueError):
            # Python compares objects that JSON cannot represent.
            result = None
        return super()._calculate_score() if result is None else result["score"]  # type: ignore[no-any-return]

    def _tell(self) -> None:
        """Makes DeepEval write its reason and log. It also computes its own score, so ours is restored afterwards."""
        told: Any = (self.score, self.success, self.error)  # type: ignore[has-type, unused-ignore]
        is_async, self.async_mode = self.async_mode, False
        try:
            super().measure(self.test_case, _show_indicator=False)
        finally:
            self.async_mode = is_async
            self.score, self.success, self.error = told

    @property
    def reason(self) -> str | None:
        """The reason for the score, in DeepEval's words."""
        if self._reason is _UNTOLD:
            self._tell()
        return self._reason  # type: ignore[return-value]

    @reason.setter
    def reason(self, reason: Any) -> None:
        self._reason = reason

    @property
    def verbose_logs(self) -> str | None:
        """DeepEval's verbose output."""
        if self._logs is _UNTOLD:
            self._tell()
        return self._logs  # type: ignore[return-value]

    @verbose_logs.setter
    def verbose_logs(self, logs: Any) -> None:
        self._logs = logs

    _reason: object = None
    _logs: object = None


_UNTOLD = object()


def _tools(tools: list[ToolCall]) -> list[dict[str, Any]]:
    """The fields of calls to compare."""
    given = []
    for tool in tools:
        call: dict[str, Any] = {"name": tool.name, "type": tool.type.value}
        if tool.input_parameters is not None:
            call["input_parameters"] = tool.input_parameters
        if tool.output is not None:
            call["output"] = tool.output
        given.append(call)
    return given
