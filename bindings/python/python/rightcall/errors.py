"""The exceptions of this package. Each has the place of the error and advice."""

from __future__ import annotations

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "CaseError",
    "ConfigError",
    "ReadError",
    "RightcallError",
    "RunStopped",
    "SuiteError",
    "UnsuitedType",
]


class RightcallError(Exception):
    """The base of all exceptions of this package.

    Attributes:
        message: the expected and the found value.
        file: the file, if the error is in one.
        line: the line in the file, from 1.
        pointer: the place in the case, the suite or the object, an RFC 6901 JSON pointer; empty for the whole of it.
        case: the name of the case among several without a file.
        help: advice on how to fix the error.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        pointer: str = "",
        help: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.pointer = pointer
        self.case: str | None = None
        self.help = help

    def __str__(self) -> str:
        place = self.file or self.case or ""
        if self.file and self.line is not None:
            place = f"{place}:{self.line}"
        place = " ".join(part for part in (place, self.pointer) if part)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text}\n  help: {self.help}" if self.help else text


class CaseError(RightcallError, ValueError):
    """An argument that should be a case, or a side of one, is invalid."""


class UnsuitedType(RightcallError, TypeError):
    """An object cannot be part of a case, because JSON cannot represent it."""


class ConfigError(RightcallError, ValueError):
    """The evaluator is unknown, or it does not have this setting."""


class SuiteError(RightcallError, ValueError):
    """A suite is invalid."""


class ReadError(RightcallError, ValueError):
    """A file, or a record in it, cannot be parsed."""


class ArgumentError(RightcallError, ValueError):
    """An argument of a function has an invalid value."""


class ArgumentTypeError(RightcallError, TypeError):
    """An argument of a function has an invalid type."""


class RunStopped(RightcallError):
    """A guard stopped the run: the agent insisted on a call that a rule forbids."""


def wrong_type(argument: str, expected: str, found: object, *, help: str | None = None) -> ArgumentTypeError:
    """An argument of the wrong type, in the words of the engine."""
    kind = type(found).__name__
    if found is None:
        said = "None"
    elif isinstance(found, type):
        said = "a class"
    elif kind in ("str", "bool", "float", "list", "dict", "tuple", "set"):
        said = f"a {kind}"
    else:
        said = {"int": "an int", "bytes": "bytes"}.get(kind, f"an object of class {kind}")
    return ArgumentTypeError(f"{argument}: expected {expected}, found {said}", help=help)
