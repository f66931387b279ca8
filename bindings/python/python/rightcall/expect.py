"""Expectations with alternatives, from functions with the names of JSON's blocks and matchers.

    >>> import rightcall
    >>> from rightcall.expect import any_order, call, lte, one_of, optional, var
    >>> expected = [
    ...     any_order("get_policy", call("find_order", {"id": 7}, output={"total": var("total")})),
    ...     one_of(call("refund", {"amount": var("total")}), "escalate"),
    ...     optional(call("send_email", {"copies": lte(2)})),
    ... ]
    >>> found = call("find_order", {"id": 7}, output={"total": 30})
    >>> actual = [found, call("get_policy", {}), call("refund", {"amount": 30})]
    >>> rightcall.evaluate("fitness", expected=expected, actual=actual).score
    1.0

Each function returns the plain dict that can also be written by hand, so both can be mixed and used wherever an expectation is accepted. A
block takes its elements as separate arguments; a list among them is a sequence. Conditions on a number can be combined:
`{**gte(1), **lt(5)}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, Union

from .errors import ArgumentError

__all__ = [
    "Element",
    "any_order",
    "anything",
    "approx",
    "call",
    "contains",
    "eq",
    "gt",
    "gte",
    "literal",
    "lt",
    "lte",
    "ne",
    "not_",
    "of_type",
    "one_of",
    "one_of_values",
    "optional",
    "optional_value",
    "pattern",
    "repeat",
    "rest",
    "sequence",
    "var",
]

Element: TypeAlias = Union[str, Mapping[str, Any]]
"""A call, a tool name, or a block."""

Elements: TypeAlias = Union[Element, Sequence[Element]]
JsonType: TypeAlias = Literal["string", "number", "integer", "boolean", "null", "array", "object"]

_UNSTATED: Any = object()


def call(name: str, args: Any = _UNSTATED, *, output: Any = _UNSTATED) -> dict[str, Any]:
    """A call of this tool. Only the given arguments and output are required."""
    stated = {"name": name, "args": args, "output": output}
    return {key: value for key, value in stated.items() if value is not _UNSTATED}


def sequence(*elements: Element) -> dict[str, Any]:
    """The elements in this order."""
    return {"sequence": list(elements)}


def any_order(*elements: Elements) -> dict[str, Any]:
    """The elements in parallel: calls of different elements may be interleaved."""
    return {"any_order": _several("any_order", elements)}


def one_of(*alternatives: Elements) -> dict[str, Any]:
    """Exactly one of these."""
    return {"one_of": _several("one_of", alternatives)}


def _several(name: str, elements: tuple[Elements, ...]) -> list[Elements]:
    """The elements of a block. A single list is rejected, because it would mean one sequence without alternatives."""
    if len(elements) == 1 and isinstance(elements[0], (list, tuple)):
        raise ArgumentError(f'{name}: expected the elements one by one, {name}("a", "b"), found a single list; {name}(*elements) unpacks one')
    return list(elements)


def optional(*elements: Element) -> dict[str, Any]:
    """The elements in this order, or none of them."""
    return {"optional": list(elements)}


def repeat(*elements: Element, min: int = 1, max: int | None = None) -> dict[str, Any]:
    """The elements in this order, at least `min` times, and at most `max` times unless it is `None`."""
    return {"repeat": list(elements), "min": min, "max": max}


def anything() -> dict[str, Any]:
    """The key is present, with any value."""
    return {"$any": True}


def eq(value: Any) -> dict[str, Any]:
    """A value equal to this one."""
    return {"$eq": value}


def ne(value: Any) -> dict[str, Any]:
    """A value different from this one."""
    return {"$ne": value}


def gt(number: float) -> dict[str, Any]:
    """A number greater than this one."""
    return {"$gt": number}


def gte(number: float) -> dict[str, Any]:
    """A number greater than or equal to this one."""
    return {"$gte": number}


def lt(number: float) -> dict[str, Any]:
    """A number less than this one."""
    return {"$lt": number}


def lte(number: float) -> dict[str, Any]:
    """A number less than or equal to this one."""
    return {"$lte": number}


def approx(value: float, within: float) -> dict[str, Any]:
    """A number that differs from `value` by at most `within`."""
    return {"$approx": {"value": value, "within": within}}


def of_type(name: JsonType) -> dict[str, Any]:
    """A value of this JSON type (`$type`)."""
    return {"$type": name}


def pattern(expression: str) -> dict[str, Any]:
    """A string in which the regular expression matches somewhere."""
    return {"$pattern": expression}


def contains(value: Any) -> dict[str, Any]:
    """A string that contains this string, or a list with an item that matches this value or matcher."""
    return {"$contains": value}


def one_of_values(*values: Any) -> dict[str, Any]:
    """One of these values or matchers (`$one_of`)."""
    return {"$one_of": list(values)}


def not_(matcher: Any) -> dict[str, Any]:
    """The key is present, and its value does not match."""
    return {"$not": matcher}


def optional_value(matcher: Any) -> dict[str, Any]:
    """The key is absent, or its value matches (`$optional`)."""
    return {"$optional": matcher}


def var(name: str) -> dict[str, Any]:
    """A variable: the same value in every place with this name."""
    return {"$var": name}


def literal(value: Any) -> dict[str, Any]:
    """Exactly this value, even if its keys look like matchers."""
    return {"$literal": value}


def rest() -> dict[str, Any]:
    """Further keys are allowed: `{"id": 7, **rest()}`."""
    return {"$rest": "any"}
