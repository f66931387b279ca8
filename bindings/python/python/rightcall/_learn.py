"""Expectations learned from good runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from ._native import learn_runs


def learn(
    runs: Iterable[Any],
    /,
    *,
    arguments: Literal["names", "types", "values"] = "values",
    noise: float = 0.0,
    variants: int | None = None,
    open_repeats: bool = False,
) -> list[Any]:
    """Learns what good runs of one task have in common.

        >>> rightcall.learn([["find", "verify", "refund"], ["verify", "find", "refund"]])
        [{'any_order': ['find', 'verify'], 'note': '2 of 2 runs'}, 'refund']

    Args:
        runs: the runs, in any form that `actual` accepts.
        arguments: what to learn about arguments: nothing, keys and types, or also values, choices, forms and data flow.
        noise: the share below which rare behaviour is left out, from 0 (keep everything) to below 1.
        variants: keep whole runs as alternatives, at most this many different ones.
        open_repeats: set no upper bound on repeats (default: the largest observed number).

    Returns:
        The expectation: a list of elements that can be passed as `expected`; the `note` of a block says how many runs went through it. Without `noise` and `variants` it accepts every run.

    Raises:
        CaseError: a run cannot be parsed.
        ValueError: an argument is out of range, a run may lack calls, or the blocks have too many states.
    """
    learned: list[Any] = learn_runs(runs, arguments=arguments, noise=noise, variants=variants, open_repeats=open_repeats)
    return learned
