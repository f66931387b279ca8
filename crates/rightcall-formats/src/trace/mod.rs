//! What a reader of traces fills: the calls of one run of an agent, in order, with what was left out and why.
//!
//! The rules that all formats share live here, one file a rule: [`arguments`] (text or JSON), [`open_calls`] (which result
//! answers which call), [`conversation`] (calls from messages), [`wrappers`] (calls that hold calls), [`time`], [`choices`] (what
//! is a matter of opinion), [`report`] (what was left out), [`unread`] (what looks like a call and was not read). A trace leaves as the text of a canonical case ([`canonical`]), so
//! that everything behind the readers knows one format only.

pub(crate) mod arguments;
pub(crate) mod canonical;
pub(crate) mod choices;
pub(crate) mod conversation;
pub(crate) mod open_calls;
pub(crate) mod report;
pub(crate) mod stored;
pub(crate) mod time;
pub(crate) mod unread;
pub(crate) mod wrappers;

use std::collections::BTreeMap;

pub use rightcall::call::Run;
use rightcall::value::Text;
use serde::{Deserialize, Serialize};

pub use arguments::{TraceArguments, Understood};
pub use choices::{
    CHOICES, Choice, ChoiceError, Choices, Evidence, Keep, Order, OtherActors, Recordings, ToolId,
    UnreadCalls,
};
pub use report::{LeftOut, Report};

/// One run of an agent.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Its name in the input: the id of a conversation, a trace, a task.
    pub id: Option<Text<'static>>,
    /// The line on which it begins, from 1.
    pub line: u64,
    /// The calls, in order.
    pub calls: Vec<TraceCall>,
    /// True for a record that tells what is expected alone: no run is known, which is another thing than a run without calls.
    pub lacks_run: bool,
    /// The question put to the agent, as JSON text.
    pub input: Option<String>,
    /// The agent's answer, as JSON text.
    pub output: Option<String>,
    /// What was demanded, as the JSON text of a canonical expectation; only data sets say.
    pub expected: Option<String>,
    /// Which repetition this is, as JSON text.
    pub trial: Option<String>,
    /// Other facts, each as JSON text.
    pub meta: Vec<(String, String)>,
    /// What was left out, and what was wrong.
    pub report: Report,
    /// Of a case: what is in it beside its run.
    pub stated: Stated,
}

/// What a case holds beside its run.
#[derive(Clone, Debug, Default)]
pub struct Stated {
    /// Number of calls that are expected.
    pub expected_calls: u64,
    /// Keys without meaning in its calls, with the number of calls that have them.
    pub other_keys: BTreeMap<String, u64>,
    /// Keys of the case that are nearly others, each with the one that may be meant.
    pub near_keys: Vec<(String, &'static str)>,
}

/// One call as a trace recorded it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TraceCall {
    /// The tool's name, as the model wrote it.
    #[serde(with = "stored::text")]
    pub name: Text<'static>,
    /// The arguments.
    pub arguments: TraceArguments,
    /// Id of the call; not unique.
    #[serde(with = "stored::optional_text")]
    pub id: Option<Text<'static>>,
    /// Id of the tool.
    #[serde(with = "stored::optional_text")]
    pub tool_id: Option<Text<'static>>,
    /// The result, as JSON text; `None` where none was seen.
    pub output: Option<String>,
    /// The error, as JSON text: `true` or a message.
    pub error: Option<String>,
    /// When it began, in nanoseconds since 1970.
    pub start: Option<i128>,
    /// When it ended.
    pub end: Option<i128>,
    /// The message or model call that asked for it, from 0.
    pub turn: Option<u64>,
    /// Calls of one group were asked for together.
    #[serde(with = "stored::optional_text")]
    pub group: Option<Text<'static>>,
    /// Who called, where it was not the agent itself.
    #[serde(with = "stored::optional_text")]
    pub actor: Option<Text<'static>>,
    /// The call inside which this one was made, by its place in the list.
    pub parent: Option<usize>,
    /// How it ran.
    #[serde(with = "stored::RunName")]
    pub run: Run,
    /// Where in the input it stands: a span, a message.
    #[serde(with = "stored::optional_text")]
    pub source: Option<Text<'static>>,
}

/// The calls of a file, one a line, with what the report says; `---` stands between trajectories.
#[cfg(test)]
pub(crate) fn shown(format: &str, text: &str, choices: Choices) -> Vec<String> {
    use std::fmt::Write as _;
    use std::io::Write as _;

    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let options = crate::ReadOptions {
        choices,
        ..crate::ReadOptions::default()
    };
    let mut input = crate::Input::open(file.path(), crate::Limits::default(), &options).unwrap();
    assert_eq!(
        input.format().unwrap().map(|format| format.name),
        Some(format),
        "{text}"
    );
    let mut lines = Vec::new();
    let mut is_first = true;
    while let Some(traces) = input.next_traces().unwrap() {
        for (line, trace) in traces {
            let trace = trace.unwrap_or_else(|error| panic!("line {line}: {error}"));
            if !std::mem::take(&mut is_first) {
                lines.push("---".to_owned());
            }
            for call in &trace.calls {
                let arguments = match &call.arguments {
                    TraceArguments::Absent => "?".to_owned(),
                    TraceArguments::Json(json) => json.clone(),
                    TraceArguments::Text(text) => format!("{:?}", text.to_string()),
                    TraceArguments::Free(text) => format!("free {:?}", text.to_string()),
                };
                let mut shown = format!("{}({arguments})", call.name);
                for text in [&call.id, &call.tool_id].into_iter().flatten() {
                    _ = write!(shown, " {text}");
                }
                if let Some(turn) = call.turn {
                    _ = write!(shown, " @{turn}");
                }
                for text in [&call.group, &call.actor].into_iter().flatten() {
                    _ = write!(shown, " {text}");
                }
                if let Some(parent) = call.parent {
                    _ = write!(shown, " in {parent}");
                }
                match call.run {
                    Run::ByAgent => {}
                    Run::ByProvider => shown += " by provider",
                    Run::Not => shown += " not run",
                }
                for (mark, json) in [("->", &call.output), ("error", &call.error)] {
                    if let Some(json) = json {
                        _ = write!(shown, " {mark} {json}");
                    }
                }
                lines.push(shown);
            }
            if trace.report.orphans > 0 {
                lines.push(format!("{} orphans", trace.report.orphans));
            }
            lines.extend(
                trace
                    .report
                    .dropped()
                    .map(|(reason, count)| format!("{count} {reason}")),
            );
        }
    }
    lines
}
