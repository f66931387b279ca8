#!/usr/bin/env python3
"""Times one Python peer on one case file; one JSON line: cases, seconds of CPU and wall, mean score.

usage: python peers.py PEER FILE [LIMIT [objects [ROUNDS]]]

A line of FILE is {"id", "expected": [{"name", "args"}], "actual": [{"name", "args"}]}; LIMIT is the number of cases, 0 for all. Timed:
reading line by line, json.loads, building the peer's input objects, scoring, and keeping one number for each case. Imports and set-up
are not timed. With `objects`, the cases are already in memory, so that reading and json.loads are not timed, and all of them are scored
ROUNDS times (default: once).

  json, orjson                              parse only
  uipath-{order,count,args}                 evaluator classes over spans, which share one Resource
  uipath-{order,count,args}-function        their helper functions on ready-made objects
  uipath-order-plain-function               the LCS over plain names, which the class does not use
  deepeval, deepeval-args, deepeval-order   ToolCorrectnessMetric.measure
  deepeval-function, deepeval-args-function only its calculation of the score
  agentevals-{strict,unordered}             the evaluator, all calls in one message
  agentevals-unordered-function             its matching helper, both directions
  axion-{name,exact,subset,fuzzy}           reimplemented: items and calls as plain dataclasses, first fit, recall, explanation
  rightcall-{order,count,args,exact,names}  an Evaluator on the dicts, created once like those of the packages
  difflib                                   SequenceMatcher ratios of the texts in the arguments, call by call
"""
import asyncio
import dataclasses
import difflib
import itertools
import json
import os
import struct
import sys
import time
import zlib
from collections import Counter

# The packages send telemetry and load tracing unless it is disabled.
os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["UIPATH_TELEMETRY_ENABLED"] = "false"


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


def uipath_function(kind):
    from uipath.eval._helpers import evaluators_helpers as helpers
    from uipath.eval.models import ToolCall

    def tool_calls(calls, with_args):
        return [ToolCall.model_construct(name=call["name"], args=call["args"] if with_args else {}, id=None) for call in calls]

    scores = {
        "order-plain": lambda expected, actual: helpers.tool_calls_order_score(names(actual), names(expected), False)[0],
        "order": lambda expected, actual: helpers.tool_calls_order_score_with_ids(
            tool_calls(actual, False), names(expected), False)[0],
        "count": lambda expected, actual: helpers.tool_calls_count_score(Counter(names(actual)), wanted_counts(expected))[0],
        "args": lambda expected, actual: helpers.tool_calls_args_score(
            tool_calls(actual, True), tool_calls(expected, True))[0],
    }
    return each(scores[kind])


def deepeval(kind, function=False):
    from deepeval.metrics import ToolCorrectnessMetric
    from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams

    sys.path.append(os.path.join(os.path.dirname(__file__), "../crosscheck"))
    from no_model import NoModel

    metric = ToolCorrectnessMetric(
        model=NoModel(), async_mode=False, include_reason=False, should_consider_ordering=kind == "order",
        evaluation_params=[ToolCallParams.INPUT_PARAMETERS] if kind == "args" else [])

    def tools(calls):
        return [ToolCall(name=call["name"], input_parameters=call["args"]) for call in calls]

    def calculated(expected, actual):
        metric.tools_called, metric.expected_tools = tools(actual), tools(expected)
        return metric._calculate_score()

    def measured(expected, actual):
        case = LLMTestCase(input="-", actual_output="-", tools_called=tools(actual), expected_tools=tools(expected))
        return metric.measure(case, _show_indicator=False)

    return each(calculated if function else measured)


def agentevals(mode):
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    evaluator = create_trajectory_match_evaluator(trajectory_match_mode=mode)

    def tool_call(call):
        return {"id": "", "type": "function", "function": {"name": call["name"], "arguments": json.dumps(call["args"])}}

    def messages(calls):
        return [
            {"role": "user", "content": "-"},
            {"role": "assistant", "content": "", "tool_calls": [tool_call(call) for call in calls]},
        ]

    return each(lambda expected, actual: float(
        evaluator(outputs=messages(actual), reference_outputs=messages(expected))["score"]))


def agentevals_function():
    from agentevals.trajectory.utils import _is_trajectory_superset as superset

    def message(calls):
        return [{"role": "assistant", "content": "", "tool_calls": calls}]

    def score(expected, actual):
        expected, actual = message(expected), message(actual)
        return float(superset(actual, expected, "exact") and superset(expected, actual, "exact"))

    return each(score)


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
    """The same calls and metrics as for the packages."""
    import rightcall

    name, settings = {
        "order": ("uipath/tool-call-order", {"edition": "package"}),
        "count": ("uipath/tool-call-count", {"edition": "package"}),
        "args": ("uipath/tool-call-args", {}),
        "exact": ("axion/tool-correctness", {"check_parameters": True}),
        "names": ("axion/tool-correctness", {}),
    }[kind]
    evaluate = rightcall.Evaluator(name, **settings).evaluate
    return each(lambda expected, actual: evaluate(expected=expected, actual=actual).score)


# Further output of a peer, in addition to its scores.
NOTES = {}


def ratios(cases):
    """Mean ratios; a digest of the bits of all ratios goes into the notes."""
    digest, means = 0, []
    for case in cases:
        found = []
        for expected, actual in zip(case["expected"], case["actual"]):
            for key in ("subject", "body"):
                found.append(difflib.SequenceMatcher(None, actual["args"][key], expected["args"][key]).ratio())
        digest = zlib.crc32(struct.pack(f"<{len(found)}d", *found), digest)
        means.append(sum(found) / len(found))
    NOTES["digest"] = f"{digest:08x}"
    return means


def build(peer):
    package, _, rest = peer.partition("-")
    kind = rest.removesuffix("function").removesuffix("-")
    function = rest.endswith("function")
    if package in ("json", "orjson"):
        return each(lambda _, actual: float(len(actual)))
    if package == "difflib":
        return ratios
    if package == "uipath":
        return uipath_function(kind) if function else uipath(kind)
    if package == "deepeval":
        return deepeval(kind, function)
    if package == "agentevals":
        return agentevals_function() if function else agentevals(kind)
    if package == "axion":
        return axion(kind)
    if package == "rightcall":
        return rightcall(kind)
    raise SystemExit(f"no peer is called {peer}")


def main(peer, file, limit="0", form="lines", rounds="1"):
    loads = json.loads
    if peer == "orjson":
        from orjson import loads
    score = build(peer)
    # Packages print to standard output, so redirect it: only the result may appear there.
    result, sys.stdout = sys.stdout, sys.stderr
    with open(file, "rb") as lines:
        cases = (loads(line) for line in itertools.islice(lines, int(limit) or None))
        if form == "objects":
            cases = list(cases) * int(rounds)
        cpu, wall = time.process_time(), time.perf_counter()
        scores = score(cases)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    line = {"cases": len(scores), "cpu_seconds": cpu, "wall_seconds": wall, "mean": sum(scores) / len(scores)}
    print(json.dumps(line | NOTES), file=result)


if __name__ == "__main__":
    main(*sys.argv[1:])
