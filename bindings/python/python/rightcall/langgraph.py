"""A guard in LangGraph and LangChain agents.

    from langgraph.prebuilt import ToolNode
    from rightcall import Guard
    from rightcall.langgraph import guarded

    guard = Guard.from_file("rules.yaml")
    tools = ToolNode([verify, refund], **guarded(guard))

or, for `langchain.agents.create_agent`, `middleware=[GuardMiddleware(guard)]`. The guard sees each request with its final arguments, and
with the id of the model's message as its group. A refused call becomes a tool message with the guard's message.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.errors import GraphBubbleUp

from ._guard import record_result

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from ._guard import Decision, Guard

__all__ = ["GuardMiddleware", "guarded"]


def guarded(guard: Guard) -> dict[str, Any]:
    """The arguments for `ToolNode` that make its tools ask a guard."""

    # Calls that wait for a person. LangGraph executes them again on resume, but they must count only once.
    paused: dict[str, int] = {}

    def admitted(request: Any) -> int | ToolMessage:
        call = paused.pop(request.tool_call["id"], None)
        if call is not None:
            return call
        decision = _decision(guard, request)
        return _refused(request, decision) if decision.call is None else decision.call

    @contextmanager
    def running(request: Any, call: int) -> Iterator[None]:
        try:
            yield
        except GraphBubbleUp:
            paused[request.tool_call["id"]] = call
            raise
        except (Exception, asyncio.CancelledError):
            guard.result(call, failed=True)
            raise

    def wrap(request: Any, execute: Callable[[Any], Any]) -> Any:
        call = admitted(request)
        if isinstance(call, ToolMessage):
            return call
        with running(request, call):
            answer = execute(request)
        return _recorded(guard, call, answer)

    async def wrap_later(request: Any, execute: Callable[[Any], Awaitable[Any]]) -> Any:
        call = admitted(request)
        if isinstance(call, ToolMessage):
            return call
        with running(request, call):
            answer = await execute(request)
        return _recorded(guard, call, answer)

    return {"wrap_tool_call": wrap, "awrap_tool_call": wrap_later}


def _decision(guard: Guard, request: Any) -> Decision:
    call = request.tool_call
    return guard.admit(call["name"], call["args"], group=_group(request.state, call["id"]))


def _group(state: Any, call: str | None) -> str | None:
    """Identifies the message with the call: by id, or by position."""
    messages = state if isinstance(state, list) else state.get("messages", []) if isinstance(state, dict) else getattr(state, "messages", [])
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, AIMessage) and any(it["id"] == call for it in message.tool_calls):
            return message.id or f"message {place}"
    return None


def _refused(request: Any, decision: Decision) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(content=decision.sentence, name=call["name"], tool_call_id=call["id"], status="error")


def _recorded(guard: Guard, call: int, answer: Any) -> Any:
    if isinstance(answer, ToolMessage):
        record_result(guard, call, _value(answer.content), failed=answer.status == "error")
    else:
        # A command updates the state; the tool's return value is unknown.
        guard.result(call, failed=False)
    return answer


def _value(content: Any) -> Any:
    """The object or list returned by a tool, which LangGraph has converted to text."""
    if isinstance(content, str) and content.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(content)
        except ValueError:
            return content
    return content


try:
    from langchain.agents.middleware import AgentMiddleware, hook_config
except ImportError:
    pass
else:

    class GuardMiddleware(AgentMiddleware):
        """Makes an agent's tools ask a guard, returns a reminder of open rules once, and ends a stopped run.

        Args:
            guard: the guard.
        """

        def __init__(self, guard: Guard) -> None:
            super().__init__()
            self.guard = guard
            wraps = guarded(guard)
            self._wrap, self._wrap_later = wraps["wrap_tool_call"], wraps["awrap_tool_call"]

        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            """Asks the guard before a call."""
            return self._wrap(request, handler)

        async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
            """Asks the guard before a call."""
            return await self._wrap_later(request, handler)

        @hook_config(can_jump_to=["end"])
        def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
            """Ends a stopped run."""
            if self.guard.stopped is None:
                return None
            return {"messages": [AIMessage(content=self.guard.stopped)], "jump_to": "end"}

        @hook_config(can_jump_to=["model"])
        def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
            """Reminds the agent of open rules, once."""
            if state["messages"][-1].tool_calls:
                return None
            reminder = self.guard.reminder()
            if reminder is None:
                return None
            return {"messages": [HumanMessage(content=reminder)], "jump_to": "model"}
