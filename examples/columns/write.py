"""Writes cases and spans as Parquet and Arrow, with pyarrow, polars and DuckDB: python write.py FOLDER"""

import json
import sys
from pathlib import Path

import duckdb
import polars
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet

folder = Path(sys.argv[1])

CASES = [
    {
        "id": "order-7",
        "expected": [{"name": "find_order", "args": '{"id": 7}'}, {"name": "refund", "args": '{"id": 7}'}],
        "actual": [{"name": "find_order", "args": '{"id": 7}'}, {"name": "refund", "args": '{"id": 7}'}],
        "tags": ["refund"],
        "trial": 1,
        "region": "eu",
    },
    {
        "id": "order-8",
        "expected": [{"name": "find_order", "args": '{"id": 8}'}, {"name": "refund", "args": '{"id": 8}'}],
        "actual": [{"name": "find_order", "args": '{"id": 8}'}],
        "tags": [],
        "trial": 1,
        "region": None,
    },
]
START = 1_760_000_000_000_000_000
SPANS = [
    {
        "trace_id": trace,
        "span_id": f"{number:016x}",
        "parent_id": None,
        "name": f"execute_tool {tool}",
        "start_time": START + number * 1_000_000,
        "end_time": START + number * 1_000_000 + 500_000,
        "attributes": {"gen_ai.tool.name": tool, "gen_ai.tool.call.arguments": json.dumps({"id": number})},
        "status_code": "ERROR" if number == 3 else "OK",
    }
    # The spans of a trace lie anywhere in the table.
    for number, (trace, tool) in enumerate([("a", "find_order"), ("b", "find_order"), ("a", "refund"), ("b", "refund")])
]

cases = pa.Table.from_pylist(CASES)
texts = pa.Table.from_pylist([case | {key: json.dumps(case[key]) for key in ("expected", "actual")} for case in CASES])
times = pa.timestamp("ns", "UTC")
spans = pa.Table.from_pylist(
    SPANS,
    pa.schema(
        [("trace_id", pa.string()), ("span_id", pa.string()), ("parent_id", pa.string()), ("name", pa.string())]
        + [("start_time", times), ("end_time", times)]
        + [("attributes", pa.map_(pa.string(), pa.string())), ("status_code", pa.string())]
    ),
)
flat = pa.Table.from_pylist([span | {"attributes": json.dumps(span["attributes"])} for span in SPANS])

for name, table in {"cases": cases, "case-texts": texts, "spans": spans, "span-texts": flat}.items():
    parquet.write_table(table, folder / f"pyarrow-{name}.parquet", compression="snappy")
    feather.write_feather(table, str(folder / f"pyarrow-{name}.feather"), compression="lz4")
    with pa.ipc.new_stream(folder / f"pyarrow-{name}.arrows", table.schema) as stream:
        stream.write_table(table, max_chunksize=1)
    if name != "spans":
        frame = polars.from_arrow(table)
        frame.write_parquet(folder / f"polars-{name}.parquet", compression="zstd")
        frame.write_ipc(folder / f"polars-{name}.arrow", compression="zstd")
    duckdb.from_arrow(table).write_parquet(str(folder / f"duckdb-{name}.parquet"), compression="gzip")
