"""A case as a plain value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any


@dataclass(kw_only=True)
class Case:
    """An expectation and a run to be held against it: what `score` and `Evaluator.evaluate_case` take, where a dict has no types.

    Cases can be compared, copied and pickled, as far as what is in them can.

    Attributes:
        id: what the case is called.
        expected: what is expected, as for `rightcall.evaluate`.
        actual: the run, as for `rightcall.evaluate`; `None` if there was none.
        trial: which repetition of the case it is.
        description: what the case is about.
        input: what the agent was asked.
        output: what it answered.
        tags: labels, by which cases are chosen.
        meta: anything else.
    """

    id: str | None = None
    expected: Any = None
    actual: Any = None
    trial: Any = None
    description: str | None = None
    input: Any = None
    output: Any = None
    tags: Sequence[str] | None = None
    meta: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The case as a dict, in the form of a case file, without what is not given."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in given.items() if value is not None}
