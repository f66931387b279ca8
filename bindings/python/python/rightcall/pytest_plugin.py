"""The pytest plugin: assertions on tool calls, recorded in the run's report.

    from rightcall.pytest_plugin import assert_tool_calls

    def test_refund(agent):
        calls = agent.run("Please refund order 7")
        assert_tool_calls(calls, [{"name": "find_order", "args": {"id": 7}}, {"name": "refund"}])

A failure shows expected and actual calls side by side, below the failed line. The fixture `tool_calls` does the same, and can return
evaluations without asserting. Each evaluation is a property of the test in JUnit XML and other reports, and is included in the summary at
the end of the run.

A test marked with `@pytest.mark.trials(5)` runs five times, and the summary says how often it passed. With `at_least=4`, one run may fail:
it is reported as an expected failure. The failure after which too few runs can pass is reported as a failure, with its traceback.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ._native import Evaluation
    from ._types import EvaluatorLike

__all__ = ["ToolCalls", "assert_tool_calls"]

_PROPERTY = "rightcall"
_RECORDER: list[ToolCalls] = []


def assert_tool_calls(
    actual: Any,
    expected: Any,
    *,
    evaluator: EvaluatorLike = "trajectory",
    threshold: float | None = None,
    **settings: Any,
) -> Evaluation:
    """Asserts that the calls of a run match the expected ones.

    Args:
        actual: the calls, messages or spans of the run.
        expected: the expectation; see `rightcall.evaluate`.
        evaluator: the evaluator.
        threshold: the lowest passing score (default: the evaluator's own verdict, or 1 if it has none).
        settings: the evaluator's settings.

    Returns:
        The evaluation.

    Raises:
        AssertionError: the score is too low or missing; the message shows the expected and actual calls side by side.
    """
    __tracebackhide__ = True
    evaluation = _judge(actual, expected, evaluator, threshold, settings)
    is_good = _is_good(evaluation, threshold)
    if _RECORDER:
        _RECORDER[-1].record(evaluation, is_good)
    if not is_good:
        raise AssertionError(_message(evaluation, threshold))
    return evaluation


class ToolCalls:
    """The fixture `tool_calls`: evaluations that are recorded with the test."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item

    def evaluate(
        self,
        evaluator: EvaluatorLike = "trajectory",
        /,
        *,
        expected: Any = None,
        actual: Any = None,
        threshold: float | None = None,
        **settings: Any,
    ) -> Evaluation:
        """The evaluation of a run, recorded but not asserted."""
        __tracebackhide__ = True
        evaluation = _judge(actual, expected, evaluator, threshold, settings)
        self.record(evaluation)
        return evaluation

    def assert_tool_calls(self, actual: Any, expected: Any, **more: Any) -> Evaluation:
        """Asserts that the calls of a run match the expected ones; see `assert_tool_calls`."""
        __tracebackhide__ = True
        return assert_tool_calls(actual, expected, **more)

    def record(self, evaluation: Evaluation, passed: bool | None = None) -> None:
        """Records an evaluation with the test; `passed` is the verdict of an assertion (default: that of the evaluation)."""
        passed = evaluation.passed if passed is None else passed
        line = {"evaluator": evaluation.name or evaluation.evaluator, "score": evaluation.score, "passed": passed}
        if evaluation.reason is not None:
            line["reason"] = evaluation.reason
        self._item.user_properties.append((_PROPERTY, json.dumps(line)))


def _judge(actual: Any, expected: Any, evaluator: Any, threshold: float | None, settings: dict[str, Any]) -> Evaluation:
    __tracebackhide__ = True
    import rightcall

    if threshold is not None:
        settings = {**settings, "threshold": threshold}
    return rightcall.evaluate(evaluator, expected=expected, actual=actual, **settings)


def _is_good(evaluation: Evaluation, threshold: float | None) -> bool:
    if evaluation.score is None:
        return False
    if threshold is not None or evaluation.passed is not None:
        return evaluation.passed is True
    return evaluation.score >= 1.0


def _message(evaluation: Evaluation, threshold: float | None) -> str:
    if evaluation.score is None:
        head = f"the tool calls cannot be judged: {evaluation.reason}"
    else:
        wanted = f", and {threshold:g} is needed" if threshold is not None else ""
        head = f"the tool calls are not those expected: score {evaluation.score:.3f}{wanted}"
    return f"{head}\n\n{evaluation.explain()}"


@pytest.fixture
def tool_calls(request: pytest.FixtureRequest) -> ToolCalls:
    """Judges tool calls, and records each evaluation with the test."""
    return ToolCalls(request.node)


@pytest.fixture
def rightcall(tool_calls: ToolCalls) -> ToolCalls:
    """The former name of the fixture `tool_calls`."""
    return tool_calls


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line(
        "markers", "trials(count, at_least=count): runs the test `count` times; it passes if `at_least` of these runs do."
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Creates a test for each trial."""
    marker = metafunc.definition.get_closest_marker("trials")
    if marker is None:
        return
    try:
        count = _trials(marker).count
    except ValueError:
        # Fails in the setup of the test, which has a name.
        return
    if "rightcall_trial" not in metafunc.fixturenames:
        metafunc.fixturenames.append("rightcall_trial")
    metafunc.parametrize("rightcall_trial", range(1, count + 1), ids=[f"trial{number}" for number in range(1, count + 1)])


@dataclass(frozen=True)
class _Trials:
    """The arguments of the marker."""

    count: int
    at_least: int


def _trials(marker: pytest.Mark) -> _Trials:
    names = ("count", "at_least")
    given = {**dict(zip(names, marker.args, strict=False)), **marker.kwargs}
    unknown = [repr(it) for it in marker.args[2:]] + [f"`{key}`" for key in marker.kwargs if key not in names]
    if unknown:
        raise ValueError(f"trials: expected `count` and `at_least`, found {unknown[0]}")
    count = given.get("count")
    if type(count) is not int or count < 1:
        raise ValueError(f"trials: expected a number of runs of 1 or more, found {count!r}")
    at_least = given.get("at_least", count)
    if type(at_least) is not int or not 0 <= at_least <= count:
        raise ValueError(f"trials: expected a number from 0 to {count} as `at_least`, found {at_least!r}")
    return _Trials(count, at_least)


@pytest.fixture
def rightcall_trial() -> int:
    """The number of this trial, from 1."""
    return 1


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fails a test with a wrong marker."""
    marker = item.get_closest_marker("trials")
    if marker is None:
        return
    try:
        _trials(marker)
    except ValueError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Sets the test that `assert_tool_calls` records to."""
    _RECORDER.append(ToolCalls(item))
    yield
    _RECORDER.pop()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Adds the trial to the report of a test."""
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    marker = item.get_closest_marker("trials")
    if marker is None or report.when != "call":
        return
    trial = {"trials_of": _without_trial(item), "passed": report.passed, "failed": report.failed, **asdict(_trials(marker))}
    report.user_properties.append((_PROPERTY, json.dumps(trial)))


def _without_trial(item: pytest.Item) -> str:
    """The name of a test without its trial."""
    name, bracket, rest = item.nodeid.rpartition("[")
    parameters = [part for part in rest.rstrip("]").split("-") if not _is_trial(part)]
    return f"{name}[{'-'.join(parameters)}]" if bracket and parameters else name or item.nodeid


def _is_trial(part: str) -> bool:
    return part.startswith("trial") and part[5:].isdigit()


class _Seen:
    """The recorded evaluations of a run; with xdist, on the controller."""

    def __init__(self) -> None:
        self.evaluations: dict[str, list[dict[str, Any]]] = {}
        self.trials: dict[str, list[dict[str, Any]]] = {}

    def add(self, report: pytest.TestReport) -> None:
        if report.when != "call":
            return
        for name, value in report.user_properties:
            if name != _PROPERTY:
                continue
            line = json.loads(str(value))
            if "trials_of" in line:
                runs = self.trials.setdefault(line["trials_of"], [])
                runs.append(line)
                _excuse(report, runs)
            else:
                self.evaluations.setdefault(line["evaluator"], []).append(line)

    def short(self) -> list[str]:
        """The tests with too few passed trials."""
        return [
            f"{test}: {_passed(runs)} of {len(runs)} passed, and {runs[0]['at_least']} are needed"
            for test, runs in self.trials.items()
            if _passed(runs) < runs[0]["at_least"]
        ]


def _excuse(report: pytest.TestReport, runs: list[dict[str, Any]]) -> None:
    """Reports a failed trial as an expected failure while enough others can still pass."""
    count, at_least = runs[-1]["count"], runs[-1]["at_least"]
    if report.failed and sum(run["failed"] for run in runs) <= count - at_least:
        report.outcome = "skipped"
        report.wasxfail = f"a run of {count}; {at_least} must pass"


def _passed(runs: list[dict[str, Any]]) -> int:
    return sum(run["passed"] for run in runs)


_SEEN = pytest.StashKey[_Seen]()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Starts recording in the process that receives the reports of all workers."""
    if not hasattr(session.config, "workerinput"):
        session.config.stash[_SEEN] = _Seen()
        session.config.pluginmanager.register(_Listener(session.config), "rightcall-listener")


class _Listener:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    # First, so that all other reports show the outcome set here.
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Stores the evaluations that a test recorded."""
        self.config.stash[_SEEN].add(report)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fails the run if too few trials of a test passed."""
    seen = session.config.stash.get(_SEEN, None)
    if seen and seen.short() and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Adds a section with a line for each evaluator and each test with trials."""
    seen = config.stash.get(_SEEN, None)
    if not seen or not (seen.evaluations or seen.trials):
        return
    terminalreporter.section("tool calls")
    for name, lines in seen.evaluations.items():
        scores = [line["score"] for line in lines if line["score"] is not None]
        judged = [line["passed"] for line in lines if line["passed"] is not None]
        parts = [f"{name}: {len(lines)} evaluation{'s' if len(lines) > 1 else ''}"]
        parts += [f"mean {sum(scores) / len(scores):.3f}"] if scores else []
        parts += [f"{sum(judged)} of {len(judged)} passed"] if judged else []
        parts += [f"{len(lines) - len(scores)} without a score"] if len(scores) < len(lines) else []
        terminalreporter.write_line(", ".join(parts))
    for test, runs in seen.trials.items():
        terminalreporter.write_line(f"{test}: {_passed(runs)} of {len(runs)} trials passed")
    for line in seen.short():
        terminalreporter.write_line(f"too few trials passed: {line}", red=True)
