"""Expectations with several right ways, by functions with the names that blocks and matchers have in JSON.

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

Each gives the plain dict that can also be written by hand, so they mix with dicts and go wherever an expectation goes. A block takes
its elements one by one; a list among them is a sequence. Conditions on a number go together: `{**gte(1), **lt(5)}`.
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
"""A call, a name alone, or a block."""

Elements: TypeAlias = Union[Element, Sequence[Element]]
JsonType: TypeAlias = Literal["string", "number", "integer", "boolean", "null", "array", "object"]

_UNSTATED: Any = object()


def call(name: str, args: Any = _UNSTATED, *, output: Any = _UNSTATED) -> dict[str, Any]:
    """A call of this tool; what is stated of its arguments and its output is demanded."""
    stated = {"name": name, "args": args, "output": output}
    return {key: value for key, value in stated.items() if value is not _UNSTATED}


def sequence(*elements: Element) -> dict[str, Any]:
    """The elements one after another."""
    return {"sequence": list(elements)}


def any_order(*elements: Elements) -> dict[str, Any]:
    """The elements in parallel: calls of one may stand between those of another."""
    return {"any_order": _several("any_order", elements)}


def one_of(*alternatives: Elements) -> dict[str, Any]:
    """Exactly one of these."""
    return {"one_of": _several("one_of", alternatives)}


def _several(name: str, elements: tuple[Elements, ...]) -> list[Elements]:
    """The elements of a block. A single list would be one sequence among no others."""
    if len(elements) == 1 and isinstance(elements[0], (list, tuple)):
        raise ArgumentError(f'{name}: expected the elements one by one, {name}("a", "b"), found a single list; {name}(*elements) unpacks one')
    return list(elements)


def optional(*elements: Element) -> dict[str, Any]:
    """The elements one after another, or none of them."""
    return {"optional": list(elements)}


def repeat(*elements: Element, min: int = 1, max: int | None = None) -> dict[str, Any]:
    """The elements one after another, at least `min` times, and at most `max` times unless that is `None`."""
    return {"repeat": list(elements), "min": min, "max": max}


def anything() -> dict[str, Any]:
    """The key is there, whatever its value."""
    return {"$any": True}


def eq(value: Any) -> dict[str, Any]:
    """The value is this."""
    return {"$eq": value}


def ne(value: Any) -> dict[str, Any]:
    """The value is another."""
    return {"$ne": value}


def gt(number: float) -> dict[str, Any]:
    """A number above this."""
    return {"$gt": number}


def gte(number: float) -> dict[str, Any]:
    """A number not below this."""
    return {"$gte": number}


def lt(number: float) -> dict[str, Any]:
    """A number below this."""
    return {"$lt": number}


def lte(number: float) -> dict[str, Any]:
    """A number not above this."""
    return {"$lte": number}


def approx(value: float, within: float) -> dict[str, Any]:
    """A number at most so far away from `value`."""
    return {"$approx": {"value": value, "within": within}}


def of_type(name: JsonType) -> dict[str, Any]:
    """A value of this type of JSON (`$type`)."""
    return {"$type": name}


def pattern(expression: str) -> dict[str, Any]:
    """A text in which the regular expression is found."""
    return {"$pattern": expression}


def contains(value: Any) -> dict[str, Any]:
    """A text that contains this text, or a list with this among its members, a value or a matcher."""
    return {"$contains": value}


def one_of_values(*values: Any) -> dict[str, Any]:
    """One of these values or matchers (`$one_of`)."""
    return {"$one_of": list(values)}


def not_(matcher: Any) -> dict[str, Any]:
    """The key is there, and this does not hold."""
    return {"$not": matcher}


def optional_value(matcher: Any) -> dict[str, Any]:
    """The key is absent, or this holds (`$optional`)."""
    return {"$optional": matcher}


def var(name: str) -> dict[str, Any]:
    """The same value at every place of this name."""
    return {"$var": name}


def literal(value: Any) -> dict[str, Any]:
    """This value, whatever keys it has."""
    return {"$literal": value}


def rest() -> dict[str, Any]:
    """Other keys may be there: `{"id": 7, **rest()}`."""
    return {"$rest": "any"}
