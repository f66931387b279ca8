"""Reads the reports with third-party programs for their formats.

    python check.py PATH-OF-RIGHTCALL EXAMPLES
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import duckdb
import junitparser
import pyarrow as pa
import pyarrow.compute
import pyarrow.ipc
import pyarrow.parquet as pq
import xmlschema

HERE = pathlib.Path(__file__).parent
RIGHTCALL, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
COLUMNS = {
    "case": pa.string(), "trial": pa.string(), "evaluator": pa.string(), "name": pa.string(), "outcome": pa.string(),
    "score": pa.float64(), "passed": pa.bool_(), "reason": pa.string(), "tags": pa.list_(pa.string()), "file": pa.string(),
    "line": pa.int64(), "alignment": pa.string(),
}
HOSTILE = '<script>alert("1")</script> & ]]> \x1b[31m \u202e \ufffe \U0001f600'

place = pathlib.Path(tempfile.mkdtemp())
database = duckdb.connect()
counts = {"passed": 0, "failed": 0}


def check(what, holds):
    counts["passed" if holds else "failed"] += 1
    if not holds:
        print(f"FAIL {what}")


def run(suite, name, *more):
    reports = [f"--report={kind}={place / name}.{ending}" for kind, ending in
               [("junit", "xml"), ("csv", "csv"), ("parquet", "parquet"), ("arrow", "arrow"), ("markdown", "md")]]
    quiet = {**os.environ, "GITHUB_ACTIONS": "", "GITHUB_STEP_SUMMARY": ""}
    done = subprocess.run([RIGHTCALL, "run", suite, "--quiet", "--no-history", *reports, *more], cwd=place, env=quiet,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(f"{name}: ends with 0 or 1: {done.stderr}", done.returncode in (0, 1))


def cases():
    yield {"id": HOSTILE, "tags": ["a b", HOSTILE], "expected": [{"name": HOSTILE, "args": {"x": HOSTILE}}],
           "actual": [{"name": HOSTILE, "args": {"x": HOSTILE + "!"}}]}
    yield {"id": "empty", "expected": [], "actual": []}
    yield {"id": "no-args", "expected": [{"name": "a", "args": {}}], "actual": [{"name": "a"}]}
    for number in range(20_000):
        yield {"id": f"case-{number}", "trial": number, "expected": ["a", "b"], "actual": ["a", "c" if number % 7 else "b"]}


(place / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases()))
(place / "suite.yaml").write_text("""cases: cases.jsonl
evaluators:
  - {evaluator: trajectory, threshold: 0.8}
  - uipath/tool-call-order
  - axion/tool-correctness
gates:
  - trajectory: {mean: ">= 0.9"}
""")
run(EXAMPLES / "support-agent/suite.yaml", "example")
run("suite.yaml", "hostile", "--skip-invalid")

schema = xmlschema.XMLSchema(HERE / "junit.xsd")
for name, tests in [("example", 42 * 3 + 3), ("hostile", 20_003 * 3 + 1)]:
    errors = [f"{error.path}: {error.reason}" for error in schema.iter_errors(place / f"{name}.xml")]
    check(f"{name}.xml holds to the schema: {errors[:3]}", not errors)
    suites = junitparser.JUnitXml.fromfile(str(place / f"{name}.xml"))
    found = [test for suite in suites for test in suite]
    check(f"{name}.xml has {tests} tests: {len(found)}", len(found) == tests)
    failures = [test for test in found if any(isinstance(it, junitparser.Failure) for it in test.result)]
    table = pq.read_table(place / f"{name}.parquet")
    failed = table.filter(pa.compute.and_(pa.compute.is_valid(table["evaluator"]), pa.compute.equal(table["passed"], False)))
    gates = [test for test in failures if test.classname == "gates"]
    check(f"{name}: as many failures in XML as in Parquet", len(failures) - len(gates) == failed.num_rows)

    types = {field.name: field.type for field in table.schema}
    check(f"{name}.parquet: types {types}", types == COLUMNS)
    check(f"{name}.arrow is the same table", pa.ipc.open_file(place / f"{name}.arrow").read_all().equals(table))
    nulls = table.schema.field("score").nullable and not table.schema.field("case").nullable
    check(f"{name}.parquet: what may be missing", nulls)
    for alignment in table["alignment"].to_pylist()[:200]:
        check("an alignment is JSON", alignment is None or "pairs" in json.loads(alignment))

    with open(place / f"{name}.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    check(f"{name}: as many rows in CSV as in Parquet", len(rows) == table.num_rows)
    scores = [float(row["score"]) if row["score"] else None for row in rows]
    check(f"{name}: the same scores in CSV as in Parquet, to the last bit", scores == table["score"].to_pylist())
    check(f"{name}: the same names in CSV as in Parquet", [row["case"] for row in rows] == table["case"].to_pylist())

    kinds = dict(row[:2] for row in database.execute(f"DESCRIBE SELECT * FROM '{place / name}.parquet'").fetchall())
    wanted = {"case": "VARCHAR", "score": "DOUBLE", "passed": "BOOLEAN", "tags": "VARCHAR[]", "line": "BIGINT"}
    check(f"{name}: duckdb sees {kinds}", all(kinds[column] == kind for column, kind in wanted.items()))
    mean = database.execute(f"SELECT avg(score) FROM '{place / name}.parquet' WHERE evaluator = 'trajectory'").fetchone()[0]
    ours = pa.compute.mean(table.filter(pa.compute.equal(table["evaluator"], "trajectory"))["score"]).as_py()
    check(f"{name}: duckdb's mean {mean} is pyarrow's {ours}", abs(mean - ours) < 1e-12)

hostile = pq.read_table(place / "hostile.parquet")
check("hostile text comes back as it was", hostile["case"][0].as_py() == HOSTILE and hostile["tags"][0].as_py() == ["a b", HOSTILE])
markdown = (place / "hostile.md").read_text()
check("markup stays in code spans", "<script>" not in markdown.replace("`", "\0`").split("\0")[0] and "\x1b" not in markdown)
print(f"{counts['passed']} passed, {counts['failed']} failed")
sys.exit(counts["failed"] > 0)
