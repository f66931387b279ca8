"""Builders of expectations: each returns the same dict as one written by hand."""

from __future__ import annotations

import doctest
import json
from typing import Any

import pytest

import rightcall
from rightcall import expect


@pytest.mark.parametrize(
    ("built", "written"),
    [
        (expect.call("a"), {"name": "a"}),
        (expect.call("a", {}, output=None), {"name": "a", "args": {}, "output": None}),
        (expect.any_order(["a", "b"], "c"), {"any_order": [["a", "b"], "c"]}),
        (expect.one_of("a", []), {"one_of": ["a", []]}),
        (expect.sequence("a", "b"), {"sequence": ["a", "b"]}),
        (expect.repeat("a", min=0, max=2), {"repeat": ["a"], "min": 0, "max": 2}),
        ({**expect.gte(1), **expect.lt(5)}, {"$gte": 1, "$lt": 5}),
        ({"id": 7, **expect.rest()}, {"id": 7, "$rest": "any"}),
    ],
)
def test_a_builder_gives_the_dict_that_is_written_by_hand(built: object, written: object) -> None:
    assert json.dumps(built) == json.dumps(written)


@pytest.mark.parametrize(
    ("matcher", "right", "wrong"),
    [
        (expect.anything(), None, ...),
        (expect.eq({"a": 1}), {"a": 1}, {"a": 2}),
        (expect.ne(1), 2, 1),
        (expect.gt(1), 2, 1),
        (expect.gte(1), 1, 0),
        (expect.lt(1), 0, 1),
        (expect.lte(1), 1, 2),
        (expect.approx(1, within=0.5), 1.4, 1.6),
        (expect.of_type("integer"), 2.0, 2.5),
        (expect.pattern("^order-"), "order-7", "my order-7"),
        (expect.contains("a"), ["a", "b"], ["b"]),
        (expect.one_of_values("a", expect.gt(5)), 6, 5),
        (expect.not_(expect.eq(1)), 2, 1),
        (expect.optional_value(1), ..., 2),
        (expect.literal({"$gt": 1}), {"$gt": 1}, 2),
    ],
)
def test_each_matcher_means_what_it_says(matcher: object, right: object, wrong: object) -> None:
    def score(value: object) -> float | None:
        args = {} if value is ... else {"x": value}
        expected = [expect.call("t", {"x": matcher})]
        return rightcall.evaluate("fitness", expected=expected, actual=[{"name": "t", "args": args}]).score

    assert score(right) == 1.0
    assert score(wrong) == 0.5


def test_variables_hold_one_value_everywhere() -> None:
    expected = [expect.call("find", output=expect.var("id")), expect.call("pay", {"id": expect.var("id")})]

    def passes(paid: int) -> bool | None:
        actual = [{"name": "find", "args": {}, "output": 7}, {"name": "pay", "args": {"id": paid}}]
        return rightcall.evaluate("fitness", expected=expected, actual=actual).passed

    assert (passes(7), passes(8)) == (True, False)


def test_the_example_of_the_module() -> None:
    assert doctest.testmod(expect) == (0, 6)


@pytest.mark.parametrize("block", [expect.any_order, expect.one_of])
def test_a_single_list_is_no_choice(block: Any) -> None:
    with pytest.raises(rightcall.ArgumentError, match=block.__name__ + r'\("a", "b"\), found a single list'):
        block(["find", "mail"])
    assert block(["find", "mail"], "look") == {block.__name__: [["find", "mail"], "look"]}
