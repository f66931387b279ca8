#!/usr/bin/env python3
"""Like peers.py, for packages that need separate environments because they depend on other versions of the same packages."""
import asyncio
import logging
import os
import sys

import peers


def refused(judge):
    """The score from a package that rejects cases without expected calls."""

    def score(expected, actual):
        if expected:
            return judge(expected, actual)
        try:
            judge(expected, actual)
        except Exception as error:
            raise peers.NothingExpected(f"{type(error).__name__}: {error}") from None
        raise AssertionError("the package takes a case that expects nothing")

    return score


def azure(kind, settings):
    """Messages with the calls. The expected path consists of names only, because its parameters could not hold a tool that is expected
    twice."""
    from azure.ai.evaluation._evaluators import _task_navigation_efficiency as module

    assert kind == "task-navigation-efficiency" and settings.pop("parameters") is False, kind
    number = settings.pop("score", "match")
    evaluator = module._TaskNavigationEfficiencyEvaluator(**settings)

    def message(call):
        part = {"type": "tool_call", "tool_call_id": "-", "name": call["name"], "arguments": call["args"]}
        return {"role": "assistant", "content": [part]}

    def judge(expected, actual):
        path = [call["name"] for call in expected]
        result = evaluator(response=[message(call) for call in actual], ground_truth=path)
        if number == "match":
            return result["task_navigation_efficiency_score"]
        return result["task_navigation_efficiency_properties"][f"{number}_score"]

    return refused(judge)


def mlflow(kind, settings):
    """A trace with one span for each call."""
    from mlflow.entities import Span, Trace, TraceData, TraceInfo
    from mlflow.entities.trace_location import TraceLocation
    from mlflow.entities.trace_state import TraceState
    from mlflow.genai.scorers import ToolCallCorrectness
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import SpanContext, TraceFlags

    assert kind == "tool-call-correctness", kind
    scorer = ToolCallCorrectness(should_exact_match=True, **settings)
    resource = Resource.get_empty()

    def span(place, name, kind, inputs):
        values = {"mlflow.traceRequestId": "tr-1", "mlflow.spanType": kind, "mlflow.spanInputs": inputs}
        attributes = {key: peers.json.dumps(value) for key, value in values.items()}
        contexts = [SpanContext(1, number, False, TraceFlags(1)) for number in (place, 1)]
        parent = contexts[1] if place > 1 else None
        times = {"start_time": place, "end_time": place}
        return Span(ReadableSpan(name=name, context=contexts[0], parent=parent, attributes=attributes, resource=resource, **times))

    def judge(expected, actual):
        spans = [span(1, "agent", "AGENT", {})]
        spans += [span(place, call["name"], "TOOL", call["args"]) for place, call in enumerate(actual, 2)]
        info = TraceInfo("tr-1", TraceLocation.from_experiment_id("0"), 0, TraceState.OK)
        calls = [{"name": call["name"], "arguments": call["args"]} for call in expected]
        feedback = scorer(trace=Trace(info, TraceData(spans=spans)), expectations={"expected_tool_calls": calls})
        return {"yes": 1.0, "no": 0.0}[getattr(feedback.value, "value", feedback.value)]

    return refused(judge)


def strands(kind, settings):
    """Trajectories are lists of names."""
    from strands_evals.evaluators.deterministic.trajectory import ToolCalled
    from strands_evals.tools import evaluation_tools
    from strands_evals.types.evaluation import EvaluationData

    def names(calls):
        return [call["name"] for call in calls]

    if kind == "tool-called":
        evaluator = ToolCalled(**settings)
        return lambda _, actual: evaluator.evaluate(EvaluationData(input="-", actual_trajectory=names(actual)))[0].score
    scorer = getattr(evaluation_tools, kind.replace("-", "_") + "_scorer")

    def score(expected, actual):
        return scorer(names(actual), names(expected))

    return refused(score) if kind == "exact-match" else score


def adk(kind, settings):
    """One invocation a case."""
    from google.adk.evaluation.eval_case import IntermediateData, Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
    from google.genai.types import Content, FunctionCall

    assert kind == "trajectory", kind
    criterion = ToolTrajectoryCriterion(threshold=1.0, **settings)
    evaluator = TrajectoryEvaluator(eval_metric=EvalMetric(metric_name="trajectory", threshold=1.0, criterion=criterion))

    def invocation(calls):
        tool_uses = [FunctionCall(name=call["name"], args=call["args"]) for call in calls]
        return Invocation(user_content=Content(parts=[]), intermediate_data=IntermediateData(tool_uses=tool_uses))

    return lambda expected, actual: evaluator.evaluate_invocations([invocation(actual)], [invocation(expected)]).overall_score


def ragas(kind, settings):
    """One message of the agent with all its calls."""
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    from ragas import MultiTurnSample
    from ragas.messages import AIMessage, ToolCall
    from ragas.metrics import ToolCallAccuracy, ToolCallF1

    metric = {"tool-call-accuracy": ToolCallAccuracy, "tool-call-f1": ToolCallF1}[kind](**settings)

    def tools(calls):
        return [ToolCall(name=call["name"], args=call["args"]) for call in calls]

    def score(expected, actual):
        message = AIMessage(content="-", tool_calls=tools(actual))
        sample = MultiTurnSample(user_input=[message], reference_tool_calls=tools(expected))
        return float(asyncio.run(metric.multi_turn_ascore(sample)))

    return score


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    peers.main({"adk": adk, "azure": azure, "mlflow": mlflow, "ragas": ragas, "strands": strands}, *sys.argv[1:])
