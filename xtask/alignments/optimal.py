"""Costs of optimal alignments by pm4py: python optimal.py FILE.

FILE holds expectations in blocks and runs, as `trees` of `xtask/bench/workloads.py` writes them. A batch at a time is converted to process
trees and then to Petri nets before the clock starts. The search is pm4py's default; its faster search (Dijkstra with less memory)
returns other costs.
"""

import json
import sys
import time

from pm4py.algo.conformance.alignments.petri_net import algorithm
from pm4py.objects.conversion.process_tree import converter
from pm4py.objects.log.obj import Event, Trace
from pm4py.objects.process_tree.obj import Operator, ProcessTree

# pm4py's cost of a move on one side only; a silent move costs 1.
MOVE = 10_000

# The batch size.
AT_A_TIME = 20


def silent():
    return ProcessTree()


def node(operator, children):
    tree = ProcessTree(operator=operator, children=children)
    for child in children:
        child.parent = tree
    return tree


def elements(block):
    return block if isinstance(block, list) else [block]


def sequence(block):
    children = [element(child) for child in elements(block)]
    return node(Operator.SEQUENCE, children) if children else silent()


def optional(tree):
    return node(Operator.XOR, [silent(), tree])


def element(found):
    if isinstance(found, str) or "name" in found:
        return ProcessTree(label=found if isinstance(found, str) else found["name"])
    if isinstance(found, list) or "sequence" in found:
        return sequence(found if isinstance(found, list) else found["sequence"])
    if "any_order" in found:
        branches = [element(child) for child in elements(found["any_order"])]
        return node(Operator.PARALLEL, branches) if branches else silent()
    if "one_of" in found:
        return node(Operator.XOR, [element(child) for child in elements(found["one_of"])])
    if "optional" in found:
        return optional(sequence(found["optional"]))
    block, least, most = found["repeat"], found.get("min", 1), found.get("max")
    rounds = [sequence(block) for _ in range(least)]
    if most is None:
        rounds.append(optional(node(Operator.LOOP, [sequence(block), silent()])))
    else:
        # A further round is possible only after the previous one.
        further = silent()
        for _ in range(least, most):
            further = optional(node(Operator.SEQUENCE, [sequence(block), further]))
        rounds.append(further)
    return node(Operator.SEQUENCE, rounds)


def case(line):
    found = json.loads(line)
    net = converter.apply(sequence(found["expected"]))
    trace = Trace([Event({"concept:name": name}) for name in found["actual"]])
    return trace, net


def costs(lines):
    """The cost of each line, and the seconds of CPU that the searches took."""
    found, seconds = [], 0.0
    for first in range(0, len(lines), AT_A_TIME):
        cases = [case(line) for line in lines[first : first + AT_A_TIME]]
        start = time.process_time()
        found += [algorithm.apply_trace(trace, *net)["cost"] // MOVE for trace, net in cases]
        seconds += time.process_time() - start
    return found, seconds


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = list(file)
    print(json.dumps({"cases": len(lines), "cpu_seconds": costs(lines)[1]}))
