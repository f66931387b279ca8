//! What is known of a run before its first case.

use rightcall::value::JsonWriter;

/// What is known of a run before its first case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunHead {
    /// What was scored, in the user's words: the suite, or the files.
    pub title: String,
    /// What else is known of the run, such as its time or its commit, each with a label.
    pub facts: Vec<(String, String)>,
    /// The evaluators, in the order of the evaluations of each case.
    pub evaluators: Vec<EvaluatorHead>,
    /// Whether the run says what each case as a whole came to.
    pub has_whole_cases: bool,
    /// The runs before it that the history has, the oldest first.
    pub earlier: Vec<EarlierRun>,
}

/// An evaluator as results name it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvaluatorHead {
    /// Its id.
    pub id: String,
    /// The user's name for it.
    pub name: Option<String>,
    /// What people call it: the name, else the id; where several evaluators share that, with the settings.
    pub label: String,
}

/// A run of the history, as a line over runs shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlierRun {
    /// What it is called: its number.
    pub label: String,
    /// Mean of the weighted scores of the cases.
    pub mean: Option<f64>,
    /// Share of the cases with a verdict that passed.
    pub pass_rate: Option<f64>,
}

impl EvaluatorHead {
    /// The members of a result that name it, behind others: `,"evaluator":"…","name":"…"`.
    pub fn members(&self) -> String {
        let mut writer = JsonWriter::new();
        writer.begin_object().key("evaluator").str(&self.id);
        if let Some(name) = &self.name {
            writer.key("name").str(name);
        }
        writer.finish().as_str().replacen('{', ",", 1)
    }
}
