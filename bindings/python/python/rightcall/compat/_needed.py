"""The packages behind the drop-ins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed(package: str, module: str) -> Iterator[None]:
    """Names the package that a drop-in subclasses, if it is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{module} needs the package {package}: pip install {package}", name=error.name) from error
