//! Traces.

use super::Counts;

pub(super) const FILES: &[Counts] = &[
    (
        "bedrock-agents.events.jsonl",
        1,
        &[("KB1", 1), ("find_order", 1)],
        [2, 0, 0, 0],
    ),
    (
        "braintrust.export.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 1],
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
        "genkit.trace.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 1],
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
    ("langsmith.page.json", 1, &[("find_order", 1)], [1, 0, 0, 0]),
    (
        "langsmith.payloads.jsonl",
        1,
        &[("answer", 1), ("find_order", 1)],
        [1, 0, 0, 1],
    ),
    (
        "mastra.trace.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 1],
    ),
    (
        "mlflow.traces.json",
        2,
        &[("find_order", 2), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "openai-agents.batch.jsonl",
        1,
        &[("find_order", 1), ("hand_off", 1)],
        [1, 0, 0, 1],
    ),
    (
        "opik.export.json",
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
    (
        "deepeval-traces.trace.json",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "gemini-telemetry.outfile.jsonl",
        2,
        &[("find_order", 2), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "weave.calls.jsonl",
        1,
        &[("find_order", 1), ("hand_off", 1)],
        [1, 0, 0, 1],
    ),
];
