//! Coverage as JSON.

use serde_json::{Value, json};

use super::found::{ArgumentCoverage, Coverage, ToolCoverage};

impl Coverage {
    /// The coverage as one JSON document. A share that is not known is null.
    pub fn to_json(&self) -> String {
        let (covered, demanded) = self.covered();
        let without: Vec<_> = self.without_case().map(|it| it.name.as_str()).collect();
        let pairs = self.pairs.iter().map(|it| {
            json!({"before": it.before, "after": it.after, "runs": it.runs, "first": it.first})
        });
        let document = json!({
            "cases": self.cases,
            "runs": self.runs,
            "incomplete_runs": self.incomplete_runs,
            "unrecorded_runs": self.unrecorded_runs,
            "has_catalogue": self.has_catalogue,
            "demanded_tools": demanded,
            "covered_tools": covered,
            "percent": self.percent(),
            "tools_without_case": without,
            "tools": self.tools.iter().map(tool).collect::<Vec<_>>(),
            "uncovered_pairs": pairs.collect::<Vec<_>>(),
        });
        format!("{document:#}\n")
    }
}

fn tool(tool: &ToolCoverage) -> Value {
    json!({
        "name": tool.name,
        "in_catalogue": tool.is_in_catalogue,
        "cases": tool.cases,
        "runs": tool.runs,
        "failed_runs": tool.failed_runs,
        "arguments": tool.arguments.iter().map(argument).collect::<Vec<_>>(),
    })
}

fn argument(argument: &ArgumentCoverage) -> Value {
    let parsed = |json: &str| serde_json::from_str::<Value>(json).unwrap_or_default();
    let values = argument
        .values
        .iter()
        .map(|it| json!({"value": parsed(&it.json), "pinned": it.is_pinned, "seen": it.is_seen}));
    json!({
        "name": argument.name,
        "pinned": argument.pinned,
        "seen": argument.seen,
        "enum": values.collect::<Vec<_>>(),
    })
}
