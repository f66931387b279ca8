"""Ragas' `ToolCallAccuracy` and `ToolCallF1` of its collections, with the numbers of the *package* `ragas` 0.4; there is no document.

The same as `rightcall.compat.ragas.collections`.
"""

from ...ragas.collections import *
from ...ragas.collections import __all__ as __all__
