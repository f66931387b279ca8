//! The runs of a log, with one monitor each.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use rightcall_core::call::{ArgumentSource, Call, Case};
use rightcall_core::monitor::{Monitor, MonitorError, ResultOfCall, RuleVerdict};
use rightcall_formats::{Format, Input, Limits, ReadError, ReadOptions};
use rightcall_report::warnings::near_rules;
use rightcall_run::{NearRules, Observer as _, Problem};

use crate::messages::{Trouble, warning};
use crate::problems::ProblemCounter;

/// A changed verdict.
pub(super) struct VerdictChange<'c> {
    pub(super) run: &'c str,
    /// The trial of the run, as JSON.
    pub(super) trial: Option<&'c str>,
    pub(super) rule: &'c str,
    pub(super) why: Option<&'c str>,
    pub(super) verdict: Option<RuleVerdict>,
    /// True for an open rule that would be decided if the calls without a result had not failed.
    pub(super) awaits_result: bool,
    /// The index of the last call, from 0.
    pub(super) call: usize,
    pub(super) name: &'c str,
}

type OnChange<'t> = &'t mut dyn FnMut(&VerdictChange<'_>) -> Result<(), Trouble>;

pub(super) struct WatchedRuns {
    /// The name of the log.
    name: String,
    settings: String,
    options: ReadOptions,
    limits: Limits,
    /// The text so far, if runs are spread over several lines or the format is not recognized yet.
    before: Vec<u8>,
    /// The number of lines that are not parsed again.
    lines: u64,
    /// Reported errors by line and expected value, so that later reads of a line do not repeat
    /// them.
    reported: HashSet<(Option<u64>, Cow<'static, str>)>,
    unreadable: u64,
    /// True after the check for the warning about the first [`LINES_WITHOUT_RUN`] lines.
    is_checked: bool,
    /// True if the format cannot be recognized from the lines so far.
    is_unrecognized: bool,
    runs: BTreeMap<RunKey, WatchedRun>,
    /// Tools and keys, to find misspelled ones in rules.
    names: NearRules,
}

/// The key of a run: its id, or its line if it has none; and its trial as JSON.
type RunKey = (String, Option<String>);

/// The number of lines without a run before a warning gives the reason. A growing file has no end
/// at which to report it.
const LINES_WITHOUT_RUN: u64 = 100;

struct WatchedRun {
    monitor: Monitor,
    verdicts: Verdicts,
}

/// The verdict on each rule.
type Verdicts = Vec<Option<RuleVerdict>>;

impl WatchedRuns {
    pub(super) fn new(
        name: String,
        settings: String,
        options: ReadOptions,
        limits: Limits,
    ) -> Result<Self, Trouble> {
        Monitor::new(&settings)?;
        Ok(Self {
            names: NearRules::from_settings(&settings),
            name,
            settings,
            options: ReadOptions {
                is_growing: true,
                ..options
            },
            limits,
            before: Vec::new(),
            lines: 0,
            reported: HashSet::new(),
            unreadable: 0,
            is_checked: false,
            is_unrecognized: false,
            runs: BTreeMap::new(),
        })
    }

    /// The numbers of all runs, of runs that broke a rule, and of runs with an open rule.
    pub(super) fn totals(&self) -> (u64, u64, u64) {
        let number = |verdict| {
            let has = |run: &&WatchedRun| run.verdicts.contains(&Some(verdict));
            self.runs.values().filter(has).count() as u64
        };
        let runs = self.runs.len() as u64;
        (
            runs,
            number(RuleVerdict::Violated),
            number(RuleVerdict::Open),
        )
    }

    /// True if a line could not be parsed, or no format was recognized.
    pub(super) fn has_unreadable(&self) -> bool {
        self.unreadable > 0 || self.is_unrecognized
    }

    /// Adds complete lines of the log.
    pub(super) fn add(&mut self, lines: Vec<u8>, tell: OnChange<'_>) -> Result<(), Trouble> {
        let mut text = std::mem::take(&mut self.before);
        text.extend(lines);
        if text.len() > self.limits.max_document {
            let message = format!(
                "{}: more than {} bytes of a log whose runs are spread over lines",
                self.name, self.limits.max_document
            );
            return Err(Trouble::with_help(message, "--max-document allows more"));
        }
        let mut input = Input::from_bytes(&self.name, text.clone(), self.limits, &self.options)?;
        let format = match input.format() {
            Ok(format) => format,
            // More lines may reveal the format.
            Err(error) => {
                self.before = text;
                if !std::mem::replace(&mut self.is_unrecognized, true) {
                    warning(&error.to_string(), error.help.as_deref());
                }
                return Ok(());
            }
        };
        self.is_unrecognized = false;
        if self.options.format.is_none() {
            self.options.format = format;
        }
        let end = self.lines + text.split(|byte| *byte == b'\n').count() as u64 - 1;
        let errors = self.read(input, tell)?;
        self.report(errors);
        // In a trace format, later lines may add to earlier runs, so everything is parsed again
        // next time.
        if format.is_none_or(Format::holds_traces) {
            self.before = text;
            if end >= LINES_WITHOUT_RUN && self.runs.is_empty() {
                self.warn_of_missing(tell)?;
            }
        } else {
            self.lines = end;
            self.reported.clear();
        }
        Ok(())
    }

    /// Reports errors of the whole log at its end.
    pub(super) fn end(&mut self, tell: OnChange<'_>) -> Result<(), Trouble> {
        let errors = self.read_as_whole(tell)?;
        self.report(errors);
        let (names, keys) = std::mem::take(&mut self.names).finish();
        for warned in near_rules(&names, &keys) {
            warning(&warned.message, warned.help.as_deref());
        }
        Ok(())
    }

    /// Warns once if the log has no run so far.
    fn warn_of_missing(&mut self, tell: OnChange<'_>) -> Result<(), Trouble> {
        if !std::mem::replace(&mut self.is_checked, true)
            && let [error, ..] = &self.read_as_whole(tell)?[..]
        {
            let message = format!("no run in {LINES_WITHOUT_RUN} lines or more: {error}");
            warning(&message, error.help.as_deref());
        }
        Ok(())
    }

    /// Reads the text so far as a complete log.
    fn read_as_whole(&mut self, tell: OnChange<'_>) -> Result<Vec<ReadError>, Trouble> {
        if self.before.is_empty() || self.is_unrecognized {
            return Ok(Vec::new());
        }
        let (text, limits) = (self.before.clone(), self.limits);
        let options = ReadOptions {
            is_growing: false,
            ..self.options
        };
        let input = Input::from_bytes(&self.name, text, limits, &options)?;
        self.read(input, tell)
    }

    /// Prints errors and counts them.
    fn report(&mut self, errors: Vec<ReadError>) {
        let mut problems = ProblemCounter::default();
        for error in errors {
            self.unreadable += 1;
            self.reported
                .insert((error.at.line, error.expected.clone()));
            problems.problem(&Problem::Unreadable(error));
        }
        problems.finish();
    }

    /// Reads the input and updates the verdicts. Returns the errors that are not reported yet.
    fn read(&mut self, mut input: Input, tell: OnChange<'_>) -> Result<Vec<ReadError>, Trouble> {
        let mut errors = Vec::new();
        let (file, options) = (std::sync::Arc::clone(input.name()), self.options);
        loop {
            let block = match input.next_block(1 << 18) {
                Ok(Some(block)) => block,
                Ok(None) => break,
                Err(error) => {
                    errors.push(error);
                    break;
                }
            };
            for record in block.records() {
                let line = self.lines + record.place.line;
                let content = record.content.clone();
                let read = content.and_then(|it| it.case(&options));
                let read = read.map(|case| self.look(&case, line, tell));
                match read {
                    Ok(result) => result?,
                    Err(error) => errors.push(error.at(&file, Some(line))),
                }
            }
        }
        errors.retain(|error| {
            let key = (error.at.line, error.expected.clone());
            !self.reported.contains(&key)
        });
        Ok(errors)
    }

    /// Updates the verdicts of a run from the log so far.
    fn look(&mut self, case: &Case<'_>, line: u64, tell: OnChange<'_>) -> Result<(), Trouble> {
        let Some(actual) = &case.actual else {
            return Ok(());
        };
        let id = case.id.as_ref();
        let id = id.map_or_else(
            || format!("{}:{line}", self.name),
            |id| id.to_display().into(),
        );
        self.names.add_case(case);
        let key = (id, case.trial.map(str::to_owned));
        let calls = &actual.calls;
        let (mut run, from) = match self.runs.remove(&key) {
            Some(run) if is_continuation(&run.monitor, calls) => {
                // The last known call may have a result now.
                let known = run.monitor.calls().len();
                (run, known.saturating_sub(1))
            }
            // Earlier calls changed, so start with a new monitor.
            Some(run) => (
                WatchedRun {
                    monitor: Monitor::new(&self.settings)?,
                    ..run
                },
                calls.len().saturating_sub(1),
            ),
            None => (WatchedRun::new(&self.settings)?, 0),
        };
        let result = run.follow(&key, calls, from, (&self.settings, tell));
        self.runs.insert(key, run);
        result
    }
}

impl WatchedRun {
    fn new(settings: &str) -> Result<Self, Trouble> {
        let monitor = Monitor::new(settings)?;
        let verdicts = monitor.verdicts();
        Ok(Self { monitor, verdicts })
    }

    /// The verdicts if all calls without a recorded result had succeeded.
    fn verdicts_without_failures(&self, settings: &str) -> Result<Verdicts, Trouble> {
        let to_trouble = |error: MonitorError| Trouble::new(error);
        let mut monitor = Monitor::new(settings)?;
        for (number, call) in self.monitor.calls().iter().enumerate() {
            monitor.observe(call).map_err(to_trouble)?;
            let mut result = result_of(call);
            result.failed = result.failed.or(Some(false));
            monitor.result(number, result).map_err(to_trouble)?;
        }
        Ok(monitor.verdicts())
    }

    /// Passes all calls of a run to its monitor. Reports changed verdicts from call `from` on.
    fn follow(
        &mut self,
        key: &RunKey,
        calls: &[Call<'_>],
        from: usize,
        (settings, tell): (&str, OnChange<'_>),
    ) -> Result<(), Trouble> {
        let to_trouble = |error: MonitorError| Trouble::new(error);
        for (number, call) in calls.iter().enumerate() {
            if number >= self.monitor.calls().len() {
                self.monitor.observe(call).map_err(to_trouble)?;
            }
            let result = result_of(call);
            if result != ResultOfCall::default() && !self.monitor.has_result(number) {
                self.monitor.result(number, result).map_err(to_trouble)?;
            }
            if number >= from {
                let name = call.name.to_display();
                self.tell((key, number, &name), settings, tell)?;
            }
        }
        Ok(())
    }

    fn tell(
        &mut self,
        ((id, trial), call, name): (&RunKey, usize, &str),
        settings: &str,
        tell: OnChange<'_>,
    ) -> Result<(), Trouble> {
        let mut now = self.monitor.verdicts();
        // A violation is final, even if a later line rewrites the run.
        for (now, before) in now.iter_mut().zip(&self.verdicts) {
            if *before == Some(RuleVerdict::Violated) {
                *now = *before;
            }
        }
        let before = std::mem::replace(&mut self.verdicts, now);
        let (mut labels, mut without_failures) = (None, None);
        for (check, (verdict, before)) in self.verdicts.iter().zip(before).enumerate() {
            if *verdict != before {
                let is_open = *verdict == Some(RuleVerdict::Open);
                if is_open && without_failures.is_none() {
                    without_failures = Some(self.verdicts_without_failures(settings)?);
                }
                let decided = without_failures.as_ref().map(|it| it[check]);
                let labels = labels.get_or_insert_with(|| self.monitor.labels());
                tell(&VerdictChange {
                    run: id,
                    trial: trial.as_deref(),
                    rule: &labels[check],
                    why: self.monitor.why(check),
                    verdict: *verdict,
                    awaits_result: is_open && decided != Some(*verdict),
                    call,
                    name,
                })?;
            }
        }
        Ok(())
    }
}

/// True if the calls of a monitor are a prefix of these.
fn is_continuation(monitor: &Monitor, calls: &[Call<'_>]) -> bool {
    let known = monitor.calls();
    let is_same = |(number, (known, call)): (usize, (&Call<'_>, &Call<'_>))| {
        known.name == call.name
            && json(known) == json(call)
            && known.metadata().group == call.metadata().group
            && (!monitor.has_result(number) || result_of(known) == result_of(call))
    };
    known.len() <= calls.len() && known.iter().zip(calls).enumerate().all(is_same)
}

fn result_of<'c>(call: &'c Call<'_>) -> ResultOfCall<'c> {
    ResultOfCall {
        output: call.metadata().recorded_output(),
        failed: call.failed(),
    }
}

fn json<'c>(call: &'c Call<'_>) -> Option<&'c str> {
    match call.arguments.source() {
        ArgumentSource::Absent => None,
        ArgumentSource::Json(json) | ArgumentSource::Text { json, .. } => Some(json),
    }
}
