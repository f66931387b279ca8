"""Compares trajectories with a user's own functions, which the native engine cannot call."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Call = tuple[str, dict[str, Any]]


def judge(mode: str, args_mode: str, overrides: dict[str, Any], actual: list[Any], expected: list[Any]) -> bool:
    """True if two trajectories match under overrides that include functions."""
    matcher = _Matcher(args_mode, overrides)
    if mode == "strict":
        return _strict(matcher, actual, expected)
    calls, reference = calls_of(actual), calls_of(expected)
    if mode == "superset":
        return _covers(matcher, calls, reference)
    if mode == "subset":
        return _covers(matcher, reference, calls)
    return _covers(matcher, calls, reference) and _covers(matcher, reference, calls)


def calls_of(messages: list[Any]) -> list[Call]:
    """The calls that the assistant messages request, in order."""
    return [call for message in messages for call in _calls(message)]


def _calls(message: dict[str, Any]) -> list[Call]:
    if _role(message) != "assistant":
        return []
    calls = []
    for call in message.get("tool_calls") or []:
        if "function" in call:
            arguments = call["function"]["arguments"]
            calls.append((call["function"]["name"], json.loads(arguments, strict=False) if isinstance(arguments, str) else arguments))
        else:
            calls.append((call["name"], call["args"]))
    return calls


def _role(message: dict[str, Any]) -> str:
    role = message.get("role") or message.get("type") or ""
    return {"human": "user", "ai": "assistant"}.get(role, role)


class _Matcher:
    def __init__(self, mode: str, overrides: dict[str, Any]) -> None:
        self.mode = mode
        self.overrides = overrides

    def of(self, name: str) -> Callable[[Any, Any], Any]:
        rule: Any = self.overrides.get(name) or self.mode
        if callable(rule):
            return lambda left, right: rule(left, right)
        if isinstance(rule, list):
            return lambda left, right: all(_at(left, path) == _at(right, path) for path in rule)
        if rule == "exact":
            return lambda left, right: bool(left == right)
        if rule == "subset":
            return lambda left, right: all(key in right and right[key] == value for key, value in left.items())
        if rule == "superset":
            return lambda left, right: all(key in left and left[key] == value for key, value in right.items())
        return lambda left, right: True


def _at(arguments: Any, path: str) -> Any:
    for step in path.split("."):
        if not isinstance(arguments, dict):
            return None
        arguments = arguments.get(step)
    return arguments


def _covers(matcher: _Matcher, calls: list[Call], wanted: list[Call]) -> bool:
    free = list(calls)
    for name, arguments in wanted:
        place = next((at for at, call in enumerate(free) if call[0] == name and matcher.of(name)(call[1], arguments)), None)
        if place is None:
            return False
        del free[place]
    return True


def _strict(matcher: _Matcher, actual: list[Any], expected: list[Any]) -> bool:
    if len(actual) != len(expected):
        return False
    for message, reference in zip(actual, expected):
        calls, wanted = _calls(message), _calls(reference)
        if _role(message) != _role(reference) or len(calls) != len(wanted):
            return False
        free = list(wanted)
        for name, arguments in calls:
            place = next((at for at, call in enumerate(free) if call[0] == name and matcher.of(name)(arguments, call[1])), None)
            if place is None:
                return False
            del free[place]
    return True
