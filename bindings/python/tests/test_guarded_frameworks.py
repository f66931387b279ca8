"""A guard in real agent frameworks, with a scripted model that makes a forbidden call: the tool does not run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rightcall import Guard

RULES: list[Any] = [
    {"call": "refund", "needs_before": "verify", "same": "order"},
    {"call": "refund", "at_most": 1, "same": "order", "why": "We pay once."},
    "send_email after refund",
]
#: The requests of the model, message by message; it repeats the second refund.
SCRIPT: list[list[tuple[str, dict[str, Any]]]] = [
    [("refund", {"order": 7})],
    [("verify", {"order": 7}), ("refund", {"order": 7})],
    [("refund", {"order": 7})],
    [("refund", {"order": 7})],
    [],
    [("send_email", {"to": "a"})],
    [],
]
TOO_EARLY = '`refund` may not be called now: it breaks the rule "verify before refund, same order".'
#: The calls that the tools recorded.
ran: list[tuple[str, Any]] = []


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    ran.clear()


def verify(order: int) -> dict[str, Any]:
    """Verifies an order."""
    ran.append(("verify", order))
    return {"ok": True}


def refund(order: int) -> str:
    """Refunds an order."""
    ran.append(("refund", order))
    return "paid"


def send_email(to: str) -> str:
    """Sends a mail."""
    ran.append(("send_email", to))
    return "sent"


def scripted(script: list[list[tuple[str, dict[str, Any]]]]) -> Any:
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class Scripted(BaseChatModel):
        said: int = 0

        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
            asked = script[min(self.said, len(script) - 1)]
            calls = [{"type": "tool_call", "name": name, "args": args, "id": f"c{self.said}.{at}"} for at, (name, args) in enumerate(asked)]
            self.said += 1
            return ChatResult(generations=[ChatGeneration(message=AIMessage(content="", id=f"m{self.said}", tool_calls=calls))])

    return Scripted()


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_tool_node_of_langgraph(is_async: bool) -> None:
    pytest.importorskip("langgraph.graph")
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    from rightcall.langgraph import guarded

    guard, model = Guard(RULES), scripted(SCRIPT)
    graph = StateGraph(MessagesState)
    graph.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([verify, refund, send_email], **guarded(guard)))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", tools_condition)
    graph.add_edge("tools", "agent")
    asked: Any = {"messages": [("user", "go")]}
    agent = graph.compile()
    state = await agent.ainvoke(asked) if is_async else agent.invoke(asked)
    # The second message requests both at once, so verify does not come before refund.
    assert ran == [("verify", 7), ("refund", 7)]
    tools = [message for message in state["messages"] if message.type == "tool"]
    assert [(it.name, it.status) for it in tools] == [("refund", "error"), ("verify", "success"), ("refund", "error"), ("refund", "success"), ("refund", "error")]
    assert tools[0].content == TOO_EARLY
    assert [it.rule for it in guard.open()] == ["send_email after refund"]
    assert guard.finish().passed is False


def test_a_call_that_waits_for_a_person_counts_once() -> None:
    pytest.importorskip("langgraph.graph")
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode
    from langgraph.types import Command, interrupt

    from rightcall.langgraph import guarded

    def pay(order: int) -> str:
        """Pays an order, if a person agrees."""
        answer: str = interrupt("may I pay?")
        ran.append(("pay", order))
        return answer

    guard, model = Guard([{"call": "pay", "at_most": 1}]), scripted([[("pay", {"order": 7})]])
    graph = StateGraph(MessagesState)
    graph.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([pay], **guarded(guard)))
    graph.add_edge(START, "agent")
    graph.add_edge("agent", "tools")
    agent, thread = graph.compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "1"}}
    asked: Any = {"messages": [("user", "go")]}
    assert "__interrupt__" in agent.invoke(asked, thread) and ran == []  # type: ignore[call-overload]
    state = agent.invoke(Command(resume="paid"), thread)  # type: ignore[call-overload]
    assert state["messages"][-1].content == "paid" and ran == [("pay", 7)]
    # The only call that the rule allows was made, so no other one may follow.
    assert guard.may("pay") and guard.finish().passed is True


def test_middleware_of_langchain() -> None:
    pytest.importorskip("langchain.agents")
    from langchain.agents import create_agent

    from rightcall.langgraph import GuardMiddleware

    guard = Guard(RULES, max_refusals=9)
    agent = create_agent(scripted(SCRIPT), [verify, refund, send_email], middleware=[GuardMiddleware(guard)])
    state = agent.invoke({"messages": [("user", "go")]})
    assert ran == [("verify", 7), ("refund", 7), ("send_email", "a")]
    reminders = [message.content for message in state["messages"] if message.type == "human"][1:]
    assert reminders == ['The rule "send_email after refund" does not hold yet.']
    assert guard.finish().passed is True


def test_middleware_ends_a_run_that_insists() -> None:
    pytest.importorskip("langchain.agents")
    from langchain.agents import create_agent

    from rightcall.langgraph import GuardMiddleware

    agent = create_agent(scripted([[("refund", {"order": 7})]]), [verify, refund], middleware=[GuardMiddleware(Guard(RULES))])
    state = agent.invoke({"messages": [("user", "go")]})
    assert ran == []
    assert state["messages"][-1].content.startswith("The run is stopped: `refund` was refused 3 times")


def openai_agent(guard: Guard, script: list[list[tuple[str, dict[str, Any]]]]) -> Any:
    agents = pytest.importorskip("agents")
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    from rightcall.openai_agents import guarded

    class Scripted(agents.Model):  # type: ignore[misc, name-defined]
        said = 0

        async def get_response(self, *_: Any, **__: Any) -> Any:
            calls = script[min(self.said, len(script) - 1)]
            self.said += 1
            output: list[Any] = [
                ResponseFunctionToolCall(type="function_call", name=name, arguments=json.dumps(args), call_id=f"c{self.said}.{at}")
                for at, (name, args) in enumerate(calls)
            ] or [
                ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[ResponseOutputText(type="output_text", text="done", annotations=[])])
            ]
            return agents.ModelResponse(output=output, usage=agents.Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    agents.set_tracing_disabled(True)
    tools = [agents.function_tool(it) for it in (verify, refund, send_email)]
    return agents.Agent(name="shop", model=Scripted(), tools=guarded(guard, tools))


async def test_guardrails_of_openai_agents() -> None:
    agents = pytest.importorskip("agents")
    guard = Guard(RULES)
    agent = openai_agent(guard, [SCRIPT[0], SCRIPT[1][:1], *SCRIPT[2:]])
    result = await agents.Runner.run(agent, "go")
    assert ran == [("verify", 7), ("refund", 7)]
    outputs = [item.output for item in result.new_items if item.type == "tool_call_output_item"]
    assert outputs[0] == TOO_EARLY and outputs[2] == "paid"
    assert "We pay once." in outputs[3]
    reminder = guard.reminder()
    assert reminder is not None
    await agents.Runner.run(agent, [*result.to_input_list(), {"role": "user", "content": reminder}])
    assert ran[-1] == ("send_email", "a")
    assert guard.finish().passed is True


async def test_a_stopped_run_of_openai_agents_ends() -> None:
    agents = pytest.importorskip("agents")
    agent = openai_agent(Guard(RULES), [[("refund", {"order": 7})]])
    with pytest.raises(agents.ToolInputGuardrailTripwireTriggered):
        await agents.Runner.run(agent, "go")
    assert ran == []


#: An MCP server with the official SDK; its tools record that they ran.
MCP_SERVER = '''
import sys
from pathlib import Path
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("shop")


def note(name):
    with Path(sys.argv[1]).open("a") as file:
        file.write(name + "\\n")


@server.tool()
def verify(order: int) -> dict[str, bool]:
    """Verifies an order."""
    note("verify")
    return {"ok": order == 7}


@server.tool()
def refund(order: int) -> str:
    """Refunds an order."""
    note("refund")
    return "paid"


@server.tool()
async def slow(ctx: Context) -> str:
    """Reports its progress, and writes a log."""
    await ctx.report_progress(1, 2)
    return "done"


server.run()
'''


async def test_a_proxy_between_client_and_server_of_the_mcp_sdk(tmp_path: Any) -> None:
    import os
    import sys

    mcp = pytest.importorskip("mcp")
    from mcp.client.stdio import stdio_client

    server, rules, notes = tmp_path / "server.py", tmp_path / "rules.yaml", tmp_path / "ran.txt"
    server.write_text(MCP_SERVER)
    rules.write_text(json.dumps([{"call": "refund", "needs_before": {"name": "verify", "output": {"ok": True}}, "same": "order"}]))
    command = ["-m", "rightcall", "guard", str(rules), "--", sys.executable, str(server), str(notes)]
    parameters = mcp.StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    progress: list[float] = []

    async def reports(done: float, total: float | None, message: str | None) -> None:
        progress.append(done)

    async with stdio_client(parameters) as (read, write), mcp.ClientSession(read, write) as session:
        await session.initialize()
        assert [tool.name for tool in (await session.list_tools()).tools] == ["verify", "refund", "slow"]
        refused = await session.call_tool("refund", {"order": 7})
        assert refused.model_dump(by_alias=True)["isError"] is True
        assert "may not be called now" in refused.content[0].text
        await session.call_tool("verify", {"order": 8})
        assert (await session.call_tool("refund", {"order": 8})).model_dump(by_alias=True)["isError"] is True
        await session.call_tool("verify", {"order": 7})
        assert (await session.call_tool("refund", {"order": 7})).content[0].text == "paid"
        await session.call_tool("slow", {}, progress_callback=reports)
    assert notes.read_text().split() == ["verify", "verify", "refund"]
    assert progress == [1]
