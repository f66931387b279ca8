"""A guard in the OpenAI Agents SDK, as guardrails of its tools.

    from agents import Agent
    from rightcall import Guard
    from rightcall.openai_agents import guarded

    guard = Guard.from_file("rules.yaml")
    agent = Agent(name="shop", tools=guarded(guard, [verify, refund]))

A refused call is a tool result with the sentence for the agent. A stopped run ends with the SDK's `ToolInputGuardrailTripwireTriggered`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from agents import ToolGuardrailFunctionOutput, ToolInputGuardrail, ToolOutputGuardrail

from ._guard import record_result

if TYPE_CHECKING:
    from ._guard import Guard

__all__ = ["guarded"]


def guarded(guard: Guard, tools: Iterable[Any]) -> list[Any]:
    """Copies of function tools that ask a guard before each call.

    The SDK gives a guardrail neither the model's message nor whether the tool failed. So each call is a step of its own, and rules with
    `failed` treat that as not recorded.

    Args:
        guard: the guard.
        tools: tools created by `function_tool`; others are returned unchanged.
    """
    running: dict[str, int] = {}

    def before(data: Any) -> ToolGuardrailFunctionOutput:
        context = data.context
        decision = guard.admit(context.tool_name, context.tool_arguments)
        if decision.stopped:
            return ToolGuardrailFunctionOutput.raise_exception(decision.sentence)
        if decision.call is None:
            return ToolGuardrailFunctionOutput.reject_content(decision.sentence)
        running[context.tool_call_id] = decision.call
        return ToolGuardrailFunctionOutput.allow()

    def after(data: Any) -> ToolGuardrailFunctionOutput:
        call = running.pop(data.context.tool_call_id, None)
        if call is not None:
            record_result(guard, call, data.output)
        return ToolGuardrailFunctionOutput.allow()

    return [_guarded(tool, before, after) if hasattr(tool, "tool_input_guardrails") else tool for tool in tools]


def _guarded(tool: Any, before: Any, after: Any) -> Any:
    return dataclasses.replace(
        tool,
        # Last, so that no other guardrail can refuse a call that the guard has counted.
        tool_input_guardrails=[*(tool.tool_input_guardrails or []), ToolInputGuardrail(before, name="rightcall")],
        # First, so that it sees the tool's return value before other guardrails change it.
        tool_output_guardrails=[ToolOutputGuardrail(after, name="rightcall"), *(tool.tool_output_guardrails or [])],
    )
