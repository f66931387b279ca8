//! Messages of agentevals.

use rightcall_core::call::Shape;

use crate::format::{Carrier, Format, Priority, Reading, RecognizedBy, ShapeSides};

static SIDES: ShapeSides = ShapeSides {
    shape: Shape::AgentEvals,
    expected: &["reference_outputs"],
    actual: &["outputs"],
    recognized_by: RecognizedBy::Expected,
    settings: &[
        "trajectory_match_mode",
        "tool_args_match_mode",
        "tool_args_match_overrides",
    ],
    carriers: (Carrier::Messages, Carrier::Messages),
};

pub(super) static ENTRY: Format = Format {
    name: "agentevals",
    title: "agentevals messages",
    summary: "`reference_outputs` and `outputs`, both messages",
    reads: &[
        ("calls", "`tool_calls` of the messages in `outputs`"),
        ("arguments", "`function.arguments` or `args`"),
        ("results", "messages with the role `tool`"),
        ("expectations", "`reference_outputs`"),
    ],
    lacks: &["times"],
    notes:
        "Messages of the agent in `outputs`, those of a good run in `reference_outputs`, both in the form of OpenAI. Beside them
`trajectory_match_mode`, `tool_args_match_mode` and `tool_args_match_overrides` go before the settings of the evaluator.

Graph trajectories, `{\"results\": …, \"steps\": [[\"__start__\", \"agent\", \"tools\"], …]}`, are read in their place: each node is a call by its name, so that
`agentevals/trajectory-match`, strict unless another mode is said, is agentevals' `graph_trajectory_strict_match`, and every other evaluator judges them too. A run of a graph
begins with `__start__` or after `__interrupt__`; the list of a node is not compared besides.",
    extensions: &["jsonl", "json"],
    example: r#"{"outputs":[{"role":"assistant","tool_calls":[{"function":{"name":"find_order","arguments":"{}"}}]}],"reference_outputs":[{"role":"assistant","tool_calls":[{"function":{"name":"find_order","arguments":"{}"}}]}]}"#,
    priority: Priority::Shape,
    reading: Reading::Shape(&SIDES),
};
