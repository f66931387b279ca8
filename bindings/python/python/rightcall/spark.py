"""Scores data larger than one machine, on Spark.

    import rightcall.spark

    results = rightcall.spark.score(spark.read.parquet("s3://…/traces"), "suite.yaml")
    results.where("score < 0.5").show()

It is a function over `mapInArrow` without a scheduler of its own: each partition is scored in place, batch by batch, in constant memory.
The same rows return the same results for any order of partitions and any number of machines.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import Evaluator, Suite
from ._calls import map_itself
from ._native import result_columns
from ._tables import KINDS
from .errors import ArgumentError

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

    from ._types import EvaluatorSpec

__all__ = ["SCHEMA", "score"]

#: The columns of results as a Spark schema. `trial`, `details` and `alignment` are JSON texts; the last two are null unless requested.
#: `outcome` is `scored`, `not_applicable` or `error`, and `reason` says why there is no score.
SCHEMA = ", ".join(f"{name} {KINDS[kind][1]}" for name, kind in result_columns().items())


def score(
    df: DataFrame,
    suite: Suite | str | os.PathLike[str] | None = None,
    *,
    evaluators: EvaluatorSpec | Iterable[EvaluatorSpec] | None = None,
    group_by: str | None = None,
    order_by: str | None = None,
    map: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    details: bool = False,
    alignment: bool = False,
) -> DataFrame:
    """Judges the rows of a data frame.

    Args:
        df: one row for each case, with the columns `expected` and `actual` (structs or JSON texts), and optionally `id`, `trial` and
            others; or one row for each span.
        suite: the suite with the evaluators, or its path; its gates and files are ignored.
        evaluators: the evaluators, instead of a suite.
        group_by: the column that identifies a run, such as `"trace_id"`. The rows are then spans with `attributes` and, if known, `name`,
            `span_id`, `parent_id`, `start_time` and `end_time`. They are grouped by this column; the column `expected` of any of them holds
            the run's expectation.
        map: the map to read the rows of a group with, if they are not spans: a path or a dict. The columns of a row are its keys. It needs
            `group_by`.
        order_by: the column that orders the spans of a run (default: `start_time`, if it exists).
        details: whether to fill the column `details`.
        alignment: whether to fill the column `alignment`.

    Returns:
        A data frame with the columns of `SCHEMA`, one row for each case and evaluator. A row that is not a case, or a span without a group
        key, results in rows with the outcome `error`, and the job continues.

    Raises:
        ArgumentError: neither a suite nor evaluators are given, or both are; the suite redacts arguments; or a column to group by is
            missing.
    """
    if (suite is None) == (evaluators is None):
        raise ArgumentError("expected either a suite or evaluators")
    if suite is not None:
        loaded = suite if isinstance(suite, Suite) else Suite.load(suite)
        if loaded.redacts:
            raise ArgumentError(
                f"{os.fspath(loaded.path)}: `redact` is not done on Spark: take these arguments out of the rows, "
                "or give evaluators=suite.evaluators to score the rows as they are"
            )
        chosen = loaded.evaluators
    else:
        is_one = isinstance(evaluators, (str, dict, Evaluator))
        given: Any = [evaluators] if is_one else evaluators
        chosen = [Evaluator(each) for each in given]
    # The workers get JSON text, which creates the same evaluators with their editions.
    specs = json.dumps([each.spec for each in chosen])

    if map is not None and group_by is None:
        raise ArgumentError("map: expected `group_by` too, the column whose value the rows of one run share")
    # The workers may not have the file, so send the map itself.
    rows_map = map_itself(map)

    if group_by is None:

        def judge(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
            return _judged(batches, specs, None, None, details, alignment)

        return df.mapInArrow(judge, SCHEMA)

    columns = set(df.columns)
    if group_by not in columns:
        raise ArgumentError(f"group_by: expected one of the columns {sorted(columns)}, found {group_by!r}")
    if map is None and not columns & _SPANS:
        raise ArgumentError(f"group_by: expected spans, with a column `attributes`, found the columns {sorted(columns)}")
    order = [order_by] if order_by else [name for name in ("start_time", "span_id") if name in columns]
    key = group_by

    def judge_groups(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        return _judged(_whole_groups(batches, key), specs, key, rows_map, details, alignment)

    # The spans of a run must be consecutive in one partition.
    return df.repartition(group_by).sortWithinPartitions(group_by, *order).mapInArrow(judge_groups, SCHEMA)


#: Spans have one of these columns.
_SPANS = {"attributes", "Attributes", "body"}


def _judged(
    batches: Iterable[Any], specs: str, group_by: str | None, map: str | None, details: bool, alignment: bool
) -> Iterator[pyarrow.RecordBatch]:
    """The results of tables, batch by batch."""
    import pyarrow

    from ._native import score_table

    evaluators = [Evaluator(spec) for spec in json.loads(specs)]
    for batch in batches:
        table = batch if isinstance(batch, pyarrow.Table) else pyarrow.Table.from_batches([batch])
        # Spark already runs one task for each core.
        run = score_table(
            table,
            evaluators,
            walked={},
            is_whole=False,
            group_by=group_by,
            map=map,
            threads=1,
            details=details,
            alignment=alignment,
            skip_invalid=False,
            progress=None,
        )
        yield from pyarrow.table(run).to_batches()


def _whole_groups(batches: Iterable[pyarrow.RecordBatch], key: str) -> Iterator[pyarrow.Table]:
    """Splits a stream of batches into tables, without splitting groups of consecutive rows with the same key."""
    import pyarrow

    held: list[pyarrow.RecordBatch] = []
    for batch in batches:
        keys = batch.column(key)
        if not len(keys):
            continue
        last = keys[len(keys) - 1]
        # The start of the last group in this batch.
        start = len(keys)
        while start > 0 and keys[start - 1] == last:
            start -= 1
        # Spans without a key are not grouped, so they need not wait for the next batch.
        is_whole = not last.is_valid
        if is_whole:
            start = len(keys)
        if start == 0 and (not held or held[-1].column(key)[-1] == last):
            held.append(batch)
            continue
        yield pyarrow.Table.from_batches([*held, batch.slice(0, start)])
        held = [] if is_whole else [batch.slice(start)]
    if held:
        yield pyarrow.Table.from_batches(held)
