"""Cases, evaluations and runs as values: comparison, copying, pickling, and iteration."""

from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import EXAMPLES, Cases

import rightcall

FILE = EXAMPLES / "support-agent" / "cases.jsonl"
SUITE = EXAMPLES / "support-agent" / "suite.yaml"
FIND = {"name": "find_order", "args": {"id": 7}}
EVALUATORS: list[Any] = ["axion/tool-correctness,check_parameters=true", {"evaluator": "trajectory", "name": "mine", "threshold": 0.5}]


def made(cases: Cases, count: int) -> list[dict[str, Any]]:
    pairs = [cases.pair() for _ in range(count)]
    return [{"id": f"c{at}", "trial": at % 2, "expected": expected, "actual": actual} for at, (expected, actual) in enumerate(pairs)]


def evaluations(cases: Cases) -> list[rightcall.Evaluation]:
    """Evaluations from every source: plain calls, messages, spans, a missing run, an error; from lists, files and suites."""
    messages = [{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "find_order", "arguments": '{"id": 7}'}}]}]
    spans = [{"attributes": {"tool.name": "find_order", "input.value": "{'id': 7}"}}]
    odd = [{"name": "\ud800", "args": {"x": float("nan"), "y": 10**30, "z": "\udc00"}}]
    some = [
        rightcall.evaluate("trajectory", expected=[FIND], actual=actual)
        for actual in ([FIND], [FIND, FIND], messages, spans, odd, None, [], ["find_order"])
    ]
    some.append(rightcall.evaluate("uipath/tool-call-order", expected=[], actual=[], edition="package"))
    some.append(rightcall.evaluate("trajectory"))
    some += rightcall.score(made(cases, 20), evaluators=EVALUATORS)
    some += rightcall.score(rightcall.scan(FILE), evaluators=EVALUATORS, details=True, alignment=True)[:40]
    some += rightcall.score(rightcall.scan(FILE), evaluators=EVALUATORS)[:4]
    some += rightcall.Suite.load(SUITE).run()[:20]
    return some


def shown(it: rightcall.Evaluation) -> str:
    return json.dumps([it.to_dict(), it.result, it.sentence, it.explain(), repr(it)])


def test_an_evaluation_is_the_same_after_a_copy_and_a_pickle(cases: Cases) -> None:
    for it in evaluations(cases):
        for again in (copy.copy(it), copy.deepcopy(it), pickle.loads(pickle.dumps(it))):
            assert again == it and hash(again) == hash(it)
            assert shown(again) == shown(it)


def test_evaluations_are_equal_if_they_tell_the_same() -> None:
    def judge(actual: Any, evaluator: str = "trajectory", **settings: Any) -> rightcall.Evaluation:
        return rightcall.evaluate(evaluator, expected=[FIND, {"name": "refund", "args": {}}], actual=actual, **settings)

    assert judge([FIND]) == judge([dict(FIND)]) and len({judge([FIND]), judge([FIND])}) == 1
    assert judge([FIND]) != judge([FIND, FIND])
    # The same score for a different reason.
    other = judge([{"name": "refund", "args": {}}])
    assert other.score == judge([FIND]).score and other != judge([FIND])
    assert judge([FIND]) != judge([FIND], threshold=0.1) != judge([FIND], threshold=0.2)
    assert judge([FIND]) != judge([FIND], "axion/tool-correctness")
    assert judge([FIND]) != 1 and (judge([FIND]) == "x") is False


def test_a_run_is_the_same_after_a_copy_and_a_pickle(cases: Cases, tmp_path: Path) -> None:
    broken = tmp_path / "cases.jsonl"
    broken.write_text('{"id": "a", "expected": ["x"], "actual": ["x"]}\n{\n')
    runs = [
        rightcall.score(made(cases, 30), evaluators=EVALUATORS, details=True),
        rightcall.score(made(cases, 3) + [{"expected": 7}], evaluators="trajectory", skip_invalid=True),
        rightcall.score(rightcall.scan(FILE), evaluators=EVALUATORS, alignment=True),
        rightcall.score(rightcall.scan(broken), evaluators="trajectory", skip_invalid=True),
        rightcall.Suite.load(SUITE).run(),
        rightcall.score([], evaluators="trajectory"),
    ]
    for run in runs:
        for again in (copy.copy(run), copy.deepcopy(run), pickle.loads(pickle.dumps(run))):
            assert again == run and hash(again) == hash(run) and list(again) == list(run)
            assert (repr(again), again.summary, again.gates, again.exit_code, again.ok) == (repr(run), run.summary, run.gates, run.exit_code, run.ok)
            assert [str(problem) for problem in again.problems] == [str(problem) for problem in run.problems]
            assert [type(problem) for problem in again.problems] == [type(problem) for problem in run.problems]
            assert again.to_dict() == run.to_dict()
    assert len({run for run in runs}) == len(runs)
    assert runs[0] != rightcall.score(made(cases, 30), evaluators=EVALUATORS, details=True)


def test_arguments_are_sent_as_they_were_judged() -> None:
    actual = [{"name": "find_order", "args": {"id": 7}}]
    evaluation = rightcall.evaluate("axion/tool-correctness", expected=[FIND], actual=actual, check_parameters=True)
    before = pickle.dumps(evaluation)
    actual[0]["args"]["id"] = 8  # type: ignore[index]
    assert pickle.dumps(evaluation) == before and pickle.loads(before) == evaluation


def judge_one(case: rightcall.Case) -> rightcall.Evaluation:
    return rightcall.Evaluator("trajectory").evaluate_case(case)


def judge_many(cases: list[rightcall.Case]) -> rightcall.Run:
    return rightcall.score(cases, evaluators=EVALUATORS)


def plain_cases(cases: Cases) -> list[rightcall.Case]:
    return [rightcall.Case(**case) for case in made(cases, 20)]


def test_a_process_pool_takes_and_gives_them(cases: Cases) -> None:
    given = plain_cases(cases)
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(judge_one, given)) == [judge_one(case) for case in given]
        [run] = pool.map(judge_many, [given])
        evaluation = pool.submit(rightcall.evaluate, "trajectory", expected=[FIND], actual=[FIND]).result()
    assert run == judge_many(given) and evaluation.score == 1.0 and evaluation.alignment["pairs"]


def test_ray_takes_and_gives_them(cases: Cases) -> None:
    ray = pytest.importorskip("ray")
    given = plain_cases(cases)
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR")
    try:
        remote = ray.remote(lambda cases: rightcall.score(cases, evaluators="trajectory"))
        assert ray.get(remote.remote(given)) == rightcall.score(given, evaluators="trajectory")
    finally:
        ray.shutdown()


def test_a_run_is_a_sequence(cases: Cases) -> None:
    run = rightcall.score(made(cases, 10), evaluators="trajectory")
    every = list(run)
    assert len(every) == 10
    for piece in (slice(2, 5), slice(None), slice(None, None, -1), slice(-3, None), slice(5, 2), slice(1, 9, 3), slice(20, 30)):
        assert run[piece] == every[piece]
    assert [run[at] for at in range(-10, 10)] == every + every
    assert list(reversed(run)) == every[::-1]
    assert run.index(every[4]) == 4 and run.index(every[4], 2, 6) == 4 and run.index(every[-1], -2) == 9
    assert run.count(every[4]) == 1 and every[4] in run
    stranger = rightcall.evaluate("trajectory", expected=[FIND], actual=[FIND])
    assert stranger not in run and run.count(stranger) == 0 and "x" not in run
    with pytest.raises(ValueError):
        run.index(stranger)
    with pytest.raises(ValueError):
        run.index(every[4], 5)
    for place in (10, -11):
        with pytest.raises(IndexError, match="there are 10 evaluations"):
            run[place]
    with pytest.raises(TypeError):
        run["a"]  # type: ignore[call-overload]


def test_a_case_is_a_plain_value() -> None:
    case = rightcall.Case(id="a", expected=[FIND], actual=[FIND], tags=["refund"], meta={"model": "m"})
    for again in (copy.deepcopy(case), pickle.loads(pickle.dumps(case))):
        assert again == case
    assert case != rightcall.Case(id="a", expected=[FIND], actual=[])
    assert case.to_dict() == {"id": "a", "expected": [FIND], "actual": [FIND], "tags": ["refund"], "meta": {"model": "m"}}
    assert rightcall.Case(**case.to_dict()) == case
    for given in (case, case.to_dict()):
        evaluation = rightcall.Evaluator("trajectory").evaluate_case(given)
        assert (evaluation.case, evaluation.score) == ("a", 1.0)
    assert rightcall.Evaluator("trajectory").evaluate_case(rightcall.Case(expected=[FIND])).outcome == "not_applicable"


def test_evaluations_and_runs_become_dicts() -> None:
    run = rightcall.score([{"id": "a", "expected": ["x"], "actual": []}, {"expected": 7}], evaluators="axion/tool-correctness", skip_invalid=True, details=True)
    told = run.to_dict()
    assert told["summary"] == run.summary and told["problems"] == [str(run.problems[0])]
    evaluation, failed = told["evaluations"]
    assert (failed["case"], failed["outcome"], failed["score"]) == ("cases[1]", "error", None)
    assert evaluation == {
        "case": "a",
        "trial": None,
        "evaluator": "axion/tool-correctness",
        "name": None,
        "outcome": "scored",
        "score": 0.0,
        "passed": False,
        "reason": None,
        "details": run[0].details,
        "alignment": None,
    }
    assert run[0].to_dict()["alignment"] == run[0].alignment and run[0].to_dict(details=False)["details"] is None
    assert json.loads(json.dumps(told)) == told
    row = dict(zip(run[0]._fields, run[0], strict=True))
    assert row == {name: value for name, value in evaluation.items() if name not in ("details", "alignment")}
    assert len(run[0]) == len(row) and run[0][0] == "a" and run[0][-1] is None
