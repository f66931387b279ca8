"""Axion's `ToolCorrectness`, with the numbers of the *package*; `rightcall.compat.axion` has those of the document.

    from rightcall.compat.package.axion import DatasetItem, MetricRunner, ToolCall, ToolCorrectness

instead of `axion.metrics`, `axion.dataset`, `axion.runners` and `axion._core.schema`.
"""

from __future__ import annotations

from typing import Any

from .. import axion
from ..axion import Dataset, DatasetItem, MetricEvaluationResult, MetricRunner, ToolCall

__all__ = ["Dataset", "DatasetItem", "MetricEvaluationResult", "MetricRunner", "ToolCall", "ToolCorrectness"]


class ToolCorrectness(axion.ToolCorrectness):
    """Are the expected tools called, with the expected arguments, in the expected order?

    The keyword arguments are those of `rightcall.compat.axion.ToolCorrectness`.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"edition": "package", **settings})
