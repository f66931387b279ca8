"""The drop-in modules: what the packages' own tests check about tool call metrics, on our own cases. Only UiPath needs its package."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from conftest import golden_lines, outcome_of
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from pydantic import BaseModel, TypeAdapter, ValidationError

import rightcall
from rightcall.compat import agentevals, axion, uipath
from rightcall.compat.package import axion as package_of_axion, uipath as package

EVALUATORS: dict[str, Any] = {
    "order": package.ToolCallOrderEvaluator,
    "count": package.ToolCallCountEvaluator,
    "args": package.ToolCallArgsEvaluator,
    "output": package.ToolCallOutputEvaluator,
}
CRITERIA: dict[str, Any] = {
    "order": {"tool_calls_order": ["find", "pay"]},
    "count": {"tool_calls_count": {"find": ("=", 1), "pay": ("=", 2)}},
    "args": {"tool_calls": [{"name": "find", "args": {"id": 7}}, {"name": "pay", "args": {"id": 8}}]},
    "output": {"tool_outputs": [{"name": "find", "output": "ok"}, {"name": "pay", "output": "no"}]},
}


def span(**attributes: Any) -> ReadableSpan:
    named = {key.replace("_", "."): value for key, value in attributes.items()}
    return ReadableSpan(name="span", attributes=named, resource=Resource.get_empty())


SPANS = [
    span(tool_name="find", input_value="{'id': 7}", output_value='{"content": "ok"}'),
    span(other="no tool"),
    span(tool_name="pay", tool_id=None, input_value='{"id": 7}', output_value="ok"),
    span(tool_name="pay", tool_synthesized=True, input_value="{}"),
]


def execution(*spans: Any) -> package.WorkloadExecution:
    return package.WorkloadExecution(agent_input={}, workload_output={}, workload_trace=list(spans or SPANS))


def made(kind: str, **config: Any) -> Any:
    return TypeAdapter(EVALUATORS[kind]).validate_python({"id": "1", "evaluatorConfig": {"name": kind, **config}})


def judged(kind: str, criteria: Any = None, **config: Any) -> Any:
    criteria = CRITERIA[kind] if criteria is None else criteria
    return asyncio.run(made(kind, **config).validate_and_evaluate_criteria(execution(), criteria))


@pytest.mark.parametrize("kind, score", [("order", 1.0), ("count", 0.5), ("args", 0.5), ("output", 0.5)])
def test_uipath_evaluators_are_made_by_pydantic_and_judge_spans(kind: str, score: float) -> None:
    result = judged(kind)
    assert isinstance(result, package.NumericEvaluationResult) and result.score == score
    assert isinstance(result.details, getattr(package, f"{EVALUATORS[kind].__name__}Justification"))
    assert judged(kind, strict=True).score == (1.0 if score == 1.0 else 0.0)


@pytest.mark.parametrize("kind", EVALUATORS)
def test_uipath_criteria_can_be_objects_defaults_and_of_either_spelling(kind: str) -> None:
    [(key, value)] = CRITERIA[kind].items()
    head, *rest = key.split("_")
    camel = {head + "".join(part.title() for part in rest): value}
    wanted = judged(kind).details
    typed = getattr(package, f"{EVALUATORS[kind].__name__[:-9]}EvaluationCriteria")(**CRITERIA[kind])
    assert judged(kind, camel).details == wanted
    assert judged(kind, typed).details == wanted
    assert asyncio.run(made(kind).evaluate(execution(), typed)).details == wanted
    evaluator = made(kind, default_evaluation_criteria=CRITERIA[kind])
    assert asyncio.run(evaluator.validate_and_evaluate_criteria(execution(), None)).details == wanted
    assert typed.model_dump(by_alias=True).keys() == camel.keys()


@pytest.mark.parametrize("kind", EVALUATORS)
def test_uipath_schemas_name_their_fields(kind: str) -> None:
    evaluator = EVALUATORS[kind]
    config = evaluator.get_config_schema()["properties"]
    assert {"name", "description", "default_evaluation_criteria", "strict"} <= config.keys()
    assert ("subset" in config) == (kind == "args")
    assert evaluator.get_evaluation_criteria_schema()["properties"].keys() == CRITERIA[kind].keys()
    assert {"expected", "actual"} <= evaluator.get_justification_schema()["properties"].keys()
    assert evaluator.generate_json_type()["evaluatorTypeId"] == f"uipath-tool-call-{kind}"
    assert getattr(uipath, evaluator.__name__).get_config_schema()["properties"].keys() == config.keys()


@pytest.mark.parametrize(
    "kind, criteria",
    [
        ("order", {"tool_calls_order": [1]}),
        ("order", {}),
        ("count", {"tool_calls_count": {"a": ("=", "many")}}),
        ("args", {"tool_calls": [{"name": "a"}]}),
        ("output", {"tool_outputs": [{"name": "a", "output": {"a": 1}}]}),
        ("output", "text"),
    ],
)
def test_uipath_criteria_that_pydantic_refuses_raise(kind: str, criteria: Any) -> None:
    with pytest.raises(package.UiPathEvaluationError) as caught:
        judged(kind, criteria)
    assert caught.value.error_info.code == "Python.CANNOT_VALIDATE_EVALUATION_CRITERIA"


def test_uipath_configurations_and_missing_criteria_raise() -> None:
    with pytest.raises(package.UiPathEvaluationError, match="strict"):
        made("order", strict="perhaps")
    with pytest.raises(package.UiPathEvaluationError, match="No evaluation criteria|no default"):
        asyncio.run(made("order").validate_and_evaluate_criteria(execution(), None))
    assert made("order", strict="yes").evaluator_config.strict is True


def test_uipath_evaluators_take_name_and_description_beside_the_configuration() -> None:
    evaluator = package.ToolCallOrderEvaluator.model_validate(
        {"id": "1", "name": "mine", "description": "what it does", "evaluatorConfig": {}}
    )
    assert (evaluator.name, evaluator.description) == ("mine", "what it does")
    assert evaluator.evaluator_type_id == "uipath-tool-call-order"
    assert evaluator.reduce_scores([SimpleNamespace(score=1.0), SimpleNamespace(score=0.0)]) == 0.5


def test_uipath_results_are_plain_models_whenever_their_details_are_read() -> None:
    plain = judged("args")
    assert "details=" in repr(plain) and type(plain) is package.NumericEvaluationResult
    plain.evaluation_time = None

    class Item(BaseModel):
        result: package.NumericEvaluationResult

    async def touched(touch: Any) -> Any:
        evaluator = made("args")
        result = await evaluator.validate_and_evaluate_criteria(execution(), CRITERIA["args"])
        result.evaluation_time = None
        return touch(result)

    for touch in (
        lambda it: it,
        copy.copy,
        copy.deepcopy,
        lambda it: it.model_copy(),
        lambda it: pickle.loads(pickle.dumps(it)),
        lambda it: Item(result=it).result,
        lambda it: it if it.details else None,
        lambda it: it if vars(it) == vars(plain) else None,
    ):
        assert asyncio.run(touched(touch)) == plain
    for dump in (lambda it: it.model_dump(), lambda it: it.model_dump_json(), dict, repr, str):
        assert asyncio.run(touched(dump)) == dump(plain)
    assert asyncio.run(touched(lambda it: json.loads(Item(result=it).model_dump_json())["result"]["score"])) == 0.5


@pytest.mark.parametrize("name", ["score", "details", "score_type", "model_fields_set", "model_extra"])
def test_uipath_results_have_each_of_their_fields_first(name: str) -> None:
    plain = judged("args")
    assert plain.model_copy() == plain
    assert getattr(judged("args"), name) == getattr(plain, name)
    assert judged("args").evaluation_time > 0
    shortened = judged("args")
    del shortened.details
    assert "details" not in vars(shortened) and shortened.score == plain.score


def test_uipath_evaluators_use_an_evaluate_that_was_put_in_place_of_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    async def evaluate(_self: Any, _execution: Any, criteria: Any) -> str:
        return type(criteria).__name__

    monkeypatch.setattr(package.ToolCallOrderEvaluator, "evaluate", evaluate)
    assert judged("order") == "ToolCallOrderEvaluationCriteria"


def test_uipath_scores_what_was_there_though_it_changes_later() -> None:
    criteria = copy.deepcopy(CRITERIA["args"])
    typed = package.ToolCallArgsEvaluationCriteria(**criteria)

    async def run() -> Any:
        result = await made("args").evaluate(execution(), typed)
        typed.tool_calls[0].args["id"] = 9
        return result

    assert "'id': 9" not in asyncio.run(run()).details.expected


def test_uipath_errors_are_results() -> None:
    result = judged("count", {"tool_calls_count": {"find": ("~", 1)}})
    assert isinstance(result, package.ErrorEvaluationResult)
    assert (result.score, result.details) == (0.0, "Exception thrown by evaluator: '~'")


def test_uipath_matches_ids_and_sanitised_names() -> None:
    trace = execution(span(tool_name="Web_Search", tool_id="web-1"), span(tool_name="Send_Mail"))

    def score(*names: str) -> float:
        return asyncio.run(made("order").validate_and_evaluate_criteria(trace, {"tool_calls_order": [*names]})).score  # type: ignore[no-any-return]

    assert score("web-1", "Send Mail") == 1.0
    assert score("Web_Search", "Send Mail") == 0.5


def text_of_output(output: str) -> str:
    """The text of an output, as the package reads it from a span."""
    try:
        parsed = json.loads(output)
    except ValueError:
        return output
    content = parsed.get("content", "") if isinstance(parsed, dict) else output
    return str(content) if content else ""


@pytest.mark.parametrize(
    "output",
    [
        '{"content": "ok", "status": "done"}',
        ' {"content" : "ok"} ',
        '{"content": "a\\n\\u00e9"}',
        '{"content": "first", "content": "last"}',
        '{"c\\u006fntent": "ok"}',
        '{"content": {"degrees": [20, null, true]}}',
        '{"content": "{\\"content\\": 1}"}',
        '{"content": 0.0}',
        '{"content": 1.50}',
        '{"content": NaN}',
        '{"other": {"content": "ok"}}',
        '{"content": "ok", "number": ' + "9" * 4301 + "}",
        '{"content": "ok"',
        '{"content": "ok"} more',
        "{}",
        "[1]",
        '"text"',
        "text",
        "",
    ],
)
def test_uipath_outputs_are_read_as_json_loads_reads_them(output: str) -> None:
    text = text_of_output(output)
    trace = execution(span(tool_name="find", output_value=output))
    for wanted, score in ((text, 1.0), (text + "!", 0.0)):
        criteria = {"tool_outputs": [{"name": "find", "output": wanted}]}
        result = asyncio.run(made("output").validate_and_evaluate_criteria(trace, criteria))
        assert result.score == score
        assert result.details.actual == f"[ToolOutput(name='find', output={text!r}, id=None)]"


def test_uipath_golden_cases() -> None:
    checked = 0
    for kind in EVALUATORS:
        for line in golden_lines(f"uipath-tool-call-{kind}.jsonl"):
            config = line["config"]
            if not isinstance(config, dict) or not all(isinstance(it.get("attributes"), dict) for it in line["actual"]):
                continue
            trace = [ReadableSpan(name="span", attributes=it["attributes"], resource=Resource.get_empty()) for it in line["actual"]]
            values = package.WorkloadExecution(agent_input={}, workload_output={}, workload_trace=trace)
            evaluator = outcome_of(lambda: made(kind, **{key: it for key, it in config.items() if key != "name"}))
            if evaluator == "raises":
                continue
            result = outcome_of(lambda: asyncio.run(evaluator.validate_and_evaluate_criteria(values, line["expected"])))
            if "result" not in line:
                assert result == "raises", line["id"]
                continue
            wanted = line["result"]
            assert (result.score, int(result.score_type)) == (wanted["score"], wanted["score_type"]), line["id"]
            if wanted["score_type"] == 1:
                assert result.details.model_dump() == wanted["details"], line["id"]
            checked += 1
    assert checked > 300


def test_uipath_names_the_extra_that_it_needs() -> None:
    program = "import sys; sys.modules['uipath'] = None; import rightcall.compat.uipath, rightcall.compat.package.uipath"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.stderr.splitlines()[-1].startswith("ImportError: rightcall.compat.package.uipath needs the package uipath (pip install 'rightcall[uipath]')")


def test_uipath_documents_take_outputs_that_are_objects() -> None:
    evaluator = uipath.ToolCallOutputEvaluator(id="1", config={"name": "output"})
    spans = [span(tool_name="heat", output_value='{"content": {"degrees": 20, "unit": "C"}}')]
    wanted = {"tool_outputs": [{"name": "heat", "output": {"degrees": 20, "unit": "C"}}]}
    result = asyncio.run(evaluator.validate_and_evaluate_criteria(uipath.AgentExecution(agent_trace=spans), wanted))
    assert result.score == 1.0


def test_uipath_classes_of_the_documents_are_fields_of_models() -> None:
    evaluator = TypeAdapter(uipath.ToolCallOrderEvaluator).validate_python({"id": "1", "config": {"strict": True}})
    assert evaluator.evaluator_config.strict is True
    with pytest.raises(ValidationError):
        TypeAdapter(uipath.ToolCallOrderEvaluator).validate_python({"id": "1", "config": {"strict": "perhaps"}})
    call = TypeAdapter(uipath.ToolCall).validate_python({"name": "a", "args": {}})
    assert TypeAdapter(uipath.ToolCall).dump_python(call) == {"name": "a", "args": {}, "id": None}


def test_axion_refuses_keywords_that_it_does_not_know() -> None:
    for module in (axion, package_of_axion):
        with pytest.raises(TypeError, match="strict_ordr"):
            module.ToolCorrectness(strict_ordr=True)
    assert (axion.ToolCorrectness().edition, package_of_axion.ToolCorrectness().edition) == ("documented", "package")


def asked(*names: str, args: str = "{}") -> list[dict[str, Any]]:
    calls = [{"id": "c", "type": "function", "function": {"name": name, "arguments": args}} for name in names]
    return [{"role": "user", "content": "go"}, {"role": "assistant", "content": "", "tool_calls": calls}]


@pytest.mark.parametrize(
    "name, score",
    [
        ("trajectory_strict_match", False),
        ("trajectory_unordered_match", False),
        ("trajectory_subset", True),
        ("trajectory_superset", False),
    ],
)
def test_agentevals_older_functions_warn_and_judge(name: str, score: bool) -> None:
    sides = {"outputs": asked("a"), "reference_outputs": asked("b", "a")}
    with pytest.warns(DeprecationWarning, match="create_trajectory_match_evaluator"):
        result = getattr(agentevals, name)(**sides)
    assert result == {"key": name, "score": score, "comment": None, "metadata": None}
    with pytest.warns(DeprecationWarning, match="create_async_trajectory_match_evaluator"):
        assert asyncio.run(getattr(agentevals, f"{name}_async")(**sides)) == result


def test_agentevals_compares_arguments_in_the_older_strict_function_alone() -> None:
    sides = {"outputs": asked("a", args='{"x": 1}'), "reference_outputs": asked("a", args='{"x": 2}')}
    with pytest.warns(DeprecationWarning):
        assert agentevals.trajectory_strict_match(**sides)["score"] is False
        assert agentevals.trajectory_strict_match(**sides, tool_call_args_exact_match=False)["score"] is True
        assert agentevals.trajectory_unordered_match(**sides)["score"] is True


def test_agentevals_comments_are_empty_unless_documents_are_followed() -> None:
    judge = agentevals.create_trajectory_match_evaluator()
    assert judge(outputs=asked("a"), reference_outputs=asked("b"))["comment"] is None
    rightcall.set_edition("documented")
    assert "missed: b" in judge(outputs=asked("a"), reference_outputs=asked("b"))["comment"]


def test_agentevals_refuses_modes_and_keywords_that_it_does_not_know() -> None:
    make: Any = agentevals.create_trajectory_match_evaluator
    with pytest.raises(ValueError, match="Invalid trajectory match type: `any`"):
        make(trajectory_match_mode="any")
    with pytest.raises(ValueError, match="Invalid tool args match mode"):
        make(tool_args_match_mode="any")
    with pytest.raises(TypeError):
        make(trajectory_mode="strict")


def test_agentevals_takes_all_messages_of_langchain() -> None:
    from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage

    call = {"name": "a", "args": {"x": 1}, "id": "c"}
    whole = [HumanMessage("go"), AIMessage("", tool_calls=[call]), ToolMessage("ok", tool_call_id="c")]
    chunk = AIMessageChunk("", tool_call_chunks=[{"name": "a", "args": '{"x": 1}', "id": "c", "index": 0}])
    judge = agentevals.create_trajectory_match_evaluator()
    assert judge(outputs=[whole[0], chunk, whole[2]], reference_outputs=whole)["score"] is True


@pytest.fixture
def stand_ins() -> Iterator[None]:
    """Fakes of Ragas and ADK with metrics that record their calls."""

    @dataclass
    class Sample:
        user_input: list[Any]
        reference_tool_calls: list[Any] | None = None

    @dataclass
    class AIMessage:
        tool_calls: list[Any] | None = None

    class ExactMatch:
        pass

    @dataclass
    class Metric:
        strict_order: bool = True
        arg_comparison_metric: Any = field(default_factory=ExactMatch)

        async def _multi_turn_ascore(self, sample: Any, callbacks: Any = None) -> Any:
            return "the package"

    class Collected(Metric):
        async def ascore(self, user_input: Any, reference_tool_calls: Any) -> Any:
            return "the package"

    class Evaluator:
        _match_type: Any
        _ignore_args: bool

        def _calculate_tool_use_accuracy(self, actual: Any, expected: Any) -> Any:
            return "the package"

    def get_all_tool_calls(data: Any) -> list[Any]:
        return data or []

    modules: dict[str, dict[str, Any]] = {
        "ragas": {},
        "ragas.dataset_schema": {"MultiTurnSample": Sample},
        "ragas.messages": {"AIMessage": AIMessage, "ToolCall": SimpleNamespace},
        "ragas.metrics": {"ExactMatch": ExactMatch, "ToolCallAccuracy": Metric, "ToolCallF1": Metric},
        "ragas.metrics.collections": {"ToolCallAccuracy": Collected, "ToolCallF1": Collected},
        "ragas.metrics.result": {"MetricResult": SimpleNamespace},
        "google": {},
        "google.adk": {},
        "google.adk.evaluation": {},
        "google.adk.evaluation.eval_case": {"Invocation": SimpleNamespace, "get_all_tool_calls": get_all_tool_calls},
        "google.adk.evaluation.trajectory_evaluator": {"TrajectoryEvaluator": Evaluator},
    }
    before = dict(sys.modules)
    for name, members in modules.items():
        module = ModuleType(name)
        vars(module).update(members)
        sys.modules[name] = module
    yield
    for name in set(sys.modules) - set(before):
        if name.split(".")[0] in ("ragas", "google") or name.startswith("rightcall.compat"):
            del sys.modules[name]
    sys.modules.update(before)


def ragas_score(line: dict[str, Any], metric: Any) -> Any:
    def calls(given: Any) -> Any:
        return None if given is None else [SimpleNamespace(**call) for call in given]

    message, sample = sys.modules["ragas.messages"].AIMessage, sys.modules["ragas.dataset_schema"].MultiTurnSample
    said = [message(calls(it.get("tool_calls"))) if it["type"] == "ai" else SimpleNamespace() for it in line["actual"]]
    reference = calls(line["expected"]["reference_tool_calls"])
    if not hasattr(metric, "ascore"):
        return asyncio.run(metric._multi_turn_ascore(sample(said, reference)))
    result = asyncio.run(metric.ascore(user_input=said, reference_tool_calls=reference))
    return result if isinstance(result, str) else result.value


@pytest.mark.usefixtures("stand_ins")
@pytest.mark.parametrize("module", ["ragas", "ragas.collections"])
@pytest.mark.parametrize("name", ["ToolCallAccuracy", "ToolCallF1"])
def test_ragas_metrics_score_by_the_engine(name: str, module: str) -> None:
    ragas = import_module(f"rightcall.compat.package.{module}")

    file = {"ToolCallAccuracy": "ragas-tool-call-accuracy.jsonl", "ToolCallF1": "ragas-tool-call-f1.jsonl"}[name]
    by_engine = 0
    for line in golden_lines(file):
        if "result" not in line:
            continue
        metric = getattr(ragas, name)(**line["config"])
        score = ragas_score(line, metric)
        if score != "the package":
            assert score == line["result"]["score"], line["id"]
            by_engine += 1
    assert by_engine > 50


@pytest.mark.usefixtures("stand_ins")
def test_ragas_compares_by_the_metric_of_the_user() -> None:
    ragas = import_module("rightcall.compat.ragas")

    message, sample = sys.modules["ragas.messages"].AIMessage, sys.modules["ragas.dataset_schema"].MultiTurnSample
    case = sample([message([SimpleNamespace(name="a", args={"x": 1})])], [SimpleNamespace(name="a", args={"x": 1})])
    mine = ragas.ToolCallAccuracy(arg_comparison_metric=object())
    assert asyncio.run(mine._multi_turn_ascore(case)) == "the package"
    assert asyncio.run(ragas.ToolCallAccuracy()._multi_turn_ascore(case)) == 1.0


class MatchType(Enum):
    EXACT = 0
    IN_ORDER = 1
    ANY_ORDER = 2


@pytest.mark.usefixtures("stand_ins")
def test_adk_invocations_score_by_the_engine() -> None:
    adk = import_module("rightcall.compat.adk")

    def invocation(given: Any) -> Any:
        uses = (given["intermediate_data"] or {}).get("tool_uses") or []
        calls = [SimpleNamespace(name=use.get("name"), args=use.get("args")) for use in uses]
        return SimpleNamespace(intermediate_data=calls)

    checked = 0
    for line in golden_lines("adk-trajectory.jsonl"):
        config = line["config"]
        if "result" not in line or config.get("match_type") not in MatchType.__members__:
            continue
        evaluator = adk.TrajectoryEvaluator()
        evaluator._match_type, evaluator._ignore_args = MatchType[config["match_type"]], config.get("ignore_args", False)
        pairs = zip(line["actual"], line["expected"], line["result"]["per_invocation"], strict=True)
        for actual, expected, wanted in pairs:
            score = evaluator._calculate_tool_use_accuracy(invocation(actual), invocation(expected))
            assert score == wanted["score"], line["id"]
            checked += 1
    assert checked > 50


@pytest.mark.usefixtures("stand_ins")
def test_adk_functions_of_its_first_version_judge_turns(capsys: pytest.CaptureFixture[str]) -> None:
    adk = import_module("rightcall.compat.adk")
    use = {"tool_name": "roll", "tool_input": {"sides": 6}}
    other = {"tool_name": "roll", "tool_input": {"sides": 8}}

    def turn(actual: Any, expected: Any) -> dict[str, Any]:
        return {"query": "roll it", "response": "done", "actual_tool_use": actual, "expected_tool_use": expected}

    mocked = {**use, "mock_tool_output": 3}
    with pytest.warns(DeprecationWarning, match="evaluate_invocations"):
        evaluate, are_equal = adk.TrajectoryEvaluator.evaluate, adk.TrajectoryEvaluator.are_tools_equal
        assert evaluate([[turn([use], [mocked]), turn([], [])], [turn([other], [use]), turn([use, use], [use])]]) == 0.5
        said = capsys.readouterr().out
        assert "Failures:" in said and "'sides': 8" in said and "response" not in said
        assert evaluate([[turn([use], [use])]], print_detailed_results=True) == 1.0
        said = capsys.readouterr().out
        assert "Failures:" not in said and "tool_use_accuracy" in said
        assert str(evaluate([[]])) == "nan"
        with pytest.raises(ValueError, match="The evaluation dataset is empty."):
            evaluate([])
        assert are_equal([mocked], [use]) and not are_equal([use], [])
        assert are_equal([{**use, "tool_input": {1, 2}}], [{**use, "tool_input": {2, 1}}])


@pytest.mark.parametrize("kind", EVALUATORS)
def test_uipath_executions_may_be_in_the_words_of_the_documents(kind: str) -> None:
    trace = execution().workload_trace
    documented = package.AgentExecution(agent_input={"task": "move"}, agent_output={"status": "done"}, agent_trace=trace)
    assert isinstance(documented, package.WorkloadExecution)
    assert documented.workload_trace == documented.agent_trace == trace and documented.agent_output == documented.workload_output
    in_order = asyncio.run(made(kind).validate_and_evaluate_criteria(documented, CRITERIA[kind]))
    named = asyncio.run(made(kind).validate_and_evaluate_criteria(agent_execution=documented, evaluation_criteria=CRITERIA[kind]))
    assert in_order.score == named.score == judged(kind).score
    assert in_order.details == named.details == judged(kind).details


@pytest.mark.parametrize("kind", EVALUATORS)
def test_uipath_ids_of_evaluators_are_those_of_the_documents_and_of_the_package(kind: str) -> None:
    name = EVALUATORS[kind].__name__
    assert getattr(uipath, name).get_evaluator_id() == f"tool-call-{kind}"
    assert getattr(uipath, name)(id="1", config={}).evaluator_type_id == f"tool-call-{kind}"
    assert getattr(package, name).get_evaluator_id() == f"uipath-tool-call-{kind}"
