"""Results of agent frameworks: `rightcall.evaluate` and `rightcall.score` accept these objects as `actual`.

    result = await Runner.run(agent, "Please refund order 7")               # OpenAI Agents
    result = agent.run_sync("Please refund order 7")                        # Pydantic AI
    result = graph.invoke({"messages": [("user", "Please refund order 7")]})  # LangGraph
    rightcall.evaluate("trajectory", expected=[…], actual=result)

    report = dataset.evaluate_sync(task)                                    # pydantic-evals
    rightcall.score(report, evaluators="trajectory")

No framework is imported: objects are recognized by their attributes. From a result only the calls of that run are used, not those of the
history passed to it; from a LangGraph state all calls are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ._calls import Calls

__all__ = ["calls_of", "cases_of"]


def calls_of(result: Any) -> Any:
    """The calls in a framework's result, in a form that evaluators accept.

    Args:
        result: a `RunResult` of OpenAI Agents or its items; an `AgentRunResult` of Pydantic AI or its messages; a state, snapshot or
            output of LangGraph; a case of a report of pydantic-evals, or the tree of its spans.

    Returns:
        A list of calls, messages or spans; other objects are returned unchanged.
    """
    if isinstance(result, (list, tuple)) and not hasattr(result, "_fields"):
        return _of_list(result)
    if hasattr(result, "new_items"):
        return _of_items(result.new_items)
    if hasattr(result, "new_messages") and hasattr(result, "all_messages"):
        return _of_messages(result.new_messages(), getattr(result, "_output_tool_name", None))
    if hasattr(result, "output") and hasattr(result, "inputs"):
        return calls_of(result.output)
    for name in ("values", "value"):
        # A LangGraph snapshot or output. A dict is excluded, because its `values` is a method.
        state = getattr(result, name, None)
        if isinstance(state, dict) and "messages" in state:
            return state
    if hasattr(result, "roots") and hasattr(result, "find"):
        nodes = [_of_node(node) for root in result.roots for node in (root, *root.descendants)]
        # No span at all is no evidence for a run without calls: the instrumentation may be missing.
        return nodes or Calls(incomplete="no span was recorded; is the agent instrumented?")
    return result


def cases_of(report: Any) -> Iterator[dict[str, Any]]:
    """The cases of a report of pydantic-evals.

    The expectation is in the metadata of a case under `expected`, or is its expected output. Cases with a failed task have no run.
    """
    for case in (*report.cases, *report.failures):
        metadata = case.metadata if isinstance(case.metadata, dict) else {}
        expected = metadata.get("expected", case.expected_output)
        source = getattr(case, "source_case_name", None)
        told = {"id": source or case.name, "trial": case.name if source else None, "expected": expected}
        if hasattr(case, "output"):
            told["actual"] = calls_of(case)
        yield {name: value for name, value in told.items() if value is not None}


def is_report(it: Any) -> bool:
    """True for a pydantic-evals report."""
    return hasattr(it, "cases") and hasattr(it, "failures")


def _of_list(items: list[Any] | tuple[Any, ...]) -> Any:
    first = items[0] if items else None
    if hasattr(first, "raw_item"):
        return _of_items(items)
    if hasattr(first, "parts") and hasattr(first, "kind"):
        return _of_messages(items, None)
    if hasattr(first, "model_dump"):
        # The parts of an answer do not say who speaks, but only answers have parts of these classes.
        if type(first).__module__.startswith("anthropic.types.") and type(first).__name__.endswith("Block"):
            return {"role": "assistant", "content": items}
        if hasattr(first, "function_call") and hasattr(first, "inline_data"):
            return {"role": "model", "parts": items}
    return items


def _of_items(items: Iterable[Any]) -> list[Any]:
    """The OpenAI Responses items that a run of OpenAI Agents created."""
    # An approval item is a duplicate of the call that it approves.
    raw = [item.raw_item for item in items if getattr(item, "type", None) != "tool_approval_item"]
    return [item.model_dump(exclude_unset=True) if hasattr(item, "model_dump") else item for item in raw]


def _of_messages(messages: Iterable[Any], output_tool: str | None) -> list[dict[str, Any]]:
    """The calls in Pydantic AI messages, except those with which the model only returned its output."""
    calls: list[dict[str, Any]] = []
    by_id: dict[str, dict[str, Any]] = {}
    turn = -1
    for message in messages:
        turn += message.kind == "response"
        for part in message.parts:
            kind = getattr(part, "part_kind", "")
            if getattr(part, "tool_name", None) in (None, output_tool):
                continue
            if kind in ("tool-call", "builtin-tool-call"):
                call = {"name": part.tool_name, "args": {} if part.args is None else part.args, "id": part.tool_call_id, "turn": turn}
                if kind == "builtin-tool-call":
                    call["run"] = "provider"
                calls.append(call)
                by_id[part.tool_call_id] = call
            elif kind in ("tool-return", "builtin-tool-return") and part.tool_call_id in by_id:
                is_done = getattr(part, "outcome", "success") == "success"
                by_id[part.tool_call_id]["output" if is_done else "error"] = part.content
            elif kind == "retry-prompt" and part.tool_call_id in by_id:
                by_id[part.tool_call_id]["error"] = part.content if isinstance(part.content, str) else part.model_response()
    return calls


def _of_node(node: Any) -> dict[str, Any]:
    """A span of the tree that pydantic-evals passes to evaluators."""
    return {
        "name": node.name,
        "context": {"trace_id": f"0x{node.trace_id:032x}", "span_id": f"0x{node.span_id:016x}"},
        "parent_id": None if node.parent_span_id is None else f"0x{node.parent_span_id:016x}",
        "start_time": node.start_timestamp.isoformat(),
        "end_time": node.end_timestamp.isoformat(),
        "attributes": dict(node.attributes),
    }
