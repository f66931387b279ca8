"""UiPath's tool call evaluators, with the numbers of the *package* `uipath` 2.14; `rightcall.compat.uipath` has those of the documents.

    from rightcall.compat.package.uipath import ToolCallOrderEvaluator, WorkloadExecution

instead of `uipath.eval.evaluators` and `uipath.eval.models`. The models are the package's own, and the evaluators are subclasses of its
evaluators, so its runtime and `isinstance` accept them; only the judging is done here. `pip install 'rightcall[uipath]'` installs the package.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any, ClassVar

from pydantic import BaseModel

try:
    from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig, BaseEvaluatorJustification
    from uipath.eval.evaluators.evaluator_factory import EvaluatorFactory as _Factory
    from uipath.eval.evaluators.tool_call_args_evaluator import (
        ToolCallArgsEvaluationCriteria,
        ToolCallArgsEvaluator as _Args,
        ToolCallArgsEvaluatorConfig,
        ToolCallArgsEvaluatorJustification,
    )
    from uipath.eval.evaluators.tool_call_count_evaluator import (
        ToolCallCountEvaluationCriteria,
        ToolCallCountEvaluator as _Count,
        ToolCallCountEvaluatorConfig,
        ToolCallCountEvaluatorJustification,
    )
    from uipath.eval.evaluators.tool_call_order_evaluator import (
        ToolCallOrderEvaluationCriteria,
        ToolCallOrderEvaluator as _Order,
        ToolCallOrderEvaluatorConfig,
        ToolCallOrderEvaluatorJustification,
    )
    from uipath.eval.evaluators.tool_call_output_evaluator import (
        ToolCallOutputEvaluationCriteria,
        ToolCallOutputEvaluator as _Output,
        ToolCallOutputEvaluatorConfig,
        ToolCallOutputEvaluatorJustification,
    )
    from uipath.eval.models import (
        ErrorEvaluationResult,
        NumericEvaluationResult,
        ScoreType,
        ToolCall,
        ToolOutput,
        WorkloadExecution,
    )
    from uipath.eval.models.models import UiPathEvaluationError
except ImportError as error:
    raise ImportError(
        f"{__name__} needs the package uipath (pip install 'rightcall[uipath]'); rightcall.compat.uipath, with the documents' numbers, does not"
    ) from error

from ... import _native

__all__ = [
    "AgentExecution",
    "BaseEvaluationCriteria",
    "BaseEvaluator",
    "BaseEvaluatorConfig",
    "BaseEvaluatorJustification",
    "ErrorEvaluationResult",
    "EvaluatorFactory",
    "NumericEvaluationResult",
    "ScoreType",
    "ToolCall",
    "ToolCallArgsEvaluationCriteria",
    "ToolCallArgsEvaluator",
    "ToolCallArgsEvaluatorConfig",
    "ToolCallArgsEvaluatorJustification",
    "ToolCallCountEvaluationCriteria",
    "ToolCallCountEvaluator",
    "ToolCallCountEvaluatorConfig",
    "ToolCallCountEvaluatorJustification",
    "ToolCallOrderEvaluationCriteria",
    "ToolCallOrderEvaluator",
    "ToolCallOrderEvaluatorConfig",
    "ToolCallOrderEvaluatorJustification",
    "ToolCallOutputEvaluationCriteria",
    "ToolCallOutputEvaluator",
    "ToolCallOutputEvaluatorConfig",
    "ToolCallOutputEvaluatorJustification",
    "ToolOutput",
    "UiPathEvaluationError",
    "WorkloadExecution",
]


class AgentExecution(WorkloadExecution):
    """An agent's execution in the words of the documents: `agent_output` and `agent_trace` are the package's `workload_output` and
    `workload_trace`.
    """

    def __init__(self, **given: Any) -> None:
        for documented, package in (("agent_output", "workload_output"), ("agent_trace", "workload_trace")):
            if documented in given:
                given[package] = given.pop(documented)
        super().__init__(**given)

    @property
    def agent_output(self) -> Any:
        """The agent's answer."""
        return self.workload_output

    @property
    def agent_trace(self) -> list[Any]:
        """The recorded spans."""
        spans: list[Any] = self.workload_trace
        return spans


class _ByEngine:
    """Judges instead of the package's evaluator of the same name."""

    _engine: ClassVar[_native.SpanEvaluator]

    async def validate_and_evaluate_criteria(
        self, workload_execution: Any = None, evaluation_criteria: Any = None, *, agent_execution: Any = None
    ) -> Any:
        """Judges an agent's execution by criteria in any form; without criteria, by the default ones. `agent_execution` is the
        documents' name for the execution.
        """
        if workload_execution is None:
            workload_execution = agent_execution
        engine, members = _ENGINES.get(type(self), _OTHERS)
        if type(evaluation_criteria) is dict and "evaluate" not in members:
            # Try the dict first: pydantic would leave most criteria unchanged.
            try:
                return _judge(engine, self, workload_execution, evaluation_criteria)
            except Exception:
                pass
        return await super().validate_and_evaluate_criteria(workload_execution, evaluation_criteria)  # type: ignore[misc]

    async def evaluate(self, workload_execution: Any, evaluation_criteria: Any) -> Any:
        """Judges an agent's execution; an error becomes an `ErrorEvaluationResult`."""
        try:
            return _judge(self._engine, self, workload_execution, evaluation_criteria)
        except Exception:
            pass
        return await super().evaluate(workload_execution, evaluation_criteria)  # type: ignore[misc]

    # The package wraps methods without this mark to measure their time.
    evaluate._has_metrics_decorator = True  # type: ignore[attr-defined]


# A function, because looking up a method of a pydantic model takes longer than calling it.
def _judge(engine: Any, evaluator: Any, execution: Any, criteria: Any) -> NumericEvaluationResult:
    """The result. Raises an exception if the package does, or if Python's own objects must decide."""
    result: NumericEvaluationResult = _new(_Unread)
    _set_private(result, engine.judge(evaluator, criteria, execution.workload_trace))
    return result


_new = object.__new__
_set_class = object.__dict__["__class__"].__set__
_set_fields = BaseModel.__pydantic_fields_set__.__set__  # type: ignore[attr-defined]
_set_extra = BaseModel.__pydantic_extra__.__set__  # type: ignore[union-attr]
_set_private = BaseModel.__pydantic_private__.__set__  # type: ignore[union-attr]
_set_dict = BaseModel.__dict__["__dict__"].__set__


def _told(result: Any) -> Any:
    """Fills in the result: afterwards it is a plain `NumericEvaluationResult`."""
    if type(result) is _Unread:
        private: Any = result.__pydantic_private__
        judged: _native.Judged = private
        details = judged.evaluator.validate_justification(judged.result()["details"])
        told = {"details": details, "evaluation_time": judged.seconds, "score": judged.score, "score_type": ScoreType.NUMERICAL}
        _set_dict(result, told)
        _set_fields(result, {"score", "details", "evaluation_time"})
        _set_extra(result, None)
        _set_private(result, None)
        _set_class(result, NumericEvaluationResult)
    return result


class _Unread(NumericEvaluationResult):
    """A result whose score alone was read so far. Any other access first turns it into a plain result.

    It has no fields. The native judgement is stored in the slot for private attributes, which results do not use.
    """

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        told: dict[str, Any] = vars(_told(self))
        return told

    def __getattr__(self, name: str) -> Any:
        if name in _UNTOLD:
            return getattr(_told(self), name)
        return super().__getattr__(name)  # type: ignore[misc]

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_told(self), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_told(self), name)

    def __eq__(self, other: Any) -> bool:
        return bool(_told(self) == _told(other))

    def __copy__(self) -> Any:
        return _told(self).__copy__()

    def __deepcopy__(self, memo: Any = None) -> Any:
        return _told(self).__deepcopy__(memo)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _told(self).__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return repr(_told(self))

    def __str__(self) -> str:
        return str(_told(self))

    def __iter__(self) -> Any:
        return iter(_told(self))


# Attributes that exist only after `_told`.
_UNTOLD = (
    "details",
    "evaluation_time",
    "score_type",
    "__pydantic_fields_set__",
    "__pydantic_extra__",
)
# Set on `type`, because pydantic would treat an assignment as a field of another type.
type.__setattr__(_Unread, "score", property(attrgetter("__pydantic_private__.score")))


class ToolCallOrderEvaluator(_ByEngine, _Order):
    """Are the tools called in the expected order?"""

    _engine: ClassVar[_native.SpanEvaluator] = _native.SpanEvaluator("uipath/tool-call-order")


class ToolCallCountEvaluator(_ByEngine, _Count):
    """Is each tool called as often as it should be?"""

    _engine: ClassVar[_native.SpanEvaluator] = _native.SpanEvaluator("uipath/tool-call-count")


class ToolCallArgsEvaluator(_ByEngine, _Args):
    """Are the expected calls made, with the expected arguments?"""

    _engine: ClassVar[_native.SpanEvaluator] = _native.SpanEvaluator("uipath/tool-call-args")


class ToolCallOutputEvaluator(_ByEngine, _Output):
    """Do the tools return what they should?"""

    _engine: ClassVar[_native.SpanEvaluator] = _native.SpanEvaluator("uipath/tool-call-output")


_OURS: dict[type, Any] = {
    _Order: ToolCallOrderEvaluator,
    _Count: ToolCallCountEvaluator,
    _Args: ToolCallArgsEvaluator,
    _Output: ToolCallOutputEvaluator,
}
# With the attributes of each class. They include `evaluate` only if it was replaced there.
_ENGINES: dict[type, tuple[Any, Any]] = {ours: (ours._engine, vars(ours)) for ours in _OURS.values()}
_OTHERS = (None, ("evaluate",))


class EvaluatorFactory(_Factory):  # type: ignore[misc, unused-ignore]
    """Creates evaluators from the files of a project; those for tool calls are the ones in this module."""

    @classmethod
    def create_evaluator(cls, data: dict[str, Any], *more: Any, **named: Any) -> Any:
        made = super().create_evaluator(data, *more, **named)
        ours = _OURS.get(type(made))
        return made if ours is None else ours.model_validate(data)
