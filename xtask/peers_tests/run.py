#!/usr/bin/env python3
"""Runs the tests of a package with only their imports changed; one JSON line for each test.

usage: python run.py COPY OURS THEIRS FILE...

COPY is a copy of the package's tests; OURS is a drop-in module. In each FILE, names that OURS has and that are imported from THEIRS (a
module, or any below it) are imported from OURS instead. If OURS is empty, nothing is changed. A line is {"test", "outcome"}.
"""
import ast
import importlib
import json
import os
import sys

import pytest


def changed(text, ours, offered, theirs):
    """The text of a test file with its imports changed."""
    lines = text.splitlines(keepends=True)
    for node in sorted(ast.walk(ast.parse(text)), key=lambda node: -getattr(node, "lineno", 0)):
        if not isinstance(node, ast.ImportFrom) or not f"{node.module}.".startswith(f"{theirs}."):
            continue
        taken = [name for name in node.names if name.name in offered]
        left = [name for name in node.names if name.name not in offered]
        if not taken:
            continue
        margin = " " * node.col_offset
        written = [
            f"{margin}from {module} import {', '.join(map(ast.unparse, names))}\n"
            for module, names in ((ours, taken), (node.module, left))
            if names
        ]
        lines[node.lineno - 1 : node.end_lineno] = written
    return "".join(lines)


class Report:
    """Prints the outcome of each test."""

    def __init__(self, out):
        self.out = out
        self.outcomes = {}

    def pytest_runtest_logreport(self, report):
        worst = {"failed": 2, "skipped": 1, "passed": 0}
        before = self.outcomes.get(report.nodeid, "passed")
        self.outcomes[report.nodeid] = max(before, report.outcome, key=worst.get)

    def pytest_collectreport(self, report):
        if report.failed:
            self.outcomes[report.nodeid] = "failed"

    def pytest_sessionfinish(self):
        for test, outcome in self.outcomes.items():
            print(json.dumps({"test": test, "outcome": outcome}), file=self.out)


def main(copy, ours, theirs, *files):
    # Show what the tests print on standard error; only results may appear on standard output.
    out, sys.stdout = sys.stdout, sys.stderr
    offered = set(importlib.import_module(ours).__all__) if ours else set()
    os.chdir(copy)
    for file in files:
        with open(file, encoding="utf-8") as source:
            text = source.read()
        with open(file, "w", encoding="utf-8") as target:
            target.write(changed(text, ours, offered, theirs))
    options = ["-q", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto", "-o", "addopts=", "--tb=short"]
    pytest.main([*options, *files], plugins=[Report(out)])


if __name__ == "__main__":
    main(*sys.argv[1:])
