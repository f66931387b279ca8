"""Evaluations and runs as HTML for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._native import Evaluation, Run

_PRE = "line-height:1.25;overflow-x:auto;margin:0.4em 0"


def evaluation(it: Evaluation) -> str:
    """The score as a heading, with the alignment below."""
    head = [f"<b>{escape(it.name or it.evaluator)}</b>"]
    if it.case is not None:
        head.append(escape(it.case))
    head.append(f"score <b>{it.score:.3f}</b>" if it.score is not None else f"<b>{it.outcome.replace('_', ' ')}</b>")
    if it.passed is not None:
        head.append('<b style="color:#1a7f37">passed</b>' if it.passed else '<b style="color:#cf222e">failed</b>')
    body = it.explain()
    return f'<div>{" · ".join(head)}<pre style="{_PRE}">{escape(body)}</pre></div>'


def run(it: Run) -> str:
    """A table with a row for each evaluator."""
    summary = it.summary
    columns = ["evaluator", "mean", "min", "max", "passed", "scored", "not applicable", "errors"]
    rows = [_row(evaluator) for evaluator in summary["evaluators"]]
    head = "".join(f"<th>{column}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div>{summary['cases']} cases<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _row(scores: dict[str, Any]) -> list[str]:
    def number(key: str, form: str) -> str:
        return "–" if scores[key] is None else format(scores[key], form)

    return [
        escape(scores.get("name") or scores["evaluator"]),
        number("mean", ".3f"),
        number("min", ".3f"),
        number("max", ".3f"),
        number("pass_rate", ".1%"),
        str(scores["scored"]),
        str(scores["not_applicable"]),
        str(scores["errors"]),
    ]
