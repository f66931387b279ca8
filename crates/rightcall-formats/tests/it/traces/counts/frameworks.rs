//! Messages and events of frameworks.

use super::Counts;

pub(super) const FILES: &[Counts] = &[
    (
        "adk-sessions.session.json",
        1,
        &[("find_order", 2), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "agent-framework.dotnet.json",
        1,
        &[("find_order", 1)],
        [1, 0, 0, 0],
    ),
    (
        "agent-framework.response.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "autogen.state.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "autogen.task.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "haystack.messages.json",
        1,
        &[("find_order", 1)],
        [1, 0, 0, 0],
    ),
    (
        "langgraph.events.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "langgraph.history.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "llamaindex.events.jsonl",
        1,
        &[("find_order", 1)],
        [1, 0, 0, 0],
    ),
    (
        "llamaindex.messages.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "managed-agents.events.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "mcp.log.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "openai-agents-runs.result.json",
        1,
        &[("find_order", 1)],
        [0, 0, 0, 0],
    ),
    (
        "openai-agents-runs.state.json",
        1,
        &[("find_order", 1), ("refund", 1)],
        [1, 0, 0, 0],
    ),
    (
        "pydantic-ai.events.jsonl",
        1,
        &[("find_order", 1)],
        [1, 0, 0, 0],
    ),
    (
        "pydantic-ai.messages.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "run-steps.page.json",
        1,
        &[("code_interpreter", 1), ("find_order", 1)],
        [2, 0, 0, 0],
    ),
    (
        "semantic-kernel.dotnet.json",
        1,
        &[("shop-find_order", 1)],
        [1, 0, 0, 0],
    ),
    (
        "semantic-kernel.history.json",
        1,
        &[("find_order", 1), ("shop-get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "smolagents.steps.json",
        1,
        &[("find_order", 1), ("python_interpreter", 1)],
        [2, 0, 0, 0],
    ),
    (
        "crewai-events.bus.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "agno-events.run.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "letta.messages.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "dspy.predictions.jsonl",
        2,
        &[("find_order", 2)],
        [2, 0, 0, 0],
    ),
    (
        "smolagents.steps.jsonl",
        1,
        &[("final_answer", 1), ("find_order", 1)],
        [2, 0, 0, 0],
    ),
];
