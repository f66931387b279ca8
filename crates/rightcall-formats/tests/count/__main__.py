#!/usr/bin/env python3
"""Counts the tool calls of trace files, independently of rightcall.

Written only from the descriptions of the formats, as simply as possible, to check `rightcall inspect --format json`:

    python3 crates/rightcall-formats/tests/count RIGHTCALL FILES…

prints a table of both counts and exits with 1 if they differ. Formats: chat messages of OpenAI (Chat Completions and
Responses, Realtime), Anthropic, Gemini (contents and interactions), Bedrock Converse, Cohere, the AI SDK of Vercel, Azure and
LangChain, complete or streamed, with streams also as lists; recorded exchanges; OTLP as JSON and as protobuf, flat spans; exports of
Langfuse, LangSmith and MLflow, traces of the OpenAI Agents SDK; logs of Inspect, ADK sessions, ATIF, MCP logs, SWE-agent and mini-swe-agent; data sets of ADK and UiPath, which have no calls;
messages of Pydantic AI, results of promptfoo, sessions of Pi and Gemini CLI, events of OpenHands, run states of the OpenAI Agents SDK;
rows of Braintrust and traces of Genkit; data stored by AutoGen, LlamaIndex, LangGraph, smolagents, Semantic Kernel, Microsoft Agent Framework and the Assistants API; sessions of
opencode, Copilot, Cursor and Anthropic's managed agents; ShareGPT; traces of Opik, Weave, Mastra, Datadog and Bedrock agents; batches, HAR files
and pages; sessions of Droid, Goose, Qwen Code, telemetry of Gemini CLI and Qwen Code, sessions of Grok Build, Continue, Amazon Q and Kiro, events of CrewAI and Agno, messages of Haystack and Letta, conversations of Mistral, logs of llm, trajectories of DSPy, traces of DeepEval, results of verifiers;
rows of ToolBench, xLAM, NESTFUL and Glaive; tau-bench and tau2-bench results; BFCL questions, answers and results; session logs of Claude Code and Codex.
Compressed files (gzip) are decompressed.
"""

import collections
import gzip
import json
import subprocess
import sys

from frameworks import frameworks, paged
from logs import logs
from messages import conversations, lines_of, sequence_of
from sessions import benchmark_or_session, bfcl_result, inspect_archive, records
from spans import by_trace, protobuf_spans, traces


def count(path):
    """Returns (trajectories, names of calls) of a file; None for other formats."""
    if open(path, "rb").read(2) == b"PK":
        return inspect_archive(path)
    if open(path, "rb").read(1) in (b"\0", b"\n"):
        return by_trace(protobuf_spans(open(path, "rb").read()))
    opened = gzip.open if path.endswith(".gz") else open
    text = opened(path, "rt", encoding="utf-8-sig", newline="").read()
    try:
        values = [json.loads(text)]
    except ValueError:
        values = lines_of(text) or sequence_of(text)
    if not values and "(" in text:
        return len(text.split()) and len(text.strip().split("\n")), [name for line in text.split("\n") for name in bfcl_result(line)]
    first = next((it for it in values if it), None)
    if not values or first is None:
        return None
    head = first[0] if isinstance(first, list) else first
    if not isinstance(head, dict):
        return None
    found = logs(head, values) or frameworks(first, head, values)
    if found is not None:
        return found
    if len(values) == 1 and paged(first) != [first]:
        values = [paged(first)]
        head = values[0][0]
    if isinstance(head.get("actual"), list) and all(isinstance(call, dict) and "name" in call for call in head["actual"]):
        cases = [case for value in values for case in (value if isinstance(value, list) else [value])]
        return len(cases), [call["name"] for case in cases for call in case["actual"]]
    for family in (records, benchmark_or_session, traces):
        found = family(head, values)
        if found is not None:
            return found
    return conversations(first, head, values)


def main():
    rightcall, files = sys.argv[1], sys.argv[2:]
    wrong = 0
    print(f"{'file':60} {'format':17} {'trajectories':>12} {'calls':>6} {'counted':>8}")
    for path in files:
        said = subprocess.run([rightcall, "inspect", "--format", "json", path], capture_output=True, text=True)
        found = json.loads(said.stdout)
        expected = count(path)
        same = expected is None and found["format"] is None
        if expected is not None:
            names = dict(collections.Counter(expected[1]))
            same = (found["trajectories"], found["names"]) == (expected[0], names)
        counted = "-" if expected is None else f"{expected[0]}/{len(expected[1])}"
        wrong += not same
        mark = "" if same else "  <- differs"
        print(f"{path[-60:]:60} {found['format'] or '-':17} {found['trajectories']:12} {found['calls']:6} {counted:>8}{mark}")
        if not same and expected is not None:
            print("   rightcall:", found["names"], "\n   counted:  ", names)
    print(f"{len(files)} files, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
