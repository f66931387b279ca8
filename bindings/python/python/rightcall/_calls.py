"""Reads the calls of one run from any source."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any

from ._native import read_calls
from ._types import Path
from .errors import ArgumentError


class Calls(list[dict[str, Any]]):
    """The calls of one run in order: a list of dicts that can be passed as `actual`.

    A call has a `name`, and those of `args`, `id`, `tool_id`, `group`, `actor`, `output`, `error`, `start`, `end`, `turn`, `run` and
    `parent` that the run recorded, as in a case file. Arguments are a dict, even if the run has them as JSON text; text that is not a JSON
    object stays text.

    Attributes:
        malformed: parts that look like calls but could not be parsed; usually empty. A dict for each kind: what it `looks` like, the
            `count`, and the place of the `first` one.
        incomplete: why calls may be missing; `None` if none are. As `actual`, such a run is not applicable to evaluators that need all of
            its calls. A copy such as `list(calls)` or a slice claims to be complete.
    """

    malformed: list[dict[str, Any]]
    incomplete: str | None

    def __init__(
        self, calls: Iterable[dict[str, Any]] = (), malformed: Iterable[dict[str, Any]] = (), incomplete: str | None = None
    ) -> None:
        super().__init__(calls)
        self.malformed = list(malformed)
        self.incomplete = incomplete


def map_text(map: Path | Mapping[str, Any] | None) -> str | None:
    """A map as the engine expects it: its path, or the map as JSON."""
    if map is None:
        return None
    # Imported here because most runs need no map.
    import json

    return json.dumps(map) if isinstance(map, Mapping) else os.fspath(map)


def map_itself(map: Path | Mapping[str, Any] | None) -> str | None:
    """The text of a map: the contents of its file, or the map as JSON."""
    if map is None or isinstance(map, Mapping):
        return map_text(map)
    return pathlib.Path(os.fspath(map)).read_text(encoding="utf-8")


def calls(
    source: Path | bytes | Any,
    format: str | None = None,
    tools: Any = None,
    *,
    map: Path | Mapping[str, Any] | None = None,
) -> Calls:
    """Reads the calls of one run, with the same parser as the evaluators.

        >>> rightcall.calls([{"role": "assistant", "tool_calls": [{"function": {"name": "find_order", "arguments": '{"id": 7}'}}]}])
        [{'name': 'find_order', 'args': {'id': 7}, 'turn': 0}]

    Args:
        source: anything that `actual` accepts (calls, messages, spans, an agent framework's result), a path, or the bytes of a file.
        format: the name of the format (default: recognized automatically).
        map: the map for a log in a custom format, as a path or a dict.
        tools: the tools that the agent had: names or definitions. With objects, they are used as the record's own `tools`, as a catalogue
            of names; a file has its own. Values are not typed by them yet.

    Returns:
        The calls in order.

    Raises:
        ArgumentError: the source is a text in place of a path.
        CaseError: the objects cannot be parsed, or the source does not hold exactly one run.
        ReadError: the file's format cannot be recognized, the file is damaged, or the map is invalid.
        UnsuitedType: the objects hold a value that JSON cannot represent.
        FileNotFoundError, PermissionError: and other errors of `open`.
    """
    if isinstance(source, str) and (source.lstrip()[:1] in ("[", "{", "<") or "\n" in source) and not os.path.exists(source):
        raise ArgumentError("source: expected a path, found a text; for the text of a file: rightcall.calls(text.encode())")
    run = read_calls(source, format=format, map=map_text(map), tools=tools)
    return Calls(run["calls"], run["malformed"], run.get("incomplete"))
