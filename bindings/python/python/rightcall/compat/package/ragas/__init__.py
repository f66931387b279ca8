"""Ragas' `ToolCallAccuracy` and `ToolCallF1`, with the numbers of the *package* `ragas` 0.4; there is no document.

The same as `rightcall.compat.ragas`.
"""

from ...ragas import *
from ...ragas import __all__ as __all__
