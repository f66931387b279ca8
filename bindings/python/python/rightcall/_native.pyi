"""The native part of `rightcall`."""

import os
from collections.abc import Iterable, Iterator, Mapping, Reversible, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, final, overload

from typing_extensions import Unpack

from ._types import Edition, EvaluatorLike, EvaluatorSpec, Path, ProgressLike

# begin: imports of settings, generated
from ._settings import (
    UipathToolCallCountSettings,
    UipathToolCallOrderSettings,
    UipathToolCallArgsSettings,
    UipathToolCallOutputSettings,
    AxionToolCorrectnessSettings,
    EvaliteToolCallAccuracySettings,
    TpmjsToolCallAccuracyScoreSettings,
    DeepevalToolCorrectnessSettings,
    RagasToolCallAccuracySettings,
    RagasToolCallF1Settings,
    AgentevalsTrajectoryMatchSettings,
    AdkTrajectorySettings,
    Tau2ActionCheckSettings,
    MastraToolCallAccuracySettings,
    MastraTrajectorySettings,
    MastraTrajectoryAccuracySettings,
    PromptfooToolUsedSettings,
    PromptfooToolSequenceSettings,
    PromptfooToolArgsMatchSettings,
    PromptfooToolCallF1Settings,
    BfclAstCheckerSettings,
    VertexTrajectoryExactMatchSettings,
    VertexTrajectoryInOrderMatchSettings,
    VertexTrajectoryAnyOrderMatchSettings,
    VertexTrajectoryPrecisionSettings,
    VertexTrajectoryRecallSettings,
    VertexTrajectorySingleToolUseSettings,
    AzureTaskNavigationEfficiencySettings,
    MlflowToolCallCorrectnessSettings,
    StrandsExactMatchSettings,
    StrandsInOrderMatchSettings,
    StrandsAnyOrderMatchSettings,
    StrandsToolCalledSettings,
    OpenevalsTrajectoryMatchSettings,
    TrajectorySettings,
    ConstraintsSettings,
    FitnessSettings,
)
# end: imports of settings

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas
    import polars

VERSION: Final[str]

def set_edition(edition: Edition | None, /) -> None:
    """Sets the edition of all evaluators created later in this process, unless they set one themselves or do not have it.

    `"documented"` follows the reference document and is the default if there is one; `"package"` reproduces the published package bit for
    bit. `None` restores the default.
    """

def edition() -> Edition | None:
    """The edition set for this process; `None` if evaluators use their own default."""

def result_columns() -> dict[str, str]:
    """The columns of evaluation tables, each with its type: `text`, `number` or `flag`."""

def evaluators() -> list[dict[str, Any]]:
    """All evaluators: their `id`, `summary`, `aliases`, `editions`, and `settings` with types and descriptions."""

# begin: overloads of evaluate, generated
@overload
def evaluate(
    evaluator: Literal["uipath/tool-call-count", "tool-call-count", "uipath-tool-call-count"], /, *, expected: Any = None, actual: Any = None, edition: Literal["documented", "package"] | None = None, **settings: Unpack[UipathToolCallCountSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["uipath/tool-call-order", "tool-call-order", "uipath-tool-call-order"], /, *, expected: Any = None, actual: Any = None, edition: Literal["documented", "package"] | None = None, **settings: Unpack[UipathToolCallOrderSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["uipath/tool-call-args", "tool-call-args", "uipath-tool-call-args"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[UipathToolCallArgsSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["uipath/tool-call-output", "tool-call-output", "uipath-tool-call-output"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[UipathToolCallOutputSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["axion/tool-correctness"], /, *, expected: Any = None, actual: Any = None, edition: Literal["documented", "package"] | None = None, **settings: Unpack[AxionToolCorrectnessSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["evalite/tool-call-accuracy", "toolCallAccuracy"], /, *, expected: Any = None, actual: Any = None, edition: Literal["documented", "package"] | None = None, **settings: Unpack[EvaliteToolCallAccuracySettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["tpmjs/tool-call-accuracy-score", "tool-call-accuracy-score"], /, *, expected: Any = None, actual: Any = None, edition: Literal["documented", "package"] | None = None, **settings: Unpack[TpmjsToolCallAccuracyScoreSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["deepeval/tool-correctness"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[DeepevalToolCorrectnessSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["ragas/tool-call-accuracy"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[RagasToolCallAccuracySettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["ragas/tool-call-f1"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[RagasToolCallF1Settings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["agentevals/trajectory-match"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[AgentevalsTrajectoryMatchSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["adk/trajectory"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[AdkTrajectorySettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["tau2/action-check"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[Tau2ActionCheckSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["mastra/tool-call-accuracy"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[MastraToolCallAccuracySettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["mastra/trajectory"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[MastraTrajectorySettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["mastra/trajectory-accuracy"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[MastraTrajectoryAccuracySettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["promptfoo/tool-used"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[PromptfooToolUsedSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["promptfoo/tool-sequence"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[PromptfooToolSequenceSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["promptfoo/tool-args-match"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[PromptfooToolArgsMatchSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["promptfoo/tool-call-f1"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[PromptfooToolCallF1Settings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["bfcl/ast-checker"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[BfclAstCheckerSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["vertex/trajectory-exact-match"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[VertexTrajectoryExactMatchSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["vertex/trajectory-in-order-match"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[VertexTrajectoryInOrderMatchSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["vertex/trajectory-any-order-match"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[VertexTrajectoryAnyOrderMatchSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["vertex/trajectory-precision"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[VertexTrajectoryPrecisionSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["vertex/trajectory-recall"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[VertexTrajectoryRecallSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["vertex/trajectory-single-tool-use"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[VertexTrajectorySingleToolUseSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["azure/task-navigation-efficiency"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[AzureTaskNavigationEfficiencySettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["mlflow/tool-call-correctness"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[MlflowToolCallCorrectnessSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["strands/exact-match"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[StrandsExactMatchSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["strands/in-order-match"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[StrandsInOrderMatchSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["strands/any-order-match"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[StrandsAnyOrderMatchSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["strands/tool-called"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[StrandsToolCalledSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["openevals/trajectory-match"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[OpenevalsTrajectoryMatchSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["trajectory"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[TrajectorySettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["constraints"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[ConstraintsSettings]
) -> Evaluation: ...
@overload
def evaluate(
    evaluator: Literal["fitness"], /, *, expected: Any = None, actual: Any = None, edition: Literal["package"] | None = None, **settings: Unpack[FitnessSettings]
) -> Evaluation: ...
# end: overloads of evaluate
@overload
def evaluate(
    evaluator: EvaluatorLike, /, *, expected: Any = None, actual: Any = None, edition: Edition | None = None
) -> Evaluation:
    """Judges the calls of one run against what was expected.

    Args:
        evaluator: an id such as `"uipath/tool-call-order"`, or an `Evaluator`.
        expected: a list of calls (`{"name": …, "args": {…}}`, or just a name), a dict with any of `calls`, `order`, `counts`, `outputs` and
            `constraints`, or the original's own format.
        actual: a list of calls, of messages or of OpenTelemetry spans, or an agent framework's result (`rightcall.live`); `None` if there
            is no run.
        edition: `"documented"` or `"package"`; `None` for the process's edition, else the evaluator's default.
        settings: the evaluator's settings, and `threshold`.

    Returns:
        The evaluation. If the case lacks the data to judge, it has no score but a `reason`. It keeps a copy of the calls, so they may be
        changed afterwards. Cases of more than a few kilobytes are judged without holding Python's global lock.

    Raises:
        CaseError: a side cannot be parsed.
        UnsuitedType: a side holds an object that JSON cannot represent.
        ConfigError: the evaluator or one of its settings is unknown. It is looked up in each call; an `Evaluator` is created only once.
    """

@final
class Evaluator:
    """An evaluator with its settings: a pure function from a case to an evaluation. Evaluators can be compared and pickled."""

    # begin: overloads of Evaluator, generated
    @overload
    def __new__(
        cls, evaluator: Literal["uipath/tool-call-count", "tool-call-count", "uipath-tool-call-count"], /, *, name: str | None = None, edition: Literal["documented", "package"] | None = None, **settings: Unpack[UipathToolCallCountSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["uipath/tool-call-order", "tool-call-order", "uipath-tool-call-order"], /, *, name: str | None = None, edition: Literal["documented", "package"] | None = None, **settings: Unpack[UipathToolCallOrderSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["uipath/tool-call-args", "tool-call-args", "uipath-tool-call-args"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[UipathToolCallArgsSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["uipath/tool-call-output", "tool-call-output", "uipath-tool-call-output"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[UipathToolCallOutputSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["axion/tool-correctness"], /, *, name: str | None = None, edition: Literal["documented", "package"] | None = None, **settings: Unpack[AxionToolCorrectnessSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["evalite/tool-call-accuracy", "toolCallAccuracy"], /, *, name: str | None = None, edition: Literal["documented", "package"] | None = None, **settings: Unpack[EvaliteToolCallAccuracySettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["tpmjs/tool-call-accuracy-score", "tool-call-accuracy-score"], /, *, name: str | None = None, edition: Literal["documented", "package"] | None = None, **settings: Unpack[TpmjsToolCallAccuracyScoreSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["deepeval/tool-correctness"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[DeepevalToolCorrectnessSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["ragas/tool-call-accuracy"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[RagasToolCallAccuracySettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["ragas/tool-call-f1"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[RagasToolCallF1Settings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["agentevals/trajectory-match"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[AgentevalsTrajectoryMatchSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["adk/trajectory"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[AdkTrajectorySettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["tau2/action-check"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[Tau2ActionCheckSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["mastra/tool-call-accuracy"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[MastraToolCallAccuracySettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["mastra/trajectory"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[MastraTrajectorySettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["mastra/trajectory-accuracy"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[MastraTrajectoryAccuracySettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["promptfoo/tool-used"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[PromptfooToolUsedSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["promptfoo/tool-sequence"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[PromptfooToolSequenceSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["promptfoo/tool-args-match"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[PromptfooToolArgsMatchSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["promptfoo/tool-call-f1"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[PromptfooToolCallF1Settings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["bfcl/ast-checker"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[BfclAstCheckerSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["vertex/trajectory-exact-match"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[VertexTrajectoryExactMatchSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["vertex/trajectory-in-order-match"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[VertexTrajectoryInOrderMatchSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["vertex/trajectory-any-order-match"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[VertexTrajectoryAnyOrderMatchSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["vertex/trajectory-precision"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[VertexTrajectoryPrecisionSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["vertex/trajectory-recall"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[VertexTrajectoryRecallSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["vertex/trajectory-single-tool-use"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[VertexTrajectorySingleToolUseSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["azure/task-navigation-efficiency"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[AzureTaskNavigationEfficiencySettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["mlflow/tool-call-correctness"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[MlflowToolCallCorrectnessSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["strands/exact-match"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[StrandsExactMatchSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["strands/in-order-match"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[StrandsInOrderMatchSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["strands/any-order-match"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[StrandsAnyOrderMatchSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["strands/tool-called"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[StrandsToolCalledSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["openevals/trajectory-match"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[OpenevalsTrajectoryMatchSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["trajectory"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[TrajectorySettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["constraints"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[ConstraintsSettings]
    ) -> Evaluator: ...
    @overload
    def __new__(
        cls, evaluator: Literal["fitness"], /, *, name: str | None = None, edition: Literal["package"] | None = None, **settings: Unpack[FitnessSettings]
    ) -> Evaluator: ...
    # end: overloads of Evaluator
    @overload
    def __new__(
        cls, evaluator: EvaluatorLike, /, *, name: str | None = None, edition: Edition | None = None
    ) -> Evaluator: ...
    @staticmethod
    def from_config(evaluator: str, config: Mapping[str, Any], /, *, edition: Edition = "package") -> Native:
        """Creates an evaluator from the configuration of the original's constructor."""
    def evaluate(self, *, expected: Any = None, actual: Any = None) -> Evaluation:
        """Judges the calls of one run against what was expected; see `rightcall.evaluate`."""
    def evaluate_case(self, case: Any, /) -> Evaluation:
        """Judges a case: a dict, dataclass or pydantic model with `expected` and `actual`."""
    @property
    def id(self) -> str:
        """The id, such as `"uipath/tool-call-order"`."""
    @property
    def name(self) -> str | None:
        """The user's name for it."""
    @property
    def edition(self) -> Edition:
        """The edition."""
    @property
    def threshold(self) -> float | None:
        """The threshold in effect, if the user set one: some originals read 0 as their default."""
    @property
    def spec(self) -> dict[str, Any]:
        """A dict, as in a suite, that creates the same evaluator again."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class RunGuard:
    """The state of a `rightcall.Guard`, shared by threads."""

    def __new__(cls, rules: Any, /, mode: str, max_refusals: int) -> RunGuard: ...
    @staticmethod
    def restore(snapshot: str) -> RunGuard:
        """Restores a guard from a snapshot."""
    def snapshot(self) -> str:
        """The guard as JSON."""
    def may(self, name: str, arguments: Any, group: str | None, /) -> list[dict[str, Any]]:
        """The rules that this call would violate."""
    def admit(self, name: str, arguments: Any, group: str | None, /) -> tuple[int | None, bool, str, list[dict[str, Any]] | None]:
        """Decides about a call, and records it if it is allowed."""
    def observe(self, name: str, arguments: Any, group: str | None, /) -> int:
        """Records a call without a decision; returns its index."""
    def result(self, number: int, output: Any, has_output: bool, failed: bool | None, /) -> None:
        """Records the result of a call."""
    def verdicts(self) -> list[tuple[str, str | None]]:
        """The name of each rule, and its verdict."""
    def next(self) -> list[dict[str, Any]]:
        """The expected calls that may come next."""
    def open(self) -> list[dict[str, Any]]:
        """The rules that are still open."""
    def reminder(self) -> str | None:
        """The message about open rules for an agent that wants to end; returned once."""
    @property
    def stopped(self) -> str | None:
        """Why the run was stopped."""
    @property
    def mode(self) -> str:
        """How forbidden calls are handled."""
    def finish(self) -> Evaluation:
        """Ends the run; returns the evaluation by `constraints`."""

def rules_of_file(path: Path) -> str:
    """The rules in a file, as JSON text for `RunGuard`."""

@final
class Native:
    """An evaluator made from an original's own configuration."""

    def result(
        self, expected: Any, actual: Any, /
    ) -> tuple[Any, bool | None, Literal["scored", "not_applicable", "error"], str | None]:
        """The result of the original, whether it passed, the kind of the outcome, and the reason if there is one."""
    def result_of_json(
        self, expected: str, actual: str, /
    ) -> tuple[Any, bool | None, Literal["scored", "not_applicable", "error"], str | None]:
        """Like `result`, for JSON texts."""
    def result_exact(
        self, expected: Any, actual: Any, /
    ) -> tuple[Any, bool | None, Literal["scored", "not_applicable", "error"], str | None]:
        """Like `result`, if both sides mean the same in Python and in JSON. Otherwise a `TypeError`: Python's own code must judge."""
    def alignment(self, expected: Any, actual: Any, /) -> dict[str, Any] | None:
        """Why the score is what it is."""

@final
class SpanEvaluator:
    """One of UiPath's evaluators, for any configuration."""

    def __new__(cls, evaluator: str, /) -> SpanEvaluator: ...
    def judge(self, evaluator: Any, criteria: Any, spans: Any, /) -> Judged:
        """Judges the spans that an agent recorded, with an evaluator's configuration. Only requested parts are computed.

        Raises:
            Exception: the original raises an exception too, or Python's own objects must decide.
        """

@final
class Judged:
    """A score with an explanation that is computed on first access."""

    @property
    def score(self) -> float:
        """The score."""
    @property
    def seconds(self) -> float:
        """The duration."""
    @property
    def evaluator(self) -> Any:
        """The evaluator that was used."""
    def result(self) -> dict[str, Any]:
        """The result that the original would return."""

@final
class Evaluation:
    """The judgement of one evaluator on one case. Printed, it shows expected and actual calls side by side.

    It is a value: two evaluations with equal contents are equal, and it can be hashed, copied, pickled and sent to other processes. It is
    also a row of the values named by `_fields`, from which `pandas.DataFrame` makes columns.
    """

    _fields: ClassVar[tuple[str, ...]]
    @property
    def score(self) -> float | None:
        """The score, mostly from 0 to 1; `None` if there is none."""
    @property
    def passed(self) -> bool | None:
        """Whether the case passed, by a threshold or by the original's own verdict; `None` if there is neither."""
    @property
    def outcome(self) -> Literal["scored", "not_applicable", "error"]:
        """Whether there is a score, the evaluator is not applicable to the case, or it failed as the original would."""
    @property
    def reason(self) -> str | None:
        """Why there is no score."""
    @property
    def evaluator(self) -> str:
        """The id of the evaluator."""
    @property
    def name(self) -> str | None:
        """The user's name for the evaluator."""
    @property
    def case(self) -> str | None:
        """The id of the case, or its place; `None` if two lists were judged."""
    @property
    def trial(self) -> Any:
        """The repetition of the case."""
    @property
    def details(self) -> Any:
        """The original's own details, key for key."""
    @property
    def result(self) -> Any:
        """The original's whole result, key for key."""
    @property
    def alignment(self) -> dict[str, Any] | None:
        """The pairs of calls with their differences, the missed and extra calls, and the calculation of the score."""
    @property
    def sentence(self) -> str:
        """The main reason for a low score, in a few words; empty if nothing lowers it."""
    def explain(self, *, color: bool = False, full: bool = False) -> str:
        """The evaluation as text; with `color` for a terminal, with `full` without shortening."""
    def to_dict(self, *, details: bool = True, alignment: bool = True) -> dict[str, Any]:
        """`case`, `trial`, `evaluator`, `name`, `outcome`, `score`, `passed`, `reason`, `details` and `alignment`. The last two are
        `None` if the argument is false."""
    def __bool__(self) -> bool: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Run(Reversible[Evaluation]):
    """The evaluations of many cases in the order of the cases, with a summary.

    A run is also an Arrow stream, so `pyarrow.table(run)` and `run.to_polars()` create tables without a copy. It is a value: two runs with
    equal evaluations and summaries are equal, and it can be hashed, copied, pickled and sent to other processes.
    """

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: int, /) -> Evaluation: ...
    @overload
    def __getitem__(self, key: slice[Any, Any, Any], /) -> list[Evaluation]: ...
    def __iter__(self) -> Iterator[Evaluation]: ...
    def __reversed__(self) -> Iterator[Evaluation]: ...
    def index(self, value: Any, /, start: int = 0, stop: int | None = None) -> int:
        """The index of the first equal evaluation.

        Raises:
            ValueError: there is no such evaluation.
        """
    def count(self, value: Any, /) -> int:
        """The number of equal evaluations."""
    def to_dict(self) -> dict[str, Any]:
        """`summary`, the `evaluations` as dicts, and the `problems` as texts. Details and alignments are included if the run was asked
        for them."""
    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with a row for each evaluation, and the columns of every results table."""
    def to_polars(self) -> polars.DataFrame:
        """Like `to_pandas`, as a polars data frame."""
    def plot(self) -> matplotlib.figure.Figure:
        """The distribution of scores: a histogram for each evaluator, with the mean as a line.

        Raises:
            ImportError: matplotlib is not installed.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def summary(self) -> dict[str, Any]:
        """`cases`, and for each of the `evaluators` its `mean`, `min`, `max`, `pass_rate`, and the number of `scored` cases."""
    @property
    def gates(self) -> list[dict[str, Any]]:
        """The gates of the suite, and whether each passed."""
    @property
    def problems(self) -> list[Exception]:
        """The errors of input that could not be read."""
    @property
    def warnings(self) -> list[str]:
        """The warnings of the command, one a line: keys of cases and tool names that may be misspelt, and call-like parts that were not
        parsed."""
    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 for success, 1 for a failed gate or case, 2 for input that could not be read, joined or
        judged."""
    @property
    def ok(self) -> bool:
        """True if nothing failed, all input was read and scored, every gate and threshold judged a case, and at least one case has a
        score."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...

@final
class Results(Iterator[Evaluation]):
    """Evaluations of files, computed lazily; also an Arrow stream. If iteration stops, so does the work.

    An invalid line or a duplicate case raises a `ReadError`; with `skip_invalid` it is one of the `problems`.
    """

    def __iter__(self) -> Results: ...
    def __next__(self) -> Evaluation: ...
    def collect(self) -> Run:
        """All remaining evaluations, with the summary."""
    @property
    def problems(self) -> list[Exception]:
        """The errors so far, if they are skipped."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...

@final
class Scan(Iterable[dict[str, Any]]):
    """Files of cases or traces, read lazily."""

    def __new__(
        cls,
        paths: Sequence[Path],
        /,
        *,
        traces: Sequence[Path],
        format: str | None,
        choices: Sequence[tuple[str, str]],
        map: str | None = None,
        identity: Sequence[str] = ...,
        progress: ProgressLike = None,
    ) -> Scan: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def results(
        self,
        evaluators: EvaluatorSpec | Iterable[EvaluatorSpec],
        /,
        *,
        threads: int | None = None,
        details: bool = False,
        alignment: bool = False,
        skip_invalid: bool = False,
        progress: ProgressLike = None,
    ) -> Results:
        """Judges the cases while the files are read, for files larger than memory.

        Raises:
            ReadError: during iteration, at an invalid line, unless `skip_invalid` is set.
        """

@final
class Suite:
    """A suite file: the cases, evaluators and gates."""

    @staticmethod
    def load(path: Path, /, *, edition: Edition | None = None, profile: str | None = None) -> Suite:
        """Reads a suite, in YAML or JSON.

        Raises:
            SuiteError: the file is invalid; the error has the line and advice.
        """
    def run(
        self,
        *,
        text: str | None = None,
        tags: Sequence[str] | None = None,
        traces: Path | Sequence[Path] | None = None,
        add_traces: Path | Sequence[Path] | None = None,
        threads: int | None = None,
        details: bool = True,
        alignment: bool = False,
        skip_invalid: bool = False,
        progress: ProgressLike = None,
    ) -> Run:
        """Scores the cases of the suite like the command, and judges its gates; the history is not written.

        Args:
            text: score only cases with this text in their id.
            tags: score only cases with one of these tags.
            traces: files of runs, in place of the suite's `traces`.
            add_traces: files of runs, in addition to them.
            threads: the number of threads (default: all processors).
            details: whether evaluations and tables include the originals' details.
            alignment: whether they include the alignments.
            skip_invalid: whether invalid cases leave the exit code unchanged; in any case they are in the `problems` of the run.
            progress: True for a tqdm bar, or a function that is called with the number of finished cases.

        Raises:
            FileNotFoundError: a file of the suite is missing, including its baseline.
            ReadError: the baseline file is not a baseline.
            ArgumentError: an eval set needs files of runs, and none are given; or the suite has several runs, and `traces` does not choose
                one.
        """
    @property
    def evaluators(self) -> list[Evaluator]:
        """The evaluators."""
    @property
    def cases(self) -> list[os.PathLike[str]]:
        """The files of cases."""
    @property
    def traces(self) -> list[os.PathLike[str]]:
        """The files of runs."""
    @property
    def runs(self) -> dict[str, list[os.PathLike[str]]]:
        """The files of each named run."""
    @property
    def redacts(self) -> bool:
        """True if the suite redacts arguments."""
    @property
    def path(self) -> os.PathLike[str]:
        """The path of the suite."""

def score_cases(
    cases: Iterable[Any],
    evaluators: EvaluatorSpec | Iterable[EvaluatorSpec],
    /,
    *,
    keep: str,
    threads: int | None,
    details: bool,
    alignment: bool,
    skip_invalid: bool,
    progress: Any,
) -> Run: ...
def score_table(
    table: Any,
    evaluators: EvaluatorSpec | Iterable[EvaluatorSpec],
    /,
    *,
    walked: Mapping[str, Sequence[Any]],
    notes: Sequence[str] = ...,
    is_whole: bool,
    group_by: str | None,
    map: str | None = None,
    keep: str = "all",
    threads: int | None,
    details: bool,
    alignment: bool,
    skip_invalid: bool,
    progress: Any,
) -> Run: ...
def learn_runs(
    runs: Any, /, *, arguments: str, noise: float, variants: int | None, open_repeats: bool
) -> list[Any]: ...
@final
class ToolCallReward:
    def __new__(
        cls,
        *,
        metric: Literal["credit"] | EvaluatorLike,
        weights: list[tuple[str, float]] | None,
        malformed: float,
        missing: float,
        tools: list[Any] | None,
        last_turn: bool,
        allow_gameable: bool,
        threads: int | None,
    ) -> ToolCallReward: ...
    def score(
        self, completions: Any, expected: Any, /, *, column: str, with_parts: bool
    ) -> tuple[list[float | None], dict[str, list[float | None]] | None]: ...

def read_calls(source: Any, /, *, format: str | None, map: str | None, tools: Any) -> dict[str, Any]: ...
def evaluation_of_state(state: Any, /) -> Evaluation: ...
def run_of_state(rows: Any, totals: Any, problems: Any, wanted: Any, /) -> Run: ...
def command(arguments: Sequence[str]) -> int: ...
