"""Learning from runs in memory."""

from __future__ import annotations

from typing import Any

import pytest

import rightcall


def run(order: int, *more: Any) -> list[Any]:
    find = {"name": "find", "args": {}, "output": {"id": order}}
    return [find, *more, {"name": "refund", "args": {"order": order}}]


def test_what_runs_have_in_common_is_expected() -> None:
    learned = rightcall.learn([["find", "verify", "refund"], ["verify", "find", "refund"]])
    assert learned == [{"any_order": ["find", "verify"], "note": "2 of 2 runs"}, "refund"]
    expected = rightcall.learn([run(7), run(8, "verify"), run(9)])
    assert expected[1] == {"optional": ["verify"], "note": "1 of 3 runs"} and expected[2] == {"name": "refund", "args": {"order": {"$var": "id"}}}
    assert rightcall.evaluate("fitness", expected=expected, actual=run(12)).score == 1.0
    assert rightcall.evaluate("fitness", expected=expected, actual=[*run(12)[:-1], {"name": "refund", "args": {"order": 1}}]).score != 1.0


def test_options_are_those_of_the_command() -> None:
    runs = [["a"]] * 9 + [["b"]]
    assert rightcall.learn(runs, noise=0.2) == ["a"]
    assert rightcall.learn([["a"], ["a", "a"]], open_repeats=True) == [{"repeat": ["a"], "min": 1, "note": "2 of 2 runs"}]
    assert rightcall.learn([run(7), run(8)], arguments="names") == ["find", "refund"]
    assert rightcall.learn([["a"], ["b"], ["b"]], variants=1) == ["b"]
    assert rightcall.learn([]) == []


def test_what_cannot_be_learned_from_is_named() -> None:
    with pytest.raises(ValueError, match='found "words"'):
        rightcall.learn([], arguments="words")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="noise"):
        rightcall.learn([], noise=1.5)
    with pytest.raises(rightcall.CaseError, match="found the number 7") as raised:
        rightcall.learn([["a"], 7])
    assert raised.value.case == "runs/1"
