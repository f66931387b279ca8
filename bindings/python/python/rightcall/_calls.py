"""The calls of one run, read from wherever it is."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from typing import Any

from ._native import read_calls
from ._types import Path


class Calls(list[dict[str, Any]]):
    """The calls of one run, in order: a list of dicts that goes wherever `actual` goes.

    A call has a `name`, and what the run recorded of `args`, `id`, `tool_id`, `group`, `actor`, `output`, `error`, `start`, `end`,
    `turn`, `run` and `parent`, as in a case file. Arguments are a dict, also where the run has them as JSON
    text; a text that holds no object stays a text.

    Attributes:
        malformed: what looks like a call and was not read as one; empty if nothing does. A dict for each kind: what it `looks` like,
            the `count`, and where the `first` is.
    """

    malformed: list[dict[str, Any]]

    def __init__(self, calls: list[dict[str, Any]], malformed: list[dict[str, Any]]) -> None:
        super().__init__(calls)
        self.malformed = malformed


def map_text(map: Path | Mapping[str, Any] | None) -> str | None:
    """A map as the engine takes it: its path, or the map as JSON."""
    if map is None:
        return None
    # Most runs need no map.
    import json

    return json.dumps(map) if isinstance(map, Mapping) else os.fspath(map)


def map_itself(map: Path | Mapping[str, Any] | None) -> str | None:
    """The text of a map: that of its file, or the map as JSON."""
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
    """Reads the calls of one run, as evaluators see them.

        >>> rightcall.calls([{"role": "assistant", "tool_calls": [{"function": {"name": "find_order", "arguments": '{"id": 7}'}}]}])
        [{'name': 'find_order', 'args': {'id': 7}, 'turn': 0}]

    Args:
        source: what `actual` takes (calls, messages, spans, what an agent framework returned), a path, or the bytes of a file.
        format: the name of a format, where it is not to be recognized.
        map: the map of a log in a format of your own: its file, or the map as a dict.
        tools: the tools that the agent had: names or definitions. Beside objects they are read as the record's own `tools`, its
            catalogue of names; a file has its own. Values are not given types by them yet.

    Returns:
        The calls in order.

    Raises:
        CaseError: the objects are nothing that can be read, or the source holds another number of runs than one.
        ReadError: the file is in no format that can be recognized, or is damaged; or the map cannot be read.
        UnsuitedType: the objects hold one that JSON has nothing like.
        FileNotFoundError, PermissionError: and so on, as `open` raises them.
    """
    run = read_calls(source, format=format, map=map_text(map), tools=tools)
    return Calls(run["calls"], run["malformed"])
