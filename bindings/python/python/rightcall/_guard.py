"""Rules before the call: a guard decides about each call of a running agent."""

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
from .errors import RunStopped, UnsuitedType

if TYPE_CHECKING:
    from ._native import Evaluation
    from ._types import Path

Mode = Literal["block", "warn", "observe"]
Tool = TypeVar("Tool", bound=Callable[..., Any])
Verdict = Literal["satisfied", "satisfied_so_far", "open", "violated"]

_NOT_RECORDED: Any = object()
_step: ContextVar[str | None] = ContextVar("rightcall_step", default=None)


@dataclass(frozen=True)
class Refusal:
    """A rule that forbids a call.

    Attributes:
        rule: its name, or its sentence.
        sentence: what to tell the agent.
        calls: the numbers of the calls to blame; the refused call has the number that it would have got.
        violated: whether the rule was broken before.
        why: why the rule exists, if it says so.
    """

    rule: str
    sentence: str
    calls: tuple[int, ...]
    violated: bool
    why: str | None = None


@dataclass(frozen=True)
class OpenRule:
    """A rule that does not hold yet: what must still happen.

    Attributes:
        rule: its name, or its sentence.
        sentence: what to tell the agent.
        why: why the rule exists, if it says so.
    """

    rule: str
    sentence: str
    why: str | None = None


@dataclass(frozen=True)
class Decision:
    """What a guard says to a call. It is true if the call is allowed.

    Attributes:
        call: the number of the call, under which its result is recorded; `None` if it was refused.
        sentence: what to tell the agent, or in the mode `warn` its operator; empty if no rule is broken.
        refusals: the rules that the call breaks.
        stopped: whether the run is stopped, so that no further call is allowed.
    """

    call: int | None
    sentence: str = ""
    refusals: tuple[Refusal, ...] = ()
    stopped: bool = False

    @property
    def allowed(self) -> bool:
        """Whether the call may be made."""
        return self.call is not None

    def __bool__(self) -> bool:
        return self.call is not None


class Guard:
    """Decides before each call of a running agent whether it may be made. Threads may share it, and it can be pickled.

        >>> guard = Guard(["verify before refund"])
        >>> guard.admit("refund", {"order": 7}).sentence
        '`refund` may not be called now: it breaks the rule "verify before refund".'

    Args:
        rules: rules, or the settings of the evaluator `constraints`; `Guard.from_file` reads them from a file. Next to these settings,
            `expected` holds calls as the expectation of a case does; `extra: "others"` allows calls of tools that it does not name.
        mode: `"block"` refuses a forbidden call, `"warn"` lets it pass and says so, `"observe"` lets it pass.
        max_refusals: after this many refusals of an equal call the run is stopped: every further call is refused.
        on_decision: called with the name of the tool, its arguments and the decision, if a rule is broken.

    Raises:
        ConfigError: a rule is none, with its place.
    """

    def __init__(
        self,
        rules: Iterable[Any] | Mapping[str, Any],
        *,
        mode: Mode = "block",
        max_refusals: int = 3,
        on_decision: Callable[[str, Any, Decision], object] | None = None,
    ) -> None:
        given: Any = dict(rules) if isinstance(rules, Mapping) else rules if isinstance(rules, str) else list(rules)
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
        """A guard for the rules in a file: a list of rules, settings of `constraints`, or a suite.

        Raises:
            SuiteError: what is wrong with the file, and where.
        """
        rules: Any = rules_of_file(path)
        return cls(rules, mode=mode, max_refusals=max_refusals, on_decision=on_decision)

    @classmethod
    def restore(cls, snapshot: str) -> Guard:
        """The guard that a snapshot was taken of, without `on_decision`."""
        guard = cls.__new__(cls)
        guard._state = RunGuard.restore(snapshot)
        guard.on_decision = None
        return guard

    def snapshot(self) -> str:
        """The guard as JSON: its rules, and the run so far."""
        return self._state.snapshot()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.snapshot(), self.on_decision)

    @property
    def mode(self) -> Mode:
        """What happens to forbidden calls."""
        return cast("Mode", self._state.mode)

    @property
    def stopped(self) -> str | None:
        """Why the run was stopped; `None` while it goes on."""
        return self._state.stopped

    def may(self, name: str, args: Any = None, *, group: str | None = None) -> tuple[Refusal, ...]:
        """The rules that a next call would violate; none if it may be made. Nothing is recorded."""
        return _refusals(self._state.may(name, args, group or _step.get()))

    def admit(self, name: str, args: Any = None, *, group: str | None = None) -> Decision:
        """Decides about a call that is about to be made. An allowed call is part of the run from here on; a refused one is not.

        Of two parallel calls that are allowed one at a time, exactly one is allowed.

        Args:
            name: the tool.
            args: its arguments, a dict or a JSON text; `None` if they are not known.
            group: what calls that were requested together share, such as the id of the model's message.
        """
        number, stopped, sentence, refusals = self._state.admit(name, args, group or _step.get())
        if refusals is None and not sentence:
            return Decision(number)
        decision = Decision(number, sentence, _refusals(refusals or []), stopped)
        if self.on_decision is not None:
            self.on_decision(name, args, decision)
        return decision

    def observe(self, name: str, args: Any = None, *, group: str | None = None) -> int:
        """Adds a call that is made anyway; its number."""
        return self._state.observe(name, args, group or _step.get())

    def result(self, call: int, output: Any = _NOT_RECORDED, *, failed: bool | None = None) -> None:
        """Records what came of a call, in any order, once per call.

        Args:
            call: its number, from `Decision.call` or `observe`.
            output: what the tool returned; leave it out if it is not known.
            failed: whether the call failed; `None` if it is not known.
        """
        has_output = output is not _NOT_RECORDED
        self._state.result(call, output if has_output else None, has_output, failed)

    def verdicts(self) -> list[tuple[str, Verdict | None]]:
        """Each rule and its verdict; `None` if that depends on what was not recorded."""
        return cast("list[tuple[str, Verdict | None]]", self._state.verdicts())

    def next(self) -> list[dict[str, Any]]:
        """The calls that may be made next, if the rules hold `expected` calls: each with `name`, and `args` and `output` as they are written
        there. Variables that are bound have their values."""
        return self._state.next()

    def open(self) -> tuple[OpenRule, ...]:
        """What must still happen."""
        return tuple(OpenRule(it["rule"], it["sentence"], it.get("why")) for it in self._state.open())

    def reminder(self) -> str | None:
        """What to tell an agent that wants to end: what must still happen. The first call alone returns it."""
        return self._state.reminder()

    def finish(self) -> Evaluation:
        """Ends the run: what the evaluator `constraints` makes of it."""
        return self._state.finish()

    @contextmanager
    def step(self, group: str) -> Iterator[None]:
        """Calls inside are of this group: the model requested them together."""
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
        """Wraps a tool, sync or async, so that it asks the guard first. A decorator, with or without arguments.

        A refused call does not run the tool: its result is the sentence for the agent.

        Args:
            function: the tool.
            name: its name in the rules; that of the function unless given.
            ignore: parameters that are no arguments of the call, such as a context.

        Raises:
            RunStopped: by the tool, once the guard has stopped the run.
        """
        left_out = frozenset(ignore)
        if function is None:
            return lambda it: _guarded(self, it, name, left_out)
        return _guarded(self, function, name, left_out)

    def tools(self, table: Mapping[str, Tool], *, ignore: Iterable[str] = ()) -> dict[str, Tool]:
        """Wraps the tools of a table, each under its key; see `tool`."""
        left_out = frozenset(ignore)
        return {name: _guarded(self, function, name, left_out) for name, function in table.items()}


def _restored(cls: type[Guard], snapshot: str, on_decision: Any) -> Guard:
    guard = cls.restore(snapshot)
    guard.on_decision = on_decision
    return guard


def _refusals(read: list[dict[str, Any]]) -> tuple[Refusal, ...]:
    return tuple(Refusal(it["rule"], it["sentence"], tuple(it["calls"]), it["violated"], it.get("why")) for it in read)


def _guarded(guard: Guard, function: Tool, name: str | None, left_out: frozenset[str]) -> Tool:
    signature = inspect.signature(function)
    called = name or function.__name__

    def admitted(args: Any, kwargs: Any) -> Decision:
        decision = guard.admit(called, _arguments(signature, left_out, args, kwargs))
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

        return cast("Tool", answer_later)

    @functools.wraps(function)
    def answer(*args: Any, **kwargs: Any) -> Any:
        decision = admitted(args, kwargs)
        if decision.call is None:
            return decision.sentence
        with _recording(guard, decision.call) as record:
            return record(function(*args, **kwargs))

    return cast("Tool", answer)


def _arguments(signature: inspect.Signature, left_out: frozenset[str], args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments of a call by the names of the parameters, as a model gives them."""
    bound = signature.bind(*args, **kwargs).arguments
    named: dict[str, Any] = {}
    for key, value in bound.items():
        if signature.parameters[key].kind is inspect.Parameter.VAR_KEYWORD:
            named.update(value)
        else:
            named[key] = list(value) if isinstance(value, tuple) else value
    return {key: value for key, value in named.items() if key not in left_out}


def record_result(guard: Guard, call: int, output: Any, *, failed: bool | None = None) -> None:
    """Records what came of a call. An output that JSON lacks is not recorded, so rules that look at it do not apply."""
    try:
        guard.result(call, output, failed=failed)
    except UnsuitedType:
        guard.result(call, failed=failed)


@contextmanager
def _recording(guard: Guard, call: int) -> Iterator[Callable[[Any], Any]]:
    """Records the result of a call, or that it failed."""

    def record(output: Any) -> Any:
        record_result(guard, call, output, failed=False)
        return output

    try:
        yield record
    except (Exception, asyncio.CancelledError):
        guard.result(call, failed=True)
        raise
