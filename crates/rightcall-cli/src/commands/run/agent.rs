//! `run --agent`: the agent is run for each case, as a list of arguments and without a shell, and what it prints is read as any trace.

use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use rightcall::value::Text;
use rightcall_formats::{Limits, ReadOptions, case_text};
use rightcall_report::{count, printable};
use rightcall_run::{Plan, Selection};

use super::drawn::drawn_cases;
use crate::arguments::{InputArguments, parse_threads};
use crate::messages::{Trouble, note, warning};
use crate::problems::ProblemList;
use crate::size;

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
    /// Leave out what was run before the last time that this was stopped
    #[arg(long, requires = "agent", help_heading = "Agent")]
    resume: bool,
}

impl AgentArguments {
    pub(super) fn is_wanted(&self) -> bool {
        !self.agent.is_empty()
    }

    /// Runs the agent for the cases in these files, tells for how many it has been run, and gives the file with its traces.
    pub(super) fn run(
        &self,
        cases: &[PathBuf],
        selection: Selection,
        input: &InputArguments,
        traces: &Path,
        announce: &mut (dyn FnMut(u64) + Send),
    ) -> Result<PathBuf, Trouble> {
        let runs = self.runs(cases, selection, input)?;
        let done = if self.resume {
            names_in(traces, input)?
        } else {
            BTreeSet::new()
        };
        let all = runs.len();
        let runs: VecDeque<_> = runs
            .into_iter()
            .filter(|run| !done.contains(&run.name()))
            .collect();
        let (resumed, left) = (all - runs.len(), runs.len());
        let resumed = match resumed {
            0 => String::new(),
            number => format!(", {number} are there"),
        };
        note(&format!(
            "{} of the agent{resumed}",
            count(left as u64, "run")
        ));
        let file = open(traces, self.resume)?;
        let done = (all - left) as u64;
        announce(done);
        let shared = Shared {
            runs: Mutex::new(runs),
            traces: Mutex::new(file),
            problems: Mutex::default(),
            done: Mutex::new((done, announce)),
        };
        thread::scope(|scope| {
            for _ in 0..self.jobs.get().min(left.max(1)) {
                scope.spawn(|| shared.work(self, input.limits(), traces));
            }
        });
        let problems = shared
            .problems
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        problems.finish();
        Ok(traces.to_owned())
    }

    /// What is to be run.
    fn runs(
        &self,
        cases: &[PathBuf],
        selection: Selection,
        input: &InputArguments,
    ) -> Result<VecDeque<AgentRun>, Trouble> {
        let plan = Plan {
            selection,
            ..Plan::new(cases.to_vec(), input.reading(), input.limits())
        };
        let found = drawn_cases(&plan, |case| {
            let input = case.input.map(input_text).unwrap_or_default();
            let id = case.id.as_ref().map(ToString::to_string);
            Some((id?, case.trial.map(ToOwned::to_owned), input))
        })?;
        let trials = self.trials.map_or(1, NonZeroUsize::get);
        let mut runs = VecDeque::new();
        for (id, trial, input) in found.cases {
            let trials: Vec<Option<String>> = match trial {
                Some(trial) => vec![Some(trial)],
                None if trials == 1 => vec![None],
                None => (0..trials).map(|trial| Some(trial.to_string())).collect(),
            };
            runs.extend(trials.into_iter().map(|trial| AgentRun {
                id: id.clone(),
                trial,
                input: input.clone(),
            }));
        }
        if found.without > 0 {
            let cases = count(found.without, "case");
            let help = "give each case an `id`: it joins what the agent did with what was expected";
            return Err(Trouble::with_help(format!("{cases} without an id"), help));
        }
        Ok(runs)
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

/// One run of the agent.
struct AgentRun {
    id: String,
    /// JSON text.
    trial: Option<String>,
    input: String,
}

impl AgentRun {
    fn name(&self) -> (String, Option<String>) {
        (self.id.clone(), self.trial.clone())
    }
}

/// What the threads share.
struct Shared<'s> {
    runs: Mutex<VecDeque<AgentRun>>,
    traces: Mutex<File>,
    problems: Mutex<ProblemList>,
    /// How many are done, and who is told.
    done: Mutex<(u64, &'s mut (dyn FnMut(u64) + Send))>,
}

impl Shared<'_> {
    /// Runs one case after the other until none is left.
    fn work(&self, agent: &AgentArguments, limits: Limits, traces: &Path) {
        loop {
            let next = self
                .runs
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front();
            let Some(run) = next else { return };
            let told = agent
                .output(&run)
                .and_then(|output| line_of(&run, &output, limits, traces));
            let written = told.and_then(|line| {
                let mut traces = self.traces.lock().unwrap_or_else(PoisonError::into_inner);
                let write = traces
                    .write_all(line.as_bytes())
                    .and_then(|()| traces.flush());
                write.map_err(|error| format!("its trace cannot be written: {error}"))
            });
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
}

/// What an agent printed as a line of a file of traces: the run of this case.
fn line_of(run: &AgentRun, output: &[u8], limits: Limits, beside: &Path) -> Result<String, String> {
    let unread = |error: &dyn std::fmt::Display| format!("what it printed is no trace: {error}");
    let folder = beside.parent().unwrap_or(Path::new("."));
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
        1 => Ok(found.cases.remove(0) + "\n"),
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

/// The runs that a file of traces holds; none where it is not there.
fn names_in(
    traces: &Path,
    input: &InputArguments,
) -> Result<BTreeSet<(String, Option<String>)>, Trouble> {
    if !traces.exists() {
        return Ok(BTreeSet::new());
    }
    let plan = Plan::new(
        vec![traces.to_owned()],
        ReadOptions::default(),
        input.limits(),
    );
    let found = drawn_cases(&plan, |case| {
        let id = case.id.as_ref().map(ToString::to_string);
        Some((id?, case.trial.map(ToOwned::to_owned)))
    })?;
    Ok(found.cases.into_iter().collect())
}

/// The file of traces, to be written on or anew.
fn open(traces: &Path, resume: bool) -> Result<File, Trouble> {
    let open = || {
        if let Some(folder) = traces.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = OpenOptions::new();
        options.create(true).write(true);
        if resume {
            options.append(true);
        } else {
            options.truncate(true);
        }
        options.open(traces)
    };
    open().map_err(|error| Trouble::new(format!("{}: {error}", traces.display())))
}
