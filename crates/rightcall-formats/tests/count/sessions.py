"""Calls in agent logs and sessions, in benchmarks and in data sets."""

import ast
import collections
import json
import re
import zipfile

from messages import decoded, listed, message_calls, responses_item


def inspect_sample(sample):
    """Calls of messages, and tool events without a request in the sample's messages."""
    names, open_ids = [], collections.Counter()
    for message in sample["messages"]:
        for call in message.get("tool_calls") or []:
            names.append(call["function"])
            open_ids[call["id"]] += 1

    def events(some):
        for event in some or []:
            if event["event"] == "tool":
                if open_ids[event["id"]]:
                    open_ids[event["id"]] -= 1
                else:
                    names.append(event["function"])
                events(event.get("events"))

    events(sample.get("events"))
    return names


def inspect_archive(path):
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("samples/")]
        samples = [json.loads(archive.read(name)) for name in names]
    return len(samples), [name for sample in samples for name in inspect_sample(sample)]


def adk_session(session):
    names = []
    for event in session["events"]:
        if not event.get("partial"):
            names += message_calls(event.get("content"))
    return [name for name in names if name != "transfer_to_agent" and not name.startswith("adk_request_")]


def mcp_calls(values):
    """Sessions and calls; a reply that requests more input retracts its call."""
    sessions, calls = set(), {}
    for value in values:
        for it in value if isinstance(value, list) else [value]:
            message = it if "jsonrpc" in it else decoded(it.get("message"))
            sessions.add(it.get("session"))
            key = (it.get("session"), repr(message.get("id")))
            if message.get("method") == "tools/call":
                calls.setdefault(key, []).append(message["params"]["name"])
            elif (message.get("result") or {}).get("resultType") == "input_required":
                calls[key].pop(0)
    return len(sessions), [name for names in calls.values() for name in names]


def mini_swe_agent(run):
    """Calls, commands that the agent extracted from a text, or else the only fenced command."""
    names = []
    for message in run:
        if message.get("object") == "response":
            names += [name for item in message["output"] for name in responses_item(item)]
        elif message.get("role") == "assistant":
            actions = (message.get("extra") or {}).get("actions") or re.findall(
                r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n```", message.get("content") or "", re.DOTALL
            )
            names += message_calls(message) or (["bash"] * len(actions) if len(actions) == 1 else [])
    return names


def openhands_event(event):
    """Calls in SDK events, and in older events, which are actions."""
    if event.get("kind") == "ActionEvent":
        call = event["tool_call"]
        return [(call.get("function") or call)["name"]]
    quiet = {"message", "system", "recall", "change_agent_state", "condensation", "null"}
    if event.get("source") != "agent" or event.get("action") in quiet | {None}:
        return []
    if event["action"] == "call_tool_mcp":
        return [event["args"]["name"]]
    return [(event.get("tool_call_metadata") or {}).get("function_name") or event["action"]]


def pi_line(line):
    """Messages of a session; of events, only those that end a message."""
    if line.get("type") not in ("message", "message_end"):
        return []
    parts = line["message"].get("content")
    return [part["name"] for part in listed(parts) if part.get("type") == "toolCall"]


def gemini_cli(values):
    """The calls of a chat, using the latest version of each message, or of events."""
    messages, names = {}, []
    for value in values:
        for it in value.get("messages") or (value.get("$set") or {}).get("messages") or [value]:
            if "$rewindTo" in it:
                known = list(messages)
                for key in known[known.index(it["$rewindTo"]) :]:
                    del messages[key]
            elif "id" in it:
                messages[it["id"]] = it
            elif it.get("type") == "tool_use":
                names.append(it["tool_name"])
    return names + [call["name"] for it in messages.values() for call in it.get("toolCalls") or []]


def agents_run(run):
    """Calls in the items of a run, or else in the model's replies."""
    items = [it for it in run.get("generated_items") or [] if it["type"] != "tool_approval_item"]
    raw = [it["raw_item"] for it in items]
    raw = raw or [it for reply in run.get("model_responses") or run.get("raw_responses") for it in reply["output"]]
    return [name for it in raw for name in (message_calls(it) if it.get("tool_calls") else responses_item(it))]


def promptfoo_result(result):
    """Calls executed by an agent, or else calls in the output, as JSON or JSON Lines."""
    response = result.get("response") or {}
    told = (response.get("metadata") or {}).get("toolCalls")
    if told:
        return [call["name"] for call in told]
    output = response.get("output")
    found = [output] if not isinstance(output, str) else []
    for line in output.split("\n") if isinstance(output, str) else []:
        if line.startswith(("{", "[")):
            found.append(decoded(line))
    names = []
    for value in [it for value in found for it in (value if isinstance(value, list) else [value])]:
        if isinstance(value, dict):
            names += message_calls(value) or [(value.get("function") or value)["name"]]
    return names


def records(head, values):
    """Returns (trajectories, names) of formats with independent values; None for others."""
    whole = values[0] if len(values) == 1 and isinstance(values[0], list) else values
    if str(head.get("schema_version")).startswith("ATIF-"):
        steps = [step for it in whole for step in it["steps"] if not step.get("is_copied_context")]
        return len(whole), [call["function_name"] for step in steps for call in step.get("tool_calls") or []]
    if {"evaluatorTypeId", "evaluatorSchema"} & set(head) or "category" in head and "fileName" in head:
        return 0, []
    if "evaluatorRefs" in head:
        return len(head["evaluations"]), []
    if "eval" in head and "version" in head:
        samples = head.get("samples") or []
        return len(samples), [name for sample in samples for name in inspect_sample(sample)]
    if "eval_cases" in head:
        return len(head["eval_cases"]), []
    if "expected_tool_use" in head or any("expected_tool_use" in turn for turn in listed(head.get("data"))):
        return len(whole), []
    if "events" in head and any("author" in event for event in head["events"]):
        return len(whole), [name for it in whole for name in adk_session(it)]
    if "jsonrpc" in head or "jsonrpc" in str(head.get("message")):
        return mcp_calls(values)
    if str(head.get("trajectory_format")).startswith("mini-swe-agent"):
        return len(whole), [name for run in whole for name in mini_swe_agent(run["messages"])]
    said = [str(it.get("content")) for it in listed(whole) if it.get("role") == "assistant"]
    if any("```mswea_bash_command" in text for text in said):
        return 1, mini_swe_agent(whole)
    results = listed(head["results"].get("results")) if isinstance(head.get("results"), dict) else whole
    if isinstance(results[0], dict) and "promptIdx" in results[0]:
        return len(results), [name for result in results for name in promptfoo_result(result)]
    if "generated_items" in head or "raw_responses" in head:
        return len(whole), [name for run in whole for name in agents_run(run)]
    rows = [it for it in whole if isinstance(it, dict) and "instance_id" in it and "history" in it]
    if rows:
        return len(rows), [name for it in rows for event in it["history"] for name in openhands_event(event)]
    if "kind" in head and "source" in head:
        return 1, [name for event in whole for name in openhands_event(event)]
    if "history" in head and (head.get("trajectory") is not None or any("agent" in it for it in head["history"])):
        messages = [message for it in whole for message in it["history"] if not message.get("is_demo")]
        return len(whole), [name for message in messages for name in message_calls(message)]
    return None


def tau2_simulation(simulation):
    """The names of the calls of either side."""
    names = []
    for message in simulation.get("messages") or []:
        names += [call["name"] for call in message.get("tool_calls") or []]
    for tick in simulation.get("ticks") or []:
        for key in ("user_tool_calls", "agent_tool_calls"):
            names += [call["name"] for call in tick.get(key) or []]
    return names


def bfcl_result(result):
    """Calls as objects with one key, or as Python text; none in other values."""
    if isinstance(result, list):
        return [name for item in result for name in bfcl_result(item)]
    if isinstance(result, dict):
        return [result["function"]] if {"function", "parameters"} == set(result) else list(result)
    result = result.strip("`\n ")
    for language in ("json\n", "python\n"):
        result = result.removeprefix(language)
    try:
        return bfcl_result(json.loads(result))
    except ValueError:
        pass
    try:
        tree = ast.parse("[" + result.removeprefix("[").removesuffix("]") + "]", mode="eval").body
        return [ast.unparse(call.func) for call in tree.elts]
    except (SyntaxError, AttributeError):
        return []


def claude_lines(lines):
    """Skips repeated lines with the same message, which come from a resumed session."""
    names, seen = [], set()
    for line in lines:
        message = line.get("message") if isinstance(line, dict) else None
        if not isinstance(message, dict):
            continue
        key = (line.get("uuid"), json.dumps(message, sort_keys=True))
        if line.get("uuid") and key in seen:
            continue
        seen.add(key)
        names += message_calls(message)
    return names


def codex_line(line):
    if line.get("type") == "response_item":
        return responses_item(line["payload"])
    if line.get("type") != "item.completed":
        return []
    item = line["item"]
    if item["type"] == "mcp_tool_call":
        return [item["tool"]]
    return [item["type"]] if item["type"] in ("command_execution", "file_change", "web_search") else []


def benchmark_or_session(head, values):
    """Returns (trajectories, names of calls) of formats with more than messages; None for others."""
    records = [record for value in values for record in (value if isinstance(value, list) else [value])]
    if "simulations" in head and "tasks" in head:
        simulations = [simulation for value in values for simulation in value["simulations"]]
        return len(simulations), [name for it in simulations for name in tau2_simulation(it)]
    if "traj" in head and "task_id" in head:
        return len(records), [name for it in records for message in it["traj"] for name in message_calls(message)]
    if (head.get("parameters") or {}).get("type") == "dict" or "id" in head and (
        "ground_truth" in head or "question" in head or isinstance(head.get("result"), str)
    ):
        records = [it for it in records if "id" in it]
        return len(records), [name for it in records for name in bfcl_result(it.get("result") or [])]
    if any(isinstance(it, dict) and "sessionId" in it and "message" in it for it in values):
        return 1, claude_lines(values)
    inner = listed(head.get("messages")) or listed(values[0])
    if any(it.get("type") == "assistant" and "message" in it for it in inner):
        return 1, claude_lines(inner)
    if "loglines" in head:
        return 1, claude_lines(head["loglines"])
    if head.get("type") == "session" and "cwd" in head:
        return 1, [name for it in values for name in pi_line(it)]
    if "event_kind" in head:
        return 1, [it["part"]["tool_name"] for it in values if it["event_kind"] == "function_tool_call"]
    if "projectHash" in head or head.get("type") == "init":
        return 1, gemini_cli(values)
    if "payload" in head and "timestamp" in head or head.get("type") == "thread.started":
        return 1, [name for it in values for name in codex_line(it)]
    return None
