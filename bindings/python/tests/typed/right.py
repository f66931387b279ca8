"""A program that type checkers accept."""

from typing import Any

import rightcall
from rightcall.expect import any_order, call, one_of, pattern

calls: list[dict[str, Any]] = [{"name": "refund", "args": {"order": 7}}]

evaluation = rightcall.evaluate(
    "trajectory", expected=calls, actual=calls, match={"args": "subset", "tolerance": 0.5}, score="recall", threshold=0.9
)
score: float | None = evaluation.score
strict = rightcall.Evaluator("uipath/tool-call-count", strict=True, edition="documented", name="counts")
again = rightcall.evaluate(strict, expected=calls, actual=calls)
loose = rightcall.evaluate({"evaluator": "trajectory", "mode": "subset"}, expected=calls, actual=calls)
blocks = rightcall.evaluate(
    "fitness", expected=[any_order("find", "verify"), one_of("refund", call("credit", {"order": pattern("[0-9]+")}))], actual=calls
)
run = rightcall.score([{"expected": calls, "actual": calls}], evaluators=["trajectory,mode=strict", strict])
passed: bool | None = run[0].passed if len(run) else None
