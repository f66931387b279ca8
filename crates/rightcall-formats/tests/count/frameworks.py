"""Calls in the stored data of agent frameworks, editors and platforms, and in envelopes around other formats."""

import ast
import json

from messages import conversation, decoded, listed, message_calls
from spans import by_trace, platform_span


def paged(value):
    """The values in a page, for the pages needed here."""
    if isinstance(value, dict):
        if isinstance(value.get("log"), dict):
            return value["log"]["entries"]
        if isinstance(value.get("runs"), list) or isinstance(value.get("calls"), list):
            return value.get("runs") or value["calls"]
    return [value]


def exchange_calls(value):
    """Returns (is a run, names of calls) of an exchange in an envelope; None for other values."""
    if "custom_id" in value and isinstance(value.get("result"), dict):
        reply = value["result"].get("message")
    elif "custom_id" in value:
        reply = (value.get("response") or {}).get("body")
    elif "url" in (value.get("request") or {}) and "content" in (value.get("response") or {}):
        reply = decoded(value["response"]["content"].get("text"))
        if not isinstance(reply, dict) or "choices" not in reply:
            return False, []
    else:
        return None
    return True, [name for message in conversation(reply or {}) for name in message_calls(message)]


def contents_calls(message):
    """Calls in the messages of AutoGen, LlamaIndex, Semantic Kernel and Microsoft's frameworks."""
    if message.get("type") in ("ToolCallRequestEvent", "AssistantMessage"):
        return [it["name"] for it in listed(message["content"])]
    names = [it["tool_name"] for it in listed(message.get("blocks")) if it["block_type"] == "tool_call"]
    for item in listed(message.get("items")):
        if item.get("content_type") == "function_call":
            names.append(item["name"])
    for item in listed(message.get("Items")):
        if item.get("$type") == "FunctionCallContent":
            names.append("-".join(it for it in (item.get("PluginName"), item["FunctionName"]) if it))
    for item in listed(message.get("contents")):
        if item.get("type") == "function_call" or item.get("$type") == "functionCall":
            names.append(item["name"])
    return names


def tagged_calls(text):
    """Calls between tags, as JSON or as a Python literal."""
    for part in text.split("<tool_call>")[1:]:
        part = part.split("</tool_call>")[0].strip()
        try:
            yield json.loads(part)["name"]
        except ValueError:
            yield ast.literal_eval(part)["name"]


def events_calls(head, values):
    """Calls in event logs, one session per file."""
    kind = str(head.get("type"))
    if head.get("apiKeySource") or kind == "tool_call" and "call_id" in head:
        started = [it["tool_call"] for it in values if it.get("subtype") == "started"]
        for call in started:
            (name, inner), = call.items()
            yield inner["args"]["toolName"] if name == "mcpToolCall" else name.removesuffix("ToolCall")
    elif "role" in head and "type" not in head and "content" in (head.get("message") or {}):
        for line in values:
            yield from message_calls({"role": line["role"], **line["message"]})
    elif kind == "session.start":
        for line in values:
            yield from (it["name"] for it in line["data"].get("toolRequests") or [])
    elif kind.startswith(("agent.", "user.")):
        yield from (it["name"] for it in values if it["type"].endswith("tool_use"))
    elif "orchestrationTrace" in json.dumps(head):
        for line in values:
            made = line["trace"]["trace"]["orchestrationTrace"].get("invocationInput") or {}
            group, lookup = made.get("actionGroupInvocationInput"), made.get("knowledgeBaseLookupInput")
            yield from [group["function"]] if group else [lookup["knowledgeBaseId"]] if lookup else []
    elif str(head.get("event")).startswith("on_"):
        for line in values:
            if line["event"] == "on_chat_model_end":
                yield from message_calls(line["data"]["output"]["kwargs"])


def is_log(head):
    kind = str(head.get("type"))
    return (
        bool(head.get("apiKeySource"))
        or kind == "session.start"
        or kind in ("user.message", "agent.tool_use")
        or "role" in head and "type" not in head and "content" in (head.get("message") or {})
        or "orchestrationTrace" in json.dumps(head)
        or str(head.get("event")).startswith("on_")
    )


def steps_calls(head, first, values):
    """Returns (trajectories, names) of steps and states; None for other values."""
    steps = first.get("steps") if isinstance(first, dict) else first
    if any("step_number" in it for it in listed(steps)):
        return 1, [call["function"]["name"] for it in listed(steps) for call in it.get("tool_calls") or []]
    if any(it.get("object") == "thread.run.step" for it in listed(head.get("data"))):
        steps = sorted(head["data"], key=lambda it: it["created_at"])
        calls = [call for it in steps for call in it["step_details"].get("tool_calls") or []]
        return 1, [call["function"]["name"] if "function" in call else call["type"] for call in calls]
    if head.get("kind") == 0 and "v" in head:
        results = [it["v"] for it in values if it.get("k", [])[-1:] == ["result"]]
        return 1, [call["name"] for it in results for turn in it["metadata"]["toolCallRounds"] for call in turn["toolCalls"]]
    if any("requestId" in it for it in listed(head.get("requests"))):
        rounds = [it for one in head["requests"] for it in one["result"]["metadata"]["toolCallRounds"]]
        return 1, [call["name"] for it in rounds for call in it["toolCalls"]]
    if "values" in head and "config" in head:
        fullest = max(listed(first) or [first], key=lambda it: len(it["values"]["messages"]))
        return 1, [name for it in fullest["values"]["messages"] for name in message_calls(it["kwargs"])]
    return None


def platform_calls(head, values):
    """Returns (trajectories, names) of spans exported by platforms; None for others."""
    if listed(head.get("spans")) and "type" in head["spans"][0]:
        spans = [
            platform_span(it["trace_id"], it["id"], None, it["name"], it["type"], None, it.get("output"), {}) for it in head["spans"]
        ]
    elif listed(head.get("spans")) and "spanType" in head["spans"][0]:
        spans = []
        for it in head["spans"]:
            kind = {"tool_call": "tool", "model_step": "llm", "model_generation": "llm"}.get(it["spanType"], "span")
            asked = listed((it.get("output") or {}).get("toolCalls")) if isinstance(it.get("output"), dict) else []
            calls = [{"id": call["toolCallId"], "function": {"name": call["toolName"], "arguments": "{}"}} for call in asked]
            output = {"role": "assistant", "tool_calls": calls} if calls else it.get("output")
            spans.append(platform_span(it["traceId"], it["spanId"], None, it.get("entityId", it["name"]), kind, None, output, {}))
    elif "op_name" in head:
        spans = []
        for it in values:
            output = it.get("output")
            kind = "llm" if isinstance(output, dict) and "choices" in output else (it["attributes"].get("weave") or {}).get("kind", "")
            name = it["op_name"].rsplit("/", 1)[1].split(":")[0]
            spans.append(platform_span(it["trace_id"], it["id"], None, name, kind, None, output, {}))
    elif any("span_kind" in (it.get("attributes") or {}) for it in listed(head.get("data"))):
        spans = []
        for it in (it["attributes"] for it in head["data"]):
            output = it["output"].get("value", it["output"].get("messages"))
            spans.append(platform_span(it["trace_id"], it["span_id"], None, it["name"], it["span_kind"], None, output, {}))
    elif "parent_observation_id" in head:
        spans = [
            platform_span(it["trace_id"], it["id"], None, it["name"], it["type"], None, it.get("output"), {}) for it in values
        ]
    elif "context.trace_id" in head:
        kept = [it for it in values if it["span_kind"] == "TOOL"]
        return len({it["context.trace_id"] for it in values}), [it["attributes.tool.name"] for it in kept]
    else:
        return None
    return by_trace(spans)


def frameworks(first, head, values):
    """Returns (trajectories, names of calls) of these formats; None for others."""
    exchanges = [exchange_calls(it) for value in values for it in paged(value) if isinstance(it, dict)]
    if exchanges and all(exchange is not None for exchange in exchanges):
        kept = [names for is_run, names in exchanges if is_run]
        return len(kept), [name for names in kept for name in names]
    if is_log(head):
        return 1, list(events_calls(head, values))
    for family in (lambda: steps_calls(head, first, values), lambda: platform_calls(head, values)):
        found = family()
        if found is not None:
            return found
    if "conversations" in head:
        texts = [it["value"] for it in head["conversations"] if it["from"] == "gpt"]
        return 1, [name for text in texts for name in tagged_calls(text)]
    if any("parts" in it and "info" in it for it in listed(head.get("messages"))):
        parts = [part for it in head["messages"] for part in it["parts"]]
        return 1, [part["tool"] for part in parts if part["type"] == "tool"]
    if "tool_name_0" in (head.get("trajectory") or {}):
        names = [text for it in values for key, text in it["trajectory"].items() if key.startswith("tool_name_")]
        return len(values), [name for name in names if name != "finish"]
    if "qualified_name" in head:
        chosen = [call for it in values for call in it["value"].get("tool_calls") or []]
        return 1, [call["tool_name"] for call in chosen]
    messages = listed((head.get("llm_context") or {}).get("messages")) or listed(head.get("messages")) or listed(first)
    marks = {"blocks", "Items", "contents"}
    is_own = lambda it: marks & set(it) or it.get("content_type") == "message" or it.get("type") in ("ToolCallRequestEvent", "AssistantMessage")
    if any(is_own(it) for it in messages):
        return 1, [name for it in messages for name in contents_calls(it)]
    return None
