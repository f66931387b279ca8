#!/usr/bin/env python3
"""Times one Python peer on one input; one JSON line: cases, seconds of CPU, and whatever else it measures.

usage: python peers.py PEER FILE [LIMIT [ROUNDS]]

A line of FILE is {"id", "expected": [{"name", "args"}], "actual": [{"name", "args"}]}; LIMIT is the number of cases, 0 for all. Timed:
reading line by line, json.loads, building the peer's input objects, scoring, and keeping one number for each case. Imports and set-up
are not timed. With ROUNDS, the cases are already in memory, so that reading and json.loads are not timed, and all of them are scored so
many times.

  json                                    parse only
  uipath-{order,count,args}               evaluator classes over spans, which share one Resource
  deepeval, deepeval-args                 ToolCorrectnessMetric.measure
  agentevals-unordered[-function]         the evaluator, all calls in one message; or its matching helper, both directions
  axion-{name,exact,subset,fuzzy}         reimplemented: items and calls as plain dataclasses, first fit, recall, explanation
  rightcall-exact                         an Evaluator on the dicts, created once like those of the packages
  rightcall-guard                         FILE holds settings of a Guard: `admit` and `result` of 10,000 calls
  rewards                                 bindings/python/bench/toolrl.py
  drop-ins                                UIPath's evaluators and ours on the same spans of OpenTelemetry's SDK, the smallest ratio
"""
import asyncio
import contextlib
import dataclasses
import difflib
import io
import itertools
import json
import os
import re
import sys
import time
from collections import Counter
from pathlib import Path

# The packages send telemetry and load tracing unless it is disabled.
os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "LANGSMITH_TRACING": "false", "UIPATH_TELEMETRY_ENABLED": "false"}


def names(calls):
    return [call["name"] for call in calls]


def wanted_counts(calls):
    return {name: ("=", count) for name, count in Counter(names(calls)).items()}


def each(score):
    """Scores all cases with a function of (expected, actual)."""
    return lambda cases: [score(case["expected"], case["actual"]) for case in cases]


def uipath(kind):
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from uipath.eval import evaluators
    from uipath.eval.models import WorkloadExecution

    class_of = {
        "order": evaluators.ToolCallOrderEvaluator,
        "count": evaluators.ToolCallCountEvaluator,
        "args": evaluators.ToolCallArgsEvaluator,
    }[kind]
    evaluator = class_of.model_validate({"id": kind, "evaluatorConfig": {"name": kind, "strict": False}})
    # Without a resource, each span would detect its own, which costs more than scoring.
    resource = Resource.get_empty()

    def criteria(expected):
        if kind == "order":
            return {"tool_calls_order": names(expected)}
        if kind == "count":
            return {"tool_calls_count": wanted_counts(expected)}
        return {"tool_calls": expected}

    def span(call):
        attributes = {"tool.name": call["name"]}
        if kind == "args":
            attributes["input.value"] = call["args"]
        return ReadableSpan(name=call["name"], start_time=0, end_time=1, attributes=attributes, resource=resource)

    async def score_all(cases):
        scores = []
        for case in cases:
            trace = [span(call) for call in case["actual"]]
            execution = WorkloadExecution(agent_input={}, workload_output={}, workload_trace=trace)
            result = await evaluator.validate_and_evaluate_criteria(execution, criteria(case["expected"]))
            scores.append(result.score)
        return scores

    return lambda cases: asyncio.run(score_all(cases))


def deepeval(kind):
    from deepeval.metrics import ToolCorrectnessMetric
    from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams

    sys.path.append(str(Path(__file__).parents[1] / "crosscheck"))
    from no_model import NoModel

    params = [ToolCallParams.INPUT_PARAMETERS] if kind == "args" else []
    metric = ToolCorrectnessMetric(model=NoModel(), async_mode=False, include_reason=False, evaluation_params=params)

    def tools(calls):
        return [ToolCall(name=call["name"], input_parameters=call["args"]) for call in calls]

    def measured(expected, actual):
        case = LLMTestCase(input="-", actual_output="-", tools_called=tools(actual), expected_tools=tools(expected))
        return metric.measure(case, _show_indicator=False)

    return each(measured)


def agentevals(kind):
    from agentevals.trajectory.match import create_trajectory_match_evaluator
    from agentevals.trajectory.utils import _is_trajectory_superset as superset

    evaluator = create_trajectory_match_evaluator(trajectory_match_mode="unordered")

    def tool_call(call):
        return {"id": "", "type": "function", "function": {"name": call["name"], "arguments": json.dumps(call["args"])}}

    def message(calls):
        return [{"role": "assistant", "content": "", "tool_calls": calls}]

    def judged(expected, actual):
        made = [message([tool_call(call) for call in side]) for side in (actual, expected)]
        return float(evaluator(outputs=made[0], reference_outputs=made[1])["score"])

    def matched(expected, actual):
        expected, actual = message(expected), message(actual)
        return float(superset(actual, expected, "exact") and superset(expected, actual, "exact"))

    return each(matched if kind.endswith("function") else judged)


def contains(actual, wanted):
    """True if `actual` has all keys of `wanted` with equal values, or with objects that contain those of `wanted`."""
    for key, value in wanted.items():
        if key not in actual:
            return False
        if isinstance(value, dict) and isinstance(actual[key], dict):
            if not contains(actual[key], value):
                return False
        elif actual[key] != value:
            return False
    return True


def alike(actual, wanted):
    """The similarity of two values, from 0 to 1 for most."""
    if actual is None or wanted is None or type(actual) is not type(wanted):
        return 0.0
    if isinstance(wanted, str):
        return difflib.SequenceMatcher(None, actual, wanted).ratio()
    if isinstance(wanted, (int, float)):
        if actual == 0 or wanted == 0:
            return float(actual == wanted)
        return 1.0 - abs(actual - wanted) / max(abs(actual), abs(wanted))
    if isinstance(wanted, dict):
        both, either = actual.keys() & wanted.keys(), actual.keys() | wanted.keys()
        if not either:
            return 1.0
        values = sum(alike(actual[key], wanted[key]) for key in both) / len(both) if both else 0.0
        return (len(both) / len(either) + values) / 2.0
    return float(actual == wanted)


def alike_enough(actual, wanted):
    if not wanted:
        return True
    return sum((alike(actual.get(key), value) for key, value in wanted.items()), 0.0) / len(wanted) >= 0.8


@dataclasses.dataclass
class AxionToolCall:
    """The original's calls are models that are validated on creation; these are not."""

    name: str
    args: dict


@dataclasses.dataclass
class AxionDatasetItem:
    tools_called: list
    expected_tools: list


def axion(kind):
    """The score and the explanation, as the original returns both."""
    match = {"name": None, "exact": lambda actual, wanted: actual == wanted, "subset": contains, "fuzzy": alike_enough}[kind]

    def judge(item):
        expected, actual = item.expected_tools, item.tools_called
        if not expected:
            return float(not actual), f"No tools were expected, {len(actual)} were called."
        left, matched, missing = list(actual), [], []
        for wanted in expected:
            for place, call in enumerate(left):
                if call.name == wanted.name and (match is None or match(call.args, wanted.args)):
                    del left[place]
                    matched.append(wanted.name)
                    break
            else:
                missing.append(wanted.name if match is None else f"{wanted.name}({wanted.args})")
        extra = [call.name for call in left]
        lists = (("Correctly called", matched), ("Missing", missing), ("Unexpected tools", extra))
        return len(matched) / len(expected), "; ".join(f"{what}: {calls}" for what, calls in lists if calls)

    def calls(made):
        return [AxionToolCall(call["name"], call["args"]) for call in made]

    return each(lambda expected, actual: judge(AxionDatasetItem(calls(actual), calls(expected)))[0])


def rightcall(kind):
    import rightcall

    evaluate = rightcall.Evaluator("axion/tool-correctness", check_parameters=True).evaluate
    return each(lambda expected, actual: evaluate(expected=expected, actual=actual).score)


def guard(file):
    import rightcall

    guard, arguments, calls = rightcall.Guard(json.loads(Path(file).read_text())), {"order": 1, "amount": 5}, 10_000
    cpu = time.process_time()
    for number in range(calls):
        decision = guard.admit(f"t{number % 10}", arguments)
        guard.result(decision.call, "ok", failed=False)
    return {"cases": calls, "cpu_seconds": time.process_time() - cpu}


def rewards():
    """Microseconds of CPU for a completion, ours and by ToolRL's rule: `messages_5`, `plain_messages_5` and so on."""
    sys.path.append(str(Path(__file__).parents[2] / "bindings/python/bench"))
    import toolrl

    with contextlib.redirect_stdout(io.StringIO()) as table:
        toolrl.main(256, 12)
    figures = {}
    for count, form, own, plain in re.findall(r"(\d+) of .*?(messages|text) +([\d.]+) µs +([\d.]+) µs", table.getvalue()):
        figures |= {f"{form}_{count}": float(own), f"plain_{form}_{count}": float(plain)}
    return {"cases": 1, **figures}


async def drop_ins():
    """The least CPU time of UIPath's evaluators over that of our drop-ins: four classes, on 3, 10 and 30 spans."""
    from opentelemetry.sdk.trace import ReadableSpan
    from uipath.eval import evaluators as package
    from uipath.eval.models import WorkloadExecution

    from rightcall.compat.package import uipath as ours

    def criteria(kind, count):
        calls = [f"tool{number % 5}" for number in range(count)]
        return {
            "Order": {"tool_calls_order": calls},
            "Count": {"tool_calls_count": {name: ("=", calls.count(name)) for name in calls}},
            "Args": {"tool_calls": [{"name": name, "args": {"id": at, "q": "hello world"}} for at, name in enumerate(calls)]},
            "Output": {"tool_outputs": [{"name": name, "output": f"out{at}"} for at, name in enumerate(calls)]},
        }[kind]

    def span(number):
        arguments, output = json.dumps({"id": number, "q": "hello world"}), json.dumps({"content": f"out{number}"})
        attributes = {"tool.name": f"tool{number % 5}", "input.value": arguments, "output.value": output}
        return ReadableSpan(name="tool", start_time=0, end_time=1, attributes=attributes)

    ratios = {}
    for kind, count in itertools.product(("Order", "Count", "Args", "Output"), (3, 10, 30)):
        execution = WorkloadExecution(agent_input={}, workload_output={}, workload_trace=[span(at) for at in range(count)])
        wanted, best = criteria(kind, count), [float("inf")] * 2
        made = [getattr(it, f"ToolCall{kind}Evaluator").model_validate({"id": "1", "evaluatorConfig": {"name": kind}}) for it in (package, ours)]
        for _, place in itertools.product(range(7), range(2)):
            cpu = time.process_time()
            for _ in range(max(40, 2000 // count)):
                result = await made[place].validate_and_evaluate_criteria(execution, wanted)
            best[place] = min(best[place], time.process_time() - cpu)
            assert result.score == 1.0
        ratios[f"{kind} {count}"] = round(best[0] / best[1], 1)
    return {"cases": 1, "ratio": min(ratios.values()), "ratios": ratios}


PACKAGES = {"uipath": uipath, "deepeval": deepeval, "agentevals": agentevals, "axion": axion, "rightcall": rightcall}


def timed(peer, file, limit="0", rounds=None):
    package, _, kind = peer.partition("-")
    score = each(lambda _, actual: float(len(actual))) if package == "json" else PACKAGES[package](kind)
    with open(file, "rb") as lines:
        cases = map(json.loads, itertools.islice(lines, int(limit) or None))
        if rounds:
            cases = list(cases) * int(rounds)
        cpu = time.process_time()
        scores = score(cases)
        cpu = time.process_time() - cpu
    return {"cases": len(scores), "cpu_seconds": cpu, "mean": sum(scores) / len(scores)}


def main(peer, file="", *more):
    # Packages print to standard output, so redirect it: only the result may appear there.
    result, sys.stdout = sys.stdout, sys.stderr
    special = {"rightcall-guard": lambda: guard(file), "rewards": rewards, "drop-ins": lambda: asyncio.run(drop_ins())}
    print(json.dumps(special.get(peer, lambda: timed(peer, file, *more))()), file=result)


if __name__ == "__main__":
    main(*sys.argv[1:])
