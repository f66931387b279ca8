"""UiPath's models, for users with pydantic but without the package `uipath`.

Names, fields, aliases and defaults are those of the package (2.14), so that pydantic accepts and rejects the same values.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Any, ClassVar, Generic, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

_BY_ALIAS = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class UiPathEvaluationErrorCategory(str, Enum):
    """Whose error it is."""

    SYSTEM = "System"
    USER = "User"
    UNKNOWN = "Unknown"


class UiPathEvaluationErrorContract(BaseModel):
    """What an error tells."""

    code: str
    title: str
    detail: str
    category: UiPathEvaluationErrorCategory = UiPathEvaluationErrorCategory.UNKNOWN


class UiPathEvaluationError(Exception):
    """A configuration or criteria that an evaluator cannot take; `error_info` says why."""

    def __init__(
        self,
        code: str,
        title: str,
        detail: str,
        category: UiPathEvaluationErrorCategory = UiPathEvaluationErrorCategory.UNKNOWN,
        prefix: str = "Python",
        include_traceback: bool = False,
    ) -> None:
        self.error_info = UiPathEvaluationErrorContract(code=f"{prefix}.{code}", title=title, detail=detail, category=category)
        super().__init__(detail)

    @property
    def as_dict(self) -> dict[str, Any]:
        """The error as a dict."""
        return self.error_info.model_dump()


class ScoreType(IntEnum):
    """What a score is."""

    BOOLEAN = 0
    NUMERICAL = 1
    ERROR = 2


class WorkloadExecution(BaseModel):
    """What an agent did."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    agent_input: dict[str, Any] | None
    workload_output: dict[str, Any] | str
    workload_trace: list[Any]
    expected_agent_behavior: str | None = None
    simulation_instructions: str = ""


class ToolCall(BaseModel):
    """A call with its arguments; `id` names the tool whatever it is called."""

    name: str
    args: dict[str, Any]
    id: str | None = None


class ToolOutput(BaseModel):
    """What a tool returns; `id` names the tool whatever it is called."""

    name: str
    output: str
    id: str | None = None


class BaseEvaluationResult(BaseModel):
    """What all results have."""

    details: str | BaseModel | None = None
    evaluation_time: float | None = None


class NumericEvaluationResult(BaseEvaluationResult):
    """A score with its justification, `details`."""

    score: float
    score_type: Literal[ScoreType.NUMERICAL] = ScoreType.NUMERICAL


class ErrorEvaluationResult(BaseEvaluationResult):
    """An evaluation that ended in an error, which `details` tells."""

    score: float = 0.0
    score_type: Literal[ScoreType.ERROR] = ScoreType.ERROR


class BaseEvaluationCriteria(BaseModel):
    """What is expected."""

    model_config = _BY_ALIAS


class ToolCallOrderEvaluationCriteria(BaseEvaluationCriteria):
    """In which order tools are to be called."""

    tool_calls_order: list[str]


class ToolCallCountEvaluationCriteria(BaseEvaluationCriteria):
    """How often each tool is to be called: an operator and a count."""

    tool_calls_count: dict[str, tuple[str, int]]


class ToolCallArgsEvaluationCriteria(BaseEvaluationCriteria):
    """Which calls are to be made."""

    tool_calls: list[ToolCall]


class ToolCallOutputEvaluationCriteria(BaseEvaluationCriteria):
    """What tools are to return."""

    tool_outputs: list[ToolOutput]


T = TypeVar("T", bound=BaseEvaluationCriteria)


class BaseEvaluatorConfig(BaseModel, Generic[T]):
    """The configuration of an evaluator."""

    model_config = _BY_ALIAS

    name: str = Field(description="The name of the evaluator")
    description: str = Field(default="", description="The description of the evaluator")
    default_evaluation_criteria: T | None = None


class ToolCallOrderEvaluatorConfig(BaseEvaluatorConfig[ToolCallOrderEvaluationCriteria]):
    """The configuration of `ToolCallOrderEvaluator`."""

    name: str = "ToolCallOrderEvaluator"
    strict: bool = False


class ToolCallCountEvaluatorConfig(BaseEvaluatorConfig[ToolCallCountEvaluationCriteria]):
    """The configuration of `ToolCallCountEvaluator`."""

    name: str = "ToolCallCountEvaluator"
    strict: bool = False


class ToolCallArgsEvaluatorConfig(BaseEvaluatorConfig[ToolCallArgsEvaluationCriteria]):
    """The configuration of `ToolCallArgsEvaluator`."""

    name: str = "ToolCallArgsEvaluator"
    strict: bool = False
    subset: bool = False


class ToolCallOutputEvaluatorConfig(BaseEvaluatorConfig[ToolCallOutputEvaluationCriteria]):
    """The configuration of `ToolCallOutputEvaluator`."""

    name: str = "ToolCallOutputEvaluator"
    strict: bool = False


class BaseEvaluatorJustification(BaseModel):
    """How a score came about: both sides as Python prints them."""

    expected: str
    actual: str

    @classmethod
    def try_from(cls, details: object) -> BaseEvaluatorJustification | None:
        """The justification that details hold, if they do."""
        if isinstance(details, cls):
            return details
        try:
            return cls.model_validate(details) if isinstance(details, dict) else None
        except ValueError:
            return None


class ToolCallOrderEvaluatorJustification(BaseEvaluatorJustification):
    """How the order came out: `lcs`, the longest part of the expected order that was kept."""

    lcs: list[str]


class ToolCallCountEvaluatorJustification(BaseEvaluatorJustification):
    """How the counts came out, a line for each tool."""

    explained_tool_calls_count: dict[str, str]


class ToolCallArgsEvaluatorJustification(BaseEvaluatorJustification):
    """How the arguments came out, a line for each comparison."""

    explained_tool_calls_args: dict[str, str]


class ToolCallOutputEvaluatorJustification(BaseEvaluatorJustification):
    """How the outputs came out, a line for each comparison."""

    explained_tool_calls_outputs: dict[str, str]


C = TypeVar("C", bound=BaseEvaluatorConfig[Any])
J = TypeVar("J", bound=BaseEvaluatorJustification)


class BaseEvaluator(BaseModel, Generic[T, C, J]):
    """What all evaluators have."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    _type_id: ClassVar[str] = ""

    id: str
    name: str = Field(default="", description="The name of the evaluator", exclude=True)
    description: str = Field(default="", description="The description of the evaluator", exclude=True)
    config_type: type[C] = Field(description="The config type class", exclude=True)
    evaluation_criteria_type: type[T] = Field(description="The type of the criteria", exclude=True)
    justification_type: type[J] = Field(description="The type of the justification", exclude=True)
    version: str = Field(default="1.0", description="Version of the evaluator")
    evaluator_type_id: str = Field(default="", alias="evaluatorTypeId", description="Type of the evaluator")
    evaluator_config: C = Field(alias="evaluatorConfig", description="The validated config object instance")

    @model_validator(mode="before")
    @classmethod
    def validate_model(cls, values: Any) -> Any:
        """Creates the configuration from its dict, and moves a name and description next to it into it."""
        if not isinstance(values, dict):
            return values
        for key in ("description", "name"):
            if key in values and "evaluatorConfig" in values:
                values["evaluatorConfig"][key] = values.pop(key)
        for key in ("config_type", "evaluation_criteria_type", "justification_type"):
            values[key] = cls._type_of(key)
        try:
            config = values.get("config") or values.get("evaluatorConfig") or {}
            values["evaluator_config"] = cls._extract_config_type().model_validate(config)
        except Exception as error:
            title = f"Failed to validate evaluator config for {cls.__name__}"
            raise _error("FAILED_TO_VALIDATE_EVALUATOR_CONFIG", title, f"Error: {error}") from error
        return values

    def model_post_init(self, _context: Any) -> None:
        """Fills missing fields from the configuration."""
        self.evaluator_type_id = self.evaluator_type_id or self.get_evaluator_id()
        self.name = self.name or self.evaluator_config.name
        self.description = self.description or self.evaluator_config.description

    @classmethod
    def _type_of(cls, field: str) -> Any:
        return get_args(cls.model_fields[field].annotation)[0]

    @classmethod
    def _extract_config_type(cls) -> type[C]:
        return cls._type_of("config_type")  # type: ignore[no-any-return]

    @classmethod
    def _extract_evaluation_criteria_type(cls) -> type[T]:
        return cls._type_of("evaluation_criteria_type")  # type: ignore[no-any-return]

    @classmethod
    def _extract_justification_type(cls) -> type[J]:
        return cls._type_of("justification_type")  # type: ignore[no-any-return]

    @classmethod
    def get_evaluator_id(cls) -> str:
        """The id of this kind of evaluator."""
        return cls._type_id

    @classmethod
    def get_config_schema(cls) -> dict[str, Any]:
        """The JSON schema of the configuration."""
        return cls._extract_config_type().model_json_schema(by_alias=False)

    @classmethod
    def get_evaluation_criteria_schema(cls) -> dict[str, Any]:
        """The JSON schema of the criteria."""
        return cls._extract_evaluation_criteria_type().model_json_schema(by_alias=False)

    @classmethod
    def get_justification_schema(cls) -> dict[str, Any]:
        """The JSON schema of the justification."""
        return cls._extract_justification_type().model_json_schema(by_alias=False)

    @classmethod
    def generate_json_type(cls) -> dict[str, Any]:
        """The id and all schemas."""
        return {
            "evaluatorTypeId": cls.get_evaluator_id(),
            "evaluatorConfigSchema": cls.get_config_schema(),
            "evaluationCriteriaSchema": cls.get_evaluation_criteria_schema(),
            "justificationSchema": cls.get_justification_schema(),
        }

    def validate_evaluation_criteria(self, criteria: Any) -> T:
        """Converts a value to criteria."""
        code = "CANNOT_VALIDATE_EVALUATION_CRITERIA"
        return self._validated(self.evaluation_criteria_type, criteria, code, "validate")  # type: ignore[no-any-return]

    def validate_justification(self, justification: Any) -> J:
        """Converts a value to a justification."""
        code = "CANNOT_CONVERT_JUSTIFICATION"
        return self._validated(self.justification_type, justification, code, "convert")  # type: ignore[no-any-return]

    @staticmethod
    def _validated(model: Any, value: Any, code: str, verb: str) -> Any:
        if isinstance(value, model):
            return value
        plain = isinstance(value, dict) or not hasattr(value, "__dict__")
        try:
            return model.model_validate(value if plain else value.__dict__)
        except Exception as error:
            raise _error(code, f"Cannot {verb} {type(value)} to {model}", f"Error: {error}") from error

    async def validate_and_evaluate_criteria(self, workload_execution: Any, evaluation_criteria: Any) -> Any:
        """Judges an agent's execution by criteria in any form; without criteria, by the default ones."""
        if evaluation_criteria is None:
            evaluation_criteria = self.evaluator_config.default_evaluation_criteria
        if evaluation_criteria is None:
            title = "No evaluation criteria provided and no default evaluation criteria configured"
            raise _error("NO_EVALUATION_CRITERIA_PROVIDED", title, title)
        return await self.evaluate(workload_execution, self.validate_evaluation_criteria(evaluation_criteria))

    async def evaluate(self, workload_execution: Any, evaluation_criteria: Any) -> Any:
        """Judges an agent's execution by criteria."""
        raise NotImplementedError

    def reduce_scores(self, results: Any) -> float:
        """The mean of the scores of several results; 0 without any."""
        return sum(result.score for result in results) / len(results) if results else 0.0


def _error(code: str, title: str, detail: str) -> UiPathEvaluationError:
    return UiPathEvaluationError(code=code, title=title, detail=detail, category=UiPathEvaluationErrorCategory.SYSTEM)


class ToolCallOrderEvaluator(
    BaseEvaluator[ToolCallOrderEvaluationCriteria, ToolCallOrderEvaluatorConfig, ToolCallOrderEvaluatorJustification]
):
    """Are the tools called in the expected order?"""

    _type_id: ClassVar[str] = "uipath-tool-call-order"


class ToolCallCountEvaluator(
    BaseEvaluator[ToolCallCountEvaluationCriteria, ToolCallCountEvaluatorConfig, ToolCallCountEvaluatorJustification]
):
    """Is each tool called as often as it should be?"""

    _type_id: ClassVar[str] = "uipath-tool-call-count"


class ToolCallArgsEvaluator(
    BaseEvaluator[ToolCallArgsEvaluationCriteria, ToolCallArgsEvaluatorConfig, ToolCallArgsEvaluatorJustification]
):
    """Are the expected calls made, with the expected arguments?"""

    _type_id: ClassVar[str] = "uipath-tool-call-args"


class ToolCallOutputEvaluator(
    BaseEvaluator[ToolCallOutputEvaluationCriteria, ToolCallOutputEvaluatorConfig, ToolCallOutputEvaluatorJustification]
):
    """Do the tools return what they should?"""

    _type_id: ClassVar[str] = "uipath-tool-call-output"
