"""Results of agent frameworks, used directly: fakes, and the real frameworks with a scripted model if they are installed."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

import rightcall
from rightcall.live import calls_of, cases_of

EXPECTED = [{"name": "find_order", "args": {"order_id": 7}}, {"name": "refund", "args": {"order_id": 7}}]
#: The output of the scripted models, message by message.
SCRIPT: list[list[tuple[str, dict[str, Any]]]] = [[("find_order", {"order_id": 7})], [("refund", {"order_id": 7})], []]


def judge(actual: Any, **settings: Any) -> rightcall.Evaluation:
    """Both interfaces have the same result."""
    evaluation = rightcall.evaluate("trajectory", expected=EXPECTED, actual=actual, **settings)
    case = rightcall.Case(id="a", expected=EXPECTED, actual=actual)
    for given in (case, case.to_dict()):
        [again] = rightcall.score([given], evaluators={"evaluator": "trajectory", **settings})
        assert (again.score, again.alignment) == (evaluation.score, evaluation.alignment)
    return evaluation


def find_order(order_id: int) -> str:
    """Finds an order."""
    return f"order {order_id}"


def refund(order_id: int) -> str:
    """Refunds an order."""
    raise ValueError("the payment service is away")


# Fakes with the attributes of the frameworks' objects.


def responses(calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    items = []
    for at, (name, args) in enumerate(calls):
        asked = {"type": "function_call", "name": name, "arguments": json.dumps(args), "call_id": f"c{at}"}
        items += [
            SimpleNamespace(type="tool_call_item", raw_item=SimpleNamespace(model_dump=lambda exclude_unset, asked=asked: asked)),
            SimpleNamespace(type="tool_approval_item", raw_item=asked),
            SimpleNamespace(type="tool_call_output_item", raw_item={"type": "function_call_output", "call_id": f"c{at}", "output": "ok"}),
        ]
    return items


def test_the_items_of_a_run_of_openai_agents() -> None:
    items = responses([(call["name"], call["args"]) for call in EXPECTED])
    for actual in (SimpleNamespace(new_items=items, input="go"), items, tuple(items)):
        evaluation = judge(actual)
        assert evaluation.score == 1.0 and len(evaluation.alignment["pairs"]) == 2
    assert judge(SimpleNamespace(new_items=[])).score == 0.0


def part(kind: str, name: str | None = None, **fields: Any) -> Any:
    return SimpleNamespace(part_kind=kind, tool_name=name, tool_call_id=fields.pop("id", "c"), **fields)


def messages() -> list[Any]:
    def message(kind: str, *parts: Any) -> Any:
        return SimpleNamespace(kind=kind, parts=list(parts))

    return [
        message("request", part("user-prompt", content="go")),
        message("response", part("text", content="…"), part("tool-call", "find_order", args={"order_id": 7}, id="1"), part("builtin-tool-call", "web_search", args=None, id="2"), part("builtin-tool-return", "web_search", content="found", id="2")),
        message("request", part("tool-return", "find_order", content={"status": "sent"}, outcome="success", id="1")),
        message("response", part("tool-call", "refund", args='{"order_id": 7}', id="3"), part("tool-call", "final_result", args={"ok": True}, id="4")),
        message("request", part("retry-prompt", "refund", content="away", id="3"), part("tool-return", "final_result", content="Final result processed.", id="4")),
    ]


def test_the_messages_of_a_run_of_pydantic_ai() -> None:
    result = SimpleNamespace(new_messages=messages, all_messages=lambda: pytest.fail("the history is not of this run"), _output_tool_name="final_result")
    assert calls_of(result) == [
        {"name": "find_order", "args": {"order_id": 7}, "id": "1", "turn": 0, "output": {"status": "sent"}},
        {"name": "web_search", "args": {}, "id": "2", "turn": 0, "run": "provider", "output": "found"},
        {"name": "refund", "args": '{"order_id": 7}', "id": "3", "turn": 1, "error": "away"},
    ]
    # Calls that the model's provider executed are not the agent's.
    assert judge(result, mode="in_order").score == 1.0
    assert [call["name"] for call in calls_of(messages())][-1] == "final_result"


class Snapshot(NamedTuple):
    values: dict[str, Any]
    next: tuple[str, ...]


def test_the_state_of_a_graph() -> None:
    said = [{"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": {"name": call["name"], "arguments": json.dumps(call["args"])}}]} for call in EXPECTED]
    state = {"messages": said, "other": 1}
    for actual in (state, Snapshot(state, ()), SimpleNamespace(value=state, interrupts=())):
        assert judge(actual).score == 1.0


def report() -> Any:
    def case(name: str, **fields: Any) -> Any:
        return SimpleNamespace(name=name, inputs="go", metadata=None, **fields)

    result = SimpleNamespace(new_messages=lambda: messages()[:3], all_messages=list)
    return SimpleNamespace(
        name="r",
        cases=[
            case("one", expected_output=EXPECTED, output=result, source_case_name=None),
            case("two [1/2]", expected_output=["find_order"], output=result, source_case_name="two"),
            case("two [2/2]", expected_output=["find_order"], output=SimpleNamespace(new_items=[]), source_case_name="two"),
        ],
        failures=[case("three", expected_output=EXPECTED, error_message="away")],
    )


def test_a_report_of_pydantic_evals() -> None:
    assert [(case["id"], case.get("trial"), "actual" in case) for case in cases_of(report())] == [
        ("one", None, True),
        ("two", "two [1/2]", True),
        ("two", "two [2/2]", True),
        ("three", None, False),
    ]
    run = rightcall.score(report(), evaluators={"evaluator": "trajectory", "match": {"args": "ignore"}})
    assert [(it.case, it.trial, it.outcome) for it in run][-1] == ("three", None, "not_applicable")
    assert [it.score for it in run][1:3] == [pytest.approx(2 / 3), 0.0]


def test_what_is_none_of_these_is_an_error() -> None:
    with pytest.raises(rightcall.CaseError, match="/actual: expected a list of calls"):
        judge(SimpleNamespaceModel())
    for actual in (object(), SimpleNamespace(values=[1]), 7):
        with pytest.raises((rightcall.UnsuitedType, rightcall.CaseError), match="expected"):
            judge(actual)


class SimpleNamespaceModel:
    """An answer without calls, as a pydantic model."""

    def model_dump(self) -> dict[str, Any]:
        return {"answer": "yes"}


# The real frameworks.


def test_langgraph() -> None:
    pytest.importorskip("langgraph.graph")
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    class Scripted(BaseChatModel):
        said: int = 0

        @property
        def _llm_type(self) -> str:
            return "scripted"

        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
            calls = [{"type": "tool_call", "name": name, "args": args, "id": f"c{self.said}"} for name, args in SCRIPT[self.said]]
            self.said += 1
            return ChatResult(generations=[ChatGeneration(message=AIMessage(content="", tool_calls=calls))])

    model = Scripted()
    graph = StateGraph(MessagesState)
    graph.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([find_order, refund], handle_tool_errors=True))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", tools_condition)
    graph.add_edge("tools", "agent")
    agent = graph.compile(checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "a"}}
    state = agent.invoke({"messages": [("user", "go")]}, thread)
    for actual in (state, state["messages"], agent.get_state(thread)):
        assert judge(actual).score == 1.0
    model.said = 0
    assert judge(graph.compile().invoke({"messages": [("user", "go")]}, version="v2")).score == 1.0


async def test_openai_agents() -> None:
    agents = pytest.importorskip("agents")
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    class Scripted(agents.Model):  # type: ignore[misc, name-defined]
        said = 0

        async def get_response(self, *_: Any, **__: Any) -> Any:
            calls = SCRIPT[self.said]
            self.said += 1
            output: list[Any] = [
                ResponseFunctionToolCall(type="function_call", name=name, arguments=json.dumps(args), call_id=f"c{self.said}")
                for name, args in calls
            ] or [
                ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[ResponseOutputText(type="output_text", text="done", annotations=[])])
            ]
            return agents.ModelResponse(output=output, usage=agents.Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    agents.set_tracing_disabled(True)
    agent = agents.Agent(name="shop", model=Scripted(), tools=[agents.function_tool(find_order), agents.function_tool(refund)])
    # The history passed to the run contains a call of an earlier run, which does not count.
    earlier = [{"type": "function_call", "name": "find_order", "arguments": "{}", "call_id": "c"}, {"type": "function_call_output", "call_id": "c", "output": "ok"}]
    result = await agents.Runner.run(agent, [*earlier, {"role": "user", "content": "go"}])
    for actual in (result, result.new_items):
        assert judge(actual).score == 1.0
    assert judge(result.to_input_list()).score < 1.0


def pydantic_agent(output_type: Any = str) -> Any:
    pydantic_ai = pytest.importorskip("pydantic_ai")
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    said = [0]

    def reply(_: Any, info: Any) -> ModelResponse:
        calls = SCRIPT[said[0] % len(SCRIPT)]
        said[0] += 1
        parts: list[Any] = [ToolCallPart(name, args, tool_call_id=f"c{said[0]}") for name, args in calls]
        if not parts:
            parts = [ToolCallPart(tool.name, {"ok": True}, tool_call_id="o") for tool in info.output_tools] or [TextPart("done")]
        return ModelResponse(parts=parts)

    def refund(order_id: int) -> str:
        raise pydantic_ai.ModelRetry("the payment service is away")

    return pydantic_ai.Agent(FunctionModel(reply), tools=[find_order, refund], output_type=output_type, retries=2)


def test_pydantic_ai() -> None:
    pydantic = pytest.importorskip("pydantic")
    result = pydantic_agent().run_sync("go")
    assert judge(result).score == judge(result.all_messages()).score == 1.0
    found, refunded = calls_of(result)
    assert found["output"] == "order 7" and "the payment service is away" in refunded["error"]
    # The tool with which the model returns its output is not a tool of the agent.
    structured = pydantic_agent(pydantic.create_model("Output", ok=(bool, ...))).run_sync("go")
    assert structured.output.ok and judge(structured).score == 1.0
    again = pydantic_agent().run_sync("go", message_history=result.all_messages())
    assert judge(again).score == 1.0 > judge(again.all_messages()).score


def test_pydantic_evals() -> None:
    evals = pytest.importorskip("pydantic_evals")
    from rightcall.pydantic_evals import ToolCalls

    async def run(ask: str) -> Any:
        if ask == "fail":
            raise ValueError("away")
        return await pydantic_agent().run(ask)

    cases = [
        evals.Case(name="one", inputs="go", expected_output=EXPECTED),
        evals.Case(name="two", inputs="go", metadata={"expected": ["find_order"]}),
        evals.Case(name="three", inputs="fail", expected_output=EXPECTED),
    ]
    strict = ToolCalls({"evaluator": "trajectory", "name": "calls", "threshold": 0.9})
    report = evals.Dataset(name="refunds", cases=cases, evaluators=[strict, ToolCalls("axion/tool-correctness", {"check_parameters": True})]).evaluate_sync(run, progress=False)
    assert not report.report_evaluator_failures
    by_name = {case.name: case for case in report.cases}
    assert by_name["one"].scores["calls"].value == 1.0 and by_name["one"].assertions["calls passed"].value is True
    assert by_name["two"].scores["calls"].value == pytest.approx(2 / 3) and by_name["two"].assertions["calls passed"].value is False
    assert by_name["two"].scores["calls"].reason == "1 extra: refund"
    assert by_name["one"].scores["axion/tool-correctness"].value == 1.0
    scored = {it.case: it for it in rightcall.score(report, evaluators="trajectory")}
    assert (scored["one"].score, scored["two"].score, scored["three"].outcome) == (1.0, pytest.approx(2 / 3), "not_applicable")
