"""Compares our optimal alignments and learned expectations with other programs: python check.py RIGHTCALL PROCESS_MINING.

The costs of 2,000 alignments must be those of pm4py and of the crate `process_mining`. On 100 logs, the mean precision of what we learn must
not be below that of pm4py's inductive miner, by pm4py's alignments. The last line is `N passed, N failed`.
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from optimal import costs, sequence
from pm4py.algo.discovery.inductive import algorithm as miner
from pm4py.algo.evaluation.precision import algorithm as precision
from pm4py.objects.conversion.process_tree import converter
from pm4py.objects.log.obj import Event, EventLog, Trace

sys.path.append(str(Path(__file__).parents[1] / "bench"))
from workloads import dumps, tree, trees

RIGHTCALL, PROCESS_MINING = sys.argv[1:]
LOGS = 100


def said(*command):
    """The lines of JSON that a program prints. Exit code 1 means that a case failed, which is no error here."""
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ran.returncode not in (0, 1) or not ran.stdout:
        sys.exit(f"{command}: exit code {ran.returncode}\n{ran.stderr}")
    return [json.loads(line) for line in ran.stdout.splitlines()]


def written(folder, name, lines):
    file = Path(folder, name)
    file.write_text("".join(lines), encoding="utf-8")
    return str(file)


def check_costs(folder):
    lines = list(trees(2_000))
    file = written(folder, "trees.jsonl", lines)
    ours = [result["details"]["cost"] for result in said(RIGHTCALL, "score", file, "-e", "fitness", "--format", "jsonl", "--quiet")]
    for name, theirs in (("process_mining", said(PROCESS_MINING, file)[0]["costs"]), ("pm4py", costs(lines)[0])):
        for line, own, other in zip(lines, ours, theirs, strict=True):
            if own != other:
                print(f"{name}: {other}, ours: {own}: {line}", end="")
            yield own == other


def precision_of(log, tree):
    parameters = {"show_progress_bar": False}
    return precision.apply(log, *converter.apply(tree), variant=precision.Variants.ALIGN_ETCONFORMANCE, parameters=parameters)


def check_precision(folder):
    source, logs = random.Random(46), []
    for _ in range(LOGS):
        _, run = tree(source, source.randint(2, 12))
        logs.append([run() for _ in range(source.randint(5, 50))])
    runs = (dumps({"id": f"{log} {at}", "input": str(log), "actual": run}) + "\n" for log, all in enumerate(logs) for at, run in enumerate(all))
    learned = str(Path(folder, "learned.yaml"))
    subprocess.run([RIGHTCALL, "learn", written(folder, "logs.jsonl", runs), "--by", "input", "-o", learned], check=True, stderr=subprocess.PIPE)
    ours, theirs = [], []
    for case in said(RIGHTCALL, "convert", learned, "--quiet"):
        events = [[Event({"concept:name": name}) for name in run] for run in logs[int(case["id"])]]
        log = EventLog([Trace(run, attributes={"concept:name": str(at)}) for at, run in enumerate(events)])
        ours.append(precision_of(log, sequence(case["expected"])))
        theirs.append(precision_of(log, miner.apply(log)))
    print("| miner | mean precision | higher on |\n| --- | --- | --- |")
    for name, own, other in (("rightcall", ours, theirs), ("pm4py", theirs, ours)):
        higher = sum(one > two + 1e-9 for one, two in zip(own, other, strict=True))
        print(f"| {name} | {sum(own) / LOGS:.3f} | {higher} of {LOGS} logs |")
    yield len(ours) == LOGS and sum(ours) >= sum(theirs)


with tempfile.TemporaryDirectory() as folder:
    held = [*check_costs(folder), *check_precision(folder)]
print(f"{sum(held)} passed, {len(held) - sum(held)} failed")
