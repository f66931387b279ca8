"""ADK's `TrajectoryEvaluator`, with the numbers of the *package* `google-adk` 2.13; there is no document.

The same as `rightcall.compat.adk`.
"""

from ..adk import *
from ..adk import __all__ as __all__
