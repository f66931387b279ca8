"""Rules that are checked before each call of a running agent."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

from ._native import RunGuard, rules_of_file
from .errors import ArgumentError, ArgumentTypeError, RunStopped, UnsuitedType, wrong_type

if TYPE_CHECKING:
    from ._native import Evaluation
    from ._types import Path

Mode = Literal["block", "warn", "observe"]
Tool = TypeVar("Tool", bound=Callable[..., Any])
Verdict = Literal["satisfied", "satisfied_so_far", "open", "violated"]

_NOT_RECORDED: Any = object()
_step: ContextVar[str | None] = ContextVar("rightcall_step", default=None)


@dataclass(frozen=True)
class ArgumentViolation:
    """A part of a call's arguments that the schema of its tool forbids.

    Attributes:
        pointer: the JSON pointer within the arguments, empty for all of them.
        sentence: what is wrong: `arguments.amount is "7", the schema asks for a number`.
    """

    pointer: str
    sentence: str


@dataclass(frozen=True)
class Refusal:
    """A rule that forbids a call.

    Attributes:
        rule: its name, or its text.
        sentence: the message for the agent.
        calls: the indices of the calls to blame; the refused call has the index that it would have had.
        violated: whether the rule was already violated before.
        why: the reason for the rule, if it has one.
        violations: the arguments that the schema of the tool forbids, if the setting `schema` refused the call.
    """

    rule: str
    sentence: str
    calls: tuple[int, ...]
    violated: bool
    why: str | None = None
    violations: tuple[ArgumentViolation, ...] = ()


@dataclass(frozen=True)
class OpenRule:
    """A rule that is still open: some call must still happen.

    Attributes:
        rule: its name, or its text.
        sentence: the message for the agent.
        why: the reason for the rule, if it has one.
    """

    rule: str
    sentence: str
    why: str | None = None


@dataclass(frozen=True)
class Decision:
    """The decision of a guard about a call. It is true if the call is allowed.

    Attributes:
        call: the index of the call, for recording its result; `None` if it was refused.
        sentence: the message for the agent, or in `warn` mode for its operator; empty if no rule is broken.
        refusals: the rules that the call breaks.
        stopped: whether the run is stopped, which refuses every further call.
    """

    call: int | None
    sentence: str = ""
    refusals: tuple[Refusal, ...] = ()
    stopped: bool = False

    @property
    def allowed(self) -> bool:
        """True if the call may be made."""
        return self.call is not None

    def __bool__(self) -> bool:
        return self.call is not None


class Guard:
    """Decides before each call of a running agent whether it is allowed. It is thread-safe and can be pickled.

        >>> guard = Guard(["verify before refund"])
        >>> guard.admit("refund", {"order": 7}).sentence
        '`refund` may not be called now: it breaks the rule "verify before refund".'

    Args:
        rules: rules, or settings of the evaluator `constraints`; `Guard.from_file` reads them from a file. In addition to these settings,
            `expected` may list calls like the expectation of a case; `extra: "others"` then allows calls of other tools.
        mode: `"block"` refuses a forbidden call, `"warn"` allows it with a warning, `"observe"` allows it.
        max_refusals: after this many refusals of an equal call, the run is stopped: every further call is refused.
        on_decision: called with the tool's name, its arguments and the decision if a rule is broken.

    Raises:
        ConfigError: a rule is invalid; the error has its place.
    """

    def __init__(
        self,
        rules: Iterable[Any] | Mapping[str, Any],
        *,
        mode: Mode = "block",
        max_refusals: int = 3,
        on_decision: Callable[[str, Any, Decision], object] | None = None,
    ) -> None:
        if rules is None or isinstance(rules, (str, bytes)) or not isinstance(rules, Iterable):
            found = "a text" if isinstance(rules, str) else "None" if rules is None else f"an object of class {type(rules).__name__}"
            raise ArgumentTypeError(f"rules: expected a list of rules or settings of `constraints`, found {found}; write [\"verify before refund\"]")
        if type(max_refusals) is not int:
            raise wrong_type("max_refusals", "a whole number", max_refusals)
        if not 0 <= max_refusals < 1 << 32:
            raise ArgumentError(f"max_refusals: expected a whole number of 0 or more, found {max_refusals}")
        if not isinstance(mode, str):
            raise wrong_type("mode", "block, warn or observe", mode)
        given: Any = dict(rules) if isinstance(rules, Mapping) else list(rules)
        self._state = RunGuard(given, mode, max_refusals)
        self.on_decision = on_decision

    @classmethod
    def from_file(
        cls,
        path: Path,
        *,
        mode: Mode = "block",
        max_refusals: int = 3,
        on_decision: Callable[[str, Any, Decision], object] | None = None,
    ) -> Guard:
        """Creates a guard with the rules in a file: a list of rules, settings of `constraints`, or a suite.

        Raises:
            SuiteError: the file is invalid; the error has the place.
        """
        import json

        rules: Any = json.loads(rules_of_file(path))
        return cls(rules, mode=mode, max_refusals=max_refusals, on_decision=on_decision)

    @classmethod
    def restore(cls, snapshot: str) -> Guard:
        """Restores a guard from a snapshot, without `on_decision`."""
        if not isinstance(snapshot, str):
            raise wrong_type("snapshot", "the text of `Guard.snapshot`", snapshot)
        guard = cls.__new__(cls)
        guard._state = RunGuard.restore(snapshot)
        guard.on_decision = None
        return guard

    def snapshot(self) -> str:
        """The guard as JSON: its rules and the run so far."""
        return self._state.snapshot()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.snapshot(), self.on_decision)

    @property
    def mode(self) -> Mode:
        """How forbidden calls are handled."""
        return cast("Mode", self._state.mode)

    @property
    def stopped(self) -> str | None:
        """Why the run was stopped; `None` if it is not stopped."""
        return self._state.stopped

    def may(self, name: str, args: Any = None, *, group: str | None = None) -> tuple[Refusal, ...]:
        """The rules that this call would violate; empty if it is allowed. It is not recorded."""
        _check_call(name, group)
        return _refusals(self._state.may(name, args, group or _step.get()))

    def admit(self, name: str, args: Any = None, *, group: str | None = None) -> Decision:
        """Decides about a call before it is made. An allowed call becomes part of the run; a refused one does not.

        If only one of two parallel calls may be made, exactly one is allowed.

        Args:
            name: the tool.
            args: its arguments, a dict or the JSON text of one; `None` if unknown. A text that is no JSON is a call with invalid arguments,
                as a model may write it.
            group: an id shared by calls that were requested together, such as the id of the model's message.
        """
        _check_call(name, group)
        number, stopped, sentence, refusals = self._state.admit(name, args, group or _step.get())
        if refusals is None and not sentence:
            return Decision(number)
        decision = Decision(number, sentence, _refusals(refusals or []), stopped)
        if self.on_decision is not None:
            self.on_decision(name, args, decision)
        return decision

    def observe(self, name: str, args: Any = None, *, group: str | None = None) -> int:
        """Records a call without a decision; returns its index."""
        _check_call(name, group)
        return self._state.observe(name, args, group or _step.get())

    def result(self, call: int | Decision, output: Any = _NOT_RECORDED, *, failed: bool | None = None) -> None:
        """Records the result of a call, in any order, once for each call.

        Args:
            call: the decision that allowed it, or its index from `Decision.call` or `observe`.
            output: the return value of the tool; omit it if unknown.
            failed: whether the call failed; `None` if unknown.
        """
        index = call.call if isinstance(call, Decision) else call
        if index is None and isinstance(call, Decision):
            raise ArgumentError("call: expected a call that was made, found a refused one, which has no result")
        if not isinstance(index, int):
            raise wrong_type("call", "a decision or the index of a call", index)
        if index < 0:
            raise ArgumentError(f"call: expected the index of a call, found {index}")
        if failed is not None and not isinstance(failed, bool):
            raise wrong_type("failed", "True, False or None", failed)
        has_output = output is not _NOT_RECORDED
        self._state.result(index, output if has_output else None, has_output, failed)

    def verdicts(self) -> list[tuple[str, Verdict | None]]:
        """Each rule with its verdict; `None` if the verdict depends on data that were not recorded."""
        return cast("list[tuple[str, Verdict | None]]", self._state.verdicts())

    def next(self) -> list[dict[str, Any]]:
        """The calls that may come next, if the rules include `expected` calls. Each has a `name`, and `args` and `output` as in the
        expectation; bound variables are replaced by their values."""
        return self._state.next()

    def open(self) -> tuple[OpenRule, ...]:
        """The rules that are still open."""
        return tuple(OpenRule(it["rule"], it["sentence"], it.get("why")) for it in self._state.open())

    def reminder(self) -> str | None:
        """The message about open rules for an agent that wants to end. Only the first call returns it."""
        return self._state.reminder()

    def finish(self) -> Evaluation:
        """Ends the run; returns the evaluation by `constraints`."""
        return self._state.finish()

    @contextmanager
    def step(self, group: str) -> Iterator[None]:
        """Marks the calls inside as one group: the model requested them together."""
        token = _step.set(group)
        try:
            yield
        finally:
            _step.reset(token)

    @overload
    def tool(self, function: Tool, /) -> Tool: ...
    @overload
    def tool(self, *, name: str | None = None, ignore: Iterable[str] = ()) -> Callable[[Tool], Tool]: ...
    def tool(self, function: Any = None, *, name: str | None = None, ignore: Iterable[str] = ()) -> Any:
        """Wraps a tool, sync or async, so that it asks the guard first. Works as a decorator, with or without arguments.

        A refused call does not run the tool: its result is the message for the agent. The rules see the arguments that the tool runs with,
        default values included, except `self` and `cls` of methods and defaults that JSON cannot represent.

        Args:
            function: the tool.
            name: its name in the rules (default: the function's name).
            ignore: parameters that are not arguments of the call, such as a context.

        Raises:
            RunStopped: raised by the tool once the guard has stopped the run.
        """
        left_out = frozenset(ignore)
        if function is None:
            return lambda it: _guarded(self, it, name, left_out)
        return _guarded(self, function, name, left_out)

    def tools(self, table: Mapping[str, Tool], *, ignore: Iterable[str] = ()) -> dict[str, Tool]:
        """Wraps a dict of tools; the keys are their names. See `tool`."""
        if not isinstance(table, Mapping):
            raise ArgumentTypeError(
                f"table: expected a dict of tools by name, found an object of class {type(table).__name__}; "
                "for functions: guard.tools({tool.__name__: tool for tool in tools})"
            )
        left_out = frozenset(ignore)
        return {name: _guarded(self, function, name, left_out) for name, function in table.items()}


def _restored(cls: type[Guard], snapshot: str, on_decision: Any) -> Guard:
    guard = cls.restore(snapshot)
    guard.on_decision = on_decision
    return guard


def _refusals(read: list[dict[str, Any]]) -> tuple[Refusal, ...]:
    def refusal(it: dict[str, Any]) -> Refusal:
        violations = tuple(ArgumentViolation(**violation) for violation in it.get("violations", ()))
        return Refusal(it["rule"], it["sentence"], tuple(it["calls"]), it["violated"], it.get("why"), violations)

    return tuple(map(refusal, read))


def _check_call(name: object, group: object) -> None:
    if not isinstance(name, str):
        help = 'write guard.admit(call["name"], call["args"])' if isinstance(name, dict) else None
        raise wrong_type("name", "the name of a tool", name, help=help)
    if group is not None and not isinstance(group, str):
        raise wrong_type("group", "the text of an id", group)


def _guarded(guard: Guard, function: Any, name: str | None, left_out: frozenset[str]) -> Any:
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_guarded(guard, function.__func__, name, left_out))
    if not callable(function):
        raise wrong_type("function", "a tool, which is a function", function)
    called = name or getattr(function, "__name__", None)
    if called is None:
        raise ArgumentTypeError(
            f"function: expected a function with a name, found an object of class {type(function).__name__}",
            help='write guard.tool(name="refund")(function)',
        )
    parameters = _Parameters(function, left_out)

    def admitted(args: Any, kwargs: Any) -> Decision:
        decision = guard.admit(called, parameters.arguments(args, kwargs))
        if decision.stopped:
            raise RunStopped(decision.sentence)
        return decision

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def answer_later(*args: Any, **kwargs: Any) -> Any:
            decision = admitted(args, kwargs)
            if decision.call is None:
                return decision.sentence
            with _recording(guard, decision.call) as record:
                return record(await function(*args, **kwargs))

        return answer_later

    @functools.wraps(function)
    def answer(*args: Any, **kwargs: Any) -> Any:
        decision = admitted(args, kwargs)
        if decision.call is None:
            return decision.sentence
        with _recording(guard, decision.call) as record:
            return record(function(*args, **kwargs))

    return answer


class _Parameters:
    """The parameters of a tool that are arguments of its calls."""

    def __init__(self, function: Callable[..., Any], left_out: frozenset[str]) -> None:
        self._signature = inspect.signature(function)
        parameters = self._signature.parameters
        # The model does not choose the object of a method.
        self._left_out = left_out | ({"self", "cls"} & set(list(parameters)[:1]))
        given = {key: it.default for key, it in parameters.items() if it.default is not it.empty}
        self._defaults = {key: default for key, default in given.items() if key not in left_out and _is_json(default)}

    def arguments(self, args: Any, kwargs: Any) -> dict[str, Any]:
        """The arguments that the tool runs with, by parameter name, as in a model's request."""
        bound = self._signature.bind(*args, **kwargs).arguments
        named: dict[str, Any] = {}
        for key, parameter in self._signature.parameters.items():
            if key not in bound:
                if key in self._defaults:
                    named[key] = self._defaults[key]
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                named.update(bound[key])
            else:
                named[key] = list(bound[key]) if isinstance(bound[key], tuple) else bound[key]
        return {key: value for key, value in named.items() if key not in self._left_out}


def _is_json(value: Any) -> bool:
    """True if a value can be an argument of a call."""
    try:
        RunGuard([], "observe", 0).observe("", {"": value}, None)
    except UnsuitedType:
        return False
    return True


def record_result(guard: Guard, call: int, output: Any, *, failed: bool | None = None) -> None:
    """Records the result of a call. An output that JSON cannot represent is not recorded, so rules about it do not apply."""
    try:
        guard.result(call, output, failed=failed)
    except UnsuitedType:
        guard.result(call, failed=failed)


@contextmanager
def _recording(guard: Guard, call: int) -> Iterator[Callable[[Any], Any]]:
    """Records the return value or the failure of a call."""

    def record(output: Any) -> Any:
        record_result(guard, call, output, failed=False)
        return output

    try:
        yield record
    except (Exception, asyncio.CancelledError):
        guard.result(call, failed=True)
        raise
