//! The command that explains a case in a terminal.

use rightcall_results::CaseResult;
use rightcall_run::CaseKey;

use crate::shell::{command_line, push_option};

/// `rightcall explain` for the cases of a run. The default names the file of each case.
#[derive(Clone, Debug, Default)]
pub struct ExplainCommand {
    /// The suite, or the number of the run in the history; `None` for the file of each case.
    pub source: Option<String>,
    /// The meta values that the run's selection of cases used.
    pub filters: Vec<(String, String)>,
    /// The words that follow the options of the case.
    pub options: Vec<String>,
}

impl ExplainCommand {
    /// For a run of the history, by its name; the options name the history.
    pub fn of_run(run: &str, options: Vec<String>) -> Self {
        Self {
            source: Some(run.to_string()),
            options,
            ..Self::default()
        }
    }

    /// The command for a case, ready to copy; `None` if its file can't be read again.
    pub fn of(&self, case: &CaseResult) -> Option<String> {
        let is_file = &*case.file != "<stdin>";
        let file = || is_file.then(|| case.file.to_string());
        let source = self.source.clone().or_else(file)?;
        let mut words = vec!["rightcall".to_owned(), "explain".to_owned(), source];
        push_case(&mut words, "--case", case);
        let of_case = words.len();
        for (key, value) in &self.filters {
            let start = format!("{key}=");
            // Several values of one key choose any of them.
            if !words[..of_case].iter().any(|word| word.starts_with(&start)) {
                push_option(&mut words, "--where", &format!("{start}{value}"));
            }
        }
        words.extend(self.options.iter().cloned());
        Some(command_line(&words))
    }
}

/// Adds the options that choose a case: its id with `option`, the values that distinguish it from cases with the same id, and its trial.
pub fn push_case(words: &mut Vec<String>, option: &str, case: &CaseResult) {
    push_option(words, option, &case.label);
    let mut variant = case.variant.clone();
    if variant.is_empty() {
        // The history has no variants. Cases of one run with the same id mostly differ in the model.
        let meta = case.case.as_ref().and_then(|kept| kept.meta.as_deref());
        let model = CaseKey::Meta(vec!["model".to_owned()]).of(&case.label, None, meta);
        variant.extend(model.map(|model| ("model".to_owned(), model)));
    }
    for (key, value) in &variant {
        push_option(words, "--where", &format!("{key}={value}"));
    }
    if let Some(trial) = &case.trial {
        push_option(words, "--trial", trial);
    }
}
