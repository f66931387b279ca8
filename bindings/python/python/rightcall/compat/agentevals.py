"""agentevals' `create_trajectory_match_evaluator`.

    from rightcall.compat.agentevals import create_trajectory_match_evaluator

in place of `agentevals.trajectory.match`. What it makes is a LangSmith evaluator as well. Where two trajectories do not match, the
result says why in `comment`, which the original leaves empty; under the edition `package` it is empty here too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from .. import _native

__all__ = ["create_async_trajectory_match_evaluator", "create_trajectory_match_evaluator"]

TrajectoryMatchMode = Literal["strict", "unordered", "subset", "superset"]
ToolArgsMatchMode = Literal["exact", "ignore", "subset", "superset"]
Matcher = Callable[[dict[str, Any], dict[str, Any]], bool]
ToolArgsMatchOverrides = dict[str, ToolArgsMatchMode | list[str] | Matcher]

_ID = "agentevals/trajectory-match"


def create_trajectory_match_evaluator(
    *,
    trajectory_match_mode: TrajectoryMatchMode = "strict",
    tool_args_match_mode: ToolArgsMatchMode = "exact",
    tool_args_match_overrides: ToolArgsMatchOverrides | None = None,
) -> Callable[..., dict[str, Any]]:
    """A function that says whether two trajectories match.

    Args:
        trajectory_match_mode: `strict` (the same messages in order), `unordered`, `subset` (nothing was called that is not in the
            reference) or `superset` (all that is in the reference was called).
        tool_args_match_mode: how arguments are compared.
        tool_args_match_overrides: by the name of a tool: another mode, the paths of the arguments that count, or a function of two
            dicts of arguments.

    Returns:
        A function of `outputs` and `reference_outputs`, each messages or a dict with `messages`, to a dict with `key`, `score`,
        `comment` and `metadata`.

    Raises:
        ValueError: a mode is unknown.
    """
    overrides = tool_args_match_overrides or {}
    matchers = {name: matcher for name, matcher in overrides.items() if callable(matcher)}
    config: dict[str, Any] = {
        "trajectory_match_mode": trajectory_match_mode,
        "tool_args_match_mode": tool_args_match_mode,
        "tool_args_match_overrides": {name: rule for name, rule in overrides.items() if name not in matchers} or None,
    }
    native = _native.Evaluator.from_config(_ID, config, edition="package")

    def evaluator(*, outputs: Any, reference_outputs: Any, **_: Any) -> dict[str, Any]:
        actual, expected = _messages(outputs), _messages(reference_outputs)
        if matchers:
            from ._matchers import judge

            score = judge(trajectory_match_mode, tool_args_match_mode, overrides, actual, expected)
            result: dict[str, Any] = {"key": f"trajectory_{trajectory_match_mode}_match", "score": score}
            result |= {"comment": None, "metadata": None}
        else:
            result, _passed, outcome, reason = native.result(expected, actual)
            if result is None:
                raise ValueError(reason or outcome)
        if not result["score"] and _native.edition() != "package":
            result["comment"] = _why(native, actual, expected)
        return result

    return evaluator


def create_async_trajectory_match_evaluator(
    *,
    trajectory_match_mode: TrajectoryMatchMode = "strict",
    tool_args_match_mode: ToolArgsMatchMode = "exact",
    tool_args_match_overrides: ToolArgsMatchOverrides | None = None,
) -> Callable[..., Any]:
    """The same as `create_trajectory_match_evaluator`, for whoever awaits it."""
    judge = create_trajectory_match_evaluator(
        trajectory_match_mode=trajectory_match_mode,
        tool_args_match_mode=tool_args_match_mode,
        tool_args_match_overrides=tool_args_match_overrides,
    )

    async def evaluator(*, outputs: Any, reference_outputs: Any, **more: Any) -> dict[str, Any]:
        return judge(outputs=outputs, reference_outputs=reference_outputs, **more)

    return evaluator


def _messages(given: Any) -> list[Any]:
    """The messages, each a dict; those of LangChain say the same in a dict."""
    if given is None:
        return []
    if isinstance(given, dict):
        if "role" in given:
            given = [given]
        elif "messages" in given:
            given = given["messages"]
        else:
            raise ValueError("if messages is a dict, it must contain a 'messages' key")
    messages = given if isinstance(given, list) else [given]
    return [message.model_dump() if hasattr(message, "model_dump") else message for message in messages]


def _why(native: _native.Native, actual: list[Any], expected: list[Any]) -> str:
    """What stands between two trajectories, in a sentence."""
    from ._matchers import calls_of

    called = [name for name, _ in calls_of(actual)]
    wanted = [name for name, _ in calls_of(expected)]
    alignment = native.alignment(expected, actual)
    if alignment is not None and not (alignment["pairs"] or alignment["missed"] or alignment["extra"]):
        # A strict comparison ends at the first difference of the messages; the calls alone may tell more.
        unordered = _native.Evaluator.from_config(_ID, {"trajectory_match_mode": "unordered"})
        alignment = unordered.alignment(expected, actual)
    if alignment is None:
        return "the trajectories do not match"
    parts = []
    in_pairs = [pair for pair in alignment["pairs"] if pair["differences"]]
    for pair in in_pairs:
        places = ", ".join(difference["pointer"] or "/" for difference in pair["differences"])
        parts.append(f"call {pair['actual']} ({called[pair['actual']]}) has other arguments at {places}")
    for key, side, names, what in (("missed", "expected", wanted, "missed"), ("extra", "actual", called, "not expected")):
        paired = {pair[side] for pair in in_pairs}
        found = [names[index] for index in alignment[key] if index not in paired]
        if found:
            parts.append(f"{what}: {', '.join(found)}")
    return "; ".join(parts) or "the same calls, but not message by message"
