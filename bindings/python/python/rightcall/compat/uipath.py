"""UiPath's tool call evaluators, with the numbers of the *documents*; `rightcall.compat.package.uipath` has those of the package.

    from rightcall.compat.uipath import AgentExecution, ToolCallOrderEvaluator

instead of `uipath.eval.evaluators` and `uipath.eval.models`. Configuration, criteria, async behaviour, results and justifications follow
the reference documents, or the package if the edition is `package`. Executions and spans may be the package's own objects.
"""

from __future__ import annotations

import time
from enum import IntEnum
from typing import Any, ClassVar, Literal

from .. import _native
from ..errors import ConfigError
from ._records import Record, schema_of

__all__ = [
    "AgentExecution",
    "ErrorEvaluationResult",
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

Edition = Literal["documented", "package"]


class UiPathEvaluationError(ValueError):
    """An invalid configuration or invalid criteria; `code` says which."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


class ScoreType(IntEnum):
    """The type of a score."""

    BOOLEAN = 0
    NUMERICAL = 1
    ERROR = 2


class AgentExecution(Record):
    """An agent's execution, in the words of the reference documents."""

    def __init__(self, *, agent_input: Any = None, agent_output: Any = None, agent_trace: Any, **more: Any) -> None:
        super().__init__(agent_input=agent_input, agent_output=agent_output, agent_trace=agent_trace, **more)


class WorkloadExecution(Record):
    """An agent's execution, in the words of the package."""

    def __init__(self, *, agent_input: Any = None, workload_output: Any = None, workload_trace: Any, **more: Any) -> None:
        super().__init__(agent_input=agent_input, workload_output=workload_output, workload_trace=workload_trace, **more)


class ToolCall(Record):
    """An expected call with its arguments."""

    def __init__(self, *, name: str, args: dict[str, Any], id: str | None = None) -> None:
        super().__init__(name=name, args=args, id=id)


class ToolOutput(Record):
    """The expected output of a tool."""

    def __init__(self, *, name: str, output: str, id: str | None = None) -> None:
        super().__init__(name=name, output=output, id=id)


class ToolCallCountEvaluationCriteria(Record):
    """The expected number of calls of each tool: `tool_calls_count`, a dict of (operator, count)."""


class ToolCallOrderEvaluationCriteria(Record):
    """The expected order of tools: `tool_calls_order`, a list of names."""


class ToolCallArgsEvaluationCriteria(Record):
    """The expected calls: `tool_calls`, a list of `ToolCall`s."""


class ToolCallOutputEvaluationCriteria(Record):
    """The expected outputs of tools: `tool_outputs`, a list of `ToolOutput`s."""


class _Config(Record):
    """The configuration of an evaluator: `name`, `strict` and `default_evaluation_criteria`."""


class ToolCallCountEvaluatorConfig(_Config):
    """The configuration of `ToolCallCountEvaluator`."""

    _defaults = {"name": "ToolCallCountEvaluator", "strict": False, "default_evaluation_criteria": None}


class ToolCallOrderEvaluatorConfig(_Config):
    """The configuration of `ToolCallOrderEvaluator`."""

    _defaults = {"name": "ToolCallOrderEvaluator", "strict": False, "default_evaluation_criteria": None}


class ToolCallArgsEvaluatorConfig(_Config):
    """The configuration of `ToolCallArgsEvaluator`."""

    _defaults = {"name": "ToolCallArgsEvaluator", "strict": False, "subset": False, "default_evaluation_criteria": None}


class ToolCallOutputEvaluatorConfig(_Config):
    """The configuration of `ToolCallOutputEvaluator`."""

    _defaults = {"name": "ToolCallOutputEvaluator", "strict": False, "default_evaluation_criteria": None}


class ToolCallCountEvaluatorJustification(Record):
    """The comparison of counts: `explained_tool_calls_count`, a line for each tool."""


class ToolCallOrderEvaluatorJustification(Record):
    """The comparison of the order: both orders, and `lcs`, the longest part of the expected order that was kept."""


class ToolCallArgsEvaluatorJustification(Record):
    """The comparison of arguments: `explained_tool_calls_args`, a line for each comparison."""


class ToolCallOutputEvaluatorJustification(Record):
    """The comparison of outputs: `explained_tool_calls_outputs`, a line for each comparison."""


class _Result(Record):
    score: float
    details: Any
    evaluation_time: float | None


class NumericEvaluationResult(_Result):
    """A score with its justification, `details`."""

    _defaults = {"details": None, "evaluation_time": None, "score_type": ScoreType.NUMERICAL}


class ErrorEvaluationResult(_Result):
    """An evaluation that ended in an error; `details` has the message."""

    _defaults = {"score": 0.0, "details": None, "evaluation_time": None, "score_type": ScoreType.ERROR}


class _Evaluator:
    _id: ClassVar[str]
    _has_document: ClassVar[bool]
    _config_type: ClassVar[type[Record]]
    _criteria_type: ClassVar[type[Record]]
    _justification_type: ClassVar[type[Record]]

    def __init__(
        self,
        *,
        id: str,
        config: Any = None,
        evaluatorConfig: Any = None,
        evaluator_config: Any = None,
        name: str | None = None,
        description: str | None = None,
        version: str = "1.0",
        edition: Edition | None = None,
        **_: Any,
    ) -> None:
        """Creates an evaluator.

        Args:
            id: any text that identifies this evaluator.
            config: the configuration, a dict or an object; `evaluatorConfig` is the package's name for it.
            edition: which to follow if document and package differ (default: the process's edition).

        Raises:
            UiPathEvaluationError: the configuration or its default criteria are invalid.
        """
        given = config or evaluatorConfig or evaluator_config or {}
        settings = dict(given if isinstance(given, dict) else given.model_dump())
        for key, value in (("name", name), ("description", description)):
            if value is not None:
                settings[key] = value
        chosen = edition or _native.edition() or "documented"
        if not self._has_document:
            chosen = "package"
        try:
            self._native = _native.Evaluator.from_config(self._id, settings, edition=chosen)
        except (ConfigError, TypeError) as error:
            raise UiPathEvaluationError("FAILED_TO_VALIDATE_EVALUATOR_CONFIG", str(error)) from error
        self.id = id
        self.edition = chosen
        self.version = version
        self.evaluator_config = self._config_type(**settings)
        self.evaluator_type_id = self.get_evaluator_id()
        self.name: str = settings.get("name", type(self).__name__)
        self.description: str = settings.get("description", "")

    @classmethod
    def model_validate(cls, values: dict[str, Any]) -> Any:
        """Creates an evaluator from a dict of the constructor's arguments."""
        return cls(**values)

    @classmethod
    def get_evaluator_id(cls) -> str:
        """The id of this kind of evaluator in the documents, such as `tool-call-order`; the package adds the prefix `uipath-`."""
        return cls._id.removeprefix("uipath/")

    @classmethod
    def get_config_schema(cls) -> dict[str, Any]:
        """The JSON schema of the configuration; needs the package `uipath`."""
        return _model_of(cls).get_config_schema()  # type: ignore[no-any-return]

    @classmethod
    def get_evaluation_criteria_schema(cls) -> dict[str, Any]:
        """The JSON schema of the criteria; needs the package `uipath`."""
        return _model_of(cls).get_evaluation_criteria_schema()  # type: ignore[no-any-return]

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any:
        return schema_of(cls)

    def validate_evaluation_criteria(self, criteria: Any) -> Any:
        """The criteria as an object."""
        return self._criteria_type.model_validate(criteria)

    def reduce_scores(self, results: Any) -> float:
        """The mean of the scores of several results; 0 without any."""
        return sum(result.score for result in results) / len(results) if results else 0.0

    async def validate_and_evaluate_criteria(
        self,
        agent_execution: Any = None,
        evaluation_criteria: Any = None,
        *,
        workload_execution: Any = None,
    ) -> Any:
        """Judges an agent's execution.

        Args:
            agent_execution: the execution; `workload_execution` is the package's name for it.
            evaluation_criteria: the expectation, a dict or an object (default: the default criteria).

        Returns:
            A `NumericEvaluationResult`, or an `ErrorEvaluationResult` if the original returns one.

        Raises:
            UiPathEvaluationError: the criteria are invalid, or there are none.
        """
        execution = workload_execution if agent_execution is None else agent_execution
        start = time.perf_counter()
        criteria = evaluation_criteria
        if criteria is not None and not isinstance(criteria, dict):
            criteria = criteria.model_dump() if hasattr(criteria, "model_dump") else vars(criteria)
        criteria = self._prepared(criteria)
        result, _, outcome, reason = self._native.result(criteria, _spans(execution))
        elapsed = time.perf_counter() - start
        if result is None:
            code = "NO_EVALUATION_CRITERIA_PROVIDED" if criteria is None else "CANNOT_VALIDATE_EVALUATION_CRITERIA"
            raise UiPathEvaluationError(code, reason or outcome)
        if outcome == "error":
            return ErrorEvaluationResult(details=result["details"], evaluation_time=elapsed)
        details = self._justification_type(**result["details"])
        return NumericEvaluationResult(score=result["score"], details=details, evaluation_time=elapsed)

    evaluate = validate_and_evaluate_criteria

    @staticmethod
    def _prepared(criteria: Any) -> Any:
        return criteria

    def __repr__(self) -> str:
        return f"{type(self).__name__}(id={self.id!r}, evaluator_config={self.evaluator_config!r})"


def _model_of(cls: type[_Evaluator]) -> Any:
    from .package import uipath

    return getattr(uipath, cls.__name__)


def _spans(execution: Any) -> list[dict[str, Any]]:
    """The attributes of the spans. The evaluators read nothing else."""
    trace = getattr(execution, "agent_trace", None)
    if trace is None:
        trace = getattr(execution, "workload_trace", None)
    if trace is None:
        raise TypeError(
            "agent_execution: expected an AgentExecution or WorkloadExecution with a trace, "
            f"found an object of class {type(execution).__name__}"
        )
    return [{"attributes": span["attributes"] if isinstance(span, dict) else span.attributes} for span in trace]


class ToolCallCountEvaluator(_Evaluator):
    """Is each tool called as often as it should be?"""

    _id = "uipath/tool-call-count"
    _has_document = True
    _config_type = ToolCallCountEvaluatorConfig
    _criteria_type = ToolCallCountEvaluationCriteria
    _justification_type = ToolCallCountEvaluatorJustification


class ToolCallOrderEvaluator(_Evaluator):
    """Are the tools called in the expected order?"""

    _id = "uipath/tool-call-order"
    _has_document = True
    _config_type = ToolCallOrderEvaluatorConfig
    _criteria_type = ToolCallOrderEvaluationCriteria
    _justification_type = ToolCallOrderEvaluatorJustification


class ToolCallArgsEvaluator(_Evaluator):
    """Are the expected calls made, with the expected arguments?"""

    _id = "uipath/tool-call-args"
    _has_document = False
    _config_type = ToolCallArgsEvaluatorConfig
    _criteria_type = ToolCallArgsEvaluationCriteria
    _justification_type = ToolCallArgsEvaluatorJustification


class ToolCallOutputEvaluator(_Evaluator):
    """Do the tools return what they should?"""

    _id = "uipath/tool-call-output"
    _has_document = False
    _config_type = ToolCallOutputEvaluatorConfig
    _criteria_type = ToolCallOutputEvaluationCriteria
    _justification_type = ToolCallOutputEvaluatorJustification

    @staticmethod
    def _prepared(criteria: Any) -> Any:
        """The criteria with outputs as text, which UiPath compares; its documents also show objects."""
        if not isinstance(criteria, dict):
            return criteria
        prepared = dict(criteria)
        for key in ("tool_outputs", "toolOutputs"):
            if isinstance(outputs := prepared.get(key), list):
                prepared[key] = [_with_text(item) for item in outputs]
        return prepared


def _with_text(item: Any) -> Any:
    if isinstance(item, dict) and isinstance(item.get("output"), (dict, list)):
        return {**item, "output": str(item["output"])}
    return item
