"""DeepEval's `ToolCorrectnessMetric`, with the numbers of the *package* `deepeval` 4.3; there is no document.

The same as `rightcall.compat.deepeval`.
"""

from ..deepeval import *
from ..deepeval import __all__ as __all__
