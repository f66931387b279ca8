"""What SDKs and frameworks return, at every door: real objects, made without a network."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import rightcall
from rightcall.pytest_plugin import ToolCalls, assert_tool_calls

CALLS = [{"name": "find_order", "args": {"order_id": 7}}, {"name": "refund", "args": {"order_id": 7}}]
TEXTS = [{"name": call["name"], "arguments": json.dumps(call["args"])} for call in CALLS]


def chat(*, calls: bool = True) -> Any:
    openai = pytest.importorskip("openai.types.chat")
    made = [{"id": f"c{at}", "type": "function", "function": text} for at, text in enumerate(TEXTS)]
    message = {"role": "assistant", "content": "ok", "tool_calls": made if calls else None}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return openai.ChatCompletion.model_validate({"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]})


def chunks() -> list[Any]:
    chunk = pytest.importorskip("openai.types.chat").ChatCompletionChunk
    deltas: list[dict[str, Any]] = [{"role": "assistant"}]
    for at, text in enumerate(TEXTS):
        deltas.append({"tool_calls": [{"index": at, "id": f"c{at}", "type": "function", "function": {"name": text["name"], "arguments": ""}}]})
        deltas += [{"tool_calls": [{"index": at, "function": {"arguments": part}}]} for part in (text["arguments"][:5], text["arguments"][5:])]
    made = [{"index": 0, "delta": delta} for delta in deltas] + [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]
    return [chunk.model_validate({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [it]}) for it in made]


def response() -> Any:
    openai = pytest.importorskip("openai.types.responses")
    calls = [{"type": "function_call", "id": f"f{at}", "call_id": f"c{at}", **text} for at, text in enumerate(TEXTS)]
    output = [{"type": "reasoning", "id": "r", "summary": []}, *calls]
    head = {"id": "r", "object": "response", "created_at": 1.0, "model": "m", "status": "completed"}
    return openai.Response.model_validate({**head, "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []})


def gemini() -> Any:
    types = pytest.importorskip("google.genai.types")
    calls = [types.Part(function_call=types.FunctionCall(**call)) for call in CALLS]
    calls[0].thought_signature = b"\xff\x00"
    content = types.Content(role="model", parts=[types.Part(text="ok"), *calls])
    return types.GenerateContentResponse(candidates=[types.Candidate(content=content)])


def claude(*, calls: bool = True) -> Any:
    types = pytest.importorskip("anthropic.types")
    made = [{"type": "tool_use", "id": f"c{at}", "name": call["name"], "input": call["args"]} for at, call in enumerate(CALLS)]
    content = [{"type": "text", "text": "ok"}, *(made if calls else [])]
    head = {"id": "m", "type": "message", "role": "assistant", "model": "c", "usage": {"input_tokens": 1, "output_tokens": 1}}
    return types.Message.model_validate({**head, "content": content, "stop_reason": "end_turn", "stop_sequence": None})


def claude_events() -> list[Any]:
    types = pytest.importorskip("anthropic.types")
    read = pytest.importorskip("pydantic").TypeAdapter(types.RawMessageStreamEvent).validate_python
    message = claude().model_dump(mode="json")
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}]
    for at, block in enumerate(message["content"]):
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": "ok"}
        if block["type"] == "tool_use":
            empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events.append({"type": "content_block_start", "index": at, "content_block": empty})
        events += [{"type": "content_block_delta", "index": at, "delta": delta}, {"type": "content_block_stop", "index": at}]
    stop = {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": {"output_tokens": 1}}
    return [read(event) for event in (*events, stop, {"type": "message_stop"})]


def answer(**more: Any) -> Any:
    messages = pytest.importorskip("langchain_core.messages")
    calls = [{"type": "tool_call", "id": str(at), **call} for at, call in enumerate(CALLS)]
    return messages.AIMessage(content="", tool_calls=calls, **more)


def graphs() -> dict[str, Any]:
    """Graphs whose nodes make the two calls: one after the other, the second in a nested graph, and both at once."""
    graph = pytest.importorskip("langgraph.graph")
    from langchain_core.messages import AIMessage, ToolMessage

    def call(at: int) -> Callable[[Any], Any]:
        made = AIMessage("", tool_calls=[{"type": "tool_call", "id": f"c{at}", **CALLS[at]}])
        return lambda _: {"messages": [made.model_copy()]}

    def result(at: int) -> Callable[[Any], Any]:
        return lambda _: {"messages": [ToolMessage("ok", tool_call_id=f"c{at}")]}

    def line(*nodes: Any) -> Any:
        made, last = graph.StateGraph(graph.MessagesState), graph.START
        for at, node in enumerate(nodes):
            made.add_node(f"n{at}", node)
            made.add_edge(last, f"n{at}")
            last = f"n{at}"
        return made.compile()

    both = graph.StateGraph(graph.MessagesState)
    for at in (0, 1):
        both.add_node(f"n{at}", call(at))
        both.add_edge(graph.START, f"n{at}")
    end = lambda _: {"messages": [AIMessage("done")]}  # noqa: E731
    return {
        "line": line(call(0), result(0), call(1), result(1), end),
        "nested": line(call(0), result(0), line(call(1), result(1)), end),
        "parallel": both.compile(),
    }


GO = {"messages": [("user", "go")]}

#: Each has the two calls.
OBJECTS: dict[str, Callable[[], Any]] = {
    "ChatCompletion": chat,
    "its choice": lambda: chat().choices[0],
    "its message": lambda: chat().choices[0].message,
    "its tool calls": lambda: chat().choices[0].message.tool_calls,
    "its chunks": chunks,
    "Response": response,
    "its output": lambda: response().output,
    "GenerateContentResponse": gemini,
    "its content": lambda: gemini().candidates[0].content,
    "its parts": lambda: gemini().candidates[0].content.parts,
    "its function calls": lambda: gemini().function_calls,
    "Message": claude,
    "its blocks": lambda: claude().content,
    "its calls": lambda: claude().content[1:],
    "its events": claude_events,
    "AIMessage": answer,
    "AIMessage in a list": lambda: [answer()],
    "its calls alone": lambda: answer().tool_calls,
}


def judged(make: Callable[[], Any], request: pytest.FixtureRequest) -> rightcall.Evaluation:
    """All doors have the same result."""
    evaluation = rightcall.evaluate("trajectory", expected=CALLS, actual=make())
    made = rightcall.Evaluator("trajectory")
    case = {"expected": CALLS, "actual": make()}
    others = [
        made.evaluate(expected=CALLS, actual=make()),
        made.evaluate_case(case),
        *rightcall.score([case, rightcall.Case(**case)], evaluators=made),
        ToolCalls(request.node).evaluate(expected=CALLS, actual=make()),
    ]
    for other in others:
        assert (other.score, other.reason, other.alignment) == (evaluation.score, evaluation.reason, evaluation.alignment)
    if evaluation.score == 1.0:
        assert_tool_calls(make(), CALLS)
        # A graph may run parallel nodes in any order.
        assert sorted(call["name"] for call in rightcall.calls(make())) == [call["name"] for call in CALLS]
    return evaluation


@pytest.mark.parametrize("name", OBJECTS)
def test_what_an_sdk_returns(name: str, request: pytest.FixtureRequest) -> None:
    assert judged(OBJECTS[name], request).score == 1.0


@pytest.mark.parametrize("graph", ["line", "nested", "parallel"])
def test_streams_of_a_graph(graph: str, request: pytest.FixtureRequest) -> None:
    run = graphs()[graph]
    for mode in ("values", "updates", "messages", ["values", "updates"], ["updates", "messages"], ["messages", "custom"]):
        for options in ({}, {"subgraphs": True}, {"version": "v2"}, {"version": "v2", "subgraphs": True}):
            items = list(run.stream(GO, stream_mode=mode, **options))
            evaluation = judged(lambda items=items: items, request)
            assert evaluation.score == 1.0, (mode, options, evaluation.reason)
    # Modes that repeat what others have, or that hold the user's own data.
    for mode in ("tasks", "debug"):
        with pytest.raises(rightcall.CaseError):
            rightcall.evaluate("trajectory", expected=CALLS, actual=list(run.stream(GO, stream_mode=mode)))


async def test_events_of_a_graph(request: pytest.FixtureRequest) -> None:
    models = pytest.importorskip("langchain_core.language_models.fake_chat_models")
    graph = pytest.importorskip("langgraph.graph")
    model = models.FakeMessagesListChatModel(responses=[answer()])
    made = graph.StateGraph(graph.MessagesState)
    made.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
    made.add_edge(graph.START, "agent")
    events = [event async for event in made.compile().astream_events(GO, version="v2")]
    assert judged(lambda: events, request).score == 1.0
    with pytest.raises(TypeError, match="await its items first"):
        rightcall.evaluate("trajectory", expected=CALLS, actual=made.compile().astream(GO))


def test_an_answer_without_calls_is_a_run_without_calls(request: pytest.FixtureRequest) -> None:
    for make in (
        lambda: chat(calls=False),
        lambda: claude(calls=False),
        lambda: claude(calls=False).content,
    ):
        evaluation = judged(make, request)
        assert evaluation.score == 0.0 and evaluation.alignment["missed"] == [0, 1]
        assert rightcall.evaluate("trajectory", expected=[], actual=make()).score == 1.0


def test_an_invalid_call_is_a_call_whose_arguments_cannot_be_read(request: pytest.FixtureRequest) -> None:
    messages = pytest.importorskip("langchain_core.messages")
    invalid = {"type": "invalid_tool_call", "name": "refund", "args": '{"order_id": ', "id": "2", "error": "broken"}
    valid = {"type": "tool_call", "id": "1", **CALLS[0]}
    for calls, score in (([valid], 0.5), ([], 0.0)):
        message = messages.AIMessage(content="", tool_calls=calls, invalid_tool_calls=[invalid])
        assert judged(lambda message=message: [message], request).score == score
        assert rightcall.calls([message])[-1]["args"] == '{"order_id": '
    assert rightcall.evaluate("trajectory", expected=[], actual=[message]).score == 0.0


def test_models_of_pydantic_may_hold_what_only_they_can_write() -> None:
    pydantic = pytest.importorskip("pydantic")
    call = pydantic.create_model("Call", name=(str, ...), args=(dict, ...))
    args = {"at": b"abc", "seen": {1}, "more": [{"path": {"a"}, 3: None}]}
    [read] = rightcall.calls([call(name="find", args=args)])
    # Values with a rule of their own keep it.
    assert read["args"] == {"at": "YWJj", "seen": [1], "more": [{"path": ["a"], "3": None}]}
    with pytest.raises(rightcall.CaseError, match="expected a list of calls, spans or messages"):
        rightcall.evaluate("trajectory", expected=[], actual=pydantic.create_model("Run", calls=(list, []))())
