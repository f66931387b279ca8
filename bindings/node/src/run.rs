//! Runs over files, buffers or cases in memory, on separate threads.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use napi::Env;
use napi::bindgen_prelude::{Buffer, Either3, Object};
use napi_derive::napi;
use rightcall_core::Edition;
use rightcall_core::value::JsonWriter;
use rightcall_formats::join::{LeftOutRun, RunIdentity};
use rightcall_formats::{CaseError, Choices, Input, Limits, ReadOptions};
use rightcall_report::warnings::{Warning, warnings};
use rightcall_results::{CaseResult, LineContents, LineWriter, RunSummary};
use rightcall_run::{
    BatchCase, Configured, EvaluatorArgument, Investigation, Observer, Output, Plan, Problem,
    Renderer, Traces, Wants, fresh_hash_key, run, run_batch, run_opened,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::answer::{Fault, answer, attempt};
use crate::calls::format_of;
use crate::channel::{Channel, settle};

/// The options for scoring a file, with the names of the package's API.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Options<'o> {
    /// Each is a string as for `-e`, or an object.
    #[serde(borrow)]
    evaluators: Vec<&'o RawValue>,
    #[serde(default)]
    traces: Vec<PathBuf>,
    /// Meta keys that distinguish the runs of one case, in addition to `model`.
    #[serde(default)]
    identity: Vec<String>,
    edition: Option<String>,
    format: Option<String>,
    /// A map as JSON, or its path.
    map: Option<String>,
    #[serde(default)]
    choices: Vec<(String, String)>,
    threads: Option<usize>,
    #[serde(default)]
    details: bool,
    #[serde(default)]
    explain: bool,
    /// For cases in memory: those that cannot be written as JSON.
    #[serde(default)]
    refused: Vec<Refused>,
    /// Whether JavaScript wants progress reports.
    #[serde(default)]
    progress: bool,
}

/// A case in memory that cannot be written as JSON, with the reason.
#[derive(Debug, Deserialize)]
struct Refused {
    place: usize,
    id: Option<String>,
    pointer: String,
    expected: String,
    found: String,
    help: Option<String>,
}

/// The stack size: the same as a process's main thread.
const STACK: usize = 8 << 20;

/// The maximum number of problems to report; all are counted.
const TOLD: usize = 1000;

/// A run that goes on in the background.
#[napi]
pub struct ScoreRun {
    channel: Arc<Channel>,
}

#[napi]
impl ScoreRun {
    /// Starts a run over a file, over a file's bytes, or over the texts of cases.
    ///
    /// `results` says whether to return results in addition to the totals.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        source: Either3<String, Buffer, Vec<String>>,
        name: String,
        options: String,
        results: bool,
    ) -> napi::Result<Self> {
        let channel = Arc::new(Channel::default());
        let source = match source {
            Either3::A(path) => Source::File(path.into()),
            // Copy the buffer, because the caller may modify it.
            Either3::B(bytes) => Source::Bytes {
                name,
                bytes: bytes.to_vec(),
            },
            Either3::C(texts) => Source::Cases(texts),
        };
        let ours = Arc::clone(&channel);
        let score = move || {
            let last = answer("run", || score(source, &options, &ours, results));
            // JavaScript may have stopped the run already.
            _ = ours.send(last);
            ours.end();
        };
        thread::Builder::new()
            .name("rightcall".to_owned())
            .stack_size(STACK)
            .spawn(score)
            .map_err(napi::Error::from)?;
        Ok(Self { channel })
    }

    /// The next answer: `{"ok": {"results": […]}}` or `{"ok": {"progress": {…}}}`, finally `{"ok": {"summary": {…}}}`.
    #[napi(catch_unwind, ts_return_type = "Promise<string>")]
    pub fn next<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let (promised, promise) = env.create_deferred()?;
        match attempt("next", || Ok(())) {
            Ok(()) => self.channel.ask(promised),
            Err(error) => settle(promised, error),
        }
        Ok(promise)
    }

    /// Stops the run immediately.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.channel.close();
    }
}

impl Drop for ScoreRun {
    fn drop(&mut self) {
        self.channel.close();
    }
}

enum Source {
    File(PathBuf),
    Bytes {
        name: String,
        bytes: Vec<u8>,
    },
    /// In memory.
    Cases(Vec<String>),
}

/// Merges the texts of cases with the cases that have none.
fn batch(texts: Vec<String>, refused: Vec<Refused>) -> Vec<BatchCase> {
    let mut cases: Vec<_> = texts.into_iter().map(BatchCase::Text).collect();
    for it in refused {
        if let Some(case) = cases.get_mut(it.place) {
            let error = CaseError {
                pointer: it.pointer,
                expected: it.expected.into(),
                found: it.found,
                help: it.help.map(Into::into),
            };
            *case = BatchCase::Refused { id: it.id, error };
        }
    }
    cases
}

fn score(
    source: Source,
    options: &str,
    channel: &Arc<Channel>,
    results: bool,
) -> Result<String, Fault> {
    let options: Options<'_> = serde_json::from_str(options)
        .map_err(|error| Fault::config(format!("options: {error}")))?;
    let format = format_of(options.format.as_deref(), options.map.as_deref())?;
    let mut choices = Choices::default();
    for (key, value) in &options.choices {
        choices.set(key, value).map_err(Fault::config)?;
    }
    let limits = Limits::default();
    let of_traces = ReadOptions {
        format,
        choices,
        hash_key: fresh_hash_key(),
        // Only explained results include questions.
        questions: results && options.explain,
        ..ReadOptions::default()
    };
    // A trace format applies to the traces only; the cases are in another format.
    let format = format.filter(|format| options.traces.is_empty() || !format.holds_traces());
    let mut hearing = Hearing {
        listener: options.progress.then(|| Arc::clone(channel)),
        ..Hearing::default()
    };
    let threads = options
        .threads
        .or_else(|| thread::available_parallelism().ok().map(usize::from))
        .unwrap_or(1);
    let files = options.traces.clone();
    let identity = RunIdentity::new(options.identity.iter().cloned());
    let hear = |left: LeftOutRun| match Warning::of_left_out(&left) {
        Some(warning) => hearing.warnings.push(warning),
        None => hearing.add((&left).into()),
    };
    let traces = Traces::open(files, of_traces, limits, &identity, threads, hear)?;
    let mut plan = Plan {
        traces,
        identity: options.identity.clone(),
        evaluators: options.evaluators()?,
        investigation: Some(Investigation::names()),
        threads,
        ..Plan::new(
            Vec::new(),
            ReadOptions {
                format,
                ..of_traces
            },
            limits,
        )
    };
    let contents = LineContents {
        details: options.details,
        explained: options.explain,
    };
    let mut outputs: Vec<Box<dyn Output>> = vec![Box::new(Stop(Arc::clone(channel)))];
    if results {
        outputs.push(Box::new(Answers {
            channel: Arc::clone(channel),
            contents,
            lines: LineWriter::new(&plan.head(""), contents),
            waiting: Vec::new(),
        }));
    }
    let finished = match source {
        Source::File(path) => {
            plan.inputs.push(path);
            run(&plan, &mut outputs, &mut hearing)?
        }
        Source::Bytes { name, bytes } => {
            let input = Input::from_bytes(&name, bytes, plan.limits, &plan.reading)?;
            run_opened(&plan, input, &mut outputs, &mut hearing)?
        }
        Source::Cases(texts) => {
            hearing.is_in_memory = true;
            let cases = batch(texts, options.refused);
            run_batch(&plan, cases, &mut outputs, &mut hearing)?
        }
    };
    hearing.warnings.extend(warnings(&plan, &finished));
    Ok(hearing.conclude(&finished.summary))
}

impl Options<'_> {
    fn evaluators(&self) -> Result<Vec<Configured>, Fault> {
        let edition = self.edition.as_deref().map(|name| {
            let no_such = || {
                Fault::config(format!(
                    "there is no edition `{name}`: `documented` and `package`"
                ))
            };
            Edition::parse(name).ok_or_else(no_such)
        });
        let edition = edition.transpose()?;
        let configured = |given: &&RawValue| -> Result<Configured, Fault> {
            // A JSON string holds the argument itself.
            let text = serde_json::from_str::<String>(given.get())
                .unwrap_or_else(|_| given.get().to_owned());
            Ok(Configured::new(EvaluatorArgument::parse(&text)?, edition)?)
        };
        if self.evaluators.is_empty() {
            return Err(Fault::config("no evaluator is given"));
        }
        self.evaluators.iter().map(configured).collect()
    }
}

/// The number of bytes of results in a block.
const TOGETHER: usize = 1 << 17;

/// Sends results in blocks.
struct Answers {
    channel: Arc<Channel>,
    contents: LineContents,
    lines: LineWriter,
    waiting: Vec<u8>,
}

impl Answers {
    fn send(&mut self) -> io::Result<()> {
        let lines = String::from_utf8(std::mem::take(&mut self.waiting));
        let lines = lines.map_err(io::Error::other)?;
        let results = lines.trim_end_matches('\n').replace('\n', ",");
        let answer = format!("{{\"ok\":{{\"results\":[{results}]}}}}");
        self.channel.send(answer)
    }
}

impl Output for Answers {
    fn wants(&self) -> Wants {
        Wants {
            details: self.contents.details,
            explanation: self.contents.explained,
            ..Wants::default()
        }
    }

    fn renderer(&self) -> Option<Renderer> {
        let lines = self.lines.clone();
        Some(Box::new(move |case, result, out| {
            lines.write(out, case, result);
        }))
    }

    fn case(&mut self, _: &Arc<CaseResult>, drawn: &[u8]) -> io::Result<()> {
        self.waiting.extend_from_slice(drawn);
        if self.waiting.len() < TOGETHER {
            return Ok(());
        }
        self.send()
    }

    fn finish(&mut self, _: &RunSummary) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.send()
    }
}

/// Stops the run if JavaScript has closed the channel.
struct Stop(Arc<Channel>);

impl Output for Stop {
    fn case(&mut self, _: &Arc<CaseResult>, _: &[u8]) -> io::Result<()> {
        if self.0.is_closed() {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe));
        }
        Ok(())
    }
}

/// Collects problems and progress.
#[derive(Default)]
struct Hearing {
    problems: Vec<Fault>,
    warnings: Vec<Warning>,
    cases: usize,
    /// True if the cases are not in a file.
    is_in_memory: bool,
    listener: Option<Arc<Channel>>,
}

impl Observer for Hearing {
    fn problem(&mut self, problem: &Problem) {
        let fault = Fault::from(problem);
        self.add(if self.is_in_memory {
            fault.of_a_case()
        } else {
            fault
        });
    }

    fn progress(&mut self, bytes_read: u64, more_cases: usize) {
        self.cases += more_cases;
        if let Some(channel) = &self.listener {
            let cases = self.cases;
            channel.report_progress(format!(
                "{{\"ok\":{{\"progress\":{{\"cases\":{cases},\"bytes\":{bytes_read}}}}}}}"
            ));
        }
    }
}

impl Hearing {
    fn add(&mut self, fault: Fault) {
        if self.problems.len() < TOLD {
            self.problems.push(fault);
        }
    }

    fn conclude(&self, summary: &RunSummary) -> String {
        let mut writer = JsonWriter::new();
        writer.begin_object().key("summary").raw(&summary.to_json());
        writer
            .key("exit_code")
            .count(summary.ending(false) as usize);
        let problems = writer.key("problems");
        problems.list(&self.problems, |writer, fault| fault.write(writer));
        let warnings = self.warnings.iter().map(Warning::in_a_line);
        writer.key("warnings").strs(warnings).end_object();
        writer.finish().into_string()
    }
}
