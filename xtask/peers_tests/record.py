#!/usr/bin/env python3
"""Runs a package's own tests unchanged, and records each call of its metrics: the input, and the return value.

usage: python record.py CALLS PEER ARGUMENT...

A line of CALLS is a golden line as under `conformance`; its id is the test, and `result` is absent if the metric raised an exception.
If a call cannot be written as a golden line, it is {"id", "not_comparable"} with the reason. Lines on standard output are those of
run.py.
"""
import functools
import inspect
import json
import os
import sys

import pytest
from run import Report


class NotComparable(Exception):
    """Why a call cannot be a golden line."""


class Calls:
    """Records calls, each with its test."""

    def __init__(self, file):
        self.file = file
        self.test = ""

    def pytest_runtest_protocol(self, item):
        self.test = item.nodeid

    def watched(self, function, golden, returned):
        """Wraps a function: `golden` converts its arguments to a golden line, `returned` converts its return value to a result."""

        @functools.wraps(function, updated=())
        def watched(*args, **kwargs):
            # Build the line before the call, because the function may modify its arguments.
            line = self.line(golden, args, kwargs)
            try:
                result = function(*args, **kwargs)
            except Exception:
                self.write(line)
                raise
            if inspect.isawaitable(result):
                return self.awaited(line, result, returned)
            self.write(line, returned(result))
            return result

        return watched

    def watch(self, owner, name, golden, returned):
        setattr(owner, name, self.watched(getattr(owner, name), golden, returned))

    async def awaited(self, line, result, returned):
        try:
            result = await result
        except Exception:
            self.write(line)
            raise
        self.write(line, returned(result))
        return result

    def line(self, golden, args, kwargs):
        try:
            line = golden(*args, **kwargs)
        except NotComparable as reason:
            return {"not_comparable": str(reason)}
        try:
            return json.loads(json.dumps(line))
        except TypeError as error:
            return {"not_comparable": f"JSON cannot hold it: {error}"}

    def write(self, line, result=None):
        if result is not None and "not_comparable" not in line:
            line["result"] = result
        self.file.write(json.dumps({"id": self.test, **line}) + "\n")


def golden(evaluator, config, expected, actual):
    system, evaluator = evaluator.split("/")
    return {"system": system, "evaluator": evaluator, "config": config, "expected": expected, "actual": actual}


def azure(calls):
    from azure.ai.evaluation._evaluators import _task_navigation_efficiency as module

    def given(self, **sides):
        # Each side may have one of two names.
        if len(sides) != 2:
            raise NotComparable("a side is given under both of its names")
        expected = sides.get("ground_truth", sides.get("expected_actions"))
        actual = sides.get("response", sides.get("actions"))
        return golden("azure/task-navigation-efficiency", {"matching_mode": self.matching_mode}, expected, actual)

    def returned(result):
        return {"score": result["task_navigation_efficiency_score"], **result}

    calls.watch(module._TaskNavigationEfficiencyEvaluator, "__call__", given, returned)


def mlflow(calls):
    from mlflow.genai.scorers import ToolCallCorrectness
    from mlflow.genai.utils.trace_utils import extract_tools_called_from_trace

    def call(it):
        return it if isinstance(it, dict) else it.model_dump(exclude_none=True)

    def given(self, *, trace, expectations=None):
        if not self.should_exact_match:
            raise NotComparable("a model judges")
        config = {"should_exact_match": True, "should_consider_ordering": self.should_consider_ordering}
        expected = (expectations or {}).get("expected_tool_calls")
        actual = [{"name": it.name, "arguments": it.arguments or {}} for it in extract_tools_called_from_trace(trace)]
        return golden("mlflow/tool-call-correctness", config, expected and [call(it) for it in expected], actual)

    def returned(feedback):
        value = getattr(feedback.value, "value", feedback.value)
        return {"score": {"yes": 1.0, "no": 0.0}[value], "value": value}

    calls.watch(ToolCallCorrectness, "__call__", given, returned)


def openevals(calls):
    from openevals.trajectory import match
    from openevals.trajectory.utils import _normalize_to_openai_messages_list as messages

    def make(factory, **config):
        def given(*, outputs, reference_outputs, **_):
            if any(map(callable, (config.get("tool_args_match_overrides") or {}).values())):
                raise NotComparable("a function compares the arguments")
            return golden("openevals/trajectory-match", config, messages(reference_outputs), messages(outputs))

        return calls.watched(factory(**config), given, dict)

    for name in ("create_trajectory_match_evaluator", "create_async_trajectory_match_evaluator"):
        setattr(match, name, functools.partial(make, getattr(match, name)))


def pydantic_evals(calls):
    from pydantic_evals.evaluators import ArgumentCorrectness, MaxToolCalls, ToolCorrectness, TrajectoryMatch, agentic

    names = {"match": {"args": "ignore"}}
    orders = {
        "exact": {"parallel": "recorded", "mode": "exact"},
        "in_order": {"parallel": "recorded", "align": "lcs", "score": "f1"},
        "any_order": {"parallel": "recorded", "align": "multiset", "score": "f1"},
    }

    def recorded(self, ctx):
        try:
            return agentic._extract_tool_calls(ctx.span_tree, include_failed=self.include_failed)
        except agentic.SpanTreeRecordingError:
            raise NotComparable("no spans were recorded") from None

    def of_names(config, expected, actual):
        expected = [{"name": name} for name in expected]
        # Compare only the score: our own result has more fields than the package's.
        return {"edition": "documented", **golden("rightcall/trajectory", config, expected, [{"name": it.name} for it in actual])}

    def tool_correctness(self, ctx):
        score = "covers_expected" if self.allow_extra else "all_or_nothing"
        return of_names({**names, "align": "multiset", "score": score}, self.expected_tools, recorded(self, ctx))

    def trajectory_match(self, ctx):
        return of_names({**names, **orders[self.order]}, self.expected_trajectory, recorded(self, ctx))

    def max_tool_calls(self, ctx):
        return {**of_names({"max_calls": self.max_calls}, [], recorded(self, ctx)), "evaluator": "constraints"}

    def argument_correctness(self, ctx):
        actual = recorded(self, ctx)
        if sum(it.name == self.tool_name for it in actual) > 1 or self.occurrence not in ("first", "last"):
            raise NotComparable("it looks at one of several calls of the tool")
        if any(it.arguments is None for it in actual):
            raise NotComparable("no arguments were recorded")
        args = {"exact": "exact", "subset": "subset"}[self.match_mode]
        expected = [{"name": self.tool_name, "args": self.expected_arguments}]
        line = of_names({"mode": "superset", "match": {"args": args}}, [], [])
        return {**line, "expected": expected, "actual": [{"name": it.name, "args": it.arguments} for it in actual]}

    def returned(reason):
        return {"score": float(reason.value)}

    calls.watch(ToolCorrectness, "evaluate", tool_correctness, returned)
    calls.watch(TrajectoryMatch, "evaluate", trajectory_match, returned)
    calls.watch(MaxToolCalls, "evaluate", max_tool_calls, returned)
    calls.watch(ArgumentCorrectness, "evaluate", argument_correctness, returned)


def strands(calls):
    from strands_evals.evaluators.deterministic.trajectory import ToolCalled
    from strands_evals.tools import evaluation_tools
    from strands_evals.types.trace import Session, ToolExecutionSpan

    def scorer(kind):
        def given(actual_trajectory, expected_trajectory):
            return golden(f"strands/{kind}", {}, expected_trajectory, actual_trajectory)

        calls.watch(evaluation_tools, kind.replace("-", "_") + "_scorer", given, lambda score: {"score": score})

    for kind in ("exact-match", "in-order-match", "any-order-match"):
        scorer(kind)

    def names(trajectory):
        if not isinstance(trajectory, Session):
            return trajectory
        spans = (span for trace in trajectory.traces for span in trace.spans)
        return [span.tool_call.name for span in spans if isinstance(span, ToolExecutionSpan)]

    def tool_called(self, case):
        return golden("strands/tool-called", {"tool_name": self.tool_name}, [], names(case.actual_trajectory))

    def returned(outputs):
        return outputs[0].model_dump(include={"score", "test_pass", "reason"})

    calls.watch(ToolCalled, "evaluate", tool_called, returned)


PEERS = {"azure": azure, "mlflow": mlflow, "openevals": openevals, "pydantic-evals": pydantic_evals, "strands": strands}


def main(calls, peer, *arguments):
    # Show what the tests print on standard error; only results may appear on standard output.
    out, sys.stdout = sys.stdout, sys.stderr
    settings = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pytest.ini")
    with open(calls, "w", encoding="utf-8") as file:
        written = Calls(file)
        PEERS[peer](written)
        options = ["-q", "-p", "no:cacheprovider", "-c", settings, f"--rootdir={os.getcwd()}", "--tb=short"]
        pytest.main([*options, *arguments], plugins=[Report(out), written])


if __name__ == "__main__":
    main(*sys.argv[1:])
