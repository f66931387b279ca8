"""Drop-in modules: the classes and functions of other packages, with rightcall behind them.

Code that uses one of these packages needs its imports changed and nothing else:

| package | module |
| --- | --- |
| UiPath's evaluators | `rightcall.compat.uipath` |
| Axion's `ToolCorrectness` | `rightcall.compat.axion` |
| DeepEval's `ToolCorrectnessMetric` | `rightcall.compat.deepeval` |
| agentevals' `create_trajectory_match_evaluator` | `rightcall.compat.agentevals` |

Where a reference document and the package of the same name differ, the edition decides: `documented` unless `rightcall.set_edition`
says otherwise, or an evaluator is made with `edition=`.
"""
