"""Types that only type checkers need."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias, Union

from ._native import Evaluator

Edition: TypeAlias = Literal["documented", "package"]
EvaluatorLike: TypeAlias = Union[str, Mapping[str, Any], Evaluator]
Path: TypeAlias = Union[str, "os.PathLike[str]"]
ProgressLike: TypeAlias = Union[bool, Callable[[int], Any], None]
