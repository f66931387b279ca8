"""agentevals' evaluators of trajectories, with the numbers of the *package* `agentevals` 0.0.9; there is no document.

    from rightcall.compat.agentevals import create_trajectory_match_evaluator

instead of `agentevals.trajectory.match`, and `trajectory_strict_match` and similar functions instead of `agentevals.trajectory.strict` and
similar modules. They are LangSmith evaluators as well, and report feedback to LangSmith's test runs. The original's `comment` is empty;
after `rightcall.set_edition("documented")` it says why two trajectories do not match.

NaN and values that JSON cannot represent are compared in Python, by the package if it is installed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal
from warnings import warn

from .. import _native
from ..errors import RightcallError

__all__ = [
    "create_async_trajectory_match_evaluator",
    "create_trajectory_match_evaluator",
    "trajectory_strict_match",
    "trajectory_strict_match_async",
    "trajectory_subset",
    "trajectory_subset_async",
    "trajectory_superset",
    "trajectory_superset_async",
    "trajectory_unordered_match",
    "trajectory_unordered_match_async",
]

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
    """Creates a function that checks whether two trajectories match.

    Args:
        trajectory_match_mode: `strict` (the same messages in order), `unordered`, `subset` (no call that is not in the reference) or
            `superset` (all calls of the reference).
        tool_args_match_mode: how arguments are compared.
        tool_args_match_overrides: by tool name: another mode, the paths of the arguments to compare, or a function of two dicts of
            arguments.

    Returns:
        A function of `outputs` and `reference_outputs`, each messages or a dict with `messages`, to a dict with `key`, `score`,
        `comment` and `metadata`.

    Raises:
        ValueError: a mode is unknown.
    """
    for mode, modes, what in (
        (trajectory_match_mode, ("strict", "unordered", "subset", "superset"), "trajectory match type"),
        (tool_args_match_mode, ("exact", "ignore", "subset", "superset"), "tool args match mode"),
    ):
        if mode not in modes:
            raise ValueError(f"Invalid {what}: `{mode}`. Must be one of {', '.join(f'`{known}`' for known in modes)}.")
    judge = _Judge(trajectory_match_mode, tool_args_match_mode, tool_args_match_overrides)
    recorded = {"tool_args_match_mode": tool_args_match_mode, "tool_args_match_overrides": tool_args_match_overrides}
    return _evaluator(f"trajectory_{trajectory_match_mode}_match", judge, recorded)


def create_async_trajectory_match_evaluator(
    *,
    trajectory_match_mode: TrajectoryMatchMode = "strict",
    tool_args_match_mode: ToolArgsMatchMode = "exact",
    tool_args_match_overrides: ToolArgsMatchOverrides | None = None,
) -> Callable[..., Any]:
    """The async version of `create_trajectory_match_evaluator`."""
    return _awaited(
        create_trajectory_match_evaluator(
            trajectory_match_mode=trajectory_match_mode,
            tool_args_match_mode=tool_args_match_mode,
            tool_args_match_overrides=tool_args_match_overrides,
        )
    )


def _awaited(judge: Callable[..., dict[str, Any]]) -> Callable[..., Any]:
    async def _wrapped_evaluator(*, outputs: Any, reference_outputs: Any, **more: Any) -> dict[str, Any]:
        return judge(outputs=outputs, reference_outputs=reference_outputs, **more)

    return _wrapped_evaluator


def _evaluator(key: str, judge: _Judge, recorded: dict[str, Any], *, as_given: bool = False) -> Callable[..., dict[str, Any]]:
    """The judging function. LangSmith records these settings, and the messages or values passed to it."""

    def _wrapped_evaluator(*, outputs: Any, reference_outputs: Any, **more: Any) -> dict[str, Any]:
        actual, expected = _messages(outputs), _messages(reference_outputs)
        if _is_recorded():
            from openevals.utils import _run_evaluator

            result: dict[str, Any] = _run_evaluator(
                run_name=key,
                scorer=lambda **_: judge.score(actual, expected),
                feedback_key=key,
                ls_framework="agentevals",
                outputs=outputs if as_given else actual,
                reference_outputs=reference_outputs if as_given else expected,
                **recorded,
                **more,
            )
        else:
            result = {"key": key, "score": judge.score(actual, expected), "comment": None, "metadata": None}
        if not result["score"] and _native.edition() == "documented":
            result["comment"] = judge.why(actual, expected)
        return result

    return _wrapped_evaluator


def _is_recorded() -> bool:
    """True if LangSmith records evaluators: in its test runs, and while tracing."""
    if "langsmith" not in sys.modules:
        return False
    try:
        import openevals.utils
        from langsmith.utils import tracing_is_enabled
    except ImportError:
        return False
    return bool(openevals.utils._TEST_CASE.get()) or bool(tracing_is_enabled())


class _Judge:
    """Checks whether trajectories match."""

    def __init__(
        self, mode: TrajectoryMatchMode, args_mode: ToolArgsMatchMode, overrides: ToolArgsMatchOverrides | None
    ) -> None:
        self.settings: dict[str, Any] = {
            "trajectory_match_mode": mode,
            "tool_args_match_mode": args_mode,
            "tool_args_match_overrides": overrides,
        }
        functions = [name for name, rule in (overrides or {}).items() if callable(rule)]
        self.has_functions = bool(functions)
        rules = {name: rule for name, rule in (overrides or {}).items() if name not in functions}
        try:
            self.native: _native.Native | None = _native.Evaluator.from_config(
                _ID, {**self.settings, "tool_args_match_overrides": rules or None}, edition="package"
            )
        except (RightcallError, TypeError):
            # The original fails only when it meets a call of the tool, so do not raise an error here.
            self.native = None

    def score(self, actual: list[Any], expected: list[Any]) -> bool:
        # Only LangChain can interpret content blocks.
        has_blocks = any(isinstance(message.get("content"), list) for message in (*actual, *expected))
        package = _package() if has_blocks else None
        reason: str | None = "the overrides are none that a tool can be compared by"
        if self.native is not None and package is None:
            try:
                result, _passed, outcome, reason = self.native.result_exact(expected, actual)
            except TypeError as error:
                reason = str(error)
            else:
                if result is not None and not self.has_functions:
                    return bool(result["score"])
                if result is not None:
                    from ._matchers import judge

                    mode, args_mode, overrides = self.settings.values()
                    return judge(mode, args_mode, overrides, actual, expected)
                reason = reason or outcome
        package = package or _package()
        if package is None:
            raise ValueError(reason)
        scorer = getattr(package, f"trajectory_{self.settings['trajectory_match_mode']}_scorer")
        messages = package._normalize_to_openai_messages_list
        rules = {key: self.settings[key] for key in ("tool_args_match_mode", "tool_args_match_overrides")}
        return scorer(outputs=messages(actual), reference_outputs=messages(expected), **rules)  # type: ignore[no-any-return]

    def why(self, actual: list[Any], expected: list[Any]) -> str:
        """The differences between two trajectories, in a sentence."""
        from ._matchers import calls_of

        if self.native is None:
            return "the trajectories do not match"
        called = [name for name, _ in calls_of(actual)]
        wanted = [name for name, _ in calls_of(expected)]
        alignment = self.native.alignment(expected, actual)
        if alignment is not None and not (alignment["pairs"] or alignment["missed"] or alignment["extra"]):
            # A strict comparison stops at the first different message. Comparing the calls alone may show more.
            unordered = _native.Evaluator.from_config(_ID, {"trajectory_match_mode": "unordered"})
            alignment = unordered.alignment(expected, actual)
        if alignment is None:
            return "the trajectories do not match"
        parts = []
        in_pairs = [pair for pair in alignment["pairs"] if pair["differences"]]
        for pair in in_pairs:
            places = ", ".join(difference["pointer"] or "/" for difference in pair["differences"])
            parts.append(f"call {pair['actual']} ({called[pair['actual']]}) has other arguments at {places}")
        for key, side, names, what in (
            ("missed", "expected", wanted, "missed"),
            ("extra", "actual", called, "not expected"),
        ):
            paired = {pair[side] for pair in in_pairs}
            found = [names[index] for index in alignment[key] if index not in paired]
            if found:
                parts.append(f"{what}: {', '.join(found)}")
        return "; ".join(parts) or "the same calls, but not message by message"


def _package() -> Any:
    """The package's module, if it is installed."""
    try:
        from agentevals.trajectory import match
    except ImportError:
        return None
    return match


def _messages(given: Any) -> list[Any]:
    """The messages as dicts. LangChain messages are converted to OpenAI's format by LangChain."""
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
    return [message if isinstance(message, dict) else _message(message) for message in messages]


def _message(message: Any) -> dict[str, Any]:
    if "langchain_core.messages" in sys.modules:
        from langchain_core.messages import BaseMessage, convert_to_openai_messages

        if isinstance(message, BaseMessage):
            return convert_to_openai_messages([message])[0]  # type: ignore[no-any-return, unused-ignore]
    return dict(message)


_LATER: dict[str, TrajectoryMatchMode] = {
    "trajectory_strict_match": "strict",
    "trajectory_unordered_match": "unordered",
    "trajectory_subset": "subset",
    "trajectory_superset": "superset",
}


def _older(name: str, args_mode: ToolArgsMatchMode, is_async: bool = False) -> Callable[..., dict[str, Any]]:
    create = f"create_{'async_' if is_async else ''}trajectory_match_evaluator"
    instead = f"{create}(trajectory_match_mode='{_LATER[name]}')"
    warn(f"{name}{'_async' if is_async else ''}() is deprecated. Use {instead} instead.", DeprecationWarning, stacklevel=3)
    judge = _Judge(_LATER[name], args_mode, None)
    if name != "trajectory_strict_match":
        return _evaluator(name, judge, {"tool_args_match_mode": args_mode})
    return _evaluator(name, judge, {"tool_call_args_exact_match": args_mode == "exact"} if is_async else {}, as_given=True)


def trajectory_strict_match(
    *, outputs: Any, reference_outputs: Any, tool_call_args_exact_match: bool = True, **more: Any
) -> dict[str, Any]:
    """True if the messages are the same in order. Deprecated as in agentevals: use `create_trajectory_match_evaluator`."""
    judge = _older("trajectory_strict_match", "exact" if tool_call_args_exact_match else "ignore")
    return judge(outputs=outputs, reference_outputs=reference_outputs, **more)


def trajectory_unordered_match(*, outputs: Any, reference_outputs: Any, **more: Any) -> dict[str, Any]:
    """True if the same tools were called, in any order and with any arguments. Deprecated as in agentevals."""
    judge = _older("trajectory_unordered_match", "ignore")
    return judge(outputs=outputs, reference_outputs=reference_outputs, **more)


def trajectory_subset(*, outputs: Any, reference_outputs: Any, **more: Any) -> dict[str, Any]:
    """True if every called tool is in the reference. Deprecated as in agentevals."""
    judge = _older("trajectory_subset", "ignore")
    return judge(outputs=outputs, reference_outputs=reference_outputs, **more)


def trajectory_superset(*, outputs: Any, reference_outputs: Any, **more: Any) -> dict[str, Any]:
    """True if all tools in the reference were called. Deprecated as in agentevals."""
    judge = _older("trajectory_superset", "ignore")
    return judge(outputs=outputs, reference_outputs=reference_outputs, **more)


async def trajectory_strict_match_async(
    *, outputs: Any, reference_outputs: Any, tool_call_args_exact_match: bool = True, **more: Any
) -> dict[str, Any]:
    """The async version of `trajectory_strict_match`."""
    judge = _older("trajectory_strict_match", "exact" if tool_call_args_exact_match else "ignore", is_async=True)
    return judge(outputs=outputs, reference_outputs=reference_outputs, **more)


async def trajectory_unordered_match_async(*, outputs: Any, reference_outputs: Any, **more: Any) -> dict[str, Any]:
    """The async version of `trajectory_unordered_match`."""
    judge = _older("trajectory_unordered_match", "ignore", is_async=True)
    return judge(outputs=outputs, reference_outputs=reference_outputs, **more)


async def trajectory_subset_async(*, outputs: Any, reference_outputs: Any, **more: Any) -> dict[str, Any]:
    """The async version of `trajectory_subset`."""
    judge = _older("trajectory_subset", "ignore", is_async=True)
    return judge(outputs=outputs, reference_outputs=reference_outputs, **more)


async def trajectory_superset_async(*, outputs: Any, reference_outputs: Any, **more: Any) -> dict[str, Any]:
    """The async version of `trajectory_superset`."""
    judge = _older("trajectory_superset", "ignore", is_async=True)
    return judge(outputs=outputs, reference_outputs=reference_outputs, **more)
