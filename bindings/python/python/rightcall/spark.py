"""Scores data that outgrow one machine, on Spark.

    import rightcall.spark

    results = rightcall.spark.score(spark.read.parquet("s3://…/traces"), "suite.yaml")
    results.where("score < 0.5").show()

There is no scheduler of our own: this is a function over `mapInArrow`, so each partition is scored where it lies, batch by batch, in
memory that does not grow. The same rows give the same results in any order of partitions and on any number of machines.
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

#: The columns of results, as Spark writes schemas. `trial`, `details` and `alignment` are JSON texts; the latter two are null unless asked
#: for. `outcome` is `scored`, `not_applicable` or `error`, and `reason` says why there is no score.
SCHEMA = ", ".join(f"{name} {KINDS[kind][2]}" for name, kind in result_columns().items())


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
        df: one row a case, with the columns `expected` and `actual` (structs, or JSON texts), and `id`, `trial` and others if there
            are any; or one row a span.
        suite: the suite whose evaluators judge, or its path; its gates and files are not looked at.
        evaluators: the evaluators, in place of a suite.
        group_by: the column whose value the spans of one run share, such as `"trace_id"`. The rows are then spans with `attributes`
            and, where known, `name`, `span_id`, `parent_id`, `start_time` and `end_time`, and are brought together by this column; the
            column `expected` of any of them holds what is expected of the run.
        map: the map by which the rows of a group are read, where they are no spans: its file, or the map as a dict. The columns of a row
            are its keys. It needs `group_by`.
        order_by: the column by which the spans of a run are ordered; `start_time` where there is one.
        details: whether the column `details` is filled.
        alignment: whether the column `alignment` is filled.

    Returns:
        A data frame with the columns of `SCHEMA`, one row for each case and evaluator. A row that is no case, or a span without a key
        to group by, gives rows with the outcome `error`, and the job goes on.

    Raises:
        ArgumentError: neither a suite nor evaluators are given, or both; the suite redacts arguments; or there is no column to group by.
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
    # What is sent to the workers is text: the same evaluators, their editions included.
    specs = json.dumps([each.spec for each in chosen])

    if map is not None and group_by is None:
        raise ArgumentError("map: expected `group_by` too, the column whose value the rows of one run share")
    # Workers may not have the file.
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

    # The spans of a run lie in one partition, one after another.
    return df.repartition(group_by).sortWithinPartitions(group_by, *order).mapInArrow(judge_groups, SCHEMA)


#: The columns of which spans have one.
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
        # Spark runs a task a core already.
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
    """Tables in which groups of neighbours with the same key are whole."""
    import pyarrow

    held: list[pyarrow.RecordBatch] = []
    for batch in batches:
        keys = batch.column(key)
        if not len(keys):
            continue
        last = keys[len(keys) - 1]
        # Where the last group of this batch begins.
        start = len(keys)
        while start > 0 and keys[start - 1] == last:
            start -= 1
        # Spans without a key are nobody's, and need not wait for each other.
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
