#!/usr/bin/env python3
"""Times one way to score rows on a local Spark with two worker processes; one JSON line: cases, seconds of CPU and wall, mean score.

usage: python spark.py PEER FILE [LIMIT]

Lines of FILE are as for peers.py. Before the clock starts they are written to Parquet, both sides as JSON text. Each way then processes
all rows once, so that the JVM has compiled its code and the workers have started. Timed: reading the rows, sending them to the workers,
scoring, and the mean of the scores. CPU is that of the JVM and of all workers.

  rightcall       rightcall.spark.score
  udf             the same metric as a Python UDF: json.loads, and peers.py's `axion-exact`
  map-in-arrow    the same function over mapInArrow, which rightcall uses too
"""
import json
import os
import sys
import tempfile
import time
from pathlib import Path

CORES = 2
METRIC = {"evaluator": "axion/tool-correctness", "edition": "package", "check_parameters": True}


def session():
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{CORES}]").appName("bench")
    settings = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "2g"}
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    # The workers import the metric from its file.
    spark.sparkContext.addPyFile(str(Path(__file__).with_name("peers.py")))
    return spark


def by_rightcall(rows):
    import rightcall.spark

    return rightcall.spark.score(rows, evaluators=[METRIC])


def metric():
    """A function of two JSON texts."""
    import peers

    score = peers.axion("exact")
    return lambda expected, actual: score([{"expected": json.loads(expected), "actual": json.loads(actual)}])[0]


def by_udf(rows):
    from pyspark.sql.functions import udf

    return rows.select(udf(metric(), "double")("expected", "actual").alias("score"))


def by_map_in_arrow(rows):
    score = metric()

    def judge(batches):
        import pyarrow

        for batch in batches:
            sides = zip(batch.column("expected").to_pylist(), batch.column("actual").to_pylist(), strict=True)
            scores = pyarrow.array([score(expected, actual) for expected, actual in sides], pyarrow.float64())
            yield pyarrow.RecordBatch.from_arrays([scores], ["score"])

    return rows.mapInArrow(judge, "score double")


WAYS = {"rightcall": by_rightcall, "udf": by_udf, "map-in-arrow": by_map_in_arrow}


def cpu_seconds():
    """CPU time of this process and all its descendants."""
    parents, times = {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            # The name comes first and may contain anything, so split after its last `)`: state, parent, …, and the times from the 12th
            # field on.
            fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry)] = int(fields[1])
        times[int(entry)] = sum(map(int, fields[11:15]))

    def stems_from_us(process):
        while process != os.getpid() and process in parents:
            process = parents[process]
        return process == os.getpid()

    return sum(spent for process, spent in times.items() if stems_from_us(process)) / os.sysconf("SC_CLK_TCK")


def main(peer, file, limit="0"):
    from pyspark.sql import functions

    sys.path.insert(0, str(Path(__file__).parent))
    # Spark prints to standard output, so redirect it: only the result may appear there.
    result, sys.stdout = sys.stdout, sys.stderr
    spark = session()
    with tempfile.TemporaryDirectory() as folder:
        lines = spark.read.schema("id string, expected string, actual string").json(file)
        if int(limit):
            lines = lines.limit(int(limit))
        lines.repartition(4 * CORES).write.parquet(f"{folder}/rows")

        def score():
            scored = WAYS[peer](spark.read.parquet(f"{folder}/rows"))
            return scored.agg(functions.count("score"), functions.avg("score")).first()

        score()
        cpu, wall = cpu_seconds(), time.perf_counter()
        cases, mean = score()
        cpu, wall = cpu_seconds() - cpu, time.perf_counter() - wall
    spark.stop()
    print(json.dumps({"cases": cases, "cpu_seconds": cpu, "wall_seconds": wall, "mean": mean}), file=result)


if __name__ == "__main__":
    main(*sys.argv[1:])
