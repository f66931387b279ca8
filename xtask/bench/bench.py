#!/usr/bin/env python3
"""Measures the goals for speed and memory. `cargo xtask bench` builds what it needs and runs it.

Figures are CPU times, which other programs disturb less than wall times, and count as ratios within one run, which are comparable across
machines. All jobs of a group run in turn, short ones ten times; this is repeated, and the median counts. A peer prints its own figures,
without imports. Memory is the peak resident set; below about 3 MB it is that of the small program that starts the others.
"""
import argparse
import collections
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path
from urllib.request import urlopen

from workloads import INPUTS, cases, Maker

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs/performance.md"
ARGS = """'{"evaluator":"axion/tool-correctness","name":"args","check_parameters":true}'"""
OUTPUT = "--edition package --format jsonl --quiet"
FOUR = f"-e uipath/tool-call-order -e uipath/tool-call-count -e axion/tool-correctness -e {ARGS} {OUTPUT}"
FUZZY = f"""-e '{{"evaluator":"axion/tool-correctness","check_parameters":true,"parameter_matching_strategy":"fuzzy"}}' {OUTPUT}"""


def ours(input, threads=1, evaluators=FOUR, more="--no-details"):
    return f"rightcall score {{{input}}} {evaluators} --threads {threads} {more}"


def compared(input, **limits):
    """Our four scores, the bare parse, and peers on the first cases."""
    peers = {name: f"python {name.replace('_', '-')} {{{input}}} {limit}" for name, limit in limits.items()}
    return {"ours": ours(input), "parse": f"bench parse {{{input}}}", **peers}


# By group: jobs, which run in turn. A job is a program with its arguments; `{name}` is the file of an input.
GROUPS = {
    "w1": compared("w1", json=0, uipath_order=20_000, uipath_count=20_000, uipath_args=20_000, deepeval=4_000, deepeval_args=4_000,
                   agentevals_unordered=4_000, axion_name=50_000, axion_exact=50_000, axion_fuzzy=5_000)
    | {"explained": ours("w1", more="--explain"), "two": ours("w1", threads=2), "ten": ours("w1_long"), "one": ours("w1_one")},
    "w2": compared("w2", json=0, uipath_order=40, uipath_args=100, deepeval=10, agentevals_unordered=200, axion_exact=1_000, axion_fuzzy=100),
    "w4": {"ours": ours("w4", evaluators=FUZZY), "axion_fuzzy": "python axion-fuzzy {w4} 2000"},
    "w5": compared("w5", json=0, uipath_args=200, deepeval_args=60, agentevals_unordered=100, axion_exact=0),
    "w6": {"ours": ours("w6"), "parse": "bench parse-messages {w6}"},
    "long": {f"n{calls}": ours(f"wl_{calls}") for calls in (1_000, 2_000, 4_000)} | {
        "order": ours("w3", evaluators=f"-e uipath/tool-call-order {OUTPUT}"), "count": ours("w3", evaluators=f"-e uipath/tool-call-count {OUTPUT}")},
    "otlp": {"ours": "bench read {spans}", "parse": "bench parse-spans {spans}", "document": "bench read {spans_document}"},
    "blocks": {"ours": "bench align {trees}", "process_mining": "process_mining {trees}", "pm4py": "pm4py {trees}"},
    "learn": {"ours": "rightcall learn {runs} --by file", "read": "bench read {runs}"},
    "strength": {"ours": "rightcall strength {suite} --mutants 400 --format json"},
    "guard": {"rust": "bench guard {guard}", "python": "python rightcall-guard {guard}"},
    "objects": {"ours": "python rightcall-exact {w1_50} 50 400", "agentevals": "python agentevals-unordered-function {w1_50} 50 400"},
    "rewards": {"ours": "python rewards"},
    "drop-ins": {"uipath": "python drop-ins"},
    "viewer": {"ours": "viewer"},
}  # fmt: skip

# Group, quantity, figure, limit. `cpu` is seconds for a case, `total` for the whole process, `peak` bytes; others are what a job prints.
GOALS = [
    ("w1", "four scores / the bare parse", "ours.cpu / parse.cpu", "<= 1.00"),
    ("w1", "with details and explanations / the bare parse", "explained.cpu / parse.cpu", "<= 2.50"),
    ("w1", "three UiPath classes (order, count, args) / four scores", "(uipath_order.cpu + uipath_count.cpu + uipath_args.cpu) / ours.cpu", ">= 45"),
    ("w1", "wall time on two threads / on one", "two.wall / ours.wall", "<= 0.65"),
    # 16 MB, and 24 bytes for each of 100,000 cases.
    ("w1", "memory, one thread", "ours.peak", "<= 18.4 MB"),
    ("w1", "ten times as long: memory for each further case", "(ten.peak - ours.peak) / 900_000", "<= 24 bytes"),
    ("w1", "one case, whole process", "one.total", "<= 10 ms"),
    ("w2", "four scores / the bare parse", "ours.cpu / parse.cpu", "<= 0.90"),
    ("w4", "axion-fuzzy / fuzzy alone", "axion_fuzzy.cpu / ours.cpu", ">= 25"),
    ("w5", "four scores / the bare parse", "ours.cpu / parse.cpu", "<= 0.85"),
    ("w6", "four scores / the bare parse", "ours.cpu / parse.cpu", "<= 3.00"),
    ("long", "1,000 to 4,000 calls: time for twice as many", "max(n2000.cpu / n1000.cpu, n4000.cpu / n2000.cpu)", "<= 2.30"),
    ("long", "LCS with its pairs, 16,000 calls a side: memory beyond that of counts", "max(0, order.peak - count.peak)", "<= 8 MB"),
    ("otlp", "a request a line: the bare parse / our reading", "parse.total / ours.total", ">= 0.50"),
    ("otlp", "1 GB in one document: memory", "document.peak", "<= 100 MB"),
    ("blocks", "process_mining / aligned", "process_mining.cpu / ours.cpu", ">= 3"),
    ("blocks", "pm4py / aligned", "pm4py.cpu / ours.cpu", ">= 1000"),
    ("learn", "100,000 runs of 20 calls, beyond reading them", "ours.total - read.total", "<= 5 s"),
    ("learn", "the same: memory", "ours.peak", "<= 60 MB"),
    ("strength", "broken runs judged in a minute, one core, no blocks", "ours.cases / ours.total * 60", ">= 2500000"),
    ("guard", "admit and result, in Rust", "rust.cpu", "<= 5 µs"),
    ("guard", "admit and result, in Python", "python.cpu", "<= 20 µs"),
    ("objects", "Evaluator.evaluate in Python / agentevals' function", "ours.cpu / agentevals.cpu", "<= 2.00"),
    ("rewards", "messages with 5 calls", "ours.messages_5 / 1e6", "<= 15 µs"),
    ("rewards", "text with 5 calls", "ours.text_5 / 1e6", "<= 30 µs"),
    ("rewards", "20 calls of one tool: plain Python / ours", "min(ours.plain_messages_20 / ours.messages_20, ours.plain_text_20 / ours.text_20)", ">= 3"),
    ("drop-ins", "UiPath's evaluators / ours, the least of 12", "uipath.ratio", ">= 1"),
    ("viewer", "a run of 50,000 cases", "ours.run", "<= 10 ms"),
    ("viewer", "the slowest filter", "ours.filter", "<= 40 ms"),
    ("viewer", "a comparison", "ours.comparison", "<= 300 ms"),
    ("viewer", "a case", "ours.case", "<= 5 ms"),
]  # fmt: skip

UNITS = {"MB": 1e6, "bytes": 1, "s": 1, "ms": 1e-3, "µs": 1e-6, "": 1}


def parsed(argv):
    parser = argparse.ArgumentParser(prog="cargo xtask bench", description="Measures the goals for speed and memory")
    parser.add_argument("groups", nargs="*", choices=[[], *GROUPS], metavar="GROUP", help=f"all, or some of {', '.join(GROUPS)}")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each job")
    parser.add_argument("--cases", type=int, help="at most this many cases of each input")
    parser.add_argument("--own", action="store_true", help="without the packages, which need Python and Node")
    parser.add_argument("--other", metavar="PATH", help="another build of `rightcall`, which runs in turn with this one")
    parser.add_argument("--instructions", action="store_true", help="counts instructions in place of time, by valgrind; choose few `--cases`")
    parser.add_argument("--write", action="store_true", help="writes the measured rows and tables into docs/performance.md")
    parser.add_argument("--programs", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--needs", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(argv)


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.made = options, Path(folder), {}

    def input(self, name):
        """The file of an input, and its number of cases."""
        if name not in self.made:
            count, lines = INPUTS[name]
            count = min(count, self.options.cases or count)
            file = self.folder / f"{name}.jsonl"
            with open(file, "w", encoding="utf-8") as out:
                out.writelines(lines(count))
            self.made[name] = str(file), count
        return self.made[name]

    def command(self, job):
        """The program of a job with its arguments, and the number of cases in its input."""
        inputs = {name: self.input(name) for name in re.findall(r"{(\w+)}", job)}
        program, *words = shlex.split(re.sub(r"{(\w+)}", lambda found: inputs[found[1]][0], job))
        python, aligners = ROOT / ".peers/python/bin/python", ROOT / "xtask/alignments"
        start = {
            "rightcall": [self.options.programs / "rightcall"], "bench": [self.options.programs / "rightcall-bench"],
            "python": [python, HERE / "peers.py"], "process_mining": [ROOT / "target/alignments/release/alignments"],
            "pm4py": [ROOT / ".peers/alignments/bin/python", aligners / "optimal.py"],
        }[program]  # fmt: skip
        return [*map(str, start), *words], next((count for _, count in inputs.values()), 1)

    def run(self, command, count):
        if self.options.instructions:
            command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *command]
        usage = self.folder / "usage.json"
        out = subprocess.DEVNULL if "score" in command else subprocess.PIPE
        start = [self.options.programs / "rightcall-bench", "run", usage, *command]
        ran = subprocess.run(start, stdout=out, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=self.folder, text=True)
        used = json.loads(usage.read_text()) if ran.returncode == 0 else {"code": ran.returncode}
        # Exit code 1 of the command means that a case failed.
        if used.pop("code") not in ((0, 1) if "score" in command else (0,)):
            sys.exit(f"{shlex.join(command)}\n{ran.stderr}")
        told = json.loads(ran.stdout) if (ran.stdout or "").strip().startswith("{") else {}
        # `strength` lists its cases, each with a number of broken runs.
        if isinstance(told.get("cases"), list):
            told = {"cases": sum(it["broken"] for it in told["cases"])}
        if self.options.instructions:
            used["total"] = int(re.search(r"I +refs: +([\d,]+)", ran.stderr)[1].replace(",", ""))
        count = told.get("cases", count)
        return {**told, **used, "cases": count, "cpu": told.get("cpu_seconds", used["total"]) / count}

    def group(self, jobs):
        """The figures of all jobs: medians of what they measure."""
        runs = collections.defaultdict(list)
        for round in range(self.options.rounds):
            for name, job in jobs.items():
                if job == "viewer":
                    runs[name].append(viewer(self))
                    continue
                command, count = self.command(job)
                same = [("other " + name, [self.options.other, *command[1:]])] if self.options.other and job.startswith("rightcall") else []
                for label, command in [(name, command), *same]:
                    runs[label].append(self.run(command, count))
                    short = runs[label][-1]["total"] < 0.1 and not self.options.instructions
                    runs[label] += [self.run(command, count) for _ in range(9 if short else 0)]
                print(f"{round + 1}/{self.options.rounds} {name}", file=sys.stderr)
        return {name: {key: median([run[key] for run in all]) for key in all[0]} for name, all in runs.items()}


def median(values):
    return statistics.median(values) if isinstance(values[0], (int, float)) else values[0]


def viewer(bench):
    """The CPU time of the viewer for pages of two runs of 50,000 cases: the median of 20 requests after the first."""
    program, folder = bench.options.programs / "rightcall", bench.folder
    (folder / "suite.yaml").write_text("cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 0.8}, uipath/tool-call-order, uipath/tool-call-count]\n")
    for seed in (0, 1):
        maker = Maker("varied", 5, 20)
        maker.random.seed(seed)
        with open(folder / "cases.jsonl", "w", encoding="utf-8") as out:
            out.writelines(cases(min(50_000, bench.options.cases or 50_000), maker, 50_000))
        if subprocess.run([program, "run", "suite.yaml", "--quiet"], cwd=folder, stdout=subprocess.DEVNULL).returncode not in (0, 1):
            sys.exit("the suite of the viewer could not be run")
    server = subprocess.Popen([program, "view", "--port", "0"], cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        site = next(found[0] for found in (re.search(r"http://[^/\s]+", line) for line in server.stderr) if found)

        def used():
            fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
            return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

        def request(address):
            urlopen(site + address).read()
            before = used()
            for _ in range(20):
                urlopen(site + address).read()
            return (used() - before) / 20

        filters = ["outcome=failed", "outcome=passed", "tool=get_user", "q=c12", "sort=1", "sort=label", "expected=get_user&called=list_user"]
        pages = {"run": "/runs/1", "comparison": "/compare?run=1&run=2", "case": "/runs/1/cases/7"}
        figures = {name: request(address) for name, address in pages.items()}
        return {**figures, "filter": max(request(f"/runs/1?{it}") for it in filters), "cpu": 0, "peak": 0}
    finally:
        server.kill()


def number(value):
    """Three significant digits."""
    return f"{value:,.0f}" if abs(value) >= 99.95 else f"{value:.1f}" if abs(value) >= 9.995 else f"{value:.2f}"


def goal_rows(group, figures):
    """The rows of the goals that were measured."""
    for of_group, what, figure, must in GOALS:
        if of_group != group or not figures.keys() >= set(re.findall(r"([a-z]\w*)\.", figure)):
            continue
        value = eval(figure, {name.replace(" ", "_"): types.SimpleNamespace(**measured) for name, measured in figures.items()})
        sign, limit, unit = (*must.split(" "), "")[:3]
        held = value <= float(limit) * UNITS[unit] if sign == "<=" else value >= float(limit) * UNITS[unit]
        shown = [f"{number(value / UNITS[unit])} {unit}".strip(), f"{sign.replace('<=', '≤').replace('>=', '≥')} {number(float(limit))} {unit}".strip()]
        yield f"| {group}: {what} | {shown[0]} | {shown[1]} | {'held' if held else '**missed**'} |"


def table(figures):
    """CPU time of a case, how many times that of ours, and memory."""
    rows = ["|  | µs a case | × ours | MB |", "| --- | --: | --: | --: |"]
    for name, it in figures.items():
        ratio = number(it["cpu"] / figures["ours"]["cpu"]) + "×" if "ours" in figures and figures["ours"]["cpu"] else ""
        rows.append(f"| {name.replace('_', '-')} | {number(it['cpu'] * 1e6)} | {ratio} | {it['peak'] / 1e6:.1f} |")
    return "\n".join(rows)


def write(group, rows, text):
    """Replaces the rows of goals and the table of a group on the page, if it has them."""
    page = PAGE.read_text(encoding="utf-8")
    for row in rows:
        page = re.sub(rf"^{re.escape('|'.join(row.split('|')[:2]))}\|.*$", lambda _: row, page, flags=re.M)
    page = re.sub(rf"(<!-- {group} -->\n).*?(<!-- end of {group} -->)", lambda found: found[1] + text + "\n" + found[2], page, flags=re.S)
    PAGE.write_text(page, encoding="utf-8")


def main(argv):
    options = parsed(argv)
    chosen = {group: GROUPS[group] for group in options.groups or GROUPS}
    if options.own:
        own = ("rightcall", "bench", "viewer")
        chosen = {group: {name: job for name, job in jobs.items() if job.split(" ")[0] in own} for group, jobs in chosen.items()}
    if options.needs:
        print(*{job.split(" ")[0] for jobs in chosen.values() for job in jobs.values()})
        return
    load = os.getloadavg()[0]
    for group, jobs in chosen.items():
        with tempfile.TemporaryDirectory(dir=options.programs.parent) as folder:
            figures = Bench(options, folder).group(jobs)
        rows = list(goal_rows(group, figures))
        measured = f"Measured {time.strftime('%F', time.gmtime())}, {os.cpu_count()} cores; rounds: {options.rounds}; load before: {load:.1f}."
        print(f"\n{group}\n\n{table(figures)}\n\n" + "\n".join(rows), flush=True)
        if options.write:
            write(group, rows, f"{measured}\n\n{table(figures)}")


if __name__ == "__main__":
    main(sys.argv[1:])
