#!/usr/bin/env python3
"""Loads the output of `rightcall convert --to deepeval` with DeepEval, and reports calls that differ from those of the cases.

usage: python written.py FOLDER

FOLDER holds the same cases as `cases.json`, one a line, and as `deepeval.json`.
"""
import json
import os
import sys
from pathlib import Path

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"

from deepeval.dataset import EvaluationDataset

ARGUMENTS = {"tools_called_key_name": "tools_called", "expected_tools_key_name": "expected_tools"}


def calls(side):
    def arguments(call):
        return json.loads(call["args"]) if isinstance(call.get("args"), str) else call.get("args")

    return [(call["name"], arguments(call), call.get("output")) for call in side]


def loaded(tools):
    return [(tool.name, tool.input_parameters, tool.output) for tool in tools]


folder = Path(sys.argv[1])
cases = [json.loads(line) for line in (folder / "cases.json").read_text().splitlines()]
dataset = EvaluationDataset()
dataset.add_test_cases_from_json_file(str(folder / "deepeval.json"), "input", "actual_output", **ARGUMENTS)
found = [(it.input, loaded(it.tools_called), loaded(it.expected_tools)) for it in dataset.test_cases]
wanted = [(case["input"], calls(case["actual"]), calls(case["expected"])) for case in cases]
for number, (test, case) in enumerate(zip(found, wanted, strict=True)):
    if test != case:
        sys.exit(f"case {number}: DeepEval has {test}, the case {case}")
print(f"DeepEval: {len(found)} test cases hold what the cases hold")
