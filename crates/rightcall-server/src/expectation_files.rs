//! The files of expectations that `view --edit` may change, and the change that accepts a recorded
//! case.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rightcall_formats::{Limits, ReadOptions};
use rightcall_report::printable;
use rightcall_results::CaseResult;
use rightcall_run::{
    ExpectationChange, Observer, OriginalFile, Plan, Problem, RewriteError, Traces, fresh_hash_key,
    review, rewrite, text_to_review,
};
use rightcall_store::RunRow;

/// A file of expectations, and the lines that change if the calls of a case are accepted.
#[derive(Debug)]
pub(crate) struct ExpectationEdit {
    path: PathBuf,
    originals: OriginalFile,
    changes: Vec<ExpectationChange>,
    /// The indices of the changes to this case.
    chosen: BTreeSet<usize>,
}

/// The first error of a comparison.
#[derive(Default)]
struct FirstProblem(Option<String>);

impl Observer for FirstProblem {
    fn problem(&mut self, problem: &Problem) {
        self.0.get_or_insert_with(|| problem.to_string());
    }
}

impl ExpectationEdit {
    /// Compares the expectations in the case's file with its calls, as `rightcall review --run` does.
    ///
    /// # Errors
    /// Why the calls cannot be accepted.
    pub(crate) fn new(history: &Path, run: &RunRow, case: &CaseResult) -> Result<Self, String> {
        let file = printable(&case.file);
        let path = file_of(history, run, case)?;
        let limits = Limits::default();
        let cannot = |error: &dyn std::error::Error| format!("{file}: {error}");
        let text = text_to_review(case).ok_or(
            "The history has only a redacted copy of these calls. `rightcall review FILE --traces RUNS` accepts them from the original run.",
        )?;
        let reading = ReadOptions {
            hash_key: fresh_hash_key(),
            ..ReadOptions::default()
        };
        let traces = Traces::of_texts([text], reading, limits, |_| {});
        let originals = OriginalFile::read(&path, limits).map_err(|error| cannot(&error))?;
        let plan = Plan {
            traces: traces.map_err(|error| cannot(&error))?,
            ..Plan::new(vec![path.clone()], reading, limits)
        };
        let mut problem = FirstProblem::default();
        let found = review(&plan, &[], &mut problem).map_err(|error| cannot(&error))?;
        let changes = found.changes;
        let chosen = (0..changes.len()).filter(|it| changes[*it].label == case.label);
        let chosen: BTreeSet<_> = chosen.collect();
        if chosen.is_empty() && found.met == 0 {
            let none = || format!("{file} has no case with the id of this one.");
            return Err(problem.0.map_or_else(none, |it| printable(&it)));
        }
        if !originals.hold(&changes) {
            return Err(format!(
                "{file} is not plain JSON Lines, so it is not rewritten. `rightcall convert` makes JSON Lines of it."
            ));
        }
        Ok(Self {
            path,
            originals,
            changes,
            chosen,
        })
    }

    /// The changes; empty if the file expects these calls already.
    pub(crate) fn changes(&self) -> impl Iterator<Item = &ExpectationChange> {
        self.chosen.iter().map(|index| &self.changes[*index])
    }

    /// The text that a change replaces.
    pub(crate) fn before(&self, change: &ExpectationChange) -> &str {
        let text = change.line.and_then(|line| self.originals.object(line));
        text.unwrap_or_default()
    }

    /// A hash of the file as it was compared.
    pub(crate) fn hash(&self) -> String {
        self.originals.hash()
    }

    /// Writes the changes.
    ///
    /// # Errors
    /// The file has changed meanwhile, or cannot be written.
    pub(crate) fn accept(&self) -> Result<(), RewriteError> {
        rewrite(&self.path, &self.changes, &self.chosen, &self.originals)
    }
}

/// The file of a case, if it is in the folder of the run's suite or below.
fn file_of(history: &Path, run: &RunRow, case: &CaseResult) -> Result<PathBuf, String> {
    let file = printable(&case.file);
    // In the history, suites are relative to the folder that has `.rightcall`, and files are as the
    // user wrote them.
    let history = history.canonicalize().map_err(|error| error.to_string())?;
    let named = history.parent().filter(|it| it.ends_with(".rightcall"));
    let root = named.and_then(Path::parent).unwrap_or(Path::new("."));
    let suite = root.join(&run.about.suite);
    let folder = suite.parent().unwrap_or(root);
    let folder = folder
        .canonicalize()
        .map_err(|error| format!("{}: {error}", printable(&run.about.suite)))?;
    let places = [Path::new(""), root, &folder].map(|place| place.join(&*case.file));
    let found = places.iter().find(|it| it.is_file());
    // Symbolic links could lead out of the folder, so compare resolved paths.
    let found = found.and_then(|it| it.canonicalize().ok());
    match found {
        None => Err(format!(
            "There is no file {file}. Start the viewer in the folder that the suite was run in."
        )),
        Some(path) if path.starts_with(&folder) => Ok(path),
        Some(_) => Err(format!(
            "{file} is not below the folder of the suite, so the viewer does not change it."
        )),
    }
}
