"""Drop-in modules: the classes and functions of other packages, implemented by rightcall.

Code that uses one of these packages only needs to change its imports:

| package | the numbers of the document | the numbers of the package |
| --- | --- | --- |
| UiPath's evaluators | `rightcall.compat.uipath` | `rightcall.compat.package.uipath` |
| Axion's `ToolCorrectness` | `rightcall.compat.axion` | `rightcall.compat.package.axion` |
| DeepEval's `ToolCorrectnessMetric` | there is none | `rightcall.compat.deepeval` |
| agentevals' `create_trajectory_match_evaluator` and its older functions | there is none | `rightcall.compat.agentevals` |
| Ragas' `ToolCallAccuracy` and `ToolCallF1` | there is none | `rightcall.compat.ragas`, `rightcall.compat.ragas.collections` |
| ADK's `TrajectoryEvaluator` | there is none | `rightcall.compat.adk` |

If a document and its package differ, the import decides which numbers are used. In the modules of the documents, `rightcall.set_edition`
and `edition=` can override that.
"""
