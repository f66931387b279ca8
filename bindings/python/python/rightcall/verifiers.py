"""A reward for the tool calls in tasks of verifiers.

    class Order(vf.Task[OrderData]):
        tool_calls = rightcall.verifiers.tool_calls()

`OrderData` has a field `answer_calls` with the expected calls. The parts of the reward are metrics of the trace.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import verifiers.v1 as vf

from . import rewards

__all__ = ["tool_calls"]


def tool_calls(expected: str = "answer_calls", *, weight: float = 1.0, **settings: Any) -> Callable[..., Awaitable[dict[str, float]]]:
    """A method for a `Task` that rewards the calls which the model made in all turns.

    Args:
        expected: the field of the task's data with the expected calls, or their JSON text. `None` in it: no reward is recorded.
        weight: the weight of the reward among those of the task.
        settings: the other settings of `rightcall.rewards.tool_calls`, such as `malformed`.

    Raises:
        ArgumentError: as `rightcall.rewards.tool_calls`.
        ConfigError: as `rightcall.rewards.tool_calls`.
    """
    reward = rewards.tool_calls(expected=expected, **settings)

    async def tool_calls(self: Any, task: Any, trace: Any) -> dict[str, float]:
        def record(name: str, values: list[float | None]) -> None:
            if values[0] is not None:
                trace.record_metric(f"tool_calls/{name}", values[0])

        messages = [_message(message) for message in trace.assistant_messages]
        [found] = reward(completions=[messages], log_extra=record, **{expected: [getattr(task, expected)]})
        return {} if found is None else {"tool_calls": found}

    marked: Callable[..., Awaitable[dict[str, float]]] = vf.reward(tool_calls, weight=weight)
    return marked


def _message(message: Any) -> dict[str, Any]:
    calls = [{"type": "function", "function": {"name": call.name, "arguments": call.arguments}} for call in message.tool_calls or []]
    return {**message.model_dump(include={"role", "content", "reasoning_content"}), "tool_calls": calls}
