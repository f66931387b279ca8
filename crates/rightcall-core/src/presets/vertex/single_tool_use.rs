//! `vertex/trajectory-single-tool-use`: whether one tool was called.

use super::{DEPARTURES, SOURCE, tool_call};
use crate::presets::one_tool::{OneTool, TOOL_NAME};
use crate::presets::prelude::*;

pub(crate) static ENTRY: Entry = Entry {
    id: "vertex/trajectory-single-tool-use",
    aliases: &[],
    summary: "Whether a tool was called.",
    page: Page {
        measures: "Whether one tool was called at least once, with any input.",
        formula: "1 if the predicted trajectory has a call of `tool_name`; else 0.",
        use_when: "You move from Vertex AI (`trajectory_single_tool_use`), and one tool is the point of all cases.",
        not_when: "The tool differs from case to case (`uipath/tool-call-count`), or it must not be called (`constraints`).",
        limits: "Where the settings name a tool, what the case expects plays no part.",
        not_applicable: "There is no run; or neither the settings name a tool nor the case expects a call.",
        editions: "",
        departures: DEPARTURES,
        source: SOURCE,
        related: &["strands/tool-called", "constraints"],
        example: Example {
            settings: r#"{"tool_name":"pay"}"#,
            expected: "[]",
            actual: r#"[{"name":"find","args":{"id":7}},{"name":"pay","args":{"id":7}}]"#,
            result: r#"{"score":1.0}"#,
        },
    },
    settings: &[TOOL_NAME],
    editions: &[Edition::Package],
    needs: "names of the actual calls",
    shape: Some(Shape::Vertex),
    build,
};

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let tool = OneTool::from_settings(settings)?;
    Ok(Composed::preset(OneTool::recipe(), SingleToolUse(tool)))
}

#[derive(Debug)]
struct SingleToolUse(OneTool);

impl Original for SingleToolUse {
    fn read_case<'c>(&self, _: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        self.0.read_case(prepared)
    }

    fn read_native<'c>(&self, _: &'c str, actual: &'c str) -> Reading<'c> {
        let calls = side_of_items("actual", actual, tool_call)?;
        Ok(self.0.against(calls))
    }
}
