//! `run --agent`: runs the agent for each case, with a list of arguments and without a shell, and reads its output like any trace.

mod kept;
mod printed;
mod process;
mod traces;

use std::collections::{BTreeSet, VecDeque};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use clap::Args;
use rightcall_core::call::Case;
use rightcall_core::value::Text;
use rightcall_formats::{Limits, ReadOptions, Report, case_text, read_case};
use rightcall_report::{count, printable};
use rightcall_run::{Plan, Redaction, Selection, Suite, text_hash};
use rightcall_store::make_folder;

use super::drawn::drawn_cases;
use crate::arguments::{InputArguments, parse_threads};
use crate::exit::Exit;
use crate::messages::{Trouble, error, note, warn_of_unread, warning};
use crate::problems::ProblemList;
use crate::size;
use kept::{AgentRuns, Resumed, RunName, Wanted};
use printed::PrintedTrace;
use process::{AgentError, RunLimits};
use traces::Traces;

/// The placeholder for the input of a case in the arguments.
const INPUT: &str = "{input}";

/// How an agent is run.
#[derive(Debug, Args)]
pub(crate) struct AgentArguments {
    /// Run this program for each case and judge the trace that it prints, in any format. The input of the case replaces {input}
    /// as one argument; without {input}, it is on standard input. All further words are arguments of the program, so put it last
    #[arg(long, value_name = "PROGRAM", num_args = 1.., allow_hyphen_values = true, conflicts_with_all = ["traces", "add_traces"], help_heading = "Agent")]
    agent: Vec<String>,
    /// Run each case N times
    #[arg(long, value_name = "N", requires = "agent", help_heading = "Agent")]
    trials: Option<NonZeroUsize>,
    /// The most runs at the same time
    #[arg(long, value_name = "N", value_parser = parse_threads, default_value = "4", requires = "agent", help_heading = "Agent")]
    jobs: NonZeroUsize,
    /// End an agent, and all that it has started, after this many seconds
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(1..),
        default_value_t = 300,
        requires = "agent",
        help_heading = "Agent"
    )]
    timeout: u64,
    /// The largest output of an agent, decompressed
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "16MiB", requires = "agent", help_heading = "Agent")]
    max_output: usize,
    /// Skip runs that finished before the command was stopped, unless their case or the words of --agent changed
    #[arg(long, requires = "agent", help_heading = "Agent")]
    resume: bool,
}

impl AgentArguments {
    pub(super) fn is_wanted(&self) -> bool {
        !self.agent.is_empty()
    }

    /// Runs the agent for the cases of a suite, and returns the traces. The runs are kept in the
    /// folder, in a file with this name.
    pub(super) fn run(
        &self,
        suite: &Suite,
        selection: Selection,
        input: &InputArguments,
        (folder, name): (&Path, &str),
        announce: &mut (dyn FnMut(u64) + Send),
    ) -> Result<AgentTraces, Trouble> {
        let mut runs = self.runs(suite, selection, input)?;
        let of_folder = |error| Trouble::new(format!("{}: {error}", folder.display()));
        make_folder(folder).map_err(of_folder)?;
        let wanted = Wanted {
            marks: runs
                .iter()
                .map(|run| (run.name(), (run.number, &*run.mark)))
                .collect(),
            redaction: &suite.redaction,
        };
        let wanted = self.resume.then_some(&wanted);
        let (kept, resumed) = AgentRuns::begin(folder, name, wanted).map_err(of_folder)?;
        let all = runs.len();
        let done: BTreeSet<RunName> = resumed.runs.iter().cloned().collect();
        runs.retain(|run| !done.contains(&run.name()));
        let remaining = runs.len();
        note_runs(remaining, &resumed, &kept.path);
        announce((all - remaining) as u64);
        let shared = Shared {
            runs: Mutex::new(runs),
            kept: Mutex::new(kept),
            redaction: &suite.redaction,
            problems: Mutex::default(),
            not_started: Mutex::default(),
            report: Mutex::default(),
            done: Mutex::new(((all - remaining) as u64, announce)),
        };
        thread::scope(|scope| {
            for _ in 0..self.jobs.get().min(remaining.max(1)) {
                scope.spawn(|| shared.work(self, input.limits()));
            }
        });
        if let Some(why) = locked(&shared.not_started).take() {
            let help = "name a program that can be run: all words after --agent are the program and its arguments";
            return Err(Trouble::with_help(format!("the agent {why}"), help));
        }
        let problems = shared.problems.into_inner();
        problems.unwrap_or_else(PoisonError::into_inner).finish();
        warn_of_unread("the runs of the agent", &locked(&shared.report));
        let kept = shared.kept.into_inner();
        let kept = kept.unwrap_or_else(PoisonError::into_inner);
        Ok(AgentTraces {
            has_any: kept.has_trace,
            traces: kept.into_traces().map_err(of_folder)?,
        })
    }

    /// The runs to make: one for each selected case and trial.
    fn runs(
        &self,
        suite: &Suite,
        selection: Selection,
        input: &InputArguments,
    ) -> Result<VecDeque<AgentRun>, Trouble> {
        let plan = Plan {
            selection,
            expected: suite.expected.clone(),
            ..Plan::new(suite.cases.clone(), input.reading(), input.limits())
        };
        let command = self.agent.join("\0");
        let found = drawn_cases(&plan, |case| {
            let input = case.input.map(input_text).unwrap_or_default();
            let mark = text_hash(&format!("{command}\0\0{}", case_text(case)));
            let trial = case.trial.map(ToOwned::to_owned);
            let id = case.id.as_ref().map(ToString::to_string)?;
            Some(AgentRun {
                number: 0,
                id,
                trial,
                input,
                mark,
            })
        })?;
        if found.without > 0 {
            let cases = count(found.without, "case");
            let help = "give each case an `id`: it joins what the agent did with what was expected";
            return Err(Trouble::with_help(format!("{cases} without an id"), help));
        }
        let trials = self.trials.map_or(1, NonZeroUsize::get);
        let trials_of = |run: AgentRun| -> Vec<AgentRun> {
            if run.trial.is_some() || trials == 1 {
                return vec![run];
            }
            let of = |trial: usize| AgentRun {
                trial: Some(trial.to_string()),
                ..run.clone()
            };
            (0..trials).map(of).collect()
        };
        let runs = found.cases.into_iter().flat_map(trials_of).enumerate();
        let numbered = runs.map(|(number, run)| AgentRun { number, ..run });
        Ok(numbered.collect())
    }

    /// The program with its arguments, for one case.
    fn command(&self, run: &AgentRun) -> Command {
        let words = self
            .agent
            .iter()
            .map(|word| word.replace(INPUT, &run.input));
        let mut words = words.collect::<VecDeque<_>>();
        let mut command = Command::new(words.pop_front().unwrap_or_default());
        command.args(words).env("RIGHTCALL_CASE", &run.id);
        command.env("RIGHTCALL_TRIAL", run.trial.as_deref().unwrap_or("0"));
        command.stdout(Stdio::piped()).stderr(Stdio::inherit());
        command.stdin(if self.takes_input() {
            Stdio::null()
        } else {
            Stdio::piped()
        });
        command
    }

    /// True if the input is passed as an argument.
    fn takes_input(&self) -> bool {
        self.agent.iter().any(|word| word.contains(INPUT))
    }

    /// Runs the agent for one case and reads its trace.
    fn trace(&self, run: &AgentRun, limits: Limits) -> Result<PrintedTrace, AgentError> {
        let most = RunLimits {
            seconds: self.timeout,
            output: self.max_output as u64,
        };
        let printed = process::output(&mut self.command(run), &run.input, most)?;
        Ok(printed::read(run, printed, most.output, limits)?)
    }
}

/// The agent's runs. Their traces exist until they are scored.
pub(super) struct AgentTraces {
    traces: Traces,
    /// False if all runs failed.
    has_any: bool,
}

impl AgentTraces {
    /// The file with the traces.
    pub(super) fn path(&self) -> &Path {
        &self.traces.path
    }

    /// Reports that no run has a trace: the agent cannot be judged.
    pub(super) fn exit(&self) -> Exit {
        if !self.has_any {
            let help = "the warnings above say why each run failed";
            error("no run of the agent has a trace (exit code 2)", Some(help));
        }
        Exit::not_judged_if(!self.has_any)
    }
}

/// One run of the agent.
#[derive(Clone)]
struct AgentRun {
    /// Its place among all runs: by case, then by trial.
    number: usize,
    id: String,
    /// JSON text.
    trial: Option<String>,
    input: String,
    /// A hash of the command and of the case with its expectation.
    mark: String,
}

impl AgentRun {
    fn name(&self) -> RunName {
        (self.id.clone(), self.trial.clone())
    }

    /// Its case and trial, for messages.
    fn label(&self) -> String {
        match &self.trial {
            Some(trial) => format!("`{}`, trial {trial}", self.id),
            None => format!("`{}`", self.id),
        }
    }
}

/// State shared by the threads.
struct Shared<'s> {
    runs: Mutex<VecDeque<AgentRun>>,
    kept: Mutex<AgentRuns>,
    redaction: &'s Redaction,
    problems: Mutex<ProblemList>,
    /// Why the agent can't be started. Set once, it ends all runs.
    not_started: Mutex<Option<String>>,
    /// What the reader skipped in the traces.
    report: Mutex<Report>,
    /// The number of finished runs, and the callback that announces it.
    done: Mutex<(u64, &'s mut (dyn FnMut(u64) + Send))>,
}

impl Shared<'_> {
    /// Runs cases from the queue until it is empty.
    fn work(&self, agent: &AgentArguments, limits: Limits) {
        loop {
            let Some(run) = locked(&self.runs).pop_front() else {
                return;
            };
            let printed = agent.trace(&run, limits);
            match printed.and_then(|printed| Ok(self.keep(&run, &printed)?)) {
                Ok(()) => {}
                Err(AgentError::NotStarted(why)) => {
                    locked(&self.runs).clear();
                    *locked(&self.not_started) = Some(why);
                    return;
                }
                Err(AgentError::Failed(why)) => self.fail(&run, &why),
            }
            let mut done = locked(&self.done);
            done.0 += 1;
            let (number, announce) = &mut *done;
            announce(*number);
        }
    }

    /// Records that a case, or a trial of it, has no run.
    fn fail(&self, run: &AgentRun, why: &str) {
        let failed = Case {
            id: Some(Text::new(&run.id)),
            trial: run.trial.as_deref(),
            ..Case::default()
        };
        let help = match &run.trial {
            Some(_) => "this trial of the case counts as one without a run",
            None => "the case counts as one without a run",
        };
        self.report_problem(run, why, |message| warning(message, Some(help)));
        if let Err(error) = locked(&self.kept).add_failed(&failed, run.number) {
            let why = format!("the failure cannot be written: {error}");
            self.report_problem(run, &why, |message| warning(message, Some(help)));
        }
    }

    /// Writes the trace that an agent printed.
    fn keep(&self, run: &AgentRun, printed: &PrintedTrace) -> Result<(), String> {
        let case = read_case(&printed.trace, &ReadOptions::default());
        let case = case.map_err(|error| error.to_string())?;
        locked(&self.kept)
            .add(&case, (run.number, &run.mark), self.redaction)
            .map_err(|error| format!("its trace cannot be written: {error}"))?;
        locked(&self.report).add(&printed.report);
        if let Some(first) = printed.skipped.first() {
            let lines = count(printed.skipped.len() as u64, "line");
            let first = shortened(first);
            self.report_problem(run, "log lines", |_| {
                let case = run.label();
                note(&format!(
                    "the agent, case {case}: {lines} around the trace skipped, the first: {first}"
                ));
            });
        }
        Ok(())
    }

    /// Reports an error of a run, unless the same kind was reported often enough.
    fn report_problem(&self, run: &AgentRun, what: &str, print: impl FnOnce(&str)) {
        if locked(&self.problems).add(what, || run.label()) {
            let case = printable(&run.label());
            print(&format!("the agent, case {case}: {what}"));
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The beginning of a line.
fn shortened(line: &str) -> String {
    const SHOWN: usize = 60;
    let mut shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    shown
}

/// Reports the number of runs to make and to reuse.
fn note_runs(remaining: usize, resumed: &Resumed, file: &Path) {
    let kept_runs = match resumed.runs.len() {
        0 => String::new(),
        number => format!(", {number} kept"),
    };
    let runs = count(remaining as u64, "run");
    note(&format!("{runs} of the agent{kept_runs}"));
    if resumed.changed > 0 {
        let runs = count(resumed.changed, "run");
        note(&format!(
            "{runs} of them again: the case or the command has changed, or the kept run lacks redacted values"
        ));
    }
    if resumed.broken > 0 {
        let lines = count(resumed.broken, "line");
        let file = file.display();
        note(&format!("{file}: {lines} that could not be read deleted"));
    }
}

/// A JSON string decoded to text; any other value as JSON text.
fn input_text(json: &str) -> String {
    match rightcall_core::value::decode(json) {
        Ok(rightcall_core::value::Value::String(text)) => text.to_display().into_owned(),
        _ => json.to_owned(),
    }
}
