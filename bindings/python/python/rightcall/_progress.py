"""Progress of a run: a tqdm bar, or a callback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import ArgumentTypeError


class Progress:
    """Receives the number of finished cases."""

    def __init__(self, tell: Callable[[int], Any], close: Callable[[], Any]) -> None:
        self._tell = tell
        self.close = close

    def advance(self, cases: int) -> None:
        """This many more cases are finished."""
        if cases:
            self._tell(cases)


def start(asked: bool | Callable[[int], Any] | None, total: int | None = None) -> Progress | None:
    """Starts to show progress.

    Args:
        asked: True for a tqdm bar; a function that is called with the number of finished cases; False or None for no output.
        total: the number of cases, if known.

    Raises:
        ImportError: a bar is requested, and tqdm is not installed.
    """
    if asked is None or asked is False:
        return None
    if callable(asked):
        return _function(asked)
    if asked is not True:
        raise ArgumentTypeError(f"progress: expected True, False or a function, found {asked!r}")
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError("progress=True shows a bar of tqdm: pip install tqdm, or give a function of the cases done") from error
    bar = tqdm(total=total, unit=" cases", unit_scale=True)
    return Progress(bar.update, bar.close)


def _function(asked: Callable[[int], Any]) -> Progress:
    done = 0

    def tell(cases: int) -> None:
        nonlocal done
        done += cases
        asked(done)

    return Progress(tell, lambda: None)
