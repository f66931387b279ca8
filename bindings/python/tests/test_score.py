"""Many cases: in memory, in tables, in files and from suites."""

from __future__ import annotations

import errno
import gzip
import json
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import EXAMPLES, Cases

import rightcall

CASES = EXAMPLES / "support-agent" / "cases.jsonl"
SUITE = EXAMPLES / "support-agent" / "suite.yaml"


def made(cases: Cases, count: int) -> list[dict[str, Any]]:
    pairs = [cases.pair() for _ in range(count)]
    return [{"id": f"c{at}", "expected": expected, "actual": actual} for at, (expected, actual) in enumerate(pairs)]


def told(run: Any) -> list[tuple[Any, ...]]:
    return [(it.case, it.trial, it.evaluator, it.outcome, it.score, it.passed, it.reason) for it in run]


def test_a_run_is_a_sequence_with_a_summary() -> None:
    run = rightcall.score(
        [{"id": "a", "expected": ["x"], "actual": ["x"]}, {"id": "b", "expected": ["x"], "actual": ["y"]}],
        evaluators=["axion/tool-correctness", {"evaluator": "trajectory", "name": "mine"}],
    )
    assert len(run) == 4 and run[-1].name == "mine" and [it.case for it in run] == ["a", "a", "b", "b"]
    with pytest.raises(IndexError):
        run[4]
    first, second = run.summary["evaluators"]
    assert (first["mean"], first["passed"], second["name"]) == (0.5, 1, "mine")
    assert repr(run) == "Run(2 cases; axion/tool-correctness: mean 0.500, 50.0% passed; mine: mean 0.500)"
    assert "<td>axion/tool-correctness</td><td>0.500</td>" in run._repr_html_()
    assert run.ok and run.exit_code == 0 and run.gates == [] and run.problems == []


def test_nothing_judged_is_no_success() -> None:
    def ends(case: dict[str, Any], evaluator: str) -> tuple[bool, int]:
        run = rightcall.score([{"id": "a", "expected": ["find_order"], **case}], evaluators=evaluator)
        return run.ok, run.exit_code

    assert ends({"actual": ["find_order"]}, "trajectory,threshold=1") == (True, 0)
    assert ends({"actual": ["refund"]}, "trajectory,threshold=1") == (False, 1)
    assert ends({}, "trajectory,threshold=1") == (False, 2)
    # As with the command, no gate or threshold is set, so the exit code is 0.
    assert ends({}, "trajectory") == (False, 0)


def test_any_number_of_threads_gives_the_same(cases: Cases) -> None:
    many = made(cases, 5000)
    one = rightcall.score(many, evaluators="trajectory", threads=1)
    assert told(one) == told(rightcall.score(many, evaluators="trajectory", threads=7))


def test_cases_may_come_one_by_one() -> None:
    run = rightcall.score(({"expected": ["x"], "actual": ["x"]} for _ in range(4096)), evaluators="trajectory")
    assert len(run) == 4096 and run[4095].case == "cases[4095]"
    assert len(rightcall.score(iter(()), evaluators="trajectory")) == 0


def test_other_threads_of_python_go_on(cases: Cases) -> None:
    many, ticks, done = made(cases, 3000), [0], threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks[0] += 1

    other = threading.Thread(target=tick)
    other.start()
    rightcall.score(many, evaluators=["deepeval/tool-correctness", "trajectory"], threads=1)
    done.set()
    other.join()
    assert ticks[0] > 0


def test_what_is_no_case_is_told_with_its_number() -> None:
    cases = [{"expected": ["x"], "actual": ["x"]}, {"expected": 7, "actual": []}]
    run = rightcall.score(cases, evaluators="trajectory")
    assert [(it.case, it.outcome) for it in run] == [("cases[0]", "scored"), ("cases[1]", "error")]
    assert run[1].reason.startswith("/expected: expected a list of calls")
    assert len(run.problems) == 1 and run.summary["unreadable"] == 1 and run.exit_code == 2
    assert isinstance(run.problems[0], rightcall.CaseError)
    assert str(run.problems[0]).startswith("cases[1] /expected: expected a list of calls")
    assert rightcall.score(cases, evaluators="trajectory", skip_invalid=True).exit_code == 0


@pytest.mark.parametrize("cases", ["cases.jsonl", Path("cases.jsonl"), {"expected": [], "actual": []}])
def test_what_is_mistaken_for_cases_is_named(cases: Any) -> None:
    with pytest.raises(TypeError, match="cases: expected"):
        rightcall.score(cases, evaluators="trajectory")


def test_no_evaluators_are_an_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        rightcall.score([], evaluators=[])


def as_tables(rows: list[dict[str, Any]]) -> list[Any]:
    pyarrow = pytest.importorskip("pyarrow")
    texts = [{**row, "expected": json.dumps(row["expected"]), "actual": json.dumps(row["actual"])} for row in rows]
    table = pyarrow.Table.from_pylist(texts)
    tables = [table, table.to_reader(), table.to_batches()[0]]
    for package in ("pandas", "polars"):
        frames = pytest.importorskip(package)
        tables.append(frames.DataFrame(texts))
    return tables


def test_tables_of_every_kind_are_scored_as_the_cases_in_them(cases: Cases) -> None:
    rows = made(cases, 50)
    plain = told(rightcall.score(rows, evaluators="trajectory"))
    for table in as_tables(rows):
        assert told(rightcall.score(table, evaluators="trajectory")) == plain


def test_tables_may_be_nested() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    call = pyarrow.struct([("name", pyarrow.string()), ("args", pyarrow.map_(pyarrow.string(), pyarrow.int64()))])
    table = pyarrow.table(
        {
            "id": pyarrow.array([1, 2]),
            "expected": pyarrow.array([["x"], ["y"]]).dictionary_encode() if False else pyarrow.array([["x"], ["y"]]),
            "actual": pyarrow.array([[{"name": "x", "args": [("k", 1)]}], [{"name": "z", "args": None}]], pyarrow.list_(call)),
        }
    )
    run = rightcall.score(table, evaluators="trajectory")
    assert [(it.case, it.score) for it in run] == [("1", 1.0), ("2", 0.0)]


def test_a_bad_row_of_a_table_is_an_error_row() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"id": ["a", "b", "c"], "expected": ['["x"]', '["x"', "7"], "actual": ['["x"]', "[]", "[]"]})
    run = rightcall.score(table, evaluators=["trajectory", "axion/tool-correctness"])
    assert [it.outcome for it in run] == ["scored"] * 2 + ["error"] * 4
    assert run[2].case == "b" and run[2].reason.startswith("column `expected`: ")
    assert run[4].reason.startswith("/expected: expected a list of calls")
    assert run.exit_code == 2


def test_spans_of_a_table_are_grouped() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    rows = [
        {"trace_id": trace, "span_id": f"{trace}{at}", "name": "execute_tool", "start_time": at, "end_time": at + 1, "attributes": json.dumps({"gen_ai.tool.name": tool}), "expected": expected}
        for at, (trace, tool, expected) in enumerate(
            [("t1", "find", '["find", "refund"]'), ("t2", "find", '["refund"]'), ("t1", "refund", None), (None, "lost", None)]
        )
    ]
    run = rightcall.score(pyarrow.Table.from_pylist(rows), evaluators="trajectory", group_by="trace_id")
    assert [(it.case, it.score) for it in run] == [("t1", 1.0), ("t2", 0.0), ("None3", None)]
    assert (run[2].outcome, run.exit_code) == ("error", 2)
    with pytest.raises(rightcall.CaseError, match="expected a column `trace` to group by"):
        rightcall.score(pyarrow.Table.from_pylist(rows), evaluators="trajectory", group_by="trace")


@pytest.mark.parametrize("package", ["pyarrow", "pandas", "polars"])
def test_spans_without_a_key_are_errors_and_never_gone(package: str) -> None:
    frames = pytest.importorskip(package)
    attributes = json.dumps({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find"})
    keys = [None, "t1", None, "t1", None]
    rows = {"trace_id": keys, "attributes": [attributes] * 5, "expected": ['["find", "find"]'] * 5}
    table = frames.table(rows) if package == "pyarrow" else frames.DataFrame(rows)
    run = rightcall.score(table, evaluators=["trajectory", "axion/tool-correctness"], group_by="trace_id")
    assert [(it.case, it.outcome) for it in run[::2]] == [("row 0", "error"), ("t1", "scored"), ("row 2", "error"), ("row 4", "error")]
    assert run[0].reason == "column `trace_id`: expected which run the span belongs to, found null"
    assert len(run) == 8 and run.summary["unreadable"] == 3 and run.exit_code == 2
    nobody = frames.table({**rows, "trace_id": frames.array([None] * 5, frames.string())}) if package == "pyarrow" else frames.DataFrame({**rows, "trace_id": [None] * 5})
    assert [it.outcome for it in rightcall.score(nobody, evaluators="trajectory", group_by="trace_id")] == ["error"] * 5


def test_a_table_in_which_nothing_can_be_read_is_an_error() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    others, none = pyarrow.table({"x": [1, 2]}), pyarrow.table({"expected": ['["a"]'], "actual": ['["a"]']}).slice(1)
    with pytest.raises(rightcall.CaseError, match="expected a table with a column `expected`, found `x`"):
        rightcall.score(others, evaluators="trajectory")
    with pytest.raises(rightcall.CaseError, match="found one without rows"):
        rightcall.score(none, evaluators="trajectory")
    assert [it.outcome for it in rightcall.score(others, evaluators="trajectory", skip_invalid=True)] == ["error"] * 2
    assert len(rightcall.score(none, evaluators="trajectory", skip_invalid=True)) == 0
    # Spans without attributes cannot hold calls, which differs from a run without calls.
    with pytest.raises(rightcall.CaseError, match="expected spans, with a column `attributes`"):
        rightcall.score(pyarrow.table({"t": ["a"], "expected": ['["a"]']}), evaluators="trajectory", group_by="t")


def test_results_go_out_as_tables_of_every_kind() -> None:
    pyarrow, polars, pandas = (pytest.importorskip(name) for name in ("pyarrow", "polars", "pandas"))
    run = rightcall.score(rightcall.scan(CASES), evaluators=["trajectory", "axion/tool-correctness"], details=True)
    table = pyarrow.table(run)
    assert table.num_rows == len(run)
    assert table["score"].to_pylist() == [it.score for it in run]
    assert json.loads(table["details"][1].as_py()) == run[1].details
    assert table["alignment"].null_count == len(run)
    assert run.to_polars().equals(polars.from_arrow(table))
    frame = run.to_pandas()
    assert list(frame.columns) == table.column_names and frame["score"].tolist() == table["score"].to_pylist()
    assert frame["details"].tolist() == table["details"].to_pylist()
    assert polars.DataFrame(run).equals(run.to_polars())
    # pandas reads a run row by row, with what is known without computing anything.
    told_at_once = table.column_names[:8]
    # In tables a trial is JSON text, and pandas needs a nullable type for missing booleans.
    own = pandas.DataFrame(run)
    alike = [name for name in told_at_once if name not in ("trial", "passed")]
    assert list(own.columns) == told_at_once and own[alike].equals(frame[alike])
    assert own["passed"].tolist() == [it.passed for it in run] and own["trial"].tolist() == [it.trial for it in run]
    assert pandas.DataFrame(run[:1]).equals(own[:1])
    # Without a copy: both tables share their buffers.
    again = pyarrow.table(run)
    assert table["score"].chunk(0).buffers()[1].address == again["score"].chunk(0).buffers()[1].address


def test_scores_alone_may_be_kept(cases: Cases) -> None:
    given = [*made(cases, 20), {"id": "bad", "actual": 7}]
    evaluators = ["trajectory", {"evaluator": "axion/tool-correctness", "name": "tools", "check_parameters": True}]
    run = rightcall.score(given, evaluators=evaluators)
    for threads in (1, 2):
        kept = rightcall.score(given, evaluators=evaluators, keep="scores", threads=threads)
        assert [list(it) for it in kept] == [list(it) for it in run]
        assert kept.summary == run.summary and [str(it) for it in kept.problems] == [str(it) for it in run.problems]
        assert kept[0].details is None and kept[0].alignment is None and str(kept[0]) == repr(kept[0])
        assert pickle.loads(pickle.dumps(kept)) == kept
    table = pytest.importorskip("pandas").DataFrame(given[:2])
    assert rightcall.score(table, evaluators="trajectory", keep="scores")[0].alignment is None
    with pytest.raises(rightcall.ArgumentError, match='expected "all" or "scores", found "score"'):
        rightcall.score(given, evaluators="trajectory", keep="score")  # type: ignore[arg-type]
    with pytest.raises(rightcall.ArgumentError, match="expected \"all\" with `details`"):
        rightcall.score(given, evaluators="trajectory", keep="scores", details=True)


def test_files_are_scanned_lazily(tmp_path: Path) -> None:
    scan = rightcall.scan(tmp_path / "not-yet.jsonl")
    with pytest.raises(FileNotFoundError):
        next(iter(scan))
    with pytest.raises(FileNotFoundError):
        rightcall.score(scan, evaluators="trajectory")
    file = tmp_path / "cases.jsonl.gz"
    with gzip.open(file, "wt") as lines:
        for number in range(20_000):
            lines.write(json.dumps({"id": number, "expected": ["a"], "actual": ["a"]}) + "\n")
    scan = rightcall.scan(file)
    assert next(iter(scan)) == {"id": 0, "expected": ["a"], "actual": ["a"]}
    assert sum(1 for _ in scan) == 20_000
    results = scan.results("trajectory")
    assert next(results).score == 1.0
    assert len(list(results)) == 19_999
    abandoned = scan.results("trajectory")
    next(abandoned)
    del abandoned


def test_lazy_results_are_a_stream_of_tables(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps({"id": at, "expected": ["a"], "actual": ["a" * (at % 2 + 1)]}) + "\n" for at in range(20_000)))
    reader = pyarrow.RecordBatchReader.from_stream(rightcall.scan(file).results("trajectory"))
    batches = list(reader)
    assert sum(batch.num_rows for batch in batches) == 20_000 and len(batches) > 1
    assert sum(sum(batch["score"].to_pylist()) for batch in batches) == 10_000


def test_traces_need_no_conversion(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps([{"role": "user", "content": "go"}, {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "find", "arguments": "{\"id\": 7}"}}]}]))
    [case] = rightcall.scan(trace)
    assert case["actual"][0]["name"] == "find"
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"id": "a", "expected": ["find"]}\n')
    runs = tmp_path / "runs.jsonl"
    runs.write_text('{"id": "a", "actual": ["find"]}\n')
    [evaluation] = rightcall.score(rightcall.scan(cases, traces=runs), evaluators="trajectory")
    assert evaluation.score == 1.0
    assert len(rightcall.score(rightcall.scan(str(tmp_path / "c*.jsonl")), evaluators="trajectory")) == 1
    with pytest.raises(FileNotFoundError, match="no file matches"):
        rightcall.scan(str(tmp_path / "x*.jsonl"))
    with pytest.raises(ValueError, match="did you mean `otlp`"):
        rightcall.scan(trace, format="otpl")
    with pytest.raises(ValueError, match="order"):
        rightcall.scan(trace, read={"order": "backwards"})


def test_what_spans_were_asked_is_shown_where_cases_are() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    recorded = EXAMPLES / "recorders" / "openai-agents" / "trace.otlp.jsonl"
    cases = list(rightcall.scan(recorded))
    assert cases[0]["input"].startswith("Two lamps of order 1042") and all("input" in case for case in cases)
    assert [it.case for it in rightcall.score(rightcall.scan(recorded), evaluators="trajectory", alignment=True)] == [case["id"] for case in cases]
    attributes: list[dict[str, Any]] = [
        {"openinference.span.kind": "AGENT", "input.value": "Refund 7, please"},
        {"openinference.span.kind": "TOOL", "tool.name": "find", "input.value": "{}"},
    ]
    rows = [
        {"trace_id": "t", "span_id": str(at), "start_time": at, "end_time": 9 - at, "attributes": json.dumps(it), "expected": '["find"]'}
        for at, it in enumerate(attributes)
    ]
    [evaluation] = rightcall.score(pyarrow.Table.from_pylist(rows), evaluators="trajectory", group_by="trace_id")
    assert evaluation.score == 1.0 and "input   Refund 7, please" in evaluation.explain()


def test_runs_of_one_case_are_told_apart_by_the_keys_that_are_named(tmp_path: Path) -> None:
    runs = [("gpt", "eu", "find"), ("qwen", "eu", "look"), ("qwen", "us", "find")]
    lines = [{"id": "a", "meta": {"model": model, "region": region}, "actual": [called]} for model, region, called in runs]
    names = ("cases.jsonl", "runs.jsonl", "suite.yaml", "runs.yaml")
    cases, traces, suite, several = (tmp_path / name for name in names)
    cases.write_text('{"id": "a", "expected": ["find"]}\n')
    traces.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for identity in (["region"], "region"):
        scan = rightcall.scan(cases, traces=traces, identity=identity)
        assert [it.score for it in rightcall.score(scan, evaluators="trajectory")] == [1.0, 0.0, 1.0]
    whole = tmp_path / "whole.jsonl"
    whole.write_text("".join(json.dumps(line | {"expected": ["find"]}) + "\n" for line in lines))
    assert len(rightcall.score(rightcall.scan(whole, identity=["region"]), evaluators="trajectory")) == 3
    with pytest.raises(rightcall.ReadError, match=r"whole.jsonl:3"):
        rightcall.score(rightcall.scan(whole), evaluators="trajectory")
    suite.write_text("cases: cases.jsonl\ntraces: runs.jsonl\nidentity: [region]\nevaluators: [trajectory]\n")
    assert [it.score for it in rightcall.Suite.load(suite).run()] == [1.0, 0.0, 1.0]
    several.write_text("cases: cases.jsonl\nruns: {old: runs.jsonl}\nidentity: region\nevaluators: [trajectory]\n")
    loaded = rightcall.Suite.load(several)
    assert loaded.runs == {"old": [traces]} and len(loaded.run(traces=loaded.runs["old"])) == 3
    with pytest.raises(rightcall.ArgumentError, match=r"it names several runs: score each, traces=suite.runs\[\"old\"\]"):
        loaded.run()


def test_runs_that_come_twice_or_cannot_be_read_are_told_of(tmp_path: Path) -> None:
    cases, runs = tmp_path / "cases.jsonl", tmp_path / "runs.jsonl"
    cases.write_text('{"id": "a", "expected": ["find"]}\n')
    once, again, broken = '{"id": "a", "actual": ["find"]}\n', '{"id": "a", "actual": ["look"]}\n', '{"id": "b",\n'
    for text, place in [(once + again, "runs.jsonl:2"), (once + broken, "runs.jsonl:2"), (once + again + broken, r"runs.jsonl:[23]")]:
        runs.write_text(text)
        with pytest.raises(rightcall.ReadError, match=place):
            rightcall.score(rightcall.scan(cases, traces=runs), evaluators="trajectory")
    run = rightcall.score(rightcall.scan(cases, traces=runs), evaluators="trajectory", skip_invalid=True)
    assert [it.score for it in run] == [1.0] and run.summary["unreadable"] == 2
    assert sorted(problem.line for problem in run.problems) == [2, 3]


def test_unreadable_lines_are_problems_with_their_place(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id": "a", "expected": ["x"], "actual": ["x"]}\n{"id": "b", "expected": 7}\n{"id": "a", "expected": [], "actual": []}\n')
    with pytest.raises(rightcall.ReadError, match=r"cases.jsonl:2 /expected: expected a list of calls"):
        rightcall.score(rightcall.scan(file), evaluators="trajectory")
    run = rightcall.score(rightcall.scan(file), evaluators="trajectory", skip_invalid=True)
    unreadable, twice = run.problems
    assert isinstance(unreadable, rightcall.ReadError)
    assert (unreadable.line, unreadable.pointer) == (2, "/expected")
    assert "already at" in str(twice)
    # Only invalid cases are skipped: a duplicate case still makes the run incomplete.
    assert len(run) == 1 and run.exit_code == 2 and not run.ok


def test_a_bad_line_ends_what_is_read_one_by_one(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    good = '{"expected": ["x"], "actual": ["x"]}\n'
    file.write_text(good * 3 + "{\n" + good * 3)
    results, scores = rightcall.scan(file).results("trajectory"), []
    with pytest.raises(rightcall.ReadError) as caught:
        scores.extend(result.score for result in results)
    assert caught.value.line == 4 and set(scores) <= {1.0} and list(results) == []
    kept = rightcall.scan(file).results("trajectory", skip_invalid=True)
    assert len(list(kept)) == 6 and [problem.line for problem in kept.problems] == [4]
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(pyarrow.ArrowException, match="cases.jsonl:4"):
        pyarrow.RecordBatchReader.from_stream(rightcall.scan(file).results("trajectory")).read_all()


def test_a_suite_is_run_with_its_gates() -> None:
    suite = rightcall.Suite.load(SUITE)
    run = suite.run()
    assert run.ok and [gate["held"] for gate in run.gates] == [True, True, True]
    assert run.summary["cases"] == 42 and len(run) == 42 * len(suite.evaluators)
    some = suite.run(text="opening-hours")
    assert some.summary["cases"] == 3
    package = rightcall.Suite.load(SUITE, edition="package")
    assert {evaluator.edition for evaluator in package.evaluators} == {"package"}
    assert told(rightcall.score(rightcall.scan(list(suite.cases)), evaluators=suite.evaluators)) == told(run)


def test_a_suite_says_how_runs_are_found_and_what_nobody_may_see(tmp_path: Path) -> None:
    cases = [{"expected": [{"name": "find", "args": {"key": "secret"}}]}, {"expected": ["look"]}]
    runs = [{"actual": [{"name": "find", "args": {"key": "other"}}]}, {"actual": ["look"]}]
    for name, lines in [("cases.jsonl", cases), ("runs.jsonl", runs)]:
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        "cases: cases.jsonl\ntraces: runs.jsonl\njoin: order\nredact: [key]\nevaluators: [trajectory]\n"
    )
    run = rightcall.Suite.load(suite).run(alignment=True)
    assert [result.score for result in run] == [0.0, 1.0]
    assert "secret" not in str([result.alignment for result in run])


def test_a_suite_is_compared_with_its_baseline(tmp_path: Path) -> None:
    cases, suite = tmp_path / "cases.jsonl", tmp_path / "suite.yaml"

    def called(*names: str) -> None:
        lines = ({"id": name, "expected": ["find"], "actual": [name]} for name in names)
        cases.write_text("".join(json.dumps(line | {"id": f"c{at}"}) + "\n" for at, line in enumerate(lines)))

    called("find", "find", "refund")
    suite.write_text(
        "cases: cases.jsonl\nevaluators: [trajectory]\nbaseline: base.jsonl\n"
        'gates:\n  - score: {worse: "= 0"}\n  - trajectory: {change: ">= -0.5"}\n'
    )
    with pytest.raises(FileNotFoundError, match="base.jsonl: no such file; `rightcall run .*suite.yaml --accept` writes the baseline"):
        rightcall.Suite.load(suite).run()
    accepted = [sys.executable, "-m", "rightcall", "run", str(suite), "--accept", "--no-history", "--quiet"]
    assert subprocess.run(accepted, capture_output=True).returncode == 0
    assert [gate["held"] for gate in rightcall.Suite.load(suite).run().gates] == [True, True]
    called("find", "refund", "refund")
    run = rightcall.Suite.load(suite).run()
    assert [gate["held"] for gate in run.gates] == [False, True] and run.exit_code == 1
    command = subprocess.run([*accepted[:5], "--no-history", "--format", "json"], capture_output=True, text=True)
    assert command.returncode == 1 and json.loads(command.stdout)["summary"]["gates"] == run.gates
    (tmp_path / "base.jsonl").write_text("{}\n")
    with pytest.raises(rightcall.ReadError, match="expected a result") as caught:
        rightcall.Suite.load(suite).run()
    assert caught.value.line == 1 and "--accept" in caught.value.help


def test_an_eval_set_is_a_suite() -> None:
    project = EXAMPLES / "uipath-project"
    with pytest.warns(UserWarning, match="skipped, as they do not judge tool calls: "):
        suite = rightcall.Suite.load(project / "evaluations" / "eval-sets" / "orders.json")
    with pytest.raises(ValueError, match="an eval set holds no runs: name the files with them, traces="):
        suite.run()
    run = suite.run(traces=[project / "traces.jsonl"])
    assert {it.case: it.score for it in run if it.name == "CallOrder"} == {"where-is-it": 1.0, "cancel-it": 1.0}


def test_a_suite_reads_and_hides_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "expected": [{"name": "log_in", "args": {"password": "xyzzy"}}]}\n')
    (tmp_path / "a.jsonl").write_text('{"id": "t", "actual": [{"name": "log_in", "args": {"password": "plugh"}}]}\n')
    suite = tmp_path / "suite.yaml"
    suite.write_text("cases: cases.jsonl\ntraces: a.jsonl\njoin: file\nevaluators: [trajectory, axion/tool-correctness]\nredact: password\n")
    assert rightcall.Suite.load(suite).redacts
    run = rightcall.Suite.load(suite).run(alignment=True)
    assert [it.score for it in run] == [0.0, 1.0]
    told = json.dumps([[it.details, it.alignment] for it in run])
    assert "[redacted 1]" in told and "xyzzy" not in told and "plugh" not in told
    suite.write_text("cases: cases.jsonl\nevaluators: [trajectory]\njoin: file\n")
    [evaluation] = rightcall.Suite.load(suite).run(traces=[tmp_path / "a.jsonl"])
    assert evaluation.score == 0.0


@pytest.mark.parametrize("evaluator", ["trajectory", "bfcl/ast-checker"])
def test_evaluations_of_a_scan_have_details_on_request(evaluator: str, tmp_path: Path) -> None:
    answer = {"ground_truth": [{"f": {"x": [1]}}], "function": [{"name": "f", "parameters": {"properties": {"x": {"type": "integer"}}, "required": ["x"]}}]}
    case = {"id": "a", "expected": [{"name": "f", "args": {"x": 1}}], "actual": [{"name": "f", "args": {"x": 2}}], **answer}
    (file := tmp_path / "cases.jsonl").write_text(json.dumps(case) + "\n")
    in_memory = rightcall.score([case], evaluators=evaluator)[0]
    assert in_memory.score == 0.0 and in_memory.details and in_memory.alignment
    for wanted in (False, True):
        options: Any = {"details": wanted, "alignment": wanted}
        run = rightcall.score(rightcall.scan(file), evaluators=evaluator, **options)
        [streamed] = rightcall.scan(file).results(evaluator, **options)
        for evaluation in (run[0], streamed):
            assert evaluation.details == (in_memory.details if wanted else None)
            assert evaluation.alignment == (in_memory.alignment if wanted else None)


def test_what_is_wrong_with_a_suite_is_told_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "suite.yaml"
    file.write_text("cases: cases.jsonl\nevaluators:\n  - uipath/tool-call-oder\n")
    with pytest.raises(rightcall.SuiteError, match="did you mean `uipath/tool-call-order`") as caught:
        rightcall.Suite.load(file)
    assert caught.value.line == 3
    file.write_text("cases: cases.jsonl\nevaluators: [trajectory]\n")
    with pytest.raises(FileNotFoundError, match="cases.jsonl"):
        rightcall.Suite.load(file).run()


def test_traces_replace_those_of_the_suite_or_are_added(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "expected": ["find"]}\n{"id": "b", "expected": ["find"]}\n')
    for name, case, called in (("old", "a", "find"), ("new", "a", "lose"), ("more", "b", "find")):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": case, "actual": [called]}) + "\n")
    path = tmp_path / "suite.yaml"
    path.write_text("cases: cases.jsonl\ntraces: old.jsonl\nevaluators: [trajectory]\n")
    suite = rightcall.Suite.load(path)
    old, new, more = (tmp_path / f"{name}.jsonl" for name in ("old", "new", "more"))

    def scores(**keywords: Any) -> dict[str | None, float | None]:
        return {it.case: it.score for it in suite.run(**keywords)}

    assert scores()["a"] == scores(traces=str(old))["a"] == 1.0
    assert scores(traces=new)["a"] == scores(traces=[new])["a"] == 0.0
    assert scores(traces=[new, more]) == {"a": 0.0, "b": 1.0}
    assert scores(add_traces=more) == {"a": 1.0, "b": 1.0}
    for keywords in ({"traces": tmp_path / "nope.jsonl"}, {"add_traces": [tmp_path / "nope.jsonl"]}):
        with pytest.raises(FileNotFoundError) as caught:
            suite.run(**keywords)
        assert caught.value.errno == errno.ENOENT and caught.value.filename == str(tmp_path / "nope.jsonl")
        assert "names it" not in str(caught.value)
    path.write_text("cases: cases.jsonl\ntraces: gone.jsonl\nevaluators: [trajectory]\n")
    with pytest.raises(FileNotFoundError, match="suite.yaml names it: No such file or directory"):
        rightcall.Suite.load(path).run()


def test_a_run_shows_its_problems(tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"id": "a", "expected": ["f"], "actual": ["f"]}\n{"id": "a", "expected": ["f"], "actual": ["f"]}\n')
    run = rightcall.score(rightcall.scan(cases), evaluators="trajectory", skip_invalid=True)
    assert repr(run) == "Run(1 case, 1 problem; trajectory: mean 1.000)"
    assert repr(rightcall.score([{"expected": ["f"], "actual": ["f"]}] * 2, evaluators="trajectory")) == "Run(2 cases; trajectory: mean 1.000)"
