"""UiPath's tool call evaluators, with the numbers of the *documents*; `rightcall.compat.package.uipath` has those of the package.

    from rightcall.compat.uipath import AgentExecution, ToolCallOrderEvaluator

in place of `uipath.eval.evaluators` and `uipath.eval.models`. Configuration, criteria, awaiting, results and justifications are those
of the reference documents, and those of the package where the edition is `package`. Executions and spans may be the package's own.
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
    """A configuration or criteria that an evaluator cannot take; `code` says which."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


class ScoreType(IntEnum):
    """What a score is."""

    BOOLEAN = 0
    NUMERICAL = 1
    ERROR = 2


class AgentExecution(Record):
    """What an agent did, in the words of the reference documents."""

    def __init__(self, *, agent_input: Any = None, agent_output: Any = None, agent_trace: Any, **more: Any) -> None:
        super().__init__(agent_input=agent_input, agent_output=agent_output, agent_trace=agent_trace, **more)


class WorkloadExecution(Record):
    """What an agent did, in the words of the package."""

    def __init__(self, *, agent_input: Any = None, workload_output: Any = None, workload_trace: Any, **more: Any) -> None:
        super().__init__(agent_input=agent_input, workload_output=workload_output, workload_trace=workload_trace, **more)


class ToolCall(Record):
    """A call that is expected, with its arguments."""

    def __init__(self, *, name: str, args: dict[str, Any], id: str | None = None) -> None:
        super().__init__(name=name, args=args, id=id)


class ToolOutput(Record):
    """An output that is expected of a tool."""

    def __init__(self, *, name: str, output: str, id: str | None = None) -> None:
        super().__init__(name=name, output=output, id=id)


class ToolCallCountEvaluationCriteria(Record):
    """How often each tool is to be called: `tool_calls_count`, a dict of (operator, count)."""


class ToolCallOrderEvaluationCriteria(Record):
    """In which order tools are to be called: `tool_calls_order`, a list of names."""


class ToolCallArgsEvaluationCriteria(Record):
    """Which calls are to be made: `tool_calls`, a list of `ToolCall`s."""


class ToolCallOutputEvaluationCriteria(Record):
    """What tools are to return: `tool_outputs`, a list of `ToolOutput`s."""


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
    """How the counts came out: `explained_tool_calls_count`, a line for each tool."""


class ToolCallOrderEvaluatorJustification(Record):
    """How the order came out: `lcs`, the longest part of the expected order that was kept, and both orders."""


class ToolCallArgsEvaluatorJustification(Record):
    """How the arguments came out: `explained_tool_calls_args`, a line for each comparison."""


class ToolCallOutputEvaluatorJustification(Record):
    """How the outputs came out: `explained_tool_calls_outputs`, a line for each comparison."""


class _Result(Record):
    score: float
    details: Any
    evaluation_time: float | None


class NumericEvaluationResult(_Result):
    """A score with its justification, `details`."""

    _defaults = {"details": None, "evaluation_time": None, "score_type": ScoreType.NUMERICAL}


class ErrorEvaluationResult(_Result):
    """An evaluation that ended in an error, which `details` tells."""

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
        """An evaluator.

        Args:
            id: any text; it names this evaluator among others.
            config: the configuration, a dict or its object; `evaluatorConfig` is the package's word for it.
            edition: what is followed where document and package differ; the process's edition unless said.

        Raises:
            UiPathEvaluationError: the configuration, or the default criteria in it, cannot be taken.
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
        """The evaluator that a dict of the constructor's arguments describes."""
        return cls(**values)

    @classmethod
    def get_evaluator_id(cls) -> str:
        """The id of this kind of evaluator, as the documents give it: `tool-call-order`; the package's has `uipath-` before it."""
        return cls._id.removeprefix("uipath/")

    @classmethod
    def get_config_schema(cls) -> dict[str, Any]:
        """The JSON schema of the configuration; needs pydantic."""
        return _model_of(cls).get_config_schema()  # type: ignore[no-any-return]

    @classmethod
    def get_evaluation_criteria_schema(cls) -> dict[str, Any]:
        """The JSON schema of the criteria; needs pydantic."""
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
        """Judges what an agent did.

        Args:
            agent_execution: the execution; `workload_execution` is the package's word for it.
            evaluation_criteria: what was expected, a dict or its object; the default criteria where there are none.

        Returns:
            A `NumericEvaluationResult`, or an `ErrorEvaluationResult` where the original gives one.

        Raises:
            UiPathEvaluationError: the criteria cannot be taken, or there are none.
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
    from . import _uipath_models

    return getattr(_uipath_models, cls.__name__)


def _spans(execution: Any) -> list[dict[str, Any]]:
    """The attributes of the spans, which is all that the evaluators read."""
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
        """The criteria with outputs as the texts that UiPath compares; its pages give objects too."""
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
