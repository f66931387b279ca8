#!/usr/bin/env python3
"""Compares the scores of published packages with ours, case by case; the last line is `N passed, N failed`.

usage: python crosscheck.py RIGHTCALL FILE PROGRAMS

RIGHTCALL is the command. FILE holds cases, one a line. PROGRAMS is a JSON list of {"command", "systems"}: a driver next to this script that
runs packages, and the prefixes of their evaluators' names. Every evaluator of evaluators.jsonl scores every case twice, in the package and
in `rightcall score` with the edition `package`. Scores must be the same float; if a package raises an error, we must too. Python packages
run with five hash seeds, because some add floats in the order of a set. If a package disagrees with itself, the case is listed and skipped.
"""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
from pathlib import Path

HASH_SEEDS = "01234"


def verdicts(text):
    """By name of the evaluator and case: a score, *not applicable*, or an error. Two errors are equal, whatever they say."""
    found = collections.defaultdict(dict)
    for line in map(json.loads, text.splitlines()):
        score, outcome = line.get("score"), line.get("outcome")
        if score is None and outcome is None and "error" not in line:
            sys.exit(f"no score, no outcome and no error in {line}")
        verdict = float(score) if score is not None else "not applicable" if outcome == "not_applicable" else "error"
        # The trials of a case have the same id.
        case = line["case"] if line.get("trial") is None else f"{line['case']}, trial {line['trial']}"
        if found[line.get("name") or line["evaluator"]].setdefault(case, verdict) is not verdict:
            sys.exit(f"a second result for the same case and evaluator: {line}")
    return found


def run(command, seed="0"):
    ran = subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # An evaluation error makes the exit code of `rightcall` 2, and may match an error of the package.
    if not ran.stdout or (ran.returncode and "score" not in command):
        sys.exit(f"{command[:3]}: exit code {ran.returncode}\n{ran.stderr}")
    return verdicts(ran.stdout)


def compare(name, runs, ours):
    """Prints the differences; returns the numbers of equal and of different cases."""
    agreed, differs, left_out = 0, [], []
    for case in sorted({case for run in [*runs, ours] for case in run}):
        theirs, own = {run.get(case, "nothing") for run in runs}, ours.get(case, "nothing")
        said = f"{case}: the package {' or '.join(sorted(map(repr, theirs)))}, rightcall {own!r}"
        if len(theirs) > 1:
            left_out.append(f"    left out: {said}")
        elif theirs == {own} and own != "nothing":
            agreed += 1
        else:
            differs.append(f"    differs: {said}")
    if not agreed + len(left_out) + len(differs):
        differs.append("    differs: the package scored nothing")
    print(f"  {name:<30} {agreed} of {agreed + len(differs)} agree" + (f", {len(left_out)} left out" if left_out else ""))
    for line in left_out + differs:
        print(line)
    return agreed, len(differs)


def main(rightcall, file, programs):
    all = Path(__file__).with_name("evaluators.jsonl").read_text().splitlines()
    commands, chosen = [], []
    for program in json.loads(programs):
        lines = [line for line in all if json.loads(line)["evaluator"].split("/")[0] in program["systems"]]
        chosen += lines
        seeds = HASH_SEEDS if program["command"][1].endswith(".py") else "0"
        commands += [([*program["command"], file, *lines], seed) for seed in seeds]
    print(file)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        originals = list(pool.map(lambda it: run(*it), commands))
    options = ["--format", "jsonl", "--no-details", "--quiet"]
    ours = run([rightcall, "score", file, *(word for line in chosen for word in ("-e", line)), *options])
    counts = []
    for name in (json.loads(line)["name"] for line in chosen):
        counts.append(compare(name, [run[name] for run in originals if name in run], ours[name]))
    print(f"{sum(passed for passed, _ in counts)} passed, {sum(failed for _, failed in counts)} failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
