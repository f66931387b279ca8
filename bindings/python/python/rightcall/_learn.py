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
        [{'any_order': ['find', 'verify']}, 'refund']

    Args:
        runs: the runs, each what `actual` takes.
        arguments: what is learned of arguments: nothing, keys and types, or also values, choices, forms and data flow.
        noise: the share below which something rare is left out, from 0 (nothing is) and below 1.
        variants: keeps whole runs as alternatives, at most this many different ones.
        open_repeats: puts no upper bound on repeats; else the largest number seen is the bound.

    Returns:
        The expectation, a list of elements: what `expected` takes. Without `noise` and `variants` it accepts every run.

    Raises:
        CaseError: a run is nothing that can be read.
        ValueError: an argument is out of range, a run may lack calls, or the blocks have more states than can be looked at.
    """
    learned: list[Any] = learn_runs(runs, arguments=arguments, noise=noise, variants=variants, open_repeats=open_repeats)
    return learned
