"""Shared by the tests: the project's folders, its golden files, and random cases."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rightcall

# The packages send telemetry and load tracing unless it is disabled.
os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["UIPATH_TELEMETRY_ENABLED"] = "false"

ROOT = Path(__file__).parents[3]
GOLDENS = ROOT / "conformance"
EXAMPLES = ROOT / "examples"

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def _no_edition() -> Iterator[None]:
    """Resets the edition before each test."""
    rightcall.set_edition(None)
    yield
    rightcall.set_edition(None)


def golden_lines(name: str) -> list[dict[str, Any]]:
    """The golden cases of a file."""
    text = (GOLDENS / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


class Cases:
    """Random calls, the same in every run. There are few names and values, so that many calls match and many nearly match."""

    NAMES = ("find_order", "refund", "send email", "send_email", "Refund", "look-up")
    VALUES: tuple[Any, ...] = (1, 1.0, True, 0, None, "a", "A", "1", "", [1, 2], [2, 1], [], {}, {"x": 1}, {"x": 1, "y": "b"}, 2.5)

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def args(self) -> dict[str, Any]:
        keys = self._random.sample(("id", "to", "query", "deep"), self._random.randint(0, 3))
        return {key: self._random.choice(self.VALUES) for key in keys}

    def call(self) -> dict[str, Any]:
        return {"name": self._random.choice(self.NAMES[: self._random.randint(1, 6)]), "args": self.args()}

    def calls(self) -> list[dict[str, Any]]:
        return [self.call() for _ in range(self._random.randint(0, 6))]

    def pair(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Expected and actual calls; the actual calls are often derived from the expected ones."""
        expected = self.calls()
        if self._random.random() < 0.3:
            return expected, self.calls()
        actual = [dict(call) for call in expected if self._random.random() < 0.8]
        for call in actual:
            if self._random.random() < 0.3:
                call["args"] = self.args()
        if self._random.random() < 0.4:
            self._random.shuffle(actual)
        while self._random.random() < 0.3:
            actual.insert(self._random.randint(0, len(actual)), self.call())
        return expected, actual

    def choice(self, options: Any) -> Any:
        return self._random.choice(options)


@pytest.fixture
def cases() -> Cases:
    """Random calls."""
    return Cases(20)


def outcome_of(call: Callable[[], Any]) -> Any:
    """The result of a call, or a marker that it raised an exception."""
    try:
        return call()
    except Exception:
        return "raises"
