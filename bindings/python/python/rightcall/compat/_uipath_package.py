"""The models and evaluators of the package `uipath` if it is installed, else our replacements with the same names."""

from __future__ import annotations

try:
    from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig, BaseEvaluatorJustification
    from uipath.eval.evaluators.tool_call_args_evaluator import (
        ToolCallArgsEvaluationCriteria,
        ToolCallArgsEvaluator,
        ToolCallArgsEvaluatorConfig,
        ToolCallArgsEvaluatorJustification,
    )
    from uipath.eval.evaluators.tool_call_count_evaluator import (
        ToolCallCountEvaluationCriteria,
        ToolCallCountEvaluator,
        ToolCallCountEvaluatorConfig,
        ToolCallCountEvaluatorJustification,
    )
    from uipath.eval.evaluators.tool_call_order_evaluator import (
        ToolCallOrderEvaluationCriteria,
        ToolCallOrderEvaluator,
        ToolCallOrderEvaluatorConfig,
        ToolCallOrderEvaluatorJustification,
    )
    from uipath.eval.evaluators.tool_call_output_evaluator import (
        ToolCallOutputEvaluationCriteria,
        ToolCallOutputEvaluator,
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
except ImportError:
    from ._uipath_models import *

    HAS_PACKAGE = False
else:
    HAS_PACKAGE = True
