//! Messages during a run: a progress bar for long work at a terminal, the first errors, and the
//! duration.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rightcall_report::{ListLength, count, warnings};
use rightcall_results::RunSummary;
use rightcall_run::{Observer, Output, Problem};

use crate::messages;
use crate::problems::ProblemList;

/// The time before work shows a progress bar.
const BAR_DELAY: Duration = Duration::from_millis(500);

/// Shows the progress of a run.
pub(crate) struct Progress {
    quiet: bool,
    /// True if unreadable records are warnings and not errors.
    accepted: bool,
    started: Instant,
    is_shown: bool,
    /// The progress bar, hidden until the work is long. It has no total if an input is not a
    /// regular file.
    bar: ProgressBar,
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
            started: Instant::now(),
            is_shown: false,
            bar: hidden_bar(bytes),
            problems: ProblemList::default(),
        }
    }

    /// Sets the number of errors of a kind to list.
    pub(crate) fn listing(self, listed: ListLength) -> Self {
        Self {
            problems: ProblemList::listing(listed),
            ..self
        }
    }

    /// An output that prints the duration at the end of the run, and a warning if nothing was judged.
    pub(crate) fn end(&self) -> impl Output + use<> {
        End {
            quiet: self.quiet,
            started: self.started,
            bar: self.bar.clone(),
        }
    }

    /// Removes the bar, and summarizes the unlisted errors.
    pub(crate) fn finish(&mut self) {
        self.bar.finish_and_clear();
        self.problems.finish();
    }
}

/// A progress bar that is not visible yet.
fn hidden_bar(bytes: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(bytes, ProgressDrawTarget::hidden());
    let template = if bytes.is_some() {
        "{wide_bar} {bytes} of {total_bytes}"
    } else {
        "{spinner} {bytes}"
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Prints the duration, and a warning if nothing was judged, before the results are shown.
struct End {
    quiet: bool,
    started: Instant,
    bar: ProgressBar,
}

impl Output for End {
    fn finish(&mut self, summary: &RunSummary) -> io::Result<()> {
        self.bar.finish_and_clear();
        if self.quiet {
            return Ok(());
        }
        messages::warn(warnings::nothing_judged(summary));
        if io::stderr().is_terminal() && summary.cases > 0 {
            messages::note(&duration_text(summary.cases, self.started.elapsed()));
        }
        Ok(())
    }
}

/// `306 cases in 0.12 s, 2550 a second`.
fn duration_text(cases: u64, took: Duration) -> String {
    let seconds = took.as_secs_f64();
    let time = match seconds {
        0.0..0.0995 => format!("{:.0} ms", (1000.0 * seconds).max(1.0)),
        0.0..60.0 => format!("{seconds:.1} s"),
        _ => format!("{} min {} s", took.as_secs() / 60, took.as_secs() % 60),
    };
    let rate = cases as f64 / seconds.max(1e-3);
    let digits = usize::from(rate < 10.0);
    format!(
        "{} in {time}, {rate:.digits$} a second",
        count(cases, "case")
    )
}

impl Observer for Progress {
    fn problem(&mut self, problem: &Problem) {
        let accepted = self.accepted && matches!(problem, Problem::Unreadable(_));
        let is_hidden = self.quiet && accepted;
        if is_hidden || !self.problems.add_problem(problem) {
            return;
        }
        let tell = || {
            if accepted {
                messages::warning(&problem.to_string(), problem.help());
            } else {
                messages::error(&problem.to_string(), problem.help());
            }
        };
        self.bar.suspend(tell);
    }

    fn progress(&mut self, bytes_read: u64, _more_cases: usize) {
        if !self.is_shown && !self.quiet && self.started.elapsed() >= BAR_DELAY {
            self.is_shown = true;
            // This draw target hides the bar if standard error is not a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(bytes_read);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_rates_are_rounded() {
        let text = |cases, milliseconds| duration_text(cases, Duration::from_millis(milliseconds));
        assert_eq!(text(1, 0), "1 case in 1 ms, 1000 a second");
        assert_eq!(text(306, 12), "306 cases in 12 ms, 25500 a second");
        assert_eq!(text(12, 2_500), "12 cases in 2.5 s, 4.8 a second");
        assert_eq!(
            text(1_000_000, 99),
            "1000000 cases in 99 ms, 10101010 a second"
        );
        assert_eq!(text(90, 90_000), "90 cases in 1 min 30 s, 1.0 a second");
    }
}
