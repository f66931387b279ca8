#!/usr/bin/env python3
"""CPU time per case of UiPath's evaluators and of our drop-ins, on the spans of OpenTelemetry's SDK, and their ratio.

usage: python dropins.py [ROUNDS]

Both judge the same execution by the same criteria. They are awaited repeatedly in one event loop, in alternating rounds; the fastest
round counts. The package and a release wheel are installed in the same environment. Our results compute everything except the score on
access, so those parts are not in these figures; the package always computes them.
"""
import asyncio
import json
import os
import sys
import time

os.environ["UIPATH_TELEMETRY_ENABLED"] = "false"

from opentelemetry.sdk.trace import ReadableSpan
from uipath.eval import evaluators as package
from uipath.eval.models import WorkloadExecution

from rightcall.compat.package import uipath as ours

CLASSES = {
    "order": "ToolCallOrderEvaluator",
    "args": "ToolCallArgsEvaluator",
    "output": "ToolCallOutputEvaluator",
    "count": "ToolCallCountEvaluator",
}


def span(number):
    attributes = {
        "tool.name": f"tool{number % 5}",
        "input.value": json.dumps({"id": number, "q": "hello world"}),
        "output.value": json.dumps({"content": f"out{number}"}),
    }
    return ReadableSpan(name=f"tool{number % 5}", start_time=0, end_time=1, attributes=attributes)


def criteria(kind, count):
    names = [f"tool{number % 5}" for number in range(count)]
    return {
        "order": {"tool_calls_order": names},
        "count": {"tool_calls_count": {name: ("=", names.count(name)) for name in names}},
        "args": {"tool_calls": [{"name": name, "args": {"id": at, "q": "hello world"}} for at, name in enumerate(names)]},
        "output": {"tool_outputs": [{"name": name, "output": f"out{at}"} for at, name in enumerate(names)]},
    }[kind]


async def microseconds(evaluator, execution, wanted, calls):
    start = time.process_time()
    for _ in range(calls):
        result = await evaluator.validate_and_evaluate_criteria(execution, wanted)
    spent = time.process_time() - start
    assert result.score == 1.0
    return spent / calls * 1e6


async def main(rounds="7"):
    print("| evaluator | spans | the package, µs | ours, µs | × |\n| --- | --: | --: | --: | --: |")
    for kind, name in CLASSES.items():
        for count in (3, 10, 30):
            execution = WorkloadExecution(agent_input={}, workload_output={}, workload_trace=[span(at) for at in range(count)])
            wanted, calls = criteria(kind, count), max(40, 2000 // count)
            made = [getattr(module, name).model_validate({"id": "1", "evaluatorConfig": {"name": kind}}) for module in (package, ours)]
            best = [float("inf")] * 2
            for _ in range(int(rounds)):
                for place, evaluator in enumerate(made):
                    best[place] = min(best[place], await microseconds(evaluator, execution, wanted, calls))
            print(f"| {kind} | {count} | {best[0]:.1f} | {best[1]:.1f} | {best[0] / best[1]:.1f} |")


asyncio.run(main(*sys.argv[1:]))
