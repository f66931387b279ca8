"""agentevals' evaluators of trajectories, with the numbers of the *package* `agentevals` 0.0.9; there is no document.

The same as `rightcall.compat.agentevals`.
"""

from ..agentevals import *
from ..agentevals import __all__ as __all__
