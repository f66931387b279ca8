#!/usr/bin/env python3
"""Compares a package with our drop-in on random hostile values; prints each difference, and `N passed, N failed`.

usage: python hostile.py PEER [COUNT] [SEED]

PEER is uipath, agentevals, deepeval, ragas, ragas-collections or adk; the package and rightcall are installed in the same environment.
The values are ones that users pass by accident or that traces contain: NaN, lone surrogates, tuples, sets, decimals, bytes, keys that
are not strings, text that is almost JSON, arguments that are not objects. If the package raises an exception, ours must raise one too,
with any message.
"""
import asyncio
import copy
import decimal
import enum
import json
import os
import random
import sys
import warnings

os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "LANGSMITH_TRACING": "false", "UIPATH_TELEMETRY_ENABLED": "false"}
os.environ.setdefault("OPENAI_API_KEY", "none")


class Name(str, enum.Enum):
    FIND = "find"


class Text(str):
    pass


NAN = json.loads("NaN")
NAMES = ["find", "pay", "Pay", "send mail", "send_mail", "", "é", "e\u0301", "\ud800", "a" * 70, Text("find"), Name.FIND]
SCALARS = [
    0, 1, -1, True, False, None, 1.0, -0.0, 0.1, 1e22, 10**22, 2**53 + 1, float(2**53), NAN, float("nan"), float("inf"),
    "", "1", "1.0", "True", "None", "a", "A", "é", "e\u0301", "\ud800", "\U0001f600", "\x00", "NaN", "[1, 2]", "{'x': 1}",
    decimal.Decimal("1"), b"a", (1, 2), frozenset([1]), Text("a"), Name.FIND, 1j, object,
]  # fmt: skip
KEYS = ["x", "y", "a.b", "", "é", "\ud800", Text("x")]
SOME_KEYS = [*KEYS, 1, None, (1,)]
ARGUMENT_TEXTS = [
    "{}", '{"x": 1}', '{"x": 1.0}', '{"x": true}', "{'x': 1}", "{'x': True}", '{"x": NaN}', '{"x": [NaN]}', '{"x": "\\ud800"}',
    '{"x": 1, "x": 2}', "", "null", "[1]", "{", '{"x": 1,}', '{"x": "\t"}', "{1: 2}", "{'x': (1, 2)}", "not json", ' {"x":1} ', '{"x":1e400}',
    "\ufeff{}", '"{}"', "{'x': {1, 2}}", "-0", '{"x": 1}x', '{"content": "ok"}', '{"content": [NaN]}', '{"content": {"a": 1.50}}', '{"content": 0}',
]  # fmt: skip


class Values:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def choice(self, options):
        return self.random.choice(options)

    def value(self, depth=0):
        kind = self.random.random()
        if depth < 3 and kind < 0.12:
            return [self.value(depth + 1) for _ in range(self.random.randint(0, 3))]
        if depth < 3 and kind < 0.24:
            return self.object(depth + 1)
        return self.choice(SCALARS) if self.random.random() < 0.5 else self.choice(SCALARS[:12])

    def object(self, depth=0):
        keys = SOME_KEYS if self.random.random() < 0.05 else KEYS
        return {self.choice(keys): self.value(depth + 1) for _ in range(self.random.randint(0, 3))}

    def args(self):
        return self.value() if self.random.random() < 0.03 else self.object()

    def name(self):
        return self.value() if self.random.random() < 0.03 else self.choice(NAMES if self.random.random() < 0.2 else NAMES[:4])

    def calls(self):
        return [(self.name(), self.args()) for _ in range(self.random.randint(0, 4))]

    def sides(self):
        """Expected and actual calls; the actual calls are often the expected ones."""
        expected = self.calls()
        if self.random.random() < 0.3:
            return expected, self.calls()
        actual = [call if self.random.random() < 0.5 else copy.copy(call) for call in expected if self.random.random() < 0.9]
        self.random.shuffle(actual)
        return expected, actual


def outcome(run):
    try:
        return run()
    except Exception as error:
        return f"raises {type(error).__name__}"


def same(one, other):
    if isinstance(one, str) and isinstance(other, str) and one.startswith("raises ") and other.startswith("raises "):
        return True
    return repr(one) == repr(other)


def uipath():
    from opentelemetry.sdk.trace import ReadableSpan
    from uipath.eval import evaluators, models

    from rightcall.compat.package import uipath as ours

    classes = ["ToolCallOrderEvaluator", "ToolCallCountEvaluator", "ToolCallArgsEvaluator", "ToolCallOutputEvaluator"]

    def case(values):
        expected, actual = values.sides()
        names = [name for name, _ in expected]
        number = values.choice(range(4))
        criteria = [
            lambda: {"tool_calls_order": names},
            lambda: {"tool_calls_count": {name: (values.choice(["=", ">=", "<", "!=", "~"]), values.choice([0, 1, 2, 1.5])) for name in names}},
            lambda: {"tool_calls": [{"name": name, "args": args} for name, args in expected]},
            lambda: {"tool_outputs": [{"name": name, "output": values.choice(["ok", "", "nan", values.value()])} for name in names]},
        ][number]
        criteria = outcome(criteria)
        trace = []
        for name, args in actual:
            attributes = {"tool.name": name, "input.value": values.choice([args, str(args), *ARGUMENT_TEXTS])}
            attributes["output.value"] = values.choice(["ok", values.value(), *ARGUMENT_TEXTS])
            if values.random.random() < 0.2:
                attributes[values.choice(["tool.id", "tool.synthesized"])] = values.choice(["find", "pay", "", 0, True, values.value()])
            trace.append(ReadableSpan(name="span", attributes=attributes if values.random.random() < 0.97 else None))
        config = {"strict": values.choice([True, False, "yes", 1])} | ({"subset": True} if number == 2 and values.choice([0, 1]) else {})

        def judged(module):
            def run():
                given = copy.copy(config)
                evaluator = getattr(module, classes[number]).model_validate({"id": "1", "evaluatorConfig": given})
                execution = models.WorkloadExecution(agent_input={}, workload_output={}, workload_trace=trace)
                result = asyncio.new_event_loop().run_until_complete(evaluator.validate_and_evaluate_criteria(execution, criteria))
                details = result.details if isinstance(result.details, str) else result.details.model_dump()
                return result.score, int(result.score_type), details

            return outcome(run)

        return judged(evaluators), judged(ours), (classes[number], config, criteria, [span.attributes for span in trace])

    return case


def agentevals():
    from agentevals.trajectory import match, strict, subset, superset, unordered

    from rightcall.compat.package import agentevals as ours

    theirs = {name: getattr(module, name) for module, names in (
        (match, ["create_trajectory_match_evaluator"]),
        (strict, ["trajectory_strict_match"]),
        (unordered, ["trajectory_unordered_match"]),
        (subset, ["trajectory_subset"]),
        (superset, ["trajectory_superset"]),
    ) for name in names}  # fmt: skip

    def messages(calls, values):
        made = [{"role": "user", "content": "go"}]
        for number, (name, args) in enumerate(calls):
            kind = values.random.random()
            if kind < 0.5:
                text = outcome(lambda args=args: json.dumps(args))
                call = {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": text}}
            elif kind < 0.6:
                call = {"id": "c", "type": "function", "function": {"name": name, "arguments": values.choice([args, *ARGUMENT_TEXTS])}}
            else:
                call = {"name": name, "args": args, "id": values.choice(["c", None, ""])}
            role = values.choice(["assistant", "assistant", "assistant", "ai", "user", "bot"]) if kind < 0.1 else "assistant"
            made.append({"role": role, "content": values.choice(["", None, "x", values.value()]) if kind < 0.1 else "", "tool_calls": [call]})
        return made

    def case(values):
        expected, actual = (messages(side, values) for side in values.sides())
        functions = [lambda one, other: one == other, lambda one, other: len(one) == len(other), lambda *_: 0]
        rules = [None, {}, {"find": "ignore"}, {"find": ["x"]}, {"find": "any"}, {"pay": 7}, {"find": []}, *({"find": it} for it in functions)]
        config = {
            "trajectory_match_mode": values.choice(["strict", "unordered", "subset", "superset"]),
            "tool_args_match_mode": values.choice(["exact", "ignore", "subset", "superset"]),
            "tool_args_match_overrides": values.choice(rules),
        }
        name = values.choice([*theirs, *["create_trajectory_match_evaluator"] * 4])

        def judged(make):
            def run():
                judge = make(**config) if name.startswith("create") else make
                return dict(judge(outputs=copied(actual), reference_outputs=copied(expected)))

            return outcome(run)

        return judged(theirs[name]), judged(getattr(ours, name)), (name, config, expected, actual)

    return case


def copied(messages):
    """Copies of the messages with the same values, because agentevals modifies its input."""
    return [{**message, "tool_calls": list(message["tool_calls"])} if "tool_calls" in message else dict(message) for message in messages]


def deepeval():
    from deepeval.metrics import ToolCorrectnessMetric
    from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams

    from no_model import NoModel
    from rightcall.compat.package import deepeval as ours

    def case(values):
        def tools(calls):
            return [ToolCall(name=name, input_parameters=args, output=values.choice([None, "ok", values.value()])) for name, args in calls]

        sides = outcome(lambda: [tools(side) for side in values.sides()])
        settings = {
            "evaluation_params": values.choice([[], [ToolCallParams.INPUT_PARAMETERS], list(ToolCallParams)]),
            "should_consider_ordering": values.choice([True, False]),
            "should_exact_match": values.choice([True, False, False]),
            "strict_mode": values.choice([True, False]),
            "threshold": values.choice([0.5, 0.8, 1, None]),
        }

        def judged(make, **more):
            def run():
                metric = make(async_mode=False, **settings, **more)
                test = LLMTestCase(input="-", actual_output="-", tools_called=sides[1], expected_tools=sides[0])
                score = metric.measure(test, _show_indicator=False)
                return score, metric.score, metric.success, metric.is_successful(), metric.reason, metric.verbose_logs

            return outcome(run)

        return judged(ToolCorrectnessMetric, model=NoModel()), judged(ours.ToolCorrectnessMetric), (settings, sides)

    return case


def ragas(collections=False):
    from ragas import MultiTurnSample
    from ragas import metrics as theirs
    from ragas.messages import AIMessage, HumanMessage, ToolCall

    from rightcall.compat.package import ragas as ours

    if collections:
        from ragas.metrics import collections as theirs

        from rightcall.compat.package.ragas import collections as ours

    def case(values):
        expected, actual = values.sides()
        is_f1, strict = values.choice([True, False]), values.choice([True, False])

        def judged(module):
            def run():
                called, reference = ([ToolCall(name=name, args=args) for name, args in side] for side in (actual, expected))
                messages = [HumanMessage(content="go"), AIMessage(content="", tool_calls=called)]
                metric = module.ToolCallF1() if is_f1 else module.ToolCallAccuracy(strict_order=strict)
                if collections:
                    return metric.score(user_input=messages, reference_tool_calls=reference).value
                sample = MultiTurnSample(user_input=messages, reference_tool_calls=reference)
                return asyncio.new_event_loop().run_until_complete(metric._multi_turn_ascore(sample, None))

            return outcome(run)

        return judged(theirs), judged(ours), (is_f1, strict, expected, actual)

    return case


def ragas_collections():
    return ragas(collections=True)


def adk():
    from google.adk.evaluation.eval_case import IntermediateData, Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
    from google.genai import types

    from rightcall.compat.package import adk as ours

    content = types.Content(parts=[types.Part(text="go")])

    def case(values):
        expected, actual = values.sides()
        settings = {"threshold": 0.5, "match_type": values.choice(["EXACT", "in order", "ANY_ORDER"]), "ignore_args": values.choice([True, False])}

        def invocation(calls):
            uses = [types.FunctionCall(name=name, args=values.choice([args, args, args, None])) for name, args in calls]
            return Invocation(user_content=content, intermediate_data=values.choice([IntermediateData(tool_uses=uses)] * 9 + [None]))

        sides = outcome(lambda: [invocation(actual), invocation(expected)])

        def judged(make):
            def run():
                evaluator = make(eval_metric=EvalMetric(metric_name="m", threshold=0.5, criterion=ToolTrajectoryCriterion(**settings)))
                result = evaluator.evaluate_invocations([sides[0]], [sides[1]])
                return result.overall_score, result.overall_eval_status

            return outcome(run)

        return judged(TrajectoryEvaluator), judged(ours.TrajectoryEvaluator), (settings, expected, actual)

    return case


def main(peer, count="10000", seed="1"):
    warnings.simplefilter("ignore")
    peers = [uipath, agentevals, deepeval, ragas, ragas_collections, adk]
    case = {each.__name__.replace("_", "-"): each for each in peers}[peer]()
    values, passed, failed, raised = Values(int(seed)), 0, 0, 0
    for number in range(int(count)):
        theirs, ours, given = case(values)
        raised += isinstance(theirs, str)
        if same(theirs, ours):
            passed += 1
            continue
        failed += 1
        if failed <= 20:
            print(f"case {number}: {given!r}\n  the package {theirs!r}\n  ours        {ours!r}".encode("utf-8", "backslashreplace").decode())
    print(f"{raised} of {count} raise an error")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
