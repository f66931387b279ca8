//! Trace files: each is recognized, contains the expected calls, and may be cut off anywhere.

use std::path::{Path, PathBuf};

use rightcall_formats::Trace;

mod cut_off;
mod whole;

/// The number of calls of each tool.
type Names = &'static [(&'static str, u64)];

/// Files in `tests/traces`: trajectories, calls by name, then results, invalid arguments, orphans, calls not run.
const FILES: &[(&str, u64, Names, [u64; 4])] = &[
    ("adk-eval-sets.cases.json", 2, &[], [0, 0, 0, 0]),
    ("adk-eval-sets.older.json", 1, &[], [0, 0, 0, 0]),
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
        "anthropic.events.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "anthropic.messages.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "anthropic.stream.txt",
        1,
        &[("find_order", 1), ("web_search", 1)],
        [1, 0, 0, 0],
    ),
    (
        "atif.trajectory.json",
        1,
        &[("find_order", 2), ("get_policy", 1)],
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
        "azure-rows.jsonl",
        2,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "azure-rows.results.json",
        1,
        &[("find_order", 1)],
        [0, 0, 0, 0],
    ),
    (
        "azure.messages.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "bedrock-agents.events.jsonl",
        1,
        &[("KB1", 1), ("find_order", 1)],
        [2, 0, 0, 0],
    ),
    (
        "bedrock.events.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "bedrock.messages.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "bfcl.answers.txt",
        2,
        &[("find_order", 2), ("get_policy", 1), ("sort", 1)],
        [0, 0, 0, 0],
    ),
    (
        "bfcl.decoded.jsonl",
        4,
        &[("find_order", 3), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "bfcl.records.jsonl",
        5,
        &[("cd", 1), ("find_order", 3), ("sort", 1)],
        [0, 0, 0, 0],
    ),
    (
        "braintrust.export.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 1],
    ),
    (
        "cases.rows.parquet",
        2,
        &[("find_order", 2), ("refund", 1)],
        [0, 0, 0, 0],
    ),
    (
        "claude-code.list.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "claude-code.messages.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "claude-code.session.jsonl",
        1,
        &[("Task", 1), ("find_order", 1), ("get_policy", 1)],
        [3, 0, 0, 0],
    ),
    (
        "codex.exec.jsonl",
        1,
        &[("command_execution", 1), ("find_order", 1)],
        [2, 0, 0, 0],
    ),
    (
        "codex.rollout.jsonl",
        1,
        &[("apply_patch", 1), ("find_order", 1)],
        [1, 0, 0, 0],
    ),
    (
        "cohere.conversation.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "cohere.events.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "cohere.stream.txt",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "copilot-chat.changes.jsonl",
        1,
        &[("find_order", 1)],
        [1, 0, 0, 0],
    ),
    (
        "copilot-chat.export.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "copilot-cli.events.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "cursor.stream.jsonl",
        1,
        &[("find_order", 1), ("shell", 1)],
        [1, 0, 0, 0],
    ),
    (
        "cursor.transcript.jsonl",
        1,
        &[("find_order", 1)],
        [0, 0, 0, 0],
    ),
    (
        "datadog.page.json",
        1,
        &[("find_order", 1), ("hand_off", 1)],
        [1, 0, 0, 1],
    ),
    (
        "flat-spans.agentcore.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "flat-spans.json",
        1,
        &[("ask_helper", 1), ("find_order", 1)],
        [1, 0, 0, 0],
    ),
    (
        "flat-spans.frame.jsonl",
        1,
        &[("find_order", 1)],
        [1, 0, 0, 0],
    ),
    (
        "flat-spans.phoenix.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "flat-spans.rows.arrows",
        2,
        &[("find_order", 2), ("refund", 2)],
        [0, 0, 0, 0],
    ),
    (
        "flat-spans.rows.feather",
        2,
        &[("find_order", 2), ("refund", 2)],
        [0, 0, 0, 0],
    ),
    (
        "flat-spans.rows.parquet",
        2,
        &[("find_order", 2), ("refund", 2)],
        [0, 0, 0, 0],
    ),
    (
        "gemini-cli.chat.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "gemini-cli.chat.jsonl",
        1,
        &[("find_order", 1)],
        [1, 0, 0, 0],
    ),
    (
        "gemini-cli.events.jsonl",
        1,
        &[("find_order", 1)],
        [1, 0, 0, 0],
    ),
    (
        "gemini-interactions.reply.json",
        1,
        &[("find_order", 1), ("get_policy", 1), ("google_search", 1)],
        [3, 0, 0, 0],
    ),
    (
        "gemini-interactions.stream.txt",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "gemini.contents.json",
        1,
        &[("code_execution", 1), ("find_order", 2), ("get_policy", 1)],
        [4, 0, 0, 0],
    ),
    (
        "gemini.pieces.txt",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "gemini.stream.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "gemini.stream.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "genkit.trace.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 1],
    ),
    (
        "inspect.log.eval",
        2,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "inspect.log.json",
        2,
        // One of them is known only by its result.
        &[("find_order", 2), ("get_policy", 1), ("search", 1)],
        [4, 0, 1, 0],
    ),
    (
        "langchain.chunks.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "langchain.javascript.json",
        1,
        &[("find_order", 1)],
        [1, 0, 0, 0],
    ),
    (
        "langchain.updates.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 1, 0, 0],
    ),
    (
        "langfuse.export.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "langfuse.trace.json",
        1,
        &[("find_order", 1), ("get_policy", 1), ("hand_off", 1)],
        [2, 0, 0, 1],
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
    ("langsmith.page.json", 1, &[("find_order", 1)], [1, 0, 0, 0]),
    (
        "langsmith.payloads.jsonl",
        1,
        &[("answer", 1), ("find_order", 1)],
        [1, 0, 0, 1],
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
        "mastra.trace.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 1],
    ),
    (
        "mcp.log.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "mini-swe-agent.run.traj.json",
        1,
        &[("bash", 3)],
        [3, 0, 0, 0],
    ),
    ("mini-swe-agent.text.json", 1, &[("bash", 1)], [1, 0, 0, 0]),
    (
        "mlflow.traces.json",
        2,
        &[("find_order", 2), ("get_policy", 1)],
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
        "openai-agents.batch.jsonl",
        1,
        &[("find_order", 1), ("hand_off", 1)],
        [1, 0, 0, 1],
    ),
    (
        "openai-chat.chunks.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "openai-chat.conversations.jsonl",
        2,
        &[("find_order", 4), ("get_policy", 1)],
        [3, 1, 1, 0],
    ),
    (
        "openai-chat.inspect.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "openai-chat.joined.json",
        2,
        &[("find_order", 1), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "openai-chat.stream.txt",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "openai-responses.events.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "openai-responses.items.json",
        1,
        &[
            ("ask", 1),
            ("find_order", 1),
            ("get_policy", 1),
            ("write_sql", 1),
        ],
        [3, 0, 0, 0],
    ),
    (
        "openai-responses.realtime.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "openai-responses.stream.txt",
        1,
        &[("find_order", 1), ("web_search", 1)],
        [0, 0, 0, 0],
    ),
    (
        "opencode.export.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "opik.export.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "openhands.evaluation.jsonl",
        2,
        &[("browse", 1), ("find_order", 2), ("get_policy", 1)],
        [3, 0, 0, 0],
    ),
    (
        "openhands.events.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "otlp.collector.binpb",
        2,
        &[("find_order", 2), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "otlp.request.binpb",
        2,
        &[("find_order", 2), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "otlp.requests.jsonl",
        2,
        &[("find_order", 1), ("get_policy", 1), ("hand_off", 1)],
        [1, 0, 0, 1],
    ),
    ("pi.events.jsonl", 1, &[("find_order", 1)], [1, 0, 0, 0]),
    (
        "pi.session.jsonl",
        1,
        &[("find_order", 2), ("get_policy", 1)],
        [2, 1, 0, 1],
    ),
    (
        "promptfoo.results.json",
        2,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "promptfoo.results.jsonl",
        1,
        &[("find_order", 1)],
        [0, 0, 0, 0],
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
        "recordings.anthropic-batch.jsonl",
        2,
        &[("find_order", 1)],
        [0, 0, 0, 0],
    ),
    (
        "recordings.gateway.har",
        1,
        &[("find_order", 1)],
        [0, 0, 0, 0],
    ),
    (
        "recordings.jsonl",
        3,
        &[("find_order", 2), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "recordings.openai-batch.jsonl",
        3,
        &[("find_order", 1), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "recordings.lists.jsonl",
        7,
        &[("find_order", 5), ("get_policy", 5)],
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
        "sharegpt.conversation.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "smolagents.steps.json",
        1,
        &[("find_order", 1), ("python_interpreter", 1)],
        [2, 0, 0, 0],
    ),
    (
        "swe-agent.run.traj",
        1,
        &[("find_order", 1), ("submit", 1)],
        [1, 1, 0, 0],
    ),
    (
        "tau-bench.results.json",
        2,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "tau2-bench.results.json",
        2,
        &[("find_order", 1), ("get_policy", 1), ("reboot_phone", 1)],
        [3, 0, 0, 0],
    ),
    (
        "amazon-q.conversations.jsonl",
        2,
        &[("find_order", 2), ("get_policy", 1)],
        [3, 0, 0, 0],
    ),
    (
        "continue-dev.session.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "crewai-events.bus.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "deepeval-traces.trace.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "droid.session.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    ("droid.stream.jsonl", 1, &[("find_order", 1)], [1, 0, 0, 0]),
    (
        "glaive.rows.jsonl",
        2,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "goose.rows.jsonl",
        2,
        &[("shop__find_order", 2), ("shop__get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "grok-build.history.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1), ("web_search", 1)],
        [2, 0, 0, 0],
    ),
    ("nestful.rows.jsonl", 1, &[], [0, 0, 0, 0]),
    (
        "qwen-code.chat.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "smolagents.steps.jsonl",
        1,
        &[("final_answer", 1), ("find_order", 1)],
        [2, 0, 0, 0],
    ),
    (
        "toolbench.answer.json",
        1,
        &[("Finish", 1), ("find_order_for_shop", 1)],
        [1, 0, 0, 0],
    ),
    (
        "verifiers.results.jsonl",
        2,
        &[("find_order", 2), ("get_policy", 1)],
        [3, 0, 0, 0],
    ),
    ("xlam.rows.json", 2, &[], [0, 0, 0, 0]),
    (
        "antigravity.transcript.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    ("uipath-evals.set.json", 2, &[], [0, 0, 0, 0]),
    (
        "vercel.result.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "vercel.ui-stream.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "vercel.ui-stream.txt",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "vercel.ui.json",
        1,
        &[("find_order", 1), ("get_policy", 1), ("refund", 1)],
        [1, 0, 0, 1],
    ),
    (
        "weave.calls.jsonl",
        1,
        &[("find_order", 1), ("hand_off", 1)],
        [1, 0, 0, 1],
    ),
];

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces")
}

/// Name, id and result of a call.
type Pair = (String, Option<String>, Option<String>);

fn pairs(trace: &Trace) -> Vec<Pair> {
    let text = |id: &Option<rightcall_core::value::Text<'_>>| id.as_ref().map(ToString::to_string);
    trace
        .calls
        .iter()
        .map(|call| (call.name.to_string(), text(&call.id), call.output.clone()))
        .collect()
}
