"""Calls in messages, message streams and recorded exchanges of any provider."""

import json


WRAPPERS = {"parallel", "multi_tool_use.parallel"}


def expand(name, arguments):
    """The names of the calls inside a wrapper call; its own name for other calls."""
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
    if isinstance(message.get("kwargs"), dict) and message.get("lc"):
        return message_calls(message["kwargs"])
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
        elif isinstance(block.get("tool_call"), dict) and "tool_name" in block["tool_call"]:
            names.append(block["tool_call"]["tool_name"])
        elif isinstance(block.get("toolUse"), dict):
            names.append(block["toolUse"]["name"])
        elif block.get("type") == "tool-call":
            names.append(block["toolName"])
        elif block.get("type") == "tool_call":
            inner = block.get("tool_call") or block
            names.append((inner.get("function") or inner)["name"])
    for part in message.get("parts") or []:
        if part.get("part_kind") in ("tool-call", "builtin-tool-call"):
            names.append(part["tool_name"])
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
    """The messages in a body: a list, or an object with a list."""
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
    """Consecutive objects over several lines."""
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
    """Counts the reply; without a reply, or for an error, the history in the request."""
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
        if value.get("tool_calls"):
            return [call["name"] for call in value["tool_calls"]]
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


def listed(value):
    return [it for it in value if isinstance(it, dict)] if isinstance(value, list) else []


def conversations(first, head, values):
    """Returns (trajectories, names of calls) of messages: exchanges, streams, lists and maps of them; None for other values."""
    exchanges = [it for value in values for it in (listed(value) or [value]) if isinstance(it, dict) and "response" in it]
    if isinstance(head.get("rows"), list):
        columns = [{key.removeprefix("inputs."): it for key, it in row.items()} for row in head["rows"]]
        return conversations(columns, columns[0], [columns])
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
