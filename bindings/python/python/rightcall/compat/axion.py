"""Axion's `ToolCorrectness`, with the numbers of the *document*; `rightcall.compat.package.axion` has those of the package.

    from rightcall.compat.axion import DatasetItem, MetricRunner, ToolCall, ToolCorrectness

instead of `axion.metrics`, `axion.dataset`, `axion.runners` and `axion._core.schema`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from .. import _native
from ._records import Record

__all__ = ["Dataset", "DatasetItem", "MetricEvaluationResult", "MetricRunner", "ToolCall", "ToolCorrectness"]


class ToolCall(Record):
    """A call of a tool: its `name` and its `args`. The metric ignores the other fields."""

    def __init__(
        self,
        name: str,
        args: dict[str, Any],
        *,
        id: str | None = None,
        tags: list[str] | None = None,
        request_latency: float | None = None,
    ) -> None:
        more = {"id": id, "tags": tags, "request_latency": request_latency}
        super().__init__(name=name, args=args, **{key: value for key, value in more.items() if value is not None})


class DatasetItem(Record):
    """The actual and the expected calls. Other fields are kept unchanged."""

    def __init__(
        self,
        *,
        tools_called: Iterable[ToolCall] | None = None,
        expected_tools: Iterable[ToolCall] | None = None,
        **more: Any,
    ) -> None:
        called = None if tools_called is None else list(tools_called)
        expected = None if expected_tools is None else list(expected_tools)
        super().__init__(tools_called=called, expected_tools=expected, **more)


class Dataset(Record):
    """A list of items."""

    def __init__(self, items: Iterable[DatasetItem] = (), **more: Any) -> None:
        super().__init__(items=list(items), **more)

    def __iter__(self) -> Iterator[DatasetItem]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    items: list[DatasetItem]


class MetricEvaluationResult(Record):
    """A `score` with its `explanation`, and whether it `passed` the metric's threshold."""

    score: float
    explanation: str
    passed: bool


class ToolCorrectness:
    """Are the expected tools called, with the expected arguments, in the expected order?

    Args:
        check_parameters: whether to compare arguments too.
        strict_order: whether the calls must be exactly the expected ones, in order.
        parameter_matching_strategy: `exact`, `subset` (further arguments are allowed) or `fuzzy` (by similarity).
        fuzzy_threshold: the minimum similarity of arguments, from 0 to 1.
        threshold: the pass mark.
        scoring: `recall`, `precision` or `f1`; the document only has recall.
        edition: which to follow if document and package differ (default: the process's edition).
    """

    name = "Tool Correctness"

    def __init__(
        self,
        *,
        check_parameters: bool = False,
        strict_order: bool = False,
        parameter_matching_strategy: Literal["exact", "subset", "fuzzy"] | str = "exact",
        fuzzy_threshold: float = 0.8,
        threshold: float | None = 0.5,
        scoring: str = "recall",
        edition: Literal["documented", "package"] | None = None,
    ) -> None:
        self.check_parameters = check_parameters
        self.strict_order = strict_order
        self.parameter_matching_strategy = parameter_matching_strategy
        self.fuzzy_threshold = fuzzy_threshold
        self.scoring = scoring
        self.threshold = threshold or 0.5
        self.edition = edition or _native.edition() or "documented"
        config = {
            "check_parameters": check_parameters,
            "strict_order": strict_order,
            "parameter_matching_strategy": parameter_matching_strategy,
            "fuzzy_threshold": fuzzy_threshold,
            "scoring": scoring,
            "threshold": threshold,
        }
        self._native = _native.Evaluator.from_config("axion/tool-correctness", config, edition=self.edition)

    async def execute(self, item: Any, **_: Any) -> MetricEvaluationResult:
        """Judges an item.

        Raises:
            ValueError: a call lacks arguments, or has an unknown field.
        """
        return self._judge(item)

    def _judge(self, item: Any) -> MetricEvaluationResult:
        result, passed, outcome, reason = self._native.result(_calls(item.expected_tools), _calls(item.tools_called))
        if result is None:
            raise ValueError(reason or outcome)
        return MetricEvaluationResult(
            metric_name=self.name,
            score=result["score"],
            explanation=result["explanation"],
            threshold=self.threshold,
            passed=bool(passed),
        )


def _calls(calls: Any) -> list[Any] | None:
    """The calls as dicts. The package's calls have more fields, which the metric ignores."""
    if calls is None:
        return None
    known = ("name", "args", "id", "tags", "request_latency")
    return [
        call if isinstance(call, dict) else {key: getattr(call, key) for key in known if getattr(call, key, None) is not None}
        for call in calls
    ]


class MetricRunner:
    """Judges the items of a dataset with several metrics."""

    def __init__(self, metrics: Iterable[ToolCorrectness], **_: Any) -> None:
        self.metrics = list(metrics)

    async def run(self, dataset: Iterable[Any]) -> list[MetricEvaluationResult]:
        """The results of all metrics: first those of the first item, then those of the second, and so on."""
        return [metric._judge(item) for item in dataset for metric in self.metrics]
