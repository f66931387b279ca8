//! `run --agent`: the agent is run for each case, as a list of arguments and without a shell, and what it prints is read as any trace.

mod kept;

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use rightcall::value::Text;
use rightcall_formats::{Limits, ReadOptions, case_text, read_case};
use rightcall_report::{count, printable};
use rightcall_run::{Plan, Redaction, Selection, Suite, text_hash};
use rightcall_store::make_folder;

use super::drawn::drawn_cases;
use crate::arguments::{InputArguments, parse_threads};
use crate::messages::{Trouble, note, warning};
use crate::problems::ProblemList;
use crate::size;
use kept::{AgentRuns, Resumed, RunName, Wanted};

/// What stands for the input of a case among the arguments.
const INPUT: &str = "{input}";

/// How often it is looked whether an agent has ended.
const PAUSE: Duration = Duration::from_millis(10);

/// How an agent is run.
#[derive(Debug, Args)]
pub(crate) struct AgentArguments {
    /// Run this program for each case and judge what it prints, a trace of any format; {input} is the input of the case as one
    /// argument, else it comes on standard input. All words behind it belong to it: it comes last
    #[arg(long, value_name = "PROGRAM", num_args = 1.., allow_hyphen_values = true, help_heading = "Agent")]
    agent: Vec<String>,
    /// Run each case so many times
    #[arg(long, value_name = "N", requires = "agent", help_heading = "Agent")]
    trials: Option<NonZeroUsize>,
    /// So many at a time
    #[arg(long, value_name = "N", value_parser = parse_threads, default_value = "4", requires = "agent", help_heading = "Agent")]
    jobs: NonZeroUsize,
    /// End an agent after so many seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 300,
        requires = "agent",
        help_heading = "Agent"
    )]
    timeout: u64,
    /// The most that an agent may print
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "16MiB", requires = "agent", help_heading = "Agent")]
    max_output: usize,
    /// Skip the runs that were made before the command was stopped, unless their case or the words of --agent have changed
    #[arg(long, requires = "agent", help_heading = "Agent")]
    resume: bool,
}

impl AgentArguments {
    pub(super) fn is_wanted(&self) -> bool {
        !self.agent.is_empty()
    }

    /// Runs the agent for the cases of a suite, and returns the traces. The runs are kept in the folder, in a file of this name.
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
            marks: runs.iter().map(|run| (run.name(), &*run.mark)).collect(),
            redaction: &suite.redaction,
        };
        let wanted = self.resume.then_some(&wanted);
        let (kept, resumed) = AgentRuns::begin(folder, name, wanted).map_err(of_folder)?;
        let all = runs.len();
        let done: BTreeSet<RunName> = resumed.runs.iter().cloned().collect();
        runs.retain(|run| !done.contains(&run.name()));
        let left = runs.len();
        tell(left, &resumed, &kept.path);
        announce((all - left) as u64);
        let shared = Shared {
            runs: Mutex::new(runs),
            kept: Mutex::new(kept),
            redaction: &suite.redaction,
            problems: Mutex::default(),
            done: Mutex::new(((all - left) as u64, announce)),
        };
        thread::scope(|scope| {
            for _ in 0..self.jobs.get().min(left.max(1)) {
                scope.spawn(|| shared.work(self, input.limits(), folder));
            }
        });
        let problems = shared.problems.into_inner();
        problems.unwrap_or_else(PoisonError::into_inner).finish();
        let kept = shared.kept.into_inner();
        Ok(AgentTraces(kept.unwrap_or_else(PoisonError::into_inner)))
    }

    /// What is to be run.
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
        Ok(found.cases.into_iter().flat_map(trials_of).collect())
    }

    /// The program with its arguments, for a case.
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

    /// Whether the input is an argument.
    fn takes_input(&self) -> bool {
        self.agent.iter().any(|word| word.contains(INPUT))
    }

    /// What the agent prints for a case.
    fn output(&self, run: &AgentRun) -> Result<Vec<u8>, String> {
        let program = self.agent[0].clone();
        let mut child = self
            .command(run)
            .spawn()
            .map_err(|error| format!("{program} cannot be run: {error}"))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        thread::scope(|scope| {
            let input = run.input.as_bytes();
            // Who does not read its input is none the worse for it.
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
            let limit = self.max_output as u64;
            let reader = scope.spawn(move || read_at_most(stdout, limit));
            let ended = self.wait(&mut child);
            let output = reader
                .join()
                .unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
            let output = output.map_err(|error| format!("its output cannot be read: {error}"))?;
            let status = ended?;
            if output.len() as u64 > limit {
                return Err(format!("it printed more than {limit} bytes"));
            }
            if status.success() {
                Ok(output)
            } else {
                Err(format!("it ended with {status}"))
            }
        })
    }

    /// Waits for its end, at most as long as it may take.
    fn wait(&self, child: &mut Child) -> Result<std::process::ExitStatus, String> {
        let end = Instant::now() + Duration::from_secs(self.timeout);
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if Instant::now() < end => thread::sleep(PAUSE),
                Ok(None) => {
                    // It may have ended in between.
                    _ = child.kill();
                    _ = child.wait();
                    return Err(format!("it took more than {} seconds", self.timeout));
                }
                Err(error) => return Err(error.to_string()),
            }
        }
    }
}

/// What the agent did, until it is scored.
pub(super) struct AgentTraces(AgentRuns);

impl AgentTraces {
    /// The file with the traces.
    pub(super) fn path(&self) -> &Path {
        self.0.traces()
    }
}

/// One run of the agent.
#[derive(Clone)]
struct AgentRun {
    id: String,
    /// JSON text.
    trial: Option<String>,
    input: String,
    /// A hash of the command, and of the case with what is expected of it.
    mark: String,
}

impl AgentRun {
    fn name(&self) -> RunName {
        (self.id.clone(), self.trial.clone())
    }
}

/// What the threads share.
struct Shared<'s> {
    runs: Mutex<VecDeque<AgentRun>>,
    kept: Mutex<AgentRuns>,
    redaction: &'s Redaction,
    problems: Mutex<ProblemList>,
    /// How many are done, and who is told.
    done: Mutex<(u64, &'s mut (dyn FnMut(u64) + Send))>,
}

impl Shared<'_> {
    /// Runs one case after the other until none is left.
    fn work(&self, agent: &AgentArguments, limits: Limits, folder: &Path) {
        loop {
            let next = self
                .runs
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front();
            let Some(run) = next else { return };
            let trace = agent
                .output(&run)
                .and_then(|output| trace_of(&run, &output, limits, folder));
            let written = trace.and_then(|trace| self.keep(&run, &trace));
            if let Err(why) = written {
                let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
                if problems.add(&why, || run.id.clone()) {
                    let message = format!("the agent, case `{}`: {why}", printable(&run.id));
                    warning(&message, Some("the case counts as one without a run"));
                }
            }
            let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            done.0 += 1;
            let (number, announce) = &mut *done;
            announce(*number);
        }
    }

    /// Writes a run, whose trace is a canonical case.
    fn keep(&self, run: &AgentRun, trace: &str) -> Result<(), String> {
        let case = read_case(trace, &ReadOptions::default()).map_err(|error| error.to_string())?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.add(&case, &run.mark, self.redaction)
            .map_err(|error| format!("its trace cannot be written: {error}"))
    }
}

/// Says what is run.
fn tell(left: usize, resumed: &Resumed, kept: &Path) {
    let there = match resumed.runs.len() {
        0 => String::new(),
        number => format!(", {number} are there"),
    };
    let runs = count(left as u64, "run");
    note(&format!("{runs} of the agent{there}"));
    if resumed.changed > 0 {
        let runs = count(resumed.changed, "run");
        note(&format!(
            "{runs} of them again: the case or the command has changed, or the kept run lacks redacted values"
        ));
    }
    if resumed.broken > 0 {
        let lines = count(resumed.broken, "line");
        let file = kept.display();
        note(&format!("{file}: {lines} that could not be read deleted"));
    }
}

/// What an agent printed as the trace of this case.
fn trace_of(
    run: &AgentRun,
    output: &[u8],
    limits: Limits,
    folder: &Path,
) -> Result<String, String> {
    let unread = |error: &dyn std::fmt::Display| format!("what it printed is no trace: {error}");
    let mut file = tempfile::Builder::new()
        .suffix(".jsonl")
        .tempfile_in(folder)
        .map_err(|error| unread(&error))?;
    file.write_all(output).map_err(|error| unread(&error))?;
    let plan = Plan::new(vec![file.path().to_owned()], ReadOptions::default(), limits);
    let found = drawn_cases(&plan, |case| {
        let mut case = case.clone();
        case.id = Some(Text::new(&run.id));
        case.trial = run.trial.as_deref();
        case.actual.is_some().then(|| case_text(&case))
    });
    let mut found = found.map_err(|trouble| unread(&trouble.message()))?;
    match found.cases.len() {
        1 => Ok(found.cases.remove(0)),
        0 => Err("what it printed holds no trajectory".to_owned()),
        number => Err(format!(
            "what it printed holds {number} trajectories, and one is wanted"
        )),
    }
}

/// The text of a JSON string, anything else as JSON text.
fn input_text(json: &str) -> String {
    match rightcall::value::decode(json) {
        Ok(rightcall::value::Value::String(text)) => text.to_display().into_owned(),
        _ => json.to_owned(),
    }
}

/// Reads to the end, or one byte more than allowed, after which nobody listens.
fn read_at_most(stdout: Option<impl Read>, limit: u64) -> io::Result<Vec<u8>> {
    let mut output = Vec::new();
    if let Some(stdout) = stdout {
        stdout.take(limit + 1).read_to_end(&mut output)?;
    }
    Ok(output)
}
