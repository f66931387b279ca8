//! `strands/tool-called`: whether one tool was called.

use super::{DEPARTURES, name};
use crate::presets::one_tool::{OneTool, TOOL_NAME};
use crate::presets::prelude::*;
use crate::value::TextBuilder;

pub(crate) static ENTRY: Entry = Entry {
    id: "strands/tool-called",
    aliases: &[],
    summary: "Whether a tool was called.",
    page: Page {
        measures: "Whether one tool was called.",
        formula: "1 if a call of the run has the name `tool_name`; else 0.",
        use_when: "You move from Strands (`ToolCalled`), and one tool is the point of all cases.",
        not_when: "The tool differs from case to case (`uipath/tool-call-count`), or it must not be called (`constraints`).",
        limits: "Where the settings name a tool, what the case expects plays no part.",
        not_applicable: "There is no run, where the original scores 0; or neither the settings name a tool nor the case expects a call.",
        editions: "",
        departures: DEPARTURES,
        source: "Package `strands-agents-evals` 1.7.0, `ToolCalled`.",
        related: &["vertex/trajectory-single-tool-use", "constraints"],
        example: Example {
            settings: r#"{"tool_name":"pay"}"#,
            expected: "[]",
            actual: r#"[{"name":"find"},{"name":"pay"}]"#,
            result: r#"{"score":1.0,"test_pass":true,"reason":"tool 'pay' was called"}"#,
        },
    },
    settings: &[TOOL_NAME],
    editions: &[Edition::Package],
    needs: "names of the actual calls",
    shape: None,
    build,
};

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let tool = OneTool::from_settings(settings)?;
    Ok(Composed::preset(OneTool::recipe(), ToolCalled(tool)))
}

#[derive(Debug)]
struct ToolCalled(OneTool);

impl Original for ToolCalled {
    fn read_case<'c>(&self, _: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        self.0.read_case(prepared)
    }

    fn read_native<'c>(&self, _: &'c str, actual: &'c str) -> Reading<'c> {
        let calls = side_of_items("actual", actual, name)?;
        Ok(self.0.against(calls))
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        let was_called = judged.score == 1.0;
        let mut reason = TextBuilder::default();
        reason.push_str("tool '");
        for tool in judged.sides.expected.as_slice() {
            reason.push_text(&tool.name().to_text());
        }
        reason.push_str(if was_called {
            "' was called"
        } else {
            "' was not called"
        });
        writer.key("test_pass").bool(was_called);
        writer.key("reason").text(&reason.finish());
    }

    fn passes(&self, judged: &Judged<'_, '_, '_>) -> Option<bool> {
        Some(judged.score == 1.0)
    }
}
