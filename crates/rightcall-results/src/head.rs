//! Facts of a run that are known before its first case.

use rightcall_core::value::JsonWriter;

/// Facts of a run that are known before its first case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunHead {
    /// The suite or the files that were scored, as the user named them.
    pub title: String,
    /// Further facts such as time and commit, each with a label.
    pub facts: Vec<(String, String)>,
    /// The evaluators, in the order of the evaluations of each case.
    pub evaluators: Vec<EvaluatorHead>,
    /// Whether the run has combined results of whole cases.
    pub has_whole_cases: bool,
    /// Earlier runs in the history, oldest first.
    pub earlier: Vec<EarlierRun>,
}

/// The names of an evaluator in results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvaluatorHead {
    /// Its id.
    pub id: String,
    /// The user's name for it.
    pub name: Option<String>,
    /// The display name: name, else id; with settings if several evaluators share the name.
    pub label: String,
}

/// A run of the history, as trend lines show it.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlierRun {
    /// Its number.
    pub label: String,
    /// Mean of the weighted scores of the cases.
    pub mean: Option<f64>,
    /// Share of the cases with a verdict that passed.
    pub pass_rate: Option<f64>,
}

impl EvaluatorHead {
    /// The members that identify it in a result, for the end of an object: `,"evaluator":"…","name":"…"`.
    pub fn members(&self) -> String {
        let mut writer = JsonWriter::new();
        writer.begin_object().key("evaluator").str(&self.id);
        writer.optional("name", self.name.as_ref());
        writer.finish().as_str().replacen('{', ",", 1)
    }
}
