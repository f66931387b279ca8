"""The golden files, run through Python objects."""

import difflib
import math
from typing import Any

import pytest
from conftest import GOLDENS, golden_lines

import rightcall

#: Goldens with an original. Those without one have no system, and are checked by the core's own tests.
FILES = sorted(path.name for path in GOLDENS.glob("*.jsonl") if "system" in golden_lines(path.name)[0])
OWN_KEYS = {"doc_explanation", "readme_summary", "blocks"}


def differs(golden: Any, found: Any, partly: bool, place: str = "") -> str | None:
    """The differences between two results: scores are compared as floats, everything else as JSON."""
    if isinstance(golden, dict) and isinstance(found, dict):
        if not partly and golden.keys() - OWN_KEYS != found.keys():
            return f"{place}: {sorted(golden)} is not {sorted(found)}"
        for key in golden.keys() - OWN_KEYS:
            if key not in found:
                return f"{place}/{key} is missing"
            difference = differs(golden[key], found[key], partly, f"{place}/{key}")
            if difference:
                return difference
        return None
    if isinstance(golden, list) and isinstance(found, list) and len(golden) == len(found):
        pairs = (differs(*pair, partly, f"{place}/{at}") for at, pair in enumerate(zip(golden, found, strict=True)))
        return next(filter(None, pairs), None)
    same_kind = isinstance(golden, bool) == isinstance(found, bool)
    both_nan = isinstance(golden, float) and isinstance(found, float) and math.isnan(golden) and math.isnan(found)
    return None if (same_kind and golden == found) or both_nan else f"{place}: {golden!r} is not {found!r}"


def check(line: dict[str, Any]) -> str | None:
    expected, actual = line.get("expected"), line.get("actual")
    if line["system"] == "python":
        return check_python(line)
    is_ours = line["system"] == "rightcall"
    try:
        if is_ours:
            evaluation = rightcall.evaluate(line["evaluator"], expected=expected, actual=actual, **line["config"])
            result, outcome, reason = evaluation.result, evaluation.outcome, evaluation.reason
        else:
            name = f"{line['system']}/{line['evaluator']}"
            evaluator = rightcall.Evaluator.from_config(name, line["config"], edition=line.get("edition", "package"))
            result, _passed, outcome, reason = evaluator.result(expected, actual)
    except ValueError as error:
        return f"raises {error}" if "result" in line else None
    if "not_applicable" in line:
        return None if (outcome, reason) == ("not_applicable", line["not_applicable"]) else f"{outcome}: {reason}"
    if "result" not in line:
        return None if result is None and outcome == "error" else f"expected an error, found {result}"
    return differs(line["result"], result, line.get("edition") == "documented")


def check_python(line: dict[str, Any]) -> str | None:
    """Checks Python itself: other implementations are compared with these lines."""
    if line["evaluator"] == "repr":
        found = {"score": 1.0, "repr": repr(line["actual"]), "str": str(line["actual"])}
    else:
        matcher = difflib.SequenceMatcher(None, line["actual"], line["expected"])
        found = {"score": matcher.ratio()}
    return differs(line["result"], found, False)


@pytest.mark.parametrize("name", FILES)
def test_the_golden_cases_of_a_file_give_what_the_original_gave(name: str) -> None:
    lines = golden_lines(name)
    assert lines
    differences = [f"{line['id']}: {difference}" for line in lines if (difference := check(line))]
    assert not differences, f"{len(differences)} of {len(lines)} differ: {differences[:5]}"
