"""Judges the tool calls of AI agents: did the agent make the right calls?

    >>> import rightcall
    >>> evaluation = rightcall.evaluate(
    ...     "axion/tool-correctness",
    ...     expected=[{"name": "find_order", "args": {"id": 7}}, {"name": "refund", "args": {"id": 7}}],
    ...     actual=[{"name": "find_order", "args": {"id": 7}}],
    ... )
    >>> evaluation.score
    0.5

One engine gives the numbers of every published metric of this kind, bit for bit. `evaluate` judges two lists, `score` many
cases, `scan` reads files of any size, `Suite` is what a team has written down. Everything is deterministic: no model is asked, and
the same input gives the same result on any machine and with any number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._native import (
    VERSION as __version__,
    Evaluation,
    Evaluator,
    Results,
    Run,
    Scan,
    Suite,
    edition,
    evaluate,
    evaluators,
    score_cases,
    score_table,
    set_edition,
)
from .errors import CaseError, ConfigError, ReadError, RightcallError, SuiteError, UnsuitedType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ._types import EvaluatorLike, Path

__all__ = [
    "CaseError",
    "ConfigError",
    "Evaluation",
    "Evaluator",
    "ReadError",
    "Results",
    "RightcallError",
    "Run",
    "Scan",
    "Suite",
    "SuiteError",
    "UnsuitedType",
    "__version__",
    "edition",
    "evaluate",
    "evaluators",
    "scan",
    "score",
    "set_edition",
]


def score(
    cases: Iterable[Any] | Scan | Any,
    *,
    evaluators: EvaluatorLike | Iterable[EvaluatorLike],
    group_by: str | None = None,
    threads: int | None = None,
    details: bool = False,
    alignment: bool = False,
    skip_invalid: bool = False,
) -> Run:
    """Judges many cases with one or more evaluators.

    Args:
        cases: dicts, dataclasses or pydantic models with `expected` and `actual`, in the form of a case file or in that of a package
            that rightcall knows; the `Scan` of files; or anything with an Arrow stream (pyarrow, pandas, polars, duckdb), one row a
            case.
        evaluators: ids (`"uipath/tool-call-order"`, with settings behind commas if need be), dicts as in a suite, or `Evaluator`s.
        group_by: for tables of spans: the column whose value the spans of one run share, such as `"trace_id"`.
        threads: how many threads score; all processors unless said. The result does not depend on it.
        details: whether tables made of the run have the details of the originals.
        alignment: the same for the alignments.
        skip_invalid: whether the run goes on where something is no case; `Run.problems` lists these. A row of a table that is no
            case is an evaluation that ended in an error in any case.

    Returns:
        The evaluations, all of the first case before those of the second, with a summary.

    Raises:
        CaseError: something is no case, and `skip_invalid` is not set.
        UnsuitedType: a case holds an object that JSON has nothing like.
        ConfigError: an evaluator is unknown, or one of its settings.
    """
    if isinstance(cases, Scan):
        if group_by is not None:
            raise ValueError("group_by: expected a table of spans, found files, whose runs their formats tell apart")
        results = cases.results(evaluators, threads=threads, details=details, alignment=alignment, skip_invalid=skip_invalid)
        return results.collect()
    if hasattr(cases, "__arrow_c_stream__") or hasattr(cases, "__arrow_c_array__"):
        return score_table(
            cases, evaluators, group_by=group_by, threads=threads, details=details, alignment=alignment
        )
    if group_by is not None:
        raise ValueError("group_by: expected a table of spans, found cases")
    if isinstance(cases, (str, bytes)) or hasattr(cases, "__fspath__"):
        raise TypeError(f"cases: expected cases, found a text; for a file: rightcall.score(rightcall.scan({cases!r}), …)")
    if isinstance(cases, dict):
        raise TypeError("cases: expected several cases, found a dict; for one case: rightcall.score([case], …)")
    return score_cases(
        cases, evaluators, threads=threads, details=details, alignment=alignment, skip_invalid=skip_invalid
    )


def scan(
    paths: Path | Iterable[Path],
    *,
    traces: Path | Iterable[Path] = (),
    format: str | None = None,
    read: Mapping[str, str] | None = None,
) -> Scan:
    """Files of cases or of traces, of any size and in any format that rightcall knows; nothing is read before it is asked for.

    Args:
        paths: the files, packed or not; patterns such as `"traces/**/*.json"` are expanded.
        traces: files of runs that belong to the cases by their ids.
        format: the name of the format, where it is not to be recognised; `rightcall formats` lists them.
        read: how traces are read where opinions differ, such as `{"order": "document"}`.

    Returns:
        An iterable of cases as dicts. `rightcall.score` and `Scan.results` judge them without making Python objects of them.
    """
    return Scan(_files(paths), traces=_files(traces), format=format, choices=list((read or {}).items()))


def _files(paths: Path | Iterable[Path]) -> list[str]:
    import os

    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    files: list[str] = []
    for path in (os.fspath(each) for each in given):
        if any(mark in path for mark in "*?[") and not os.path.exists(path):
            import glob

            found = sorted(glob.glob(path, recursive=True))
            if not found:
                raise FileNotFoundError(f"no file matches {path}")
            files.extend(found)
        else:
            files.append(path)
    return files
