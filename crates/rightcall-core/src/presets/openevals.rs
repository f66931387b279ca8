//! `openevals/trajectory-match`: the trajectory match of `LangChain`'s openevals, which `LangSmith`'s documentation uses.

use crate::presets::agentevals::{
    DEPARTURES, LIMITS, MEASURES, NEEDS, NOT_APPLICABLE, Package, SETTINGS, build_for,
};
use crate::presets::prelude::*;

pub(crate) static ENTRY: Entry = Entry {
    id: "openevals/trajectory-match",
    aliases: &[],
    summary: "Whether the tool calls of a conversation match those of a reference, by the rules of openevals.",
    page: Page {
        measures: MEASURES,
        formula: "1 or 0. *cover(X, Y)*: each call of Y in order takes the first free call of X with the same name and matching \
arguments. `superset`: cover(actual, reference). `subset`: cover(reference, actual). `unordered`: both. `strict`: the same number of \
messages with the same roles, and in each message the same number of calls, matched in any order. From 0.2.1 on it differs from agentevals \
0.0.9 in two points: `subset` and `superset` of arguments always look from the run, where agentevals turns them round in `subset` and \
`unordered`; and a path of an override has to lead to a value on both sides, where agentevals takes what is missing for null.",
        use_when: "You move from openevals or follow LangSmith's documentation, or want a plain yes or no.",
        not_when: "Partial credit is wanted (`trajectory`).",
        limits: LIMITS,
        not_applicable: NOT_APPLICABLE,
        editions: "",
        departures: DEPARTURES,
        source: "Package `openevals` 0.2.2; its trajectory match is the same from 0.2.1 on, and that of 0.2.0 is agentevals'.",
        related: &[
            "agentevals/trajectory-match",
            "adk/trajectory",
            "trajectory",
        ],
        example: Example {
            settings: r#"{"trajectory_match_mode":"subset","tool_args_match_mode":"superset"}"#,
            expected: r#"[{"name":"find","args":{"id":7}},{"name":"pay","args":{"id":7}}]"#,
            actual: r#"[{"name":"find","args":{"id":7,"full":true}}]"#,
            result: r#"{"score":true,"key":"trajectory_subset_match","comment":null,"metadata":null}"#,
        },
    },
    settings: SETTINGS,
    editions: &[Edition::Package],
    needs: NEEDS,
    shape: Some(Shape::AgentEvals),
    build,
};

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    build_for(settings, Package::OpenEvals)
}
