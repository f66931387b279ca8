"""The pytest plugin in separate pytest runs."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest



@pytest.fixture(autouse=True)
def _few_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disables the plugins of other installed packages, so that pytest starts quickly."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


OPTIONS = ("-p", "rightcall.pytest_plugin", "-p", "xdist", "-p", "no:cacheprovider")

SOME_TESTS = """
    import pytest
    from rightcall.pytest_plugin import assert_tool_calls

    EXPECTED = [{"name": "find", "args": {"id": 7}}, {"name": "refund", "args": {"id": 7}}]
    WRONG = [{"name": "find", "args": {"id": 7}}, {"name": "refund", "args": {"id": 8}}]

    def test_right():
        assert_tool_calls(EXPECTED, EXPECTED)

    def test_wrong():
        assert_tool_calls(WRONG, EXPECTED)

    def test_good_enough():
        evaluation = assert_tool_calls(WRONG, EXPECTED, evaluator="axion/tool-correctness", check_parameters=True, threshold=0.5)
        assert evaluation.score == 0.5

    def test_recorded(tool_calls, rightcall):
        assert tool_calls is rightcall
        assert tool_calls.evaluate("trajectory", expected=EXPECTED, actual=WRONG).score == 0.5
        tool_calls.assert_tool_calls(EXPECTED, EXPECTED)

    def test_not_recorded():
        assert_tool_calls([{"name": "find"}], [{"name": "find", "args": {"id": 7}}], match={"args": "exact"})
"""


def test_a_failure_reads_like_a_diff(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SOME_TESTS)
    result = pytester.runpytest_subprocess(*OPTIONS)
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(
        [
            "> *assert_tool_calls(WRONG, EXPECTED)",
            "E *AssertionError: the tool calls are not those expected: score 0.500",
            "*1 find(id=7)*══*1 find(id=7)*",
            "*2 refund(id=7)*≠*2 refund(id=8)*",
            "*/id*expected 7*found 8*",
            "test_*.py:*: AssertionError",
            "E *AssertionError: the tool calls cannot be judged: call 1 (`find`) was recorded without `args`",
        ]
    )
    # The traceback ends in the test.
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_the_run_ends_with_a_summary(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SOME_TESTS)
    result = pytester.runpytest_subprocess(*OPTIONS)
    result.stdout.fnmatch_lines(
        [
            "*= tool calls =*",
            "trajectory: 5 evaluations, mean 0.750, 2 of 4 passed, 1 without a score",
            "axion/tool-correctness: 1 evaluation, mean 0.500, 1 of 1 passed",
        ]
    )


def test_the_summary_is_the_same_over_several_processes(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile(SOME_TESTS)
    result = pytester.runpytest_subprocess(*OPTIONS, "-n", "2")
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(["*= tool calls =*"])
    result.stdout.fnmatch_lines(["trajectory: 5 evaluations, mean 0.750, 2 of 4 passed, 1 without a score"])
    result.stdout.fnmatch_lines(["axion/tool-correctness: 1 evaluation, mean 0.500, 1 of 1 passed"])


def test_evaluations_stand_in_the_report(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SOME_TESTS)
    pytester.runpytest_subprocess(*OPTIONS, "--junitxml=report.xml")
    report = ElementTree.parse(pytester.path / "report.xml")
    values = [it.get("value") for it in report.iterfind(".//testcase[@name='test_recorded']/properties/property")]
    assert values[0] == '{"evaluator": "trajectory", "score": 0.5, "passed": null}' and len(values) == 2


TRIALS = """
    import pathlib
    import pytest
    from rightcall.pytest_plugin import assert_tool_calls

    @pytest.mark.trials(4, at_least={at_least})
    def test_agent(rightcall_trial):
        assert_tool_calls(["find"] if rightcall_trial != 3 else ["lose"], ["find"])
"""


@pytest.mark.parametrize("processes", ["0", "2"])
def test_enough_trials_are_enough(pytester: pytest.Pytester, processes: str) -> None:
    pytester.makepyfile(TRIALS.replace("{at_least}", "3"))
    result = pytester.runpytest_subprocess(*OPTIONS, "-n", processes)
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=3, xfailed=1)
    result.stdout.fnmatch_lines(["*test_agent: 3 of 4 trials passed"])


@pytest.mark.parametrize("processes", ["0", "2"])
def test_too_few_trials_fail_the_run(pytester: pytest.Pytester, processes: str) -> None:
    pytester.makepyfile(TRIALS.replace("{at_least}", "4").replace("!= 3", "< 2"))
    result = pytester.runpytest_subprocess(*OPTIONS, "-n", processes)
    result.assert_outcomes(passed=1, failed=3)
    pytester.makepyfile(TRIALS.replace("{at_least}", "2").replace("!= 3", "< 2"))
    result = pytester.runpytest_subprocess(*OPTIONS, "-n", processes, "--junitxml=report.xml")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    # Two runs may fail; the third one is the failure, with its traceback.
    result.assert_outcomes(passed=1, xfailed=2, failed=1)
    result.stdout.fnmatch_lines(["E *AssertionError: the tool calls are not those expected: score 0.000"])
    failures = ElementTree.parse(pytester.path / "report.xml").findall(".//failure")
    assert len(failures) == 1 and "assert_tool_calls" in (failures[0].text or "")
    result.stdout.fnmatch_lines(["too few trials passed: *test_agent: 1 of 4 passed, and 2 are needed"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "expected a number of runs of 1 or more, found None"),
        ("(True)", "expected a number of runs of 1 or more, found True"),
        ("(5, atleast=4)", "expected `count` and `at_least`, found `atleast`"),
        ("(5, 4, 3)", "expected `count` and `at_least`, found 3"),
        ("(5, at_least=6)", "expected a number from 0 to 5 as `at_least`, found 6"),
    ],
)
def test_a_wrong_marker_fails_its_test_alone(pytester: pytest.Pytester, arguments: str, message: str) -> None:
    pytester.makepyfile(f"import pytest\n\n@pytest.mark.trials{arguments}\ndef test_agent(): pass\n\ndef test_other(): pass\n")
    result = pytester.runpytest_subprocess(*OPTIONS)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*ERROR at setup of test_agent*", f"*trials: {message}*"])


def test_a_run_without_evaluations_says_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(): pass\n")
    result = pytester.runpytest_subprocess(*OPTIONS, "--strict-markers")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*tool calls*")
