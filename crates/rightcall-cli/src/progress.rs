//! What is said while a run goes on: a progress bar on long work at a terminal, and the first problems.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rightcall_run::{Observer, Problem};

use crate::messages;
use crate::problems::ProblemList;

/// Work is long after this time.
const LONG: Duration = Duration::from_millis(500);

/// Tells a person how the run goes.
pub(crate) struct Progress {
    quiet: bool,
    /// Problems are warnings where the user accepts them.
    accepted: bool,
    begun: Instant,
    /// Bytes of all inputs; `None` if one is not a file.
    bytes: Option<u64>,
    bar: Option<ProgressBar>,
    problems: ProblemList,
}

impl Progress {
    pub(crate) fn new(inputs: &[PathBuf], quiet: bool, accepted: bool) -> Self {
        let size = |path: &PathBuf| {
            fs::metadata(path)
                .ok()
                .filter(fs::Metadata::is_file)
                .map(|found| found.len())
        };
        let bytes = inputs.iter().map(size).sum();
        Self {
            quiet,
            accepted,
            begun: Instant::now(),
            bytes,
            bar: None,
            problems: ProblemList::default(),
        }
    }

    /// Takes the bar away and says how many problems were not told.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        if !self.quiet {
            self.problems.finish();
        }
    }

    fn new_bar(&self) -> ProgressBar {
        // The target hides the bar where standard error is no terminal.
        let bar = ProgressBar::with_draw_target(self.bytes, ProgressDrawTarget::stderr());
        let template = if self.bytes.is_some() {
            "{wide_bar} {bytes} of {total_bytes}"
        } else {
            "{spinner} {bytes}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar
    }
}

impl Observer for Progress {
    fn problem(&mut self, problem: &Problem) {
        if !self.problems.add_problem(problem) || self.quiet {
            return;
        }
        let accepted = self.accepted && matches!(problem, Problem::Unreadable(_));
        let tell = || {
            if accepted {
                messages::warning(&problem.to_string(), problem.help());
            } else {
                messages::error(&problem.to_string(), problem.help());
            }
        };
        match &self.bar {
            Some(bar) => bar.suspend(tell),
            None => tell(),
        }
    }

    fn progress(&mut self, bytes_read: u64, _more_cases: usize) {
        if self.bar.is_none() && !self.quiet && self.begun.elapsed() >= LONG {
            self.bar = Some(self.new_bar());
        }
        if let Some(bar) = &self.bar {
            bar.set_position(bytes_read);
        }
    }
}
