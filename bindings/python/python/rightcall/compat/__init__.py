"""Drop-in modules: the classes and functions of other packages, with rightcall behind them.

Code that uses one of these packages needs its imports changed and nothing else:

| package | the numbers of the document | the numbers of the package |
| --- | --- | --- |
| UiPath's evaluators | `rightcall.compat.uipath` | `rightcall.compat.package.uipath` |
| Axion's `ToolCorrectness` | `rightcall.compat.axion` | `rightcall.compat.package.axion` |
| DeepEval's `ToolCorrectnessMetric` | there is none | `rightcall.compat.deepeval` |
| agentevals' `create_trajectory_match_evaluator` and its older functions | there is none | `rightcall.compat.agentevals` |
| Ragas' `ToolCallAccuracy` and `ToolCallF1` | there is none | `rightcall.compat.ragas`, `rightcall.compat.ragas.collections` |
| ADK's `TrajectoryEvaluator` | there is none | `rightcall.compat.adk` |

Where a document and the package of the same name differ, the import decides. In the modules of the documents
`rightcall.set_edition` and `edition=` decide otherwise if need be.
"""
