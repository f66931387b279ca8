"""Values without a JSON type of their own: one rule, under which different values never become equal."""

from __future__ import annotations

import datetime
import enum
import itertools
import json
import math
import random
import re
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

import rightcall

ONE = uuid.UUID("12345678-1234-5678-1234-567812345678")


def equal(one: Any, other: Any) -> bool:
    """Whether two arguments are equal: compared in dicts, as JSON text, and in a case."""
    expected, actual = ([{"name": "a", "args": {"x": value}}] for value in (one, other))
    settings: dict[str, Any] = {"match": {"args": "exact"}}
    told = {rightcall.evaluate("trajectory", expected=expected, actual=actual, **settings).score}
    told.add(rightcall.evaluate("trajectory", expected=tuple(expected), actual=tuple(actual), **settings).score)
    made = rightcall.Evaluator("trajectory", **settings)
    told.add(made.evaluate_case({"expected": expected, "actual": actual}).score)
    assert len(told) == 1, (one, other, told)
    return told == {1.0}


class Level(enum.IntEnum):
    LOW = 3


@pytest.mark.parametrize(
    "value, same",
    [
        (Decimal("1.10"), 1.1),
        (Decimal("-0.1"), -0.1),
        (Decimal("7"), 7),
        (Decimal("7.000"), 7),
        (Decimal("1E+3"), 1000),
        (Decimal("-0"), 0),
        (Decimal(2**80), 2**80),
        (Decimal("1e-7"), 1e-7),
        (Decimal("Infinity"), math.inf),
        (ONE, "12345678-1234-5678-1234-567812345678"),
        (b"\x00abc", "AGFiYw=="),
        (bytearray(b"abc"), "YWJj"),
        (memoryview(b"abc"), "YWJj"),
        (b"", ""),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (datetime.datetime(2026, 1, 2, 3, 4, 5, 6), "2026-01-02T03:04:05.000006"),
        (datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc), "2026-01-02T00:00:00+00:00"),
        (datetime.time(3, 4), "03:04:00"),
        ({3: "a", -1: "b", 2**70: "c"}, {"3": "a", "-1": "b", str(2**70): "c"}),
        ({Level.LOW: 1}, {"3": 1}),
        ({"a": [{1: Decimal("0.5")}]}, {"a": [{"1": 0.5}]}),
    ],
)
def test_each_is_what_the_rule_says(value: Any, same: Any) -> None:
    assert equal(value, same) and equal(same, value) and equal(value, value)


def test_moments_of_numpy_and_pandas_are_dates_and_no_integers() -> None:
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    assert equal(numpy.datetime64("2026-01-02"), "2026-01-02")
    assert equal(numpy.datetime64("2026-01-02T00:00:00.000000001"), "2026-01-02T00:00:00.000000001")
    assert equal(numpy.array(["2026-01-02"], "datetime64[D]"), ["2026-01-02"])
    assert equal(pandas.Timestamp("2026-01-02"), "2026-01-02T00:00:00")
    assert equal(numpy.bytes_(b"abc"), "YWJj")


KINDS: list[list[Any]] = [
    [Decimal(text) for text in ("0.1", "0.11", "1", "10", "0.1000000001", "123456789.123", "-1", "1e-9", "9007199254740993")],
    [uuid.UUID(int=at) for at in range(4)],
    [b"", b"a", b"b", b"ab", b"abc", b"\x00", b"\xff", b"YWJj"],
    [datetime.date(2026, 1, 2), datetime.datetime(2026, 1, 2), datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc), datetime.time(0), datetime.date(2026, 2, 1)],
    [{1: "a"}, {2: "a"}, {1: "b"}, {1: "a", 2: "a"}, {-1: "a"}, {10: "a"}],
]


@pytest.mark.parametrize("values", KINDS, ids=["decimals", "uuids", "bytes", "dates", "keys"])
def test_values_of_one_kind_that_differ_are_not_equal(values: list[Any]) -> None:
    for one, other in itertools.product(values, repeat=2):
        assert equal(one, other) == (one is other or one == other), (one, other)


def test_decimals_keep_all_digits_or_are_refused() -> None:
    numbers, taken, refused = random.Random(7), 0, 0
    for _ in range(1000):
        digits, point = numbers.randint(1, 19), numbers.randint(0, 20)
        value = Decimal(numbers.randint(-(10**digits), 10**digits)).scaleb(-point)
        near = value + Decimal(1).scaleb(-point)
        try:
            assert equal(value, Decimal(format(value, "f"))) and not equal(value, near)
            taken += 1
        except rightcall.UnsuitedType:
            # As a JSON number, it would become a different value.
            assert any(Decimal(repr(float(it))) != it for it in (value, near))
            refused += 1
    assert taken > 500 and refused > 100


def test_a_text_and_bytes_with_that_text_differ() -> None:
    assert not equal(b"abc", "abc") and not equal(Decimal("1"), "1") and not equal({1: "a"}, {1: "b"})
    assert not equal({1: "a", "b": 2}, {"2": "a", "b": 2})


def test_columns_of_tables_follow_the_rule() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    args = {
        "amount": (Decimal("1.10"), pyarrow.decimal128(20, 5)),
        "count": (Decimal("7"), pyarrow.decimal128(20, 5)),
        "day": (datetime.date(2026, 1, 2), pyarrow.date32()),
        "data": (b"abc", pyarrow.binary()),
        "more": (b"abc", pyarrow.large_binary()),
        "fixed": (b"abc", pyarrow.binary(3)),
    }
    call = pyarrow.struct([("name", pyarrow.string()), ("args", pyarrow.struct([(name, kind) for name, (_, kind) in args.items()]))])
    values = {name: value for name, (value, _) in args.items()}
    table = pyarrow.table({"expected": ['["a"]'], "actual": pyarrow.array([[{"name": "a", "args": values}]], pyarrow.list_(call))})
    wanted = {"amount": 1.1, "count": 7, "day": "2026-01-02", "data": "YWJj", "more": "YWJj", "fixed": "YWJj"}
    settings = {"evaluator": "trajectory", "match": {"args": "exact"}}
    table = table.set_column(0, "expected", [[json.dumps([{"name": "a", "args": wanted}])]])
    [evaluation] = rightcall.score(table, evaluators=settings)
    assert evaluation.score == 1.0, str(evaluation)
    [evaluation] = rightcall.score([{"expected": [{"name": "a", "args": wanted}], "actual": [{"name": "a", "args": values}]}], evaluators=settings)
    assert evaluation.score == 1.0, str(evaluation)


@pytest.mark.parametrize(
    ("side", "pointer", "message"),
    [
        ([{"name": "f", "args": b'{"id":7}'}], "/0/args", "expected an object or its JSON text, found bytes: decode them first"),
        (({"name": "f", "arguments": bytearray(b"{}")},), "/0/arguments", "found an object of class bytearray: decode them first"),
        (["g", {"name": b"f"}], "/1/name", "expected the name of a tool, found bytes"),
        ([{"name": datetime.date(2026, 1, 2)}], "/0/name", "expected the name of a tool, found an object of class date"),
        ([b"f"], "/0", "expected a call, found bytes"),
        ([datetime.date(2026, 1, 2)], "/0", "expected a call, found an object of class date"),
        (b'["f"]', "", "expected calls, found bytes: `rightcall.calls` reads the bytes of a file"),
    ],
)
def test_bytes_and_dates_are_no_part_of_a_call(side: Any, pointer: str, message: str) -> None:
    for judged in ({"expected": ["f"], "actual": side}, {"expected": side, "actual": ["f"]}):
        key = "actual" if judged["actual"] is side else "expected"
        with pytest.raises(rightcall.UnsuitedType) as raised:
            rightcall.evaluate("trajectory", **judged)
        assert raised.value.pointer == f"/{key}{pointer}" and message in str(raised.value)
        for case in (judged, rightcall.Case(**judged), SimpleCase(**judged)):
            [evaluation] = rightcall.score([case], evaluators="trajectory")
            assert evaluation.outcome == "error" and message in (evaluation.reason or "")
    if pointer:
        with pytest.raises(rightcall.UnsuitedType, match=re.escape(message)):
            rightcall.calls(side)


@dataclass
class SimpleCase:
    expected: Any
    actual: Any


def test_columns_of_bytes_are_no_sides() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    right, data = '[{"name": "f", "args": {}}]', [b'[{"name": "f", "args": {}}]']
    arrow = pyarrow.table({"id": ["a", "b"], "expected": [right, right], "actual": pyarrow.array([None, *data], pyarrow.binary())})
    objects = pandas.DataFrame({"id": ["a", "b"], "expected": [right, right], "actual": [None, *data]}, dtype=object)
    for table in (arrow, objects):
        absent, wrong = rightcall.score(table, evaluators="trajectory")
        assert absent.outcome == "not_applicable"
        assert wrong.outcome == "error" and "found bytes" in (wrong.reason or "")


def test_the_text_null_is_no_side() -> None:
    pandas = pytest.importorskip("pandas")
    right = json.dumps([{"name": "f", "args": {}}])
    columns = {"expected": [right, "null", right], "actual": [right, right, " null\n"]}
    for table in (pandas.DataFrame(columns), pandas.DataFrame(columns, dtype=object), pandas.DataFrame(columns, dtype="string")):
        assert [it.outcome for it in rightcall.score(table, evaluators="trajectory")] == ["scored", "not_applicable", "not_applicable"]


def test_a_missing_moment_is_refused() -> None:
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    for moment in (pandas.NaT, numpy.datetime64("NaT"), numpy.array("NaT", dtype="M8[s]")):
        with pytest.raises(rightcall.UnsuitedType, match="/actual/0/args/.*without a time: write None"):
            equal(None, moment)
    assert not equal(None, numpy.datetime64("2026-01-02"))
