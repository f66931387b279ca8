"""A reward for the tool calls in an episode of OpenEnv.

    class OrderEnvironment(MCPEnvironment):
        rubric = rightcall.openenv.ToolCalls()

The metadata of an observation have `answer_calls`, the expected calls. Actions are tool calls, such as `CallToolAction`.
"""

from __future__ import annotations

import json
from typing import Any

from openenv.core.rubrics import ExponentialDiscountingTrajectoryRubric

from . import rewards

__all__ = ["ToolCalls"]


class ToolCalls(ExponentialDiscountingTrajectoryRubric):  # type: ignore[misc]
    """The reward of an episode, at its end. Each step earns the same.

    Args:
        expected: the key of the expected calls, or their JSON text, in the metadata of observations; the last counts. Without it, the
            reward is that of a step before the end.
        gamma: the discount for each step before the last.
        intermediate_reward: the reward of a step before the end.
        settings: the other settings of `rightcall.rewards.tool_calls`, such as `missing`.

    Raises:
        ArgumentError: as `rightcall.rewards.tool_calls`.
        ConfigError: as `rightcall.rewards.tool_calls`.
    """

    def __init__(
        self, expected: str = "answer_calls", *, gamma: float = 1.0, intermediate_reward: float = 0.0, **settings: Any
    ) -> None:
        super().__init__(gamma=gamma, intermediate_reward=intermediate_reward)
        self._expected = expected
        self._reward = rewards.tool_calls(expected=expected, **settings)

    def score_trajectory(self, trajectory: list[tuple[Any, Any]]) -> float:
        actions = [action for action, _ in trajectory if hasattr(action, "tool_name")]
        calls = [{"name": action.tool_name, "arguments": json.dumps(action.arguments)} for action in actions]
        message = {"role": "assistant", "tool_calls": [{"type": "function", "function": call} for call in calls]}
        known = [observation.metadata[self._expected] for _, observation in trajectory if self._expected in observation.metadata]
        [found] = self._reward(completions=[[message]], **{self._expected: [known[-1] if known else None]})
        return self.intermediate_reward if found is None else found
