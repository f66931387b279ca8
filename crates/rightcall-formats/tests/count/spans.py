"""Calls in spans of OpenTelemetry, and of platforms with their own spans."""

import collections
import json

from messages import conversation, decoded, listed, message_calls


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
    """Returns (id, name) of the calls in a model's reply, as stored by a platform."""
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
    """A span with the fields that a platform stores outside the attributes."""
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
    """Spans of the OpenAI Agents SDK: functions are executed calls, generations are requests."""
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
    """The calls requested by messages in the body of a log record, with content as JSON text."""
    for message in body["output"]["messages"]:
        content = message["content"]
        blocks = json.loads(content["message"]) if isinstance(content, dict) else content
        yield from message_calls({"role": "assistant", "content": blocks})


def fields(message):
    """Yields (number, value) for the fields of a protobuf message."""
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
    """The string in an AnyValue; other values aren't needed to count."""
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


def braintrust_rows(value):
    """Rows at any depth of a summary; the AI SDK's tool input also identifies a row."""
    if isinstance(value, list):
        return [row for it in value for row in braintrust_rows(it)]
    if not isinstance(value, dict):
        return []
    if not {"span_id", "input", "output"} & set(value):
        return [row for it in value.values() for row in braintrust_rows(it)]
    about = value.get("span_attributes") or value
    given = listed(value.get("input"))
    is_tool = len(given) == 2 and isinstance(given[1], dict) and "toolCallId" in given[1]
    kind = about.get("type") or ("tool" if is_tool else "")
    name = about["name"].removeprefix("tool: ")
    identity = value.get("span_id") or id(value)
    output = [it["message"] if isinstance(it, dict) and "message" in it else it for it in listed(value.get("output"))]
    place = (value.get("root_span_id"), identity, None, name, kind or "")
    return [platform_span(*place, None, output or value.get("output"), value.get("metadata"))]


def genkit_spans(trace):
    for span in trace["spans"].values():
        at = span["attributes"]
        kind = at.get("genkit:metadata:subtype")
        attributes = {"kind": kind}
        if kind == "model":
            reply = json.loads(at.get("genkit:output") or "{}")
            parts = [part.get("toolRequest") for part in (reply.get("message") or {}).get("content") or []]
            calls = [{"type": "tool_use", "id": it.get("ref"), "name": it["name"]} for it in parts if it]
            attributes["reply"] = [{"role": "assistant", "content": calls}]
        yield {"trace_id": trace["traceId"], "span_id": span["spanId"], "name": span["displayName"], "attributes": attributes}


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
    """Returns (id, name) of the calls requested by a model."""
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
    """Executed calls, and requested calls without a span: matched by id, else by name."""
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


def by_trace(spans):
    traces = collections.defaultdict(list)
    for span in spans:
        traces[span["trace_id"]].append(span)
    return len(traces), [name for trace in traces.values() for name in spans_calls(trace)]


def traces(head, values):
    """Returns (trajectories, names of calls) of formats with spans; None for others."""
    if "resourceSpans" in head or "resourceLogs" in head:
        return by_trace([span for value in values for span in otlp_spans(value)])
    if isinstance(head.get("spans"), dict):
        return by_trace([span for value in values for span in genkit_spans(value)])
    if "root_span_id" in json.dumps(head) or '"toolCallId"' in json.dumps(values) and "metadata" in head:
        return by_trace(braintrust_rows(values))
    if "observations" in head or "traceId" in head and "startTime" in head:
        return by_trace([span for value in values for span in langfuse_spans(value)])
    if "post" in head or "patch" in head or "run_type" in head:
        return by_trace(langsmith_spans(values))
    if "info" in head and "spans" in (head.get("data") or {}):
        return by_trace([span for value in values for span in mlflow_spans(value)])
    if any("span_kind" in span for span in listed(head.get("data"))):
        return by_trace([{**span, **span["context"]} for span in head["data"]])
    if "span_data" in head or "workflow_name" in head or isinstance(head.get("data"), list) and "object" in head["data"][0]:
        return by_trace(list(agents_spans(values)))
    if "context" in head and "span_id" in head["context"]:
        flat = [span for value in values for span in (value if isinstance(value, list) else [value])]
        return by_trace([{**span, **span["context"], "parent_span_id": span["parent_id"]} for span in flat])
    if "spanId" in head and "messages" in (head.get("body") or {}).get("output", {}):
        return len({it["traceId"] for it in values}), [name for it in values for name in body_calls(it["body"])]
    if "span_id" in head:
        return by_trace([span for value in values for span in (value if isinstance(value, list) else [value])])
    return None
