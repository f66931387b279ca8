#!/usr/bin/env python3
"""Counts the tool calls of trace files, independently of rightcall.

Written from the description of the formats alone and in the plainest way that works, to compare with what
`rightcall inspect --format json` says:

    python3 crates/rightcall-formats/tests/count.py RIGHTCALL FILES…

prints a table of both counts and ends with 1 where they differ. Formats: chat messages of OpenAI (Chat Completions and
Responses, Realtime), Anthropic, Gemini (contents and interactions), Bedrock Converse, Cohere, the AI SDK of Vercel, Azure and
LangChain, whole or streamed, a stream also as a list; recorded exchanges; OTLP as JSON and as protobuf, flat spans; exports of Langfuse, LangSmith and MLflow, traces of the OpenAI Agents SDK;
logs of Inspect, ADK sessions, ATIF, MCP logs, SWE-agent and mini-swe-agent; data sets of ADK and UiPath, which hold no calls;
tau-bench and tau2-bench results; BFCL questions, answers and results; session logs of Claude Code and Codex.
Packed files (gzip) are unpacked.
"""

import ast
import collections
import gzip
import json
import re
import subprocess
import sys
import zipfile

WRAPPERS = {"parallel", "multi_tool_use.parallel"}


def expand(name, arguments):
    """A call that holds calls counts as these."""
    if name in WRAPPERS:
        try:
            value = json.loads(arguments) if isinstance(arguments, str) else arguments
            uses = value["tool_uses"]
            if uses:
                return [use["recipient_name"].removeprefix("functions.") for use in uses]
        except (KeyError, TypeError, ValueError):
            pass
    return [name]


def responses_item(item):
    kind = item.get("type", "")
    if kind == "program":
        return ["program"]
    if not kind.endswith("_call") or kind == "tool_call":
        return []
    if item.get("name"):
        return expand(item["name"], item.get("arguments"))
    return [kind.removesuffix("_call")]


def message_calls(message):
    """The names of the calls in one message of any provider."""
    if not isinstance(message, dict):
        return []
    names = []
    if isinstance(message.get("data"), dict) and "content" in message["data"]:
        return message_calls(message["data"])
    if message.get("tool_call_chunks"):
        return [chunk["name"] for chunk in message["tool_call_chunks"] if chunk.get("name")]
    if message.get("steps"):
        return [name for step in message["steps"] for name in message_calls(step)]
    for call in message.get("toolCalls") or []:
        names.append(call["toolName"])
    for call in (message.get("tool_calls") or []) + (message.get("invalid_tool_calls") or []):
        function = call.get("function") or call.get("custom") or call
        if isinstance(function, str):
            function = {"name": function}
        names += expand(function.get("name"), function.get("arguments") or function.get("args"))
    if names:
        return names
    if isinstance(message.get("function_call"), dict) and message.get("role"):
        names.append(message["function_call"]["name"])
    content = message.get("content")
    for block in content if isinstance(content, list) else []:
        if not isinstance(block, dict):
            continue
        if block.get("type") in ("tool_use", "server_tool_use", "mcp_tool_use"):
            names.append(block["name"])
        elif isinstance(block.get("toolUse"), dict):
            names.append(block["toolUse"]["name"])
        elif block.get("type") == "tool-call":
            names.append(block["toolName"])
        elif block.get("type") == "tool_call":
            inner = block.get("tool_call") or block
            names.append((inner.get("function") or inner)["name"])
    for part in message.get("parts") or []:
        call = part.get("functionCall") or part.get("function_call")
        if call and call.get("name"):
            names.append(call["name"])
        elif part.get("executableCode") or part.get("executable_code"):
            names.append("code_execution")
        elif part.get("toolCall"):
            names.append(part["toolCall"].get("toolType"))
        elif part.get("toolCallId") and part.get("state") not in ("input-streaming", "partial-call"):
            names.append(part.get("toolName") or part["type"].removeprefix("tool-"))
    return names or responses_item(message)


def conversation(value):
    """The messages in a body: a list, or what holds one."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return []
    if "choices" in value:
        return [choice.get("message") for choice in value["choices"]]
    if "candidates" in value:
        return [candidate.get("content") for candidate in value["candidates"]]
    if isinstance(value.get("output"), dict):
        return [value["output"].get("message")]
    if value.get("object") == "response":
        return value["output"]
    if value.get("object") == "interaction":
        return value.get("steps") or value.get("outputs") or []
    if "steps" in value:
        return [value]
    for key in ("messages", "contents", "items", "input", "output"):
        if isinstance(value.get(key), list) and value[key]:
            return value[key]
    return [value]


def stream_calls(events):
    """The names of the calls in a streamed reply."""
    names, chunks, done, finals, seen = [], {}, [], [], set()
    for event in events:
        kind = event.get("type", "")
        if kind == "response.output_item.done":
            done += responses_item(event["item"])
            seen.add(event["item"].get("call_id"))
        elif kind == "response.done":
            for item in event["response"].get("output") or []:
                names += [] if item.get("call_id") in seen else responses_item(item)
        elif kind in ("tool-input-available", "tool-input-error", "tool-call"):
            names.append(event["toolName"])
        elif event.get("event_type") == "step.start":
            done += responses_item(event["step"])
        elif event.get("event_type") == "interaction.completed":
            for step in event["interaction"].get("steps") or []:
                finals += responses_item(step)
        elif "contentBlockStart" in event:
            names += message_calls({"content": [event["contentBlockStart"]["start"]]})
        elif kind == "response.completed":
            for item in event["response"].get("output") or []:
                finals += responses_item(item)
        elif kind == "message_start":
            names += message_calls(event["message"])
        elif kind == "content_block_start":
            names += message_calls({"content": [event["content_block"]]})
        elif kind == "tool-call-start":
            names.append(event["delta"]["message"]["tool_calls"]["function"]["name"])
        elif "candidates" in event:
            for content in conversation(event):
                names += message_calls(content)
        for choice in event.get("choices") or []:
            for call in (choice.get("delta") or {}).get("tool_calls") or []:
                key = (choice.get("index", 0), call.get("index", 0))
                name = (call.get("function") or {}).get("name")
                if name or key not in chunks:
                    chunks[key] = name or chunks.get(key) or ""
    return names + (done or finals) + list(chunks.values())


def lines_of(text):
    values = []
    for line in text.split("\n"):
        line = line.strip()
        if line.startswith("data:"):
            line = line[5:].strip()
        if not line.startswith(("{", "[")):
            continue
        try:
            values.append(json.loads(line))
        except ValueError:
            pass
    return values


def sequence_of(text):
    """Objects over several lines, one after another."""
    values, at = [], 0
    try:
        while at < len(text.rstrip()):
            value, at = json.JSONDecoder().raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
            values.append(value)
    except ValueError:
        pass
    return values


def is_event(value):
    kind = value.get("type")
    kind = kind if isinstance(kind, str) else ""
    return (
        kind.startswith(("response.", "content_block_", "message_start", "message_stop", "message-start", "tool-call-start"))
        or kind.startswith(("session.", "conversation.item.", "start-step"))
        or kind == "start" and "messageId" in value
        or value.get("object") == "chat.completion.chunk"
        or str(value.get("event_type")).startswith(("interaction.", "step."))
        or any(key in value for key in ("messageStart", "contentBlockStart", "contentBlockDelta"))
        or "candidates" in value and not any(it.get("finishReason") for it in value["candidates"])
    )


def recording(value):
    """The reply counts; where there is none, or it is an error, the history of the request."""
    reply = value.get("response")
    while isinstance(reply, dict) and ("body" in reply or "__data__" in reply):
        reply = reply["body"] if "body" in reply else reply["__data__"]
    if isinstance(reply, list):
        reply = [it.get("__data__", it) for it in reply]
        if any(is_event(it) or "candidates" in it for it in reply):
            return stream_calls(reply)
        return [name for it in reply for name in message_calls(it)]
    if isinstance(reply, str):
        events = lines_of(reply)
        if events:
            return stream_calls(events)
    elif isinstance(reply, dict) and not reply.get("error"):
        messages = [it for it in conversation(reply) if isinstance(it, dict)]
        if any(set(it) & {"role", "type", "parts", "content"} for it in messages):
            return [name for it in messages for name in message_calls(it)]
    return [name for it in conversation(value.get("request") or value.get("messages")) for name in message_calls(it)]


def recording_is_of_model(value):
    reply = value.get("response")
    reply = lines_of(reply) if isinstance(reply, str) else reply
    if isinstance(reply, list):
        return any(is_event(it) or "candidates" in it for it in reply)
    return bool(reply) and "choices" in reply


def decoded(value):
    for _ in range(2):
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except ValueError:
                break
    return value


def any_value(value):
    for kind, inner in value.items():
        if kind == "kvlistValue":
            return {entry["key"]: any_value(entry["value"]) for entry in inner.get("values", [])}
        if kind == "arrayValue":
            return [any_value(item) for item in inner.get("values", [])]
        return inner
    return None


def otlp_spans(value):
    spans = []
    for resource in value.get("resourceSpans", []):
        for scope in resource.get("scopeSpans", []):
            for span in scope.get("spans", []):
                attributes = {it["key"]: any_value(it["value"]) for it in span.get("attributes", [])}
                spans.append(
                    {
                        "trace_id": span["traceId"],
                        "span_id": span["spanId"],
                        "parent_span_id": span.get("parentSpanId"),
                        "name": span["name"],
                        "attributes": attributes,
                        "span_events": [],
                    }
                )
    return spans


def reply_calls(reply):
    """(id, name) of the calls in what a platform kept of a model's reply."""
    if isinstance(reply, dict) and "generations" in reply:
        return [it for row in reply["generations"] for one in row for it in reply_calls([one["message"]])]
    if isinstance(reply, dict) and isinstance(reply.get("content"), dict):
        reply = [reply["content"]]
    if isinstance(reply, list) and reply and "toolName" in reply[0]:
        reply = [{"toolCalls": reply}]
    asked = []
    for message in conversation(reply):
        message = (message or {}).get("kwargs") or message
        if not isinstance(message, dict):
            continue
        if not message.get("tool_calls") and (message.get("additional_kwargs") or {}).get("tool_calls"):
            message = message["additional_kwargs"]
        ids = [call.get("id") for call in message.get("tool_calls") or []]
        ids += [block.get("id") for block in blocks(message) if block.get("type") == "tool_use"]
        ids += [call["toolCallId"] for call in message.get("toolCalls") or []]
        ids += [message["call_id"]] if message.get("call_id") else []
        parts = [part for part in message.get("parts") or [] if part.get("type") == "tool_call"]
        names = [part["name"] for part in parts] or message_calls(message)
        ids += [part.get("id") for part in parts]
        asked += list(zip(ids + [None] * len(names), names))
    return asked


def blocks(message):
    content = message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def platform_span(trace, identity, parent, name, kind, inputs, outputs, attributes):
    """A span with what a platform keeps beside attributes."""
    outputs = decoded(outputs)
    attributes = dict(attributes if isinstance(attributes, dict) else {}, kind=kind.lower())
    inner = outputs.get("output", outputs) if isinstance(outputs, dict) else outputs
    if isinstance(inner, dict) and inner.get("type") == "tool" and "tool_call_id" in inner:
        attributes.update({"kind": "tool", "gen_ai.tool.call.id": inner["tool_call_id"]})
    if attributes["kind"] in ("generation", "llm", "chat_model"):
        attributes["reply"] = outputs
    return {"trace_id": trace, "span_id": identity, "parent_span_id": parent, "name": name, "attributes": attributes}


def langfuse_spans(value):
    if isinstance(value, list):
        return [span for it in value for span in langfuse_spans(it)]
    trace = value.get("trace", value).get("id")
    spans = []
    for it in value.get("observations") or [value]:
        metadata = decoded(it.get("metadata")) or {}
        attributes = decoded(metadata.get("attributes")) if isinstance(metadata, dict) else {}
        place = (it.get("traceId") or trace, it["id"], it.get("parentObservationId"), it.get("name") or "")
        spans.append(platform_span(*place, it["type"], it.get("input"), it.get("output"), attributes))
    return spans


def langsmith_spans(values):
    runs = {}

    def add(run, trace):
        key = run.get("dotted_order") or run["id"]
        if run.get("id"):
            key = next((known for known, it in runs.items() if it.get("id") == run["id"]), key)
        known = runs.setdefault(key, {"trace_id": trace or run.get("id")})
        known.update({field: it for field, it in run.items() if it is not None})
        for child in run.get("child_runs") or []:
            add(child, known["trace_id"])

    for value in values:
        if isinstance(value, dict) and ("post" in value or "patch" in value):
            value = value.get("post", []) + value.get("patch", [])
        for run in value if isinstance(value, list) else [value]:
            add(run, None)
    return [
        platform_span(run["trace_id"], run["id"], run.get("parent_run_id"), run["name"], run["run_type"], None, run.get("outputs"), {})
        for run in runs.values()
    ]


def mlflow_spans(value):
    if isinstance(value, list):
        return [span for it in value for span in mlflow_spans(it)]
    trace, spans = value["info"].get("trace_id") or value["info"].get("request_id"), []
    for it in value["data"]["spans"]:
        at = {key: decoded(text) for key, text in it["attributes"].items()}
        name = at.get("mlflow.spanFunctionName") or it["name"]
        identity = it.get("span_id") or it["context"]["span_id"]
        spans.append(platform_span(trace, identity, None, name, at.get("mlflow.spanType") or "", None, at.get("mlflow.spanOutputs"), at))
    return spans


def agents_spans(values):
    """Spans of the OpenAI Agents SDK: functions ran, generations asked."""
    items = [item for value in values for item in (value if isinstance(value, list) else value.get("data") or [value])]
    for item in items:
        data = item.get("span_data") or {}
        kind = {"function": "tool"}.get(data.get("type"), data.get("type"))
        if item.get("object") == "trace.span":
            attributes = {"kind": kind, "reply": data.get("output") if kind == "generation" else None}
            yield {
                "trace_id": item["trace_id"], "span_id": item["id"], "parent_span_id": item.get("parent_id"),
                "name": data.get("name"), "attributes": attributes,
            }


def body_calls(body):
    """The calls that the messages in the body of a log record ask for; their content is JSON text."""
    for message in body["output"]["messages"]:
        content = message["content"]
        blocks = json.loads(content["message"]) if isinstance(content, dict) else content
        yield from message_calls({"role": "assistant", "content": blocks})


def fields(message):
    """(number, value) of the fields of a message of protobuf."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
            continue
        length = varint() if kind == 2 else {1: 8, 5: 4}[kind]
        yield key >> 3, message[at : at + length]
        at += length


def all_of(message, number):
    return [value for field, value in fields(message) if field == number]


def binary_text(value):
    """The text in an AnyValue; other values are not needed to count."""
    return next((it.decode() for number, it in fields(value) if number == 1), None)


def protobuf_spans(data):
    requests = [data]
    if data[0] == 0:
        requests = []
        while data:
            length = int.from_bytes(data[:4], "big")
            requests.append(data[4 : 4 + length])
            data = data[4 + length :]
    spans = []
    for resource in [it for request in requests for it in all_of(request, 1)]:
        for span in [it for scope in all_of(resource, 2) for it in all_of(scope, 2)]:
            first = {number: value for number, value in reversed(list(fields(span)))}
            pairs = [dict(fields(it)) for it in all_of(span, 9)]
            spans.append(
                {
                    "trace_id": first[1].hex(),
                    "span_id": first[2].hex(),
                    "name": first[5].decode(),
                    "attributes": {pair[1].decode(): binary_text(pair.get(2, b"")) for pair in pairs},
                }
            )
    return spans


def tool_of(span):
    at = span["attributes"]
    if at.get("kind") == "tool":
        name = at.get("gen_ai.tool.name") or at.get("ai.toolCall.name") or at.get("tool.name") or span["name"]
        return name.removeprefix("execute_tool ").removeprefix("running tool: ")
    name = at.get("gen_ai.tool.name")
    if name or at.get("gen_ai.operation.name") == "execute_tool":
        return name or span["name"].removeprefix("execute_tool ")
    if at.get("openinference.span.kind", span.get("span_kind")) == "TOOL":
        return at.get("tool.name") or span["name"]
    if at.get("traceloop.span.kind") == "tool":
        return at.get("traceloop.entity.name") or span["name"].removesuffix(".tool")
    return at.get("ai.toolCall.name")


def asked_of(span):
    """(id, name) of what a model asked for."""
    at, asked = span["attributes"], []
    if reply_calls(at.get("reply")):
        return reply_calls(at["reply"])
    sources = [at] + [event.get("attributes") or {} for event in span.get("span_events") or []]
    for source in sources:
        for message in decoded(source.get("gen_ai.output.messages")) or []:
            asked += [(part.get("id"), part["name"]) for part in message.get("parts", []) if part.get("type") == "tool_call"]
    response = decoded(at.get("gcp.vertex.agent.llm_response"))
    if isinstance(response, dict):
        for part in (response.get("content") or {}).get("parts") or []:
            call = part.get("function_call") or part.get("functionCall")
            if call:
                asked.append((call.get("id"), call["name"]))
    flat = collections.defaultdict(dict)
    for key, value in at.items():
        steps = key.split(".")
        if key.startswith("llm.output_messages.") and ".tool_calls." in key:
            flat[(int(steps[2]), int(steps[5]))][steps[-1]] = value
    asked += [(call.get("id"), call.get("name")) for _, call in sorted(flat.items())]
    return asked


def spans_calls(spans):
    """What ran, and what was asked for and has no span: matched by id, else by name."""
    seen, ran, asked, known = set(), [], [], set()
    for span in spans:
        if span["span_id"] in seen:
            continue
        seen.add(span["span_id"])
        name = tool_of(span)
        if name and name != "(merged tools)":
            at = span["attributes"]
            ran.append((at.get("gen_ai.tool.call.id") or at.get("tool.id"), name))
        for identity, name in asked_of(span):
            if identity is None or identity not in known:
                known.add(identity)
                asked.append((identity, name))
    for identity, name in ran:
        match = next((it for it in asked if identity and it[0] == identity), None)
        match = match or next((it for it in asked if it[1] == name), None)
        if match:
            asked.remove(match)
    return [name for _, name in ran + asked]


def inspect_sample(sample):
    """Calls of messages, and events of tools that no message of the sample asked for."""
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
    """Sessions and calls; a reply that wants more takes its call back."""
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
    """Calls, commands that the agent found in a text, else the one fenced command."""
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


def listed(value):
    return [it for it in value if isinstance(it, dict)] if isinstance(value, list) else []


def records(head, values):
    """(trajectories, names) of formats whose values are records of their own; None for all others."""
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
    if "history" in head and (head.get("trajectory") is not None or any("agent" in it for it in head["history"])):
        messages = [message for it in whole for message in it["history"] if not message.get("is_demo")]
        return len(whole), [name for message in messages for name in message_calls(message)]
    return None


def by_trace(spans):
    traces = collections.defaultdict(list)
    for span in spans:
        traces[span["trace_id"]].append(span)
    return len(traces), [name for trace in traces.values() for name in spans_calls(trace)]


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
    """Calls as objects of one key, or as Python text; what is neither holds none."""
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
    """A line that is there again, with the same message, is one of a session that was resumed."""
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
    """(trajectories, names of calls) of the formats that hold more than messages; None for others."""
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
    if "payload" in head and "timestamp" in head or head.get("type") == "thread.started":
        return 1, [name for it in values for name in codex_line(it)]
    return None


def count(path):
    """(trajectories, names of calls) of a file; None for what is none of the formats."""
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
    if isinstance(head.get("actual"), list) and all(isinstance(call, dict) and "name" in call for call in head["actual"]):
        cases = [case for value in values for case in (value if isinstance(value, list) else [value])]
        return len(cases), [call["name"] for case in cases for call in case["actual"]]
    found = records(head, values)
    if found is not None:
        return found
    known = benchmark_or_session(head, values)
    if known is not None:
        return known
    if "resourceSpans" in head or "resourceLogs" in head:
        spans = [span for value in values for span in otlp_spans(value)]
    elif "observations" in head or "traceId" in head and "startTime" in head:
        spans = [span for value in values for span in langfuse_spans(value)]
    elif "post" in head or "patch" in head or "run_type" in head:
        spans = langsmith_spans(values)
    elif "info" in head and "spans" in (head.get("data") or {}):
        spans = [span for value in values for span in mlflow_spans(value)]
    elif any("span_kind" in span for span in listed(head.get("data"))):
        spans = [{**span, **span["context"]} for span in head["data"]]
    elif "span_data" in head or "workflow_name" in head or isinstance(head.get("data"), list) and "object" in head["data"][0]:
        spans = list(agents_spans(values))
    elif "context" in head and "span_id" in head["context"]:
        flat = [span for value in values for span in (value if isinstance(value, list) else [value])]
        spans = [{**span, **span["context"], "parent_span_id": span["parent_id"]} for span in flat]
    elif "spanId" in head and "messages" in (head.get("body") or {}).get("output", {}):
        return len({it["traceId"] for it in values}), [name for it in values for name in body_calls(it["body"])]
    elif "span_id" in head:
        spans = [span for value in values for span in (value if isinstance(value, list) else [value])]
    else:
        spans = None
    if spans is not None:
        return by_trace(spans)
    exchanges = [it for value in values for it in (listed(value) or [value]) if isinstance(it, dict) and "response" in it]
    if any({"request", "messages", "query", "method"} & set(it) for it in exchanges) and not is_event(head):
        with_model = [it for it in exchanges if {"request", "messages", "query"} & set(it) or recording_is_of_model(it)]
        return len(with_model), [name for it in with_model for name in recording(it)]
    if isinstance(first, list) and len(first) == 2 and "langgraph_node" in first[1]:
        return 1, [name for message, _ in values for name in message_calls(message)]
    if isinstance(first, list) and any(is_event(it) for it in listed(first)):
        return 1, stream_calls(first)
    if is_event(head) or any("willContinue" in json.dumps(value) for value in values if isinstance(value, dict) and "candidates" in value):
        return 1, stream_calls(values)
    if all(isinstance(it, dict) and len(it) == 1 and "messages" in (next(iter(it.values())) or {}) for it in values):
        return 1, [name for it in values for update in it.values() for message in update["messages"] for name in message_calls(message)]
    trajectories, names = 0, []
    marks = {"role", "type", "parts", "content", "steps", "kwargs", "toolCalls", "message"}
    is_map = isinstance(first, dict) and all(isinstance(it, dict) and "messages" in it for it in first.values())
    if conversation(first) == [first] and not is_map and not marks & set(first):
        return None
    wrapped = conversation(first)[0]
    if isinstance(wrapped, dict) and "message" in wrapped and "role" not in wrapped:
        return None
    if isinstance(first, list) and all(isinstance(it, dict) and "steps" in it for it in first):
        values = first
    for value in values:
        maps = isinstance(value, dict) and value and all(isinstance(it, dict) and "messages" in it for it in value.values())
        for one in value.values() if maps else [value]:
            trajectories += 1
            for message in conversation(one):
                names += message_calls(message)
    return trajectories, names


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
