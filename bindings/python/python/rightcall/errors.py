"""What goes wrong, as exceptions that name the place and say what to do."""

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
        message: what was expected and what was found.
        file: the file, where it is about one.
        line: the line in it, from 1.
        pointer: the place in the case, the suite or the object, an RFC 6901 JSON pointer; empty for the whole of it.
        case: which of many cases it is, where they have no file.
        help: what can be done about it.
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
    """Something that was given as a case, or as a side of one, is none."""


class UnsuitedType(RightcallError, TypeError):
    """An object that no case can hold, because JSON has nothing like it."""


class ConfigError(RightcallError, ValueError):
    """No evaluator has this id, or the evaluator has no such setting."""


class SuiteError(RightcallError, ValueError):
    """A suite says what no suite can say."""


class ReadError(RightcallError, ValueError):
    """A file, or a record in it, cannot be read."""


class ArgumentError(RightcallError, ValueError):
    """An argument of a function has a value that it cannot have."""


class ArgumentTypeError(RightcallError, TypeError):
    """An argument of a function is of another type than it can be."""


class RunStopped(RightcallError):
    """A guard stopped the run: the agent insisted on a call that a rule forbids."""
