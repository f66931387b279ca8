#!/usr/bin/env python3
"""Scores a case file with the published Python packages; one JSON line for each case and evaluator.

usage: python peers.py FILE EVALUATOR...

An EVALUATOR is the JSON object that `rightcall score -e` takes: `evaluator`, `name`, `edition` and settings. The settings are passed to
the package unchanged. A line is {"case", "trial", "evaluator", "score"}, or has "error" instead of the score; `evaluator` is the name,
and `trial` is null if the case has none. If a package has nothing to judge, "outcome" is "not_applicable".
"""
import asyncio
import functools
import importlib
import itertools
import json
import os
import sys

# The packages send telemetry and load tracing unless it is disabled.
os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["UIPATH_TELEMETRY_ENABLED"] = "false"


def uipath(kind, settings):
    """One span for each call; order and counts come from the expected calls."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from uipath.eval import evaluators
    from uipath.eval.models import ScoreType, WorkloadExecution

    class_of = {
        "tool-call-order": evaluators.ToolCallOrderEvaluator,
        "tool-call-count": evaluators.ToolCallCountEvaluator,
        "tool-call-args": evaluators.ToolCallArgsEvaluator,
    }[kind]
    evaluator = class_of.model_validate({"id": kind, "evaluatorConfig": {"name": kind, **settings}})
    resource = Resource.get_empty()

    def criteria(expected):
        names = [call["name"] for call in expected]
        if kind == "tool-call-order":
            return {"tool_calls_order": names}
        if kind == "tool-call-count":
            return {"tool_calls_count": {name: ("=", names.count(name)) for name in names}}
        return {"tool_calls": [{"name": call["name"], "args": call["args"]} for call in expected]}

    def span(call):
        attributes = {"tool.name": call["name"], "input.value": call["args"]}
        return ReadableSpan(name=call["name"], start_time=0, end_time=1, attributes=attributes, resource=resource)

    def score(expected, actual):
        execution = WorkloadExecution(agent_input={}, workload_output={}, workload_trace=[span(call) for call in actual])
        result = asyncio.run(evaluator.validate_and_evaluate_criteria(execution, criteria(expected)))
        if result.score_type == ScoreType.ERROR:
            raise ValueError(result.details)
        return result.score

    return score


def deepeval(kind, settings):
    """No list of available tools is passed, so the model is never called."""
    from deepeval.metrics import ToolCorrectnessMetric
    from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams
    from no_model import NoModel

    assert kind == "tool-correctness", kind
    params = [ToolCallParams(param) for param in settings.pop("evaluation_params", [])]
    metric = ToolCorrectnessMetric(model=NoModel(), async_mode=False, evaluation_params=params, **settings)

    def tools(calls):
        return [ToolCall(name=call["name"], input_parameters=call["args"]) for call in calls]

    def score(expected, actual):
        case = LLMTestCase(input="-", actual_output="-", tools_called=tools(actual), expected_tools=tools(expected))
        return metric.measure(case, _show_indicator=False)

    return score


class NothingExpected(Exception):
    """The package rejects a case without expected calls, although that is not an error here."""


def trajectory_match(kind, settings, package):
    """One assistant message for each turn if all calls of both sides state their turn, else one for all calls of a side."""
    assert kind == "trajectory-match", kind
    evaluator = importlib.import_module(f"{package}.trajectory.match").create_trajectory_match_evaluator(**settings)

    def tool_call(call):
        function = {"name": call["name"], "arguments": json.dumps(call["args"])}
        return {"id": "", "type": "function", "function": function}

    def messages(calls, turn):
        groups = itertools.groupby(calls, turn)
        return [{"role": "assistant", "content": "", "tool_calls": [tool_call(call) for call in group]} for _, group in groups]

    def score(expected, actual):
        have_turns = all("turn" in call for call in expected + actual)
        turn = (lambda call: call["turn"]) if have_turns else (lambda _: None)
        result = evaluator(outputs=messages(actual, turn), reference_outputs=messages(expected, turn))
        return float(result["score"])

    return score


def bfcl(kind, settings):
    """The leaderboard's checker, on the answer and the function descriptions that a record contains next to its calls."""
    import types

    # The real module imports every model client and is used for only one thing, so replace it.
    models = types.ModuleType("bfcl_eval.constants.model_config")
    model = types.SimpleNamespace(underscore_to_dot=settings.get("underscore_to_dot", False))
    models.MODEL_CONFIG_MAPPING = {"model": model}
    sys.modules[models.__name__] = models
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    assert kind == "ast-checker", kind
    language = Language(settings.get("language", "python"))

    def score(case):
        if "ground_truth" not in case or "function" not in case:
            raise NothingExpected("no accepted values")
        calls = [{call["name"]: call["args"]} for call in case["actual"]]
        answers, functions = case["ground_truth"], case["function"]
        category = "simple" if len(answers) == len(functions) == 1 else "multiple" if len(answers) == 1 else "parallel"
        return float(ast_checker(functions, calls, answers, language, category, "model")["valid"])

    score.of_record = True
    return score


def build(packages, specification):
    """The evaluator's name, and its score as a function of (expected, actual)."""
    settings = {key: value for key, value in specification.items() if key not in ("evaluator", "name", "edition")}
    package, kind = specification["evaluator"].split("/")
    return specification["name"], packages[package](kind, settings)


def main(packages, file, *specifications):
    evaluators = [build(packages, json.loads(text)) for text in specifications]
    # Packages print to standard output, so redirect it: only results may appear there.
    results, sys.stdout = sys.stdout, sys.stderr
    with open(file, encoding="utf-8", newline="\n") as lines:
        for case in map(json.loads, filter(str.strip, lines)):
            for name, score in evaluators:
                line = {"case": case["id"], "trial": case.get("trial"), "evaluator": name}
                try:
                    of_record = getattr(score, "of_record", False)
                    line["score"] = score(case) if of_record else score(case["expected"], case["actual"])
                except NothingExpected as reason:
                    line.update(outcome="not_applicable", reason=str(reason))
                except Exception as error:
                    line["error"] = f"{type(error).__name__}: {error}"
                print(json.dumps(line), file=results)


if __name__ == "__main__":
    matches = {package: functools.partial(trajectory_match, package=package) for package in ("agentevals", "openevals")}
    main({"uipath": uipath, "deepeval": deepeval, "bfcl": bfcl, **matches}, *sys.argv[1:])
