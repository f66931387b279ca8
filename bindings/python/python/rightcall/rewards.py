"""Rewards for training models that call tools.

    >>> from rightcall.rewards import tool_calls
    >>> reward = tool_calls()
    >>> call = '<tool_call>{"name": "find_order", "arguments": {"id": 7}}</tool_call>'
    >>> reward(completions=[call, "I don't know."], answer_calls=[[{"name": "find_order", "args": {"id": 7}}]] * 2)
    [1.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from ._native import ToolCallReward
from ._types import EvaluatorLike
from .errors import ArgumentError, wrong_type

__all__ = ["ToolCalls", "tool_calls"]


class ToolCalls:
    """A reward function with TRL's signature: it takes lists and returns a list of the same length."""

    __name__ = "tool_calls"

    def __init__(self, reward: ToolCallReward, expected: str) -> None:
        self._reward = reward
        self._expected = expected

    def __call__(
        self, prompts: Sequence[Any] | None = None, completions: Sequence[Any] | None = None, **columns: Any
    ) -> list[float | None]:
        """The rewards of a batch.

        Args:
            prompts: ignored.
            completions: texts, or lists of messages.
            columns: the other columns of the batch, including the expected calls. `log_extra` and `log_metric` are called with the parts of
                the rewards.

        Returns:
            A reward for each completion; `None` if the row has no expectation.

        Raises:
            ArgumentError: a column is missing or has another length, or an expectation in it cannot be parsed.
        """
        if completions is None:
            raise ArgumentError("completions: expected a list, found none")
        expected = columns.get(self._expected)
        if expected is None:
            found = ", ".join(sorted(columns)) or "none"
            raise ArgumentError(f"expected a column `{self._expected}`, found {found}; name yours: tool_calls(expected=…)")
        log_extra, log_metric = columns.get("log_extra"), columns.get("log_metric")
        is_logged = log_extra is not None or log_metric is not None
        rewards, parts = self._reward.score(completions, expected, column=self._expected, with_parts=is_logged)
        if parts is not None:
            _log(parts, log_extra, log_metric)
        return rewards


def tool_calls(
    metric: Literal["credit"] | EvaluatorLike = "credit",
    expected: str = "answer_calls",
    weights: Mapping[str, float] | None = None,
    malformed: float = 0.0,
    missing: float = 0.0,
    tools: Sequence[Mapping[str, Any]] | None = None,
    *,
    turns: Literal["all", "last"] = "all",
    allow_gameable: bool = False,
    threads: int | None = None,
) -> ToolCalls:
    """A reward for the tool calls of completions, for TRL and other trainers.

    A right completion earns 1, any other one less: `malformed <= missing <= wrong <= right`.

    Args:
        metric: `"credit"`, or an evaluator that scores completions with calls.
        expected: the column with the expected calls of each row, in the format of `expected` in a case file or as its JSON text. Blocks and
            matchers are supported. A row with `None` is not scored.
        weights: for `"credit"`: weights that differ from `name` 0.2, `keys` 0.3, `values` 0.5, `order` 0.15, `extra` 0.5.
        malformed: the reward for a completion with a call that could not be parsed; at least -1.
        missing: the reward for a completion without calls if calls are expected.
        tools: tool definitions in OpenAI's format; they set the types of values if a notation writes values as text.
        turns: for messages: whether to score all of the model's turns or only the last one.
        allow_gameable: whether to allow metrics that a model can raise by making errors; `docs/rewards.md` lists them.
        threads: the number of threads (default: all processors). It does not affect the result.

    Raises:
        ArgumentError: a number is out of range or out of order, a weight is unknown, or errors can raise the metric.
        ConfigError: the evaluator or one of its settings is unknown.
    """
    if turns not in ("all", "last"):
        raise ArgumentError(f'turns: expected "all" or "last", found {turns!r}')
    if tools is not None and (isinstance(tools, (str, Mapping)) or not isinstance(tools, Iterable)):
        raise wrong_type("tools", "a list of tool definitions", tools)
    if weights is not None and not isinstance(weights, Mapping):
        raise wrong_type("weights", "a dict from the name of a part to its weight", weights)
    reward = ToolCallReward(
        metric=metric,
        weights=None if weights is None else list(weights.items()),
        malformed=malformed,
        missing=missing,
        tools=None if tools is None else list(tools),
        last_turn=turns == "last",
        allow_gameable=allow_gameable,
        threads=threads,
    )
    return ToolCalls(reward, expected)


def _log(
    parts: Mapping[str, list[float | None]],
    log_extra: Callable[[str, list[float | None]], Any] | None,
    log_metric: Callable[[str, float], Any] | None,
) -> None:
    for name, values in parts.items():
        if log_extra is not None:
            log_extra(name, values)
        known = [value for value in values if value is not None]
        if log_metric is not None and known:
            log_metric(f"tool_calls/{name}", sum(known) / len(known))
