"""Judges the calls of an agent by its spans, in the process that it runs in.

    from rightcall.opentelemetry import CallCapture

    capture = CallCapture()
    provider.add_span_processor(capture)          # the TracerProvider that the agent's instrumentation uses

    with capture.run() as run:
        agent("Please refund order 7")
    run.evaluate("trajectory", expected=[…])
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.trace import SpanContext

from . import Evaluation, evaluate

if TYPE_CHECKING:
    from ._types import Edition, EvaluatorLike

__all__ = ["CallCapture", "CapturedRun"]


class CapturedRun:
    """The spans that ended while a run was captured.

    Attributes:
        spans: the spans in the order in which they ended; `rightcall.evaluate` takes them for `actual` where they are of one trace.
    """

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def evaluate(
        self, evaluator: EvaluatorLike, /, *, expected: Any = None, edition: Edition | None = None, **settings: Any
    ) -> Evaluation:
        """Judges the calls that the spans tell, as `rightcall.evaluate` does: those of one run, also where they are of several traces."""
        spans = [_SpanOfRun(span) for span in self.spans]
        return evaluate(evaluator, expected=expected, actual=spans, edition=edition, **settings)


class _SpanOfRun:
    """A span in the one trace of its run: agents without a span around all they do begin a trace with each step."""

    def __init__(self, span: ReadableSpan) -> None:
        self._span = span
        own = span.context
        self.context = None if own is None else SpanContext(_TRACE, own.span_id, own.is_remote)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._span, name)


_TRACE = 1


class CallCapture(SpanProcessor):
    """A processor of spans that hands them to evaluators, and to nobody else.

    Spans are kept only inside of `run`, and only those that are sampled. Runs may be captured one inside of another; each gets the spans
    that end while it lasts, on any thread: agents that run side by side are told apart by a capture, and a provider, for each.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: list[CapturedRun] = []

    @contextmanager
    def run(self) -> Iterator[CapturedRun]:
        """Captures what ends until the block is left."""
        run = CapturedRun()
        with self._lock:
            self._runs.append(run)
        try:
            yield run
        finally:
            with self._lock:
                # Runs are told apart by what they are, not by the spans that they hold.
                self._runs = [other for other in self._runs if other is not run]

    def on_end(self, span: ReadableSpan) -> None:
        """Keeps a span for those who wait for it."""
        with self._lock:
            for run in self._runs:
                run.spans.append(span)
