"""Evaluations and runs as dicts and data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._native import result_columns
from .errors import CaseError

if TYPE_CHECKING:
    import pandas
    import polars

    from ._native import Evaluation, Run

#: The column types, in the names of pandas and Spark.
KINDS: dict[str, tuple[str, str]] = {
    "text": ("object", "string"),
    "number": ("float64", "double"),
    "flag": ("boolean", "boolean"),
}


def evaluation_dict(it: Evaluation, details: bool, alignment: bool) -> dict[str, Any]:
    """An evaluation as a dict, with details and alignment if requested."""
    told = dict(zip(it._fields, it, strict=True))
    return {**told, "details": it.details if details else None, "alignment": it.alignment if alignment else None}


def run_dict(run: Run, details: bool, alignment: bool) -> dict[str, Any]:
    """A run as a dict, with all its evaluations."""
    evaluations = [evaluation_dict(it, details, alignment) for it in run]
    return {"summary": run.summary, "evaluations": evaluations, "problems": [str(problem) for problem in run.problems]}


def to_pandas(columns: dict[str, list[Any]]) -> pandas.DataFrame:
    """A pandas data frame with the columns of a run."""
    import pandas

    frame = pandas.DataFrame(columns)
    # Missing scores are NaN. A missing verdict needs pandas' nullable boolean type.
    return frame.astype({name: KINDS[kind][0] for name, kind in result_columns().items() if kind != "text"})


def readable(table: Any) -> tuple[Any, dict[str, list[Any]]]:
    """A table for Arrow, and the columns of Python objects that Arrow cannot represent exactly: each a list of cells.

    In Arrow columns, a missing member and a `None` are the same, and all arguments of a name have one type.
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
    # Text cells are the same in Arrow, so those columns need not be walked.
    walked = {name: column for name, column in cells.items() if not all(cell is None or type(cell) is str for cell in column)}
    if walked:
        frame = frame.copy(deep=False)
        for name in walked:
            frame[name] = None
    return frame, {str(name): column for name, column in walked.items()}


def filled_nulls(walked: dict[str, list[Any]]) -> list[str]:
    """Warnings about arguments that look filled: a table of Parquet or Arrow gives all calls of a column the keys of all others."""
    found = []
    for name in ("expected", "actual"):
        # Cells that come from Arrow are numpy arrays.
        cells = [cell for cell in walked.get(name, ()) if type(cell).__name__ == "ndarray"]
        calls = [call for cell in cells for call in cell if isinstance(call, dict)]
        given = [args for call in calls for args in (call.get("args"), call.get("arguments")) if isinstance(args, dict)]
        keys = {frozenset(args) for args in given}
        nulls = sum(value is None for args in given for value in args.values())
        if len(given) > 1 and len(keys) == 1 and nulls:
            found.append(
                f"column `{name}`: {len(given)} calls have the same {len(next(iter(keys)))} argument keys, {nulls} of them with null, as if a "
                "table of Parquet or Arrow had filled them: store the column as JSON text, or score with match={'nulls': 'absent'}"
            )
    return found


def _present(column: Any) -> list[Any]:
    """The cells of an object column; missing ones are `None`."""
    missing = column.isna()
    return [None if is_missing else cell for cell, is_missing in zip(column, missing, strict=True)]


def _of_polars(frame: Any) -> tuple[Any, dict[str, list[Any]]]:
    import polars

    if not isinstance(frame, polars.DataFrame):
        return frame, {}
    walked = {name: frame[name].to_list() for name, kind in frame.schema.items() if kind == polars.Object}
    if walked:
        frame = frame.with_columns(polars.lit(None, dtype=polars.String).alias(name) for name in walked)
    typed = {name: _typed(kind) for name, kind in frame.schema.items()}
    return frame.cast({name: kind for name, kind in typed.items() if kind != frame.schema[name]}), walked


def _typed(kind: Any) -> Any:
    """A type of polars with texts for values that are all null: polars exports their own type in a form that Arrow cannot read."""
    import polars

    if kind == polars.Null:
        return polars.String()
    if isinstance(kind, polars.List):
        return polars.List(_typed(kind.inner))
    if isinstance(kind, polars.Array):
        return polars.Array(_typed(kind.inner), kind.size)
    if isinstance(kind, polars.Struct):
        return polars.Struct({field.name: _typed(field.dtype) for field in kind.fields})
    return kind


class _Stream:
    """A run as a plain Arrow stream: polars would iterate over a sequence."""

    def __init__(self, run: Run) -> None:
        self.__arrow_c_stream__ = run.__arrow_c_stream__


def to_polars(run: Run) -> polars.DataFrame:
    """A polars data frame with the same columns."""
    import polars

    return polars.DataFrame(_Stream(run))
