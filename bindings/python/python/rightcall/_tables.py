"""Evaluations and runs as dicts and data frames."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Union

from ._native import result_columns
from .errors import CaseError

if TYPE_CHECKING:
    import pandas
    import polars

    from ._native import Evaluation, Run

#: What a column may hold, as Python, pandas and Spark name it.
KINDS: dict[str, tuple[type, str, str]] = {
    "text": (str, "object", "string"),
    "number": (float, "float64", "double"),
    "flag": (bool, "boolean", "boolean"),
}

#: As a value: what it is made of is known when it is run.
_Union: Any = Union

#: What an evaluation tells at once, and what it is: its annotations, for those who look at it as at a dataclass.
FIELDS: dict[str, Any] = {
    name: Any if name == "trial" else _Union[KINDS[kind][0], None]
    for name, kind in result_columns().items()
    if name not in ("details", "alignment")
}


def evaluation_dict(it: Evaluation, details: bool, alignment: bool) -> dict[str, Any]:
    """An evaluation with what explains it, as far as that is asked for."""
    told = {name: getattr(it, name) for name in FIELDS}
    return {**told, "details": it.details if details else None, "alignment": it.alignment if alignment else None}


def run_dict(run: Run, details: bool, alignment: bool) -> dict[str, Any]:
    """A run with all its evaluations."""
    evaluations = [evaluation_dict(it, details, alignment) for it in run]
    return {"summary": run.summary, "evaluations": evaluations, "problems": [str(problem) for problem in run.problems]}


def to_pandas(columns: dict[str, list[Any]]) -> pandas.DataFrame:
    """A data frame of the columns of a run."""
    import pandas

    frame = pandas.DataFrame(columns)
    # Without a score a number is missing, without a verdict a truth value, which only pandas' own type has room for.
    return frame.astype({name: KINDS[kind][1] for name, kind in result_columns().items() if kind != "text"})


def readable(table: Any) -> tuple[Any, dict[str, list[Any]]]:
    """A table as Arrow reads it, and the columns of Python objects that it cannot hold as they are: each a list of cells.

    In columns of Arrow a member that one row lacks and one that is `None` are the same, and all arguments of a name are of one type.
    """
    package = type(table).__module__.partition(".")[0]
    if package == "pandas" and hasattr(table, "columns"):
        return _of_pandas(table)
    if package == "polars" and hasattr(table, "columns") and hasattr(table, "schema"):
        return _of_polars(table)
    return table, {}


def _of_pandas(frame: Any) -> tuple[Any, dict[str, list[Any]]]:
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise CaseError(f"expected a table with one column of each name, found several `{twice}`")
    cells = {name: _present(frame[name]) for name in frame.columns[frame.dtypes == object]}
    # Texts are the same in Arrow.
    walked = {name: column for name, column in cells.items() if not all(cell is None or type(cell) is str for cell in column)}
    if walked:
        frame = frame.copy(deep=False)
        for name in walked:
            frame[name] = None
    return frame, {str(name): column for name, column in walked.items()}


def _present(column: Any) -> list[Any]:
    """The cells of a column of objects; what is missing is `None`."""
    missing = column.isna()
    return [None if is_missing else cell for cell, is_missing in zip(column, missing, strict=True)]


def _of_polars(frame: Any) -> tuple[Any, dict[str, list[Any]]]:
    import polars

    if not isinstance(frame, polars.DataFrame):
        return frame, {}
    walked = {name: frame[name].to_list() for name, kind in frame.schema.items() if kind == polars.Object}
    if walked:
        frame = frame.with_columns(polars.lit(None, dtype=polars.String).alias(name) for name in walked)
    # Columns of nothing but nulls are handed on in a form that Arrow does not read.
    return frame.cast({polars.Null: polars.String}) if polars.Null in frame.dtypes else frame, walked


class _Stream:
    """A run as an Arrow stream and nothing else: polars would take a sequence for its items."""

    def __init__(self, run: Run) -> None:
        self.__arrow_c_stream__ = run.__arrow_c_stream__


def to_polars(run: Run) -> polars.DataFrame:
    """A data frame of the same columns."""
    import polars

    return polars.DataFrame(_Stream(run))


class Fields:
    """The fields of an evaluation as those of a dataclass, which is how `pandas.DataFrame(run)` and `polars.DataFrame(run)` find columns.

    The first access makes them: few callers need them, and `dataclasses` takes long to import.
    """

    def __get__(self, instance: object, owner: type | None = None) -> dict[str, Any]:
        return _dataclass_fields()


@cache
def _dataclass_fields() -> dict[str, Any]:
    from dataclasses import make_dataclass

    made: Any = make_dataclass("Evaluation", list(FIELDS.items()))
    fields: dict[str, Any] = made.__dataclass_fields__
    return fields
