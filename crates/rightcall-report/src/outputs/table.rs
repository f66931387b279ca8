//! The screen of a run, for a terminal or a file.

use std::io;

use rightcall_results::{CaseResult, RunSummary};
use rightcall_run::{ExistingFile, Output, Wants};

use crate::{ListLength, Screen, run_screen, verdict_screen};

/// Returns a command that shows more of a case, if there is one.
type NextCommand<'t> = dyn Fn(&CaseResult) -> Option<String> + 't;

/// Receives the screen.
type Show<'t> = dyn FnMut(&str) -> io::Result<()> + 't;

/// True if a file is an earlier screen of a run or a comparison.
pub fn is_screen(existing: &ExistingFile) -> bool {
    let line = existing.first_line();
    line.starts_with("rightcall ") && line.contains(" · ")
        || line.contains(") against ")
        || line.contains("that all have, against ")
}

/// Draws the screen of a run at its end.
pub struct Table<'t> {
    /// The suite or the files that were scored, as the user named them.
    pub subject: String,
    /// Returns the exit code of the run.
    pub exit_code: Box<dyn Fn(&RunSummary) -> u8 + 't>,
    /// Returns a command that shows more of a case, if there is one.
    pub next: Box<NextCommand<'t>>,
    /// How much of each list to show.
    pub listed: ListLength,
    /// True to show the verdict alone.
    pub is_quiet: bool,
    /// Receives the screen.
    pub show: Box<Show<'t>>,
}

impl Output for Table<'_> {
    fn wants(&self) -> Wants {
        Wants {
            shortfall: true,
            ..Wants::default()
        }
    }

    fn finish(&mut self, summary: &RunSummary) -> io::Result<()> {
        let next = summary.first_case().and_then(|case| (self.next)(case));
        let screen = Screen {
            subject: &self.subject,
            summary,
            exit_code: (self.exit_code)(summary),
            next: next.as_deref(),
            listed: self.listed,
        };
        if summary.is_empty() {
            return Ok(());
        }
        let text = if self.is_quiet {
            verdict_screen(&screen)
        } else {
            run_screen(&screen)
        };
        (self.show)(&text)
    }
}
