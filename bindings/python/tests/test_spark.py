"""A real Spark with several worker processes returns the same results as a single machine."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import EXAMPLES, Cases

import rightcall

pytest.importorskip("pyspark", reason="pyspark is not installed")
pytestmark = [
    pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java here"),
    pytest.mark.xdist_group("spark"),
]

SUITE = EXAMPLES / "support-agent" / "suite.yaml"


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .appName("tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "50")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def rows_of(run: Any) -> list[tuple[Any, ...]]:
    return sorted((it.case, it.evaluator, it.name or "", it.outcome, it.score, it.passed, it.reason) for it in run)


def rows_of_frame(frame: Any) -> list[tuple[Any, ...]]:
    rows = frame.collect()
    return sorted((row["case"], row.evaluator, row.name or "", row.outcome, row.score, row.passed, row.reason) for row in rows)


def key(row: tuple[Any, ...]) -> str:
    return repr(row[:3])


def test_rows_are_scored_as_on_one_machine(spark: Any, cases: Cases, tmp_path: Path) -> None:
    from rightcall.spark import SCHEMA, score

    made = []
    for number in range(400):
        expected, actual = cases.pair()
        made.append({"id": f"c{number}", "expected": json.dumps(expected), "actual": json.dumps(actual)})
    made.append({"id": "bad", "expected": '["a"', "actual": "[]"})
    evaluators = ["axion/tool-correctness,check_parameters=true", {"evaluator": "trajectory", "name": "mine", "threshold": 0.5}]
    frame = spark.createDataFrame(made).repartition(5)
    results = score(frame, evaluators=evaluators, details=True)
    assert [field.name for field in results.schema] == [column.split()[0] for column in SCHEMA.split(", ")]
    pyarrow = pytest.importorskip("pyarrow")
    alone = rightcall.score(pyarrow.Table.from_pylist(made), evaluators=evaluators)
    ours, theirs = sorted(rows_of_frame(results), key=key), sorted(rows_of(alone), key=key)
    assert ours == theirs and len(ours) == 802
    assert sum(row[3] == "error" for row in ours) == 2
    # The same from other partitions.
    again = score(spark.createDataFrame(made).repartition(2), evaluators=evaluators)
    assert sorted(rows_of_frame(again), key=key) == ours
    processes = frame.mapInArrow(_process_ids(), "pid long").distinct().count()
    assert processes > 1


def _process_ids() -> Any:
    """A function that is sent by value: the workers cannot import this file."""

    def process_ids(batches: Iterator[Any]) -> Iterator[Any]:
        import os
        import time

        import pyarrow

        for batch in batches:
            time.sleep(0.5)
            yield pyarrow.RecordBatch.from_pydict({"pid": pyarrow.array([os.getpid()] * batch.num_rows)})

    return process_ids


def test_a_suite_judges_structs(spark: Any) -> None:
    from rightcall.spark import score

    schema = "id string, expected array<string>, actual array<struct<name: string, args: map<string, string>>>"
    frame = spark.createDataFrame([("a", ["x"], [("x", {"k": "v"})]), ("b", ["x"], [])], schema)
    results = score(frame, SUITE)
    alone = [(case, made) for case in ("a", "b") for made in rightcall.Suite.load(SUITE).evaluators]
    assert results.count() == len(alone)
    scores = {(row["case"], row.name): row.score for row in results.collect() if row.name}
    assert scores == {("a", "right calls, any order"): 1.0, ("b", "right calls, any order"): 0.0}


def test_spans_are_brought_together(spark: Any) -> None:
    from rightcall.spark import score

    spans = []
    for trace in range(60):
        for at, tool in enumerate(("find", "look", "refund")):
            spans.append(
                {
                    "trace_id": f"t{trace:02}",
                    "span_id": f"{trace:08x}{at:08x}",
                    "start_time": 10 * trace + at,
                    "end_time": 10 * trace + at + 1,
                    "name": f"execute_tool {tool}",
                    "attributes": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool},
                    "expected": '["find", "refund"]' if at == 0 else None,
                }
            )
    frame = spark.createDataFrame(spans[::2] + spans[1::2]).repartition(7)
    results = score(frame, evaluators=["uipath/tool-call-order", "trajectory"], group_by="trace_id")
    rows = rows_of_frame(results)
    assert len(rows) == 120
    assert {row[4] for row in rows if row[1] == "uipath/tool-call-order"} == {1.0}
    assert {row[4] for row in rows if row[1] == "trajectory"} == {0.8}
    with pytest.raises(ValueError, match="group_by"):
        score(frame, evaluators="trajectory", group_by="trace")


def test_rows_of_a_log_of_ones_own_are_read_by_a_map(spark: Any) -> None:
    from rightcall.spark import score

    rows = [
        {"session": f"s{run}", "at": at, "tool": tool, "expected": '["find", "refund"]' if at == 0 else None}
        for run in range(20)
        for at, tool in enumerate(("find", "refund"))
    ]
    frame = spark.createDataFrame(rows[::2] + rows[1::2]).repartition(5)
    results = score(
        frame, evaluators="uipath/tool-call-order", group_by="session", order_by="at", map={"run": "session", "order": "at", "call": {"name": "tool"}}
    )
    assert [row[4] for row in rows_of_frame(results)] == [1.0] * 20


def test_either_a_suite_or_evaluators(spark: Any, tmp_path: Path) -> None:
    from rightcall.spark import score

    with pytest.raises(ValueError, match="either"):
        score(spark.range(1))
    suite = tmp_path / "suite.yaml"
    suite.write_text("cases: cases.jsonl\nevaluators: [trajectory]\nredact: password\n")
    with pytest.raises(ValueError, match="`redact` is not done on Spark"):
        score(spark.range(1), suite)


def test_spans_without_a_key_are_errors_and_never_gone(spark: Any) -> None:
    from rightcall.spark import score

    # More than one batch of both kinds, so that groups and nulls cross batch boundaries.
    spans = [
        {
            "trace_id": f"t{at % 7}" if at % 3 else None,
            "span_id": f"{at:016x}",
            "attributes": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find"},
            "expected": '["find"]',
        }
        for at in range(400)
    ]
    results = score(spark.createDataFrame(spans).repartition(6), evaluators=["trajectory", "axion/tool-correctness"], group_by="trace_id")
    rows = results.collect()
    lost = [row for row in rows if row.outcome == "error"]
    assert {row["case"] for row in lost} == {span["span_id"] for span in spans if span["trace_id"] is None} and len(lost) == 268
    assert {row.reason for row in lost} == {"column `trace_id`: expected which run the span belongs to, found null"}
    assert sorted(row["case"] for row in rows if row.outcome == "scored") == sorted([f"t{at}" for at in range(7)] * 2)
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pylist([{**span, "attributes": json.dumps(span["attributes"])} for span in spans])
    alone = rightcall.score(table, evaluators=["trajectory", "axion/tool-correctness"], group_by="trace_id")
    assert sorted(rows_of_frame(results), key=key) == sorted(rows_of(alone), key=key)
    nobody = spark.createDataFrame([(None, "{}")], "trace_id string, attributes string")
    assert [row.outcome for row in score(nobody, evaluators="trajectory", group_by="trace_id").collect()] == ["error"]
    with pytest.raises(rightcall.RightcallError, match="expected spans, with a column `attributes`"):
        score(nobody.drop("attributes"), evaluators="trajectory", group_by="trace_id")


def test_plain_values_are_sent_to_workers_and_back(spark: Any, cases: Cases) -> None:
    given = [rightcall.Case(id=f"c{at}", expected=expected, actual=actual) for at, (expected, actual) in enumerate(cases.pair() for _ in range(20))]
    judged = spark.sparkContext.parallelize(given, 4).map(_judged()).collect()
    alone = [_judged()(case) for case in given]
    assert judged == alone and [it.alignment for it in judged] == [it.alignment for it in alone]
    [run] = spark.sparkContext.parallelize([rightcall.score(given, evaluators="trajectory")], 1).map(lambda run: run).collect()
    assert run == rightcall.score(given, evaluators="trajectory")


def _judged() -> Any:
    def judged(case: Any) -> Any:
        import rightcall

        return rightcall.Evaluator("trajectory").evaluate_case(case)

    return judged


def test_files_that_spark_reads_by_a_glob_are_scored(spark: Any, tmp_path: Path) -> None:
    """Spark reads `s3a://`, `gs://` and `abfss://` itself, with the same globs, and returns an ordinary data frame."""
    from rightcall.spark import score

    files = []
    for day in range(3):
        path = tmp_path / f"day-{day}.jsonl.gz"
        with gzip.open(path, "wt") as file:
            for number in range(20):
                called = "refund" if number % 4 == day else "find_order"
                case = {"id": f"d{day}-{number}", "expected": ["find_order"], "actual": [{"name": called, "args": {"id": number}}]}
                file.write(json.dumps(case) + "\n")
        files.append(str(path))
    frame = spark.read.json(f"{tmp_path}/day-*.jsonl.gz")
    found = rows_of_frame(score(frame, evaluators="trajectory"))
    alone = [row for file in files for row in rows_of(rightcall.score(rightcall.scan(file), evaluators="trajectory"))]
    assert sorted(found, key=key) == sorted(alone, key=key)
    assert sum(row[4] for row in found) == 45
