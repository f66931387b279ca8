"""Types that only type checkers need."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union

from ._native import Evaluator

if TYPE_CHECKING:
    from ._settings import EvaluatorName

Edition: TypeAlias = Literal["documented", "package"]
EvaluatorLike: TypeAlias = Union["EvaluatorName", Mapping[str, Any], Evaluator]
# A name may have settings behind commas: "trajectory,mode=strict".
EvaluatorSpec: TypeAlias = Union[EvaluatorLike, str]
Path: TypeAlias = Union[str, "os.PathLike[str]"]
ProgressLike: TypeAlias = Union[bool, Callable[[int], Any], None]
