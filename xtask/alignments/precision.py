"""Precision of our expectations and of pm4py's inductive miner by pm4py's alignments: python precision.py FILE.

FILE holds logs and the expectations learned from them, as `rightcall-bench write-logs` writes them. pm4py mines and judges the same logs.
"""

import json
import sys

from optimal import sequence
from pm4py.algo.discovery.inductive import algorithm as miner
from pm4py.algo.evaluation.precision import algorithm as precision
from pm4py.objects.conversion.process_tree import converter
from pm4py.objects.log.obj import Event, EventLog, Trace


def precision_of(log, tree):
    net = converter.apply(tree)
    return precision.apply(
        log,
        *net,
        variant=precision.Variants.ALIGN_ETCONFORMANCE,
        parameters={"show_progress_bar": False},
    )


def main():
    ours, theirs = [], []
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            found = json.loads(line)
            runs = [[Event({"concept:name": name}) for name in run] for run in found["runs"]]
            log = EventLog([Trace(run, attributes={"concept:name": str(at)}) for at, run in enumerate(runs)])
            ours.append(precision_of(log, sequence(found["expected"])))
            theirs.append(precision_of(log, miner.apply(log)))
    print(json.dumps({"ours": ours, "theirs": theirs}))


main()
