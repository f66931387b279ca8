"""Drop-in modules with the numbers of the *packages*; only the imports change.

| package | in place of | import from |
| --- | --- | --- |
| UiPath | `uipath.eval.evaluators`, `uipath.eval.models` | `rightcall.compat.package.uipath` |
| Axion | `axion.metrics`, `axion.dataset`, `axion.runners`, `axion._core.schema` | `rightcall.compat.package.axion` |
| DeepEval | `deepeval.metrics.ToolCorrectnessMetric` | `rightcall.compat.package.deepeval` |
| agentevals | `agentevals.trajectory.match`, `.strict`, `.unordered`, `.subset`, `.superset` | `rightcall.compat.package.agentevals` |
| Ragas | `ragas.metrics.ToolCallAccuracy`, `ToolCallF1` | `rightcall.compat.package.ragas` |
| Ragas | the same of `ragas.metrics.collections` | `rightcall.compat.package.ragas.collections` |
| ADK | `google.adk.evaluation.trajectory_evaluator.TrajectoryEvaluator` | `rightcall.compat.package.adk` |

The modules of the same names one level up follow the *documents* if there are any (UiPath and Axion). `rightcall.set_edition` has no effect
here.
"""
