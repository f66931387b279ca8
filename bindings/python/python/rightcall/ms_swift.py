"""A reward for the tool calls in GRPO of ms-swift.

    # plugin.py, for `swift rlhf --rlhf_type grpo --external_plugins plugin.py --reward_funcs tool_calls`
    from rightcall import ms_swift
    from swift.rewards import orms

    orms["tool_calls"] = ms_swift.tool_calls()

The data set has a column `answer_calls` with the expected calls. ms-swift passes the text of the last message.
"""

from __future__ import annotations

from typing import Any

from swift.rewards import ORM

from . import rewards

__all__ = ["tool_calls"]


def tool_calls(expected: str = "answer_calls", **settings: Any) -> type[ORM]:
    """A class for `orms` that rewards the calls which the model made.

    Args:
        expected: the column with the expected calls, or their JSON text. `None` in it: the row has no reward.
        settings: the other settings of `rightcall.rewards.tool_calls`, such as `malformed`.

    Raises:
        ArgumentError: as `rightcall.rewards.tool_calls`.
        ConfigError: as `rightcall.rewards.tool_calls`.
    """
    reward = rewards.tool_calls(expected=expected, **settings)

    class ToolCalls(ORM):  # type: ignore[misc]
        def __call__(self, completions: list[Any], **columns: Any) -> list[float | None]:
            return reward(completions=completions, **columns)

    return ToolCalls
