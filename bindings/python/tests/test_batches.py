"""Batches keep their length and order for any content and through any interface."""

import asyncio
import json
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from conftest import Cases

import rightcall

EVALUATORS = ["trajectory", "uipath/tool-call-order"]


def cycle() -> dict[str, Any]:
    args: dict[str, Any] = {}
    args["self"] = args
    return args


def deep() -> dict[str, Any]:
    args: dict[str, Any] = {}
    for _ in range(5000):
        args = {"inner": args}
    return args


class Raising:
    """An object with members that cannot be read."""

    id = "raising"

    def model_dump(self) -> Any:
        raise RuntimeError("no members today")


def called(args: Any) -> dict[str, Any]:
    return {"expected": ["f"], "actual": [{"name": "f", "args": args}]}


#: Invalid cases, with their id if they have one.
BAD: list[tuple[Callable[[], Any], str | None]] = [
    (lambda: None, None),
    (lambda: 7, None),
    (lambda: "case", None),
    (lambda: {1, 2}, None),
    (lambda: dict, None),
    (lambda: [], None),
    (lambda: {"expected": 7, "actual": []}, None),
    (lambda: {"id": "wrong", "expected": ["f"], "actual": [{"args": {}}]}, "wrong"),
    (lambda: {"id": "set", **called({"x": {1}})}, "set"),
    (lambda: called(cycle()), None),
    (lambda: {"id": "deep", **called(deep())}, "deep"),
    (lambda: called({True: 1}), None),
    (Raising, "raising"),
]


def good(number: int) -> dict[str, Any]:
    # Every second case has the same id as others.
    named = {"id": "twin"} if number % 2 else {}
    return {**named, "expected": ["f", "g"], "actual": [{"name": "fg"[number % 2], "args": {}}]}


DOORS: dict[str, Callable[[list[Any]], rightcall.Run]] = {
    "list": lambda cases: rightcall.score(cases, evaluators=EVALUATORS),
    "tuple": lambda cases: rightcall.score(tuple(cases), evaluators=EVALUATORS, threads=1),
    "generator": lambda cases: rightcall.score((it for it in cases), evaluators=EVALUATORS, skip_invalid=True),
    "thread": lambda cases: asyncio.run(asyncio.to_thread(rightcall.score, cases, evaluators=EVALUATORS)),
}


@pytest.mark.parametrize("door", DOORS)
def test_lists_keep_their_length_and_order_with_bad_items_in_every_place(door: str) -> None:
    chosen = random.Random(7)
    for place in range(len(BAD) + 1):
        bad = {place: BAD[place % len(BAD)]} | {at: chosen.choice(BAD) for at in range(len(BAD) + 1) if chosen.random() < 0.4}
        cases = [bad[at][0]() if at in bad else good(at) for at in range(len(BAD) + 1)]
        run = DOORS[door](cases)
        assert len(run) == len(cases) * len(EVALUATORS)
        for at, case in enumerate(cases):
            rows = run[at * len(EVALUATORS) : (at + 1) * len(EVALUATORS)]
            assert [it.evaluator for it in rows] == EVALUATORS
            name = bad[at][1] if at in bad else case.get("id")
            assert {it.case for it in rows} == {name or f"cases[{at}]"}
            if at in bad:
                assert {it.outcome for it in rows} == {"error"} and all(len(it.reason or "") < 300 for it in rows)
            else:
                assert [it.score for it in rows] == [rightcall.Evaluator(it).evaluate_case(case).score for it in EVALUATORS]
        assert len(run.problems) == len(bad) == run.summary["unreadable"]
        assert run.summary["cases"] == len(cases) - len(bad) and run.exit_code == (0 if door == "generator" else 2)
        assert [problem.case for problem in run.problems] == [f"cases[{at}]" for at in sorted(bad)]  # type: ignore[attr-defined]


#: Cells that are not a valid side of a case.
BAD_CELLS = ["[", '["f"', "7", '{"counts": 7}', "[[]]"]


def tables(rows: list[dict[str, Any]]) -> Iterable[Any]:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pylist(rows)
    yield from (table, table.to_reader(max_chunksize=3), pyarrow.Table.from_batches(table.to_batches(max_chunksize=1)))
    for package in ("pandas", "polars"):
        yield pytest.importorskip(package).DataFrame(rows)
    pandas = pytest.importorskip("pandas")
    # Cells with objects are converted cell by cell.
    yield pandas.DataFrame([{name: read(cell) if name != "id" else cell for name, cell in row.items()} for row in rows])


def read(cell: str) -> Any:
    try:
        return json.loads(cell)
    except ValueError:
        return cell


def test_tables_keep_their_length_and_order_with_bad_rows_in_every_place() -> None:
    chosen = random.Random(11)
    for place in range(8):
        bad = {place} | {at for at in range(8) if chosen.random() < 0.3}
        sides = {at: chosen.choice(["expected", "actual"]) for at in bad}
        rows = []
        for at in range(8):
            row = {"id": f"id-{at % 3}", "expected": '["f"]', "actual": json.dumps([{"name": "f", "args": {"n": at}}])}
            rows.append({**row, sides[at]: chosen.choice(BAD_CELLS)} if at in bad else row)
        for table in tables(rows):
            run = rightcall.score(table, evaluators=EVALUATORS, skip_invalid=True)
            assert [(it.case, it.evaluator) for it in run] == [(row["id"], name) for row in rows for name in EVALUATORS]
            outcomes = [["scored", "error"][at in bad] for at in range(8) for _ in EVALUATORS]
            assert [it.outcome for it in run] == outcomes, type(table)
            assert len(run.problems) == len(bad) == run.summary["unreadable"] and run.exit_code == 0


def test_spans_that_belong_to_no_run_keep_their_place() -> None:
    pandas = pytest.importorskip("pandas")
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f", "gen_ai.tool.call.arguments": "{}"}
    rows = [{"trace": trace, "span_id": f"s{at}", "name": "execute_tool f", "attributes": attributes} for at, trace in enumerate(["a", None, "b", None, "a"])]
    run = rightcall.score(pandas.DataFrame(rows), evaluators="constraints,max_calls=1", group_by="trace")
    assert [(it.case, it.outcome, it.score) for it in run] == [
        ("a", "scored", 0.0),
        ("s1", "error", None),
        ("b", "scored", 1.0),
        ("s3", "error", None),
    ]


def test_a_large_batch_has_its_bad_items_in_their_places(cases: Cases) -> None:
    many: list[Any] = []
    for number in range(9000):
        expected, actual = cases.pair()
        many.append({"id": str(number), "expected": expected, "actual": actual} if number % 1000 != 999 else number)
    run = rightcall.score(many, evaluators="trajectory", threads=3)
    assert [at for at, it in enumerate(run) if it.outcome == "error"] == list(range(999, 9000, 1000))
    assert [it.case for it in run] == [str(at) if at % 1000 != 999 else f"cases[{at}]" for at in range(9000)]


def test_what_ends_a_program_is_no_bad_item() -> None:
    class Interrupting:
        def model_dump(self) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rightcall.score([good(0), Interrupting()], evaluators="trajectory")


def null_rows() -> list[dict[str, Any]]:
    def call(**args: Any) -> list[dict[str, Any]]:
        return [{"name": "f", "args": args}]

    return [
        {"id": "a", "expected": call(id=7), "actual": call(id=7, force=None)},
        {"id": "b", "expected": call(id=7, force=True), "actual": call(id=7, force=True)},
    ]


def test_columns_of_objects_are_walked_as_the_objects_of_a_list() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rows = null_rows()
    of_objects = polars.DataFrame({name: polars.Series([row[name] for row in rows], dtype=polars.Object) for name in rows[0]})
    for table in (rows, pandas.DataFrame(rows), of_objects):
        assert [it.score for it in rightcall.score(table, evaluators="trajectory")] == [0.0, 1.0]
        absent = rightcall.score(table, evaluators='trajectory,match={"nulls":"absent"}')
        assert [it.score for it in absent] == [1.0, 1.0]


def with_nulls() -> Iterator[list[dict[str, Any]]]:
    def side(*calls: Any) -> list[Any]:
        return [None if args is None else {"name": "f", "args": args} for args in calls]

    right, struct, null = {"x": 1}, {"x": {"y": 1}}, {"x": None}
    yield [{"expected": side(right), "actual": side(right, None)}, {"expected": side(right), "actual": side(right)}]
    yield [{"expected": side(right), "actual": None}, {"expected": None, "actual": side(right)}, {"expected": side(right), "actual": side(right)}]
    yield [{"expected": side(right), "actual": [{"name": "f", "args": None}]}, {"expected": side(right), "actual": side(right)}]
    yield [{"expected": side(right), "actual": [{"name": None, "args": right}]}, {"expected": side(right), "actual": side(right)}]
    yield [{"expected": side(one), "actual": side(other)} for one in (struct, null) for other in (struct, null)]
    # All values of `z` are null, and so are all values of `y` on one side.
    yield [{"expected": side(right), "actual": side({"x": 1, "z": None})}]
    yield [{"expected": side({"x": {"y": None}}), "actual": side({"x": {"y": None}})}, {"expected": side(struct), "actual": side(null)}]
    lists = [{"l": [{"a": 1}, None]}, {"l": [{"a": 1}]}, {"l": None}, {"l": []}]
    yield [{"expected": side(one), "actual": side(other)} for one in lists for other in lists]
    yield [{"expected": side(right), "actual": [None]}, {"expected": side(right), "actual": [None, None]}]


def test_nulls_in_structs_are_the_same_at_every_door() -> None:
    pyarrow, pandas, polars = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "polars"))

    def outcomes(table: Any, evaluator: str) -> list[Any]:
        run = rightcall.score(table, evaluators=evaluator, skip_invalid=True)
        return [(it.outcome, it.score, str(it.reason).replace("found null", "found nothing")) for it in run]

    for rows in with_nulls():
        table = pyarrow.Table.from_pylist(rows)
        columns = {name: pandas.Series(table[name], dtype=pandas.ArrowDtype(table[name].type)) for name in rows[0]}
        doors = [table, pandas.DataFrame(columns), polars.DataFrame(rows), polars.DataFrame(rows).to_arrow(), polars.from_arrow(table)]
        # In Arrow structs, null means absent.
        absent = 'trajectory,match={"nulls":"absent"}'
        wanted = outcomes(rows, absent)
        assert outcomes(pandas.DataFrame(rows), absent) == wanted
        for door in doors:
            assert outcomes(door, "trajectory") == outcomes(door, absent) == wanted, (type(door), rows)


def test_arguments_of_several_types_are_no_error_of_arrow() -> None:
    pandas = pytest.importorskip("pandas")
    values = [7, "7", 7.5, None, [7], {"x": {"y": [None, 1]}}, True]
    rows = [{"id": str(at), **called({"v": value, "bytes": b"abc"}), "expected": [{"name": "f", "args": {"v": value, "bytes": "YWJj"}}]} for at, value in enumerate(values)]
    run = rightcall.score(pandas.DataFrame(rows), evaluators="trajectory")
    assert [it.score for it in run] == [1.0] * len(values)
    # A missing cell is left out. An object that no case can hold makes only its own row invalid.
    rows[1]["actual"], rows[2]["actual"][0]["args"]["v"] = None, {1}
    run = rightcall.score(pandas.DataFrame(rows), evaluators="trajectory")
    assert [it.outcome for it in run] == ["scored", "not_applicable", "error", *["scored"] * 4]
    assert run[2].reason == "/actual/0/args/v: expected a value that JSON can hold, found a set: make a list of it first, `sorted(it)`"


def test_odd_columns_of_pandas_are_no_errors_of_others() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [1, "b"], "expected": [["f"], ["f"]], "actual": [["f"], []], 7: [{"a": None}, 1]})
    before = frame.copy()
    run = rightcall.score(frame, evaluators="trajectory")
    assert [(it.case, it.score) for it in run] == [("1", 1.0), ("b", 0.0)]
    assert frame.equals(before)
    twice = pandas.DataFrame([[["f"], ["f"], []]], columns=["expected", "actual", "actual"])
    with pytest.raises(rightcall.CaseError, match="several `actual`"):
        rightcall.score(twice, evaluators="trajectory")
    odd = pandas.DataFrame({"expected": [["f"]], "actual": [["f"]], "when": pandas.Series([pandas.Period("2026-01")])})
    assert [it.outcome for it in rightcall.score(odd, evaluators="trajectory")] in (["scored"], ["error"])


def test_a_table_without_a_side_is_an_error_with_the_near_name() -> None:
    pyarrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    for names, missing, near in [
        (("expectd", "actual"), "expected", "expectd"),
        (("expected", "actuals"), "actual", "actuals"),
        (("expected_calls", "actual"), "expected", "expected_calls"),
        (("Expected", "Actual"), "expected", "Expected"),
        (("wanted", "actual"), "expected", None),
    ]:
        rows = [dict(zip(names, (["f"], ["f"]), strict=True))]
        for table in (pyarrow.Table.from_pylist(rows), pandas.DataFrame(rows)):
            with pytest.raises(rightcall.CaseError, match=f"expected a table with a column `{missing}`, found `{names[0]}`") as caught:
                rightcall.score(table, evaluators="trajectory")
            assert (f"is `{near}` meant?" in (caught.value.help or "")) == (near is not None)
    # An evaluator without a need for an expectation scores even if the column is missing.
    run = rightcall.score(pandas.DataFrame([{"actual": ["f", "f"]}]), evaluators="constraints,max_calls=1")
    assert [it.score for it in run] == [0.0]


def test_warnings_are_those_of_the_command(tmp_path: Any) -> None:
    typo = [
        {"id": "a", "expectd": ["f"], "expected": ["find_order"], "actual": [{"name": "findOrder", "args": {"id": 1}}]},
        {"id": "b", "expected": [{"name": "g", "args": {"id": 7}}], "actual": [{"name": "g", "args": {"id": 8}}]},
    ]
    evaluators = [
        {"evaluator": "trajectory", "match": {"args": "keys", "keys": ["idd"]}},
        {"evaluator": "constraints", "forbidden": ["find_orders"]},
    ]
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps(case) + "\n" for case in typo))
    in_memory = rightcall.score(typo, evaluators=evaluators)
    of_file = rightcall.score(rightcall.scan(file), evaluators=evaluators)
    assert in_memory.warnings == of_file.warnings
    for wanted in (
        "`expectd` is not a key of a case (1 case): its value is not judged (did you mean `expected`?)",
        "a rule names `find_orders`, which no run calls and no case expects (did you mean `findOrder`?)",
        "trajectory: `match.keys` names no argument on either side of 1 case: `idd` (the arguments are `id`)",
        "find_order: expected, but 0 calls; findOrder: 1 call (is a name misspelled?)",
    ):
        assert wanted in in_memory.warnings
    assert [it.outcome for it in in_memory[::2]] == ["scored", "not_applicable"]
    assert rightcall.score([typo[1]], evaluators="trajectory").warnings == []


@pytest.mark.parametrize("made", [cycle, deep])
def test_cyclic_and_deep_values_are_our_errors_with_a_short_pointer(made: Callable[[], Any]) -> None:
    for evaluate in (
        lambda: rightcall.evaluate("trajectory", expected=["f"], actual=[{"name": "f", "args": made()}]),
        lambda: rightcall.calls([{"name": "f", "args": made()}]),
    ):
        with pytest.raises(rightcall.RightcallError, match="levels of nesting") as caught:
            evaluate()
        assert 1 < len(caught.value.pointer.split("/")) < 10 and len(str(caught.value)) < 300


@pytest.mark.parametrize("cases", [None, 7, 7.5, object(), Raising()])
def test_what_holds_no_cases_is_our_error(cases: Any) -> None:
    with pytest.raises(rightcall.RightcallError, match="cases: expected cases, found"):
        rightcall.score(cases, evaluators="trajectory")


def test_arguments_that_a_table_filled_are_a_warning(tmp_path: Any) -> None:
    pandas, parquet = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    rows = [
        {"id": "a", "expected": [{"name": "f", "args": {"x": 1}}], "actual": [{"name": "f", "args": {"x": 1}}]},
        {"id": "b", "expected": [{"name": "g", "args": {"y": "k"}}], "actual": [{"name": "g", "args": {"y": "k"}}]},
    ]
    frame, file = pandas.DataFrame(rows), tmp_path / "cases.parquet"
    assert rightcall.score(frame, evaluators="trajectory").warnings == []
    frame.to_parquet(file)
    read = pandas.read_parquet(file)
    run = rightcall.score(read, evaluators="trajectory")
    told = [it for it in run.warnings if it.startswith("column ")]
    assert [it.split(":")[0] for it in told] == ["column `expected`", "column `actual`"]
    assert "2 calls have the same 2 argument keys, 2 of them with null" in told[0] and "JSON text" in told[0]
    absent = rightcall.score(read, evaluators={"evaluator": "trajectory", "match": {"nulls": "absent"}})
    assert [it.score for it in absent] == [1.0, 1.0]
    # The remedy.
    texts = frame.assign(**{side: frame[side].map(json.dumps) for side in ("expected", "actual")})
    texts.to_parquet(file)
    run = rightcall.score(pandas.read_parquet(file), evaluators="trajectory")
    assert ([it.score for it in run], run.warnings) == ([1.0, 1.0], [])
    assert [it.score for it in rightcall.score(parquet.read_table(file), evaluators="trajectory")] == [1.0, 1.0]


def test_json_text_may_be_in_a_dictionary_column() -> None:
    pyarrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    texts = ['[{"name": "f", "args": {"x": 1}}]', '[{"name": "g"}]', '[{"name": "f", "args": {"x": 1}}]']
    encoded = pyarrow.array(texts).dictionary_encode()
    table = pyarrow.table({"expected": encoded, "actual": encoded})
    frame = pandas.DataFrame({"expected": pandas.Categorical(texts), "actual": pandas.Categorical(texts)})
    for door in (table, frame):
        assert [it.score for it in rightcall.score(door, evaluators="trajectory")] == [1.0] * 3


def test_errors_of_rows_have_their_place_and_advice() -> None:
    pandas = pytest.importorskip("pandas")
    right = ["f"]
    frame = pandas.DataFrame({"expected": [right, right], "actual": [[{"nam": "f"}], right]})
    [problem] = rightcall.score(frame, evaluators="trajectory").problems
    assert (problem.case, problem.pointer, problem.help) == ("row 0", "/actual/0", "did you mean `name`?")
    with pytest.raises(rightcall.CaseError) as raised:
        rightcall.score(frame[:1], evaluators="trajectory")
    assert raised.value.help == "did you mean `name`?"
    written = pandas.DataFrame({"expected": [str([{"name": "f"}]), '["f"]'], "actual": ['["f"]', '["f"]']})
    assert "found the `repr` of Python: write the column with json.dumps" in (rightcall.score(written, evaluators="trajectory")[0].reason or "")
