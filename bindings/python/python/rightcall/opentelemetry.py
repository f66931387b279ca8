"""Judges an agent's calls from its spans, in the same process.

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


class _Spans(list[ReadableSpan]):
    """Spans that are no evidence for a run without calls while there are none."""

    @property
    def incomplete(self) -> str | None:
        """Why calls may be missing, as `rightcall.Calls` has it."""
        return None if self else _NO_SPAN


_NO_SPAN = "no span ended during the capture; is the capture added to the agent's tracer provider, and is the run sampled?"


class CapturedRun:
    """The spans that ended while a run was captured.

    Attributes:
        spans: the spans in the order in which they ended; `rightcall.evaluate` accepts them as `actual` if they belong to one trace.
            Without any span, the run was not recorded, and evaluators that need its calls do not apply.
    """

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = _Spans()

    def evaluate(
        self, evaluator: EvaluatorLike, /, *, expected: Any = None, edition: Edition | None = None, **settings: Any
    ) -> Evaluation:
        """Judges the calls in the spans, like `rightcall.evaluate`. They count as one run, even if they belong to several traces."""
        spans = [_SpanOfRun(span) for span in self.spans]
        return evaluate(evaluator, expected=expected, actual=spans or self.spans, edition=edition, **settings)


class _SpanOfRun:
    """Moves a span into a common trace for its run: agents without an enclosing span start a new trace in each step."""

    def __init__(self, span: ReadableSpan) -> None:
        self._span = span
        own = span.context
        self.context = None if own is None else SpanContext(_TRACE, own.span_id, own.is_remote)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._span, name)


_TRACE = 1


class CallCapture(SpanProcessor):
    """A span processor that keeps spans only for evaluators.

    Spans are kept only inside `run`, and only if they are sampled. Captures may be nested; each gets the spans that end while it is active,
    on any thread. For concurrent agents, use one capture and one provider for each.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: list[CapturedRun] = []

    @contextmanager
    def run(self) -> Iterator[CapturedRun]:
        """Captures the spans that end inside the block."""
        run = CapturedRun()
        with self._lock:
            self._runs.append(run)
        try:
            yield run
        finally:
            with self._lock:
                # Compare by identity: two runs with equal spans are still different.
                self._runs = [other for other in self._runs if other is not run]

    def on_end(self, span: ReadableSpan) -> None:
        """Adds a span to all active captures."""
        with self._lock:
            for run in self._runs:
                run.spans.append(span)
