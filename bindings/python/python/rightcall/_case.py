"""A case as a plain value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any


@dataclass(kw_only=True)
class Case:
    """An expectation with a run to compare it with. `score` and `Evaluator.evaluate_case` accept it as a typed alternative to a dict.

    Cases can be compared, copied and pickled if their contents can.

    Attributes:
        id: the name of the case.
        expected: the expectation, as for `rightcall.evaluate`.
        actual: the run, as for `rightcall.evaluate`; `None` if there is no run.
        trial: the repetition of the case.
        description: a description of the case.
        input: the question to the agent.
        output: the agent's answer.
        tags: labels to select cases by.
        meta: any other data.
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
        """The case as a dict in the format of a case file, without fields that are not set."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in given.items() if value is not None}
