"""Judges the tool calls of AI agents: did the agent make the right calls?

    >>> import rightcall
    >>> evaluation = rightcall.evaluate(
    ...     "axion/tool-correctness",
    ...     expected=[{"name": "find_order", "args": {"id": 7}}, {"name": "refund", "args": {"id": 7}}],
    ...     actual=[{"name": "find_order", "args": {"id": 7}}],
    ... )
    >>> evaluation.score
    0.5

One engine computes 34 published metrics, with the numbers of their packages. `evaluate` judges two lists, `score` many cases, `scan` reads
files of any size, `calls` reads the calls of one run, and `Suite` runs a team's suite. Everything is deterministic: no model is called, and
the same input returns the same result on any machine and with any number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence as _Sequence
from typing import TYPE_CHECKING, Any, Literal

from ._calls import Calls, calls, map_itself, map_text
from ._learn import learn
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
from ._tables import filled_nulls as _filled_nulls, readable as _readable
from .errors import (
    ArgumentError,
    ArgumentTypeError,
    CaseError,
    ConfigError,
    ReadError,
    RightcallError,
    RunStopped,
    SuiteError,
    UnsuitedType,
    wrong_type as _wrong_type,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ._case import Case
    from ._guard import ArgumentViolation, Decision, Guard, OpenRule, Refusal
    from ._types import Edition, EvaluatorLike, EvaluatorSpec, Path, ProgressLike

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "ArgumentViolation",
    "Calls",
    "Case",
    "CaseError",
    "ConfigError",
    "Decision",
    "Evaluation",
    "Evaluator",
    "Guard",
    "OpenRule",
    "ReadError",
    "Refusal",
    "Results",
    "RightcallError",
    "Run",
    "RunStopped",
    "Scan",
    "Suite",
    "SuiteError",
    "UnsuitedType",
    "__version__",
    "calls",
    "edition",
    "evaluate",
    "evaluate_async",
    "evaluators",
    "learn",
    "scan",
    "score",
    "set_edition",
]


# Data frames take evaluations for rows with names. A run is no `Sequence`: polars would not ask it for its table.
_Sequence.register(Evaluation)


def __getattr__(name: str) -> Any:
    # Creating the dataclass takes longer than the rest of this module.
    if name == "Case":
        from ._case import Case

        return Case
    if name in ("ArgumentViolation", "Decision", "Guard", "OpenRule", "Refusal"):
        from . import _guard

        return getattr(_guard, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


async def evaluate_async(
    evaluator: EvaluatorLike, /, *, expected: Any = None, actual: Any = None, edition: Edition | None = None, **settings: Any
) -> Evaluation:
    """Judges the calls of one run on a thread; otherwise like `evaluate`.

    Use it in an event loop for runs of a thousand calls or more. The loop goes on meanwhile: it waits for the interpreter at most 10 ms at a
    time, because the interpreter is released after every 16 KiB of JSON while the objects are read, and while they are judged. A single call
    of megabytes takes longer. Do not use it for smaller runs, because starting the thread takes longer than judging them, and not for many
    runs: `await asyncio.to_thread(rightcall.score, cases, evaluators=…)` judges them on all processors.
    """
    import asyncio

    judge: Any = evaluate
    result: Evaluation = await asyncio.to_thread(judge, evaluator, expected=expected, actual=actual, edition=edition, **settings)
    return result


def score(
    cases: Iterable[Any] | Scan | Any,
    *,
    evaluators: EvaluatorSpec | Iterable[EvaluatorSpec],
    group_by: str | None = None,
    map: Path | Mapping[str, Any] | None = None,
    keep: Literal["all", "scores"] = "all",
    threads: int | None = None,
    details: bool = False,
    alignment: bool = False,
    skip_invalid: bool = False,
    progress: ProgressLike = None,
) -> Run:
    """Judges many cases with one or more evaluators.

    Args:
        cases: dicts, `Case`s, dataclasses or pydantic models with `expected` and `actual`, in the format of a case file or of a supported
            package; the `Scan` of files; or any object with an Arrow stream (pyarrow, pandas, polars, duckdb), with one row for each case.
        evaluators: ids (`"uipath/tool-call-order"`, optionally with settings after commas), dicts as in a suite, or `Evaluator`s.
        group_by: for tables of spans: the column that identifies a run, such as `"trace_id"`. A span with null in it is an evaluation that
            ended in an error.
        map: for tables with `group_by` whose rows are not spans: the map to read a run's rows with, as a path or a dict.
        keep: `"scores"` forgets the text of each case once it is judged: evaluations then have no details, alignment or explanation.
        threads: the number of threads (default: all processors). It does not affect the result.
        details: whether tables of the run, and evaluations of a scan, include the originals' details.
        alignment: whether they include the alignments.
        skip_invalid: whether invalid cases leave `Run.ok` and the exit code unchanged, and do not stop the reading of files. In memory, an
            invalid case is an evaluation that ended in an error, in its place, and one of `Run.problems`.
        progress: True for a tqdm bar, or a function that is called with the number of finished cases.

    Returns:
        The evaluations with a summary: first all those of the first case, then those of the second, and so on. Each case in memory has one
        evaluation by each evaluator, in its place. Cases in memory may have equal ids; a case without an id is named after its position,
        `cases[0]` or `row 0`.

    Raises:
        CaseError: no row of a table is a case, the table is empty, or the column for a side is missing and no row has a score.
        ReadError: a line of a file is not a case, or a case is a duplicate, and `skip_invalid` is not set.
        ConfigError: an evaluator or one of its settings is unknown.
        ArgumentError, ArgumentTypeError: another argument has an invalid value or type.
    """
    if map is not None and group_by is None:
        raise ArgumentError("map: expected `group_by` too; files take their map from `rightcall.scan`")
    if isinstance(cases, Scan):
        # Results of files never hold the cases.
        if group_by is not None:
            raise ArgumentError("group_by: expected a table of spans, found files, whose runs their formats tell apart")
        results = cases.results(
            evaluators, threads=threads, details=details, alignment=alignment, skip_invalid=skip_invalid, progress=progress
        )
        return results.collect()
    is_table = hasattr(cases, "__arrow_c_stream__") or hasattr(cases, "__arrow_c_array__")
    if not is_table:
        if group_by is not None:
            raise ArgumentError("group_by: expected a table of spans, found cases")
        cases = _cases(cases)
    shown = _shown(progress, cases)
    try:
        if is_table:
            return _score_table(cases, evaluators, group_by, map_itself(map), keep, threads, details, alignment, skip_invalid, shown)
        return score_cases(
            cases, evaluators, keep=keep, threads=threads, details=details, alignment=alignment, skip_invalid=skip_invalid, progress=shown
        )
    finally:
        if shown is not None:
            shown.close()


def _cases(cases: Any) -> Any:
    """An iterable of the cases."""
    if isinstance(cases, (str, bytes)) or hasattr(cases, "__fspath__"):
        found = "a text" if isinstance(cases, str) else "bytes" if isinstance(cases, bytes) else "a path"
        raise ArgumentTypeError(f"cases: expected cases, found {found}; for a file: rightcall.score(rightcall.scan({cases!r}), …)")
    if isinstance(cases, dict):
        raise ArgumentTypeError("cases: expected several cases, found a dict; for one case: rightcall.score([case], …)")
    if hasattr(cases, "__iter__"):
        return cases
    from .live import cases_of, is_report

    if is_report(cases):
        return cases_of(cases)
    raise ArgumentTypeError(f"cases: expected cases, found {'None' if cases is None else f'an object of class {type(cases).__name__}'}")


def _shown(progress: ProgressLike, cases: Any) -> Any:
    if progress is None:
        return None
    from ._progress import start

    return start(progress, len(cases) if hasattr(cases, "__len__") else None)


def _score_table(
    table: Any,
    evaluators: EvaluatorSpec | Iterable[EvaluatorSpec],
    group_by: str | None,
    map: str | None,
    keep: str,
    threads: int | None,
    details: bool,
    alignment: bool,
    skip_invalid: bool,
    progress: Any,
) -> Run:
    table, walked = _readable(table)
    notes = _filled_nulls(walked)
    run = score_table(
        table,
        evaluators,
        walked=walked,
        notes=notes,
        is_whole=True,
        group_by=group_by,
        map=map,
        keep=keep,
        threads=threads,
        details=details,
        alignment=alignment,
        skip_invalid=skip_invalid,
        progress=progress,
    )
    if run.summary["cases"] or skip_invalid:
        return run
    if not len(run):
        raise CaseError("expected a table with a row for each case, found one without rows")
    if group_by is not None:
        return run
    first = run[0]
    help = getattr(run.problems[0], "help", None) if run.problems else None
    raise CaseError(f"expected a table of cases, found none in its rows; the first, {first.case}: {first.reason}", help=help)


def scan(
    paths: Path | Iterable[Path],
    *,
    traces: Path | Iterable[Path] = (),
    format: str | None = None,
    map: Path | Mapping[str, Any] | None = None,
    read: Mapping[str, str] | None = None,
    identity: str | Iterable[str] = (),
    progress: ProgressLike = None,
) -> Scan:
    """Files of cases or traces, of any size and in any supported format. They are read lazily.

    Args:
        paths: the files, compressed or not; patterns such as `"traces/**/*.json"` are expanded.
        traces: files of runs, joined to the cases by id.
        format: the name of the format (default: recognized automatically); `rightcall formats` lists them.
        map: the map for a log in a custom format, as a path or a dict.
        read: how to read ambiguous parts of traces, such as `{"order": "document"}`.
        identity: meta keys that distinguish the runs of one case, in addition to `model`. Two runs of a case with the same values are an
            error.
        progress: True for a tqdm bar while the cases are iterated or scored, or a function that is called with the number of cases so far.

    Returns:
        An iterable of cases as dicts. `rightcall.score` and `Scan.results` judge them without creating Python objects for them.

    Raises:
        ArgumentError: there is no format of this name, or it cannot be read here.
        FileNotFoundError: a pattern matches no file. During iteration: a file is missing.
        ReadError: the map is invalid. During iteration: a line is not a case.
    """
    keys = [identity] if isinstance(identity, str) else list(identity)
    choices = list((read or {}).items())
    return Scan(_files(paths), traces=_files(traces), format=format, map=map_text(map), choices=choices, identity=keys, progress=progress)


def _files(paths: Path | Iterable[Path]) -> list[str]:
    import os
    from collections.abc import Iterable

    if isinstance(paths, bytes) or not isinstance(paths, (str, os.PathLike, Iterable)):
        help = "rightcall.calls(…) reads the bytes of a file" if isinstance(paths, bytes) else None
        raise _wrong_type("paths", "a path or a list of paths", paths, help=help)
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    for each in given:
        if not isinstance(each, (str, os.PathLike)):
            raise _wrong_type("paths", "paths", each)
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
