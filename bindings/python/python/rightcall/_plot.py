"""Plots the distribution of a run's scores with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ._native import Run

_BARS = 20


def plot(run: Run) -> Figure:
    """Histograms of scores, one below the other for each evaluator, with the mean as a line."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("run.plot() draws with matplotlib: pip install matplotlib") from error
    evaluators: list[dict[str, Any]] = run.summary["evaluators"]
    scores: list[list[float]] = [[] for _ in evaluators]
    for place, evaluation in enumerate(run):
        if evaluation.score is not None:
            scores[place % len(evaluators)].append(evaluation.score)
    highest = max((score for some in scores for score in some), default=1.0)
    lowest = min((score for some in scores for score in some), default=0.0)
    # Most scores are from 0 to 1, so all plots show at least that range.
    span = (min(lowest, 0.0), max(highest, 1.0))
    figure, rows = pyplot.subplots(
        len(evaluators), squeeze=False, sharex=True, figsize=(6.4, 0.8 + 1.6 * len(evaluators)), layout="constrained"
    )
    for axes, evaluator, some in zip(rows[:, 0], evaluators, scores, strict=True):
        axes.hist(some, bins=_BARS, range=span, color="#4c78a8")
        axes.set_title(_title(evaluator), fontsize=9, loc="left")
        axes.set_ylabel("cases")
        if evaluator["mean"] is not None:
            axes.axvline(evaluator["mean"], color="#cf222e", linewidth=1)
    rows[-1, 0].set_xlabel("score")
    return figure


def _title(evaluator: dict[str, Any]) -> str:
    parts = [evaluator.get("name") or evaluator["evaluator"]]
    if evaluator["mean"] is not None:
        parts.append(f"mean {evaluator['mean']:.3f}")
    for count, what in (("not_applicable", "not applicable"), ("errors", "errors")):
        if evaluator[count]:
            parts.append(f"{evaluator[count]} {what}")
    return " · ".join(parts)
