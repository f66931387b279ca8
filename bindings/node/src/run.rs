//! Runs over files or buffers, on threads of their own.
//!
//! Results wait in a short queue until JavaScript asks for them, so a slow reader of a fast run costs no memory.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use napi::bindgen_prelude::{AsyncTask, Buffer, Either};
use napi_derive::napi;
use rightcall::Edition;
use rightcall::value::JsonWriter;
use rightcall_formats::join::LeftOutRun;
use rightcall_formats::join::TraceIndex;
use rightcall_formats::{Choices, Format, Input, Limits, ReadOptions};
use rightcall_results::{CaseResult, LineContents, LineWriter, RunSummary};
use rightcall_run::{
    Configured, EvaluatorArgument, Observer, Output, Plan, Problem, Renderer, Traces, Wants,
    fresh_hash_key, run, run_opened,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::answer::{Background, Fault, answer};

/// How a file is scored; the names are those that a user of the package writes.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Options<'o> {
    /// Each a text as `-e` takes it, or an object.
    #[serde(borrow)]
    evaluators: Vec<&'o RawValue>,
    #[serde(default)]
    traces: Vec<PathBuf>,
    edition: Option<String>,
    format: Option<String>,
    #[serde(default)]
    choices: Vec<(String, String)>,
    threads: Option<usize>,
    #[serde(default)]
    details: bool,
    #[serde(default)]
    explain: bool,
}

/// As much as the main thread of a process has.
const STACK: usize = 8 << 20;

/// Blocks of results that wait for JavaScript.
const WAITING: usize = 4;

/// Problems that are told; all are counted.
const TOLD: usize = 1000;

/// A run that goes on in the background.
#[napi]
pub struct ScoreRun {
    answers: Arc<Mutex<Receiver<String>>>,
}

#[napi]
impl ScoreRun {
    /// Starts a run over a file, or over the bytes of one.
    ///
    /// `results` says whether results are wanted beside the sums.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        source: Either<String, Buffer>,
        name: String,
        options: String,
        results: bool,
    ) -> napi::Result<Self> {
        let (answers, receiver) = sync_channel(WAITING);
        let source = match source {
            Either::A(path) => Source::File(path.into()),
            // The caller may go on writing to its buffer.
            Either::B(bytes) => Source::Bytes {
                name,
                bytes: bytes.to_vec(),
            },
        };
        let score = move || {
            let last = answer("run", || {
                let answers = results.then(|| answers.clone());
                score(source, &options, answers)
            });
            // Nobody may be left to hear it.
            _ = answers.send(last);
        };
        thread::Builder::new()
            .name("rightcall".to_owned())
            .stack_size(STACK)
            .spawn(score)
            .map_err(napi::Error::from)?;
        Ok(Self {
            answers: Arc::new(Mutex::new(receiver)),
        })
    }

    /// The next answer: `{"ok": {"results": […]}}`, at last `{"ok": {"summary": {…}}}`.
    #[napi(catch_unwind, ts_return_type = "Promise<string>")]
    pub fn next(&self) -> AsyncTask<Background> {
        let answers = Arc::clone(&self.answers);
        Background::relay("next", move || {
            let received = answers
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .recv();
            received.map_err(|_| Fault::config("the run has ended"))
        })
    }
}

enum Source {
    File(PathBuf),
    Bytes { name: String, bytes: Vec<u8> },
}

fn score(
    source: Source,
    options: &str,
    answers: Option<SyncSender<String>>,
) -> Result<String, Fault> {
    let options: Options<'_> = serde_json::from_str(options)
        .map_err(|error| Fault::config(format!("options: {error}")))?;
    let format = options.format.as_deref().map(Format::find).transpose()?;
    let mut choices = Choices::default();
    for (key, value) in &options.choices {
        choices.set(key, value).map_err(Fault::config)?;
    }
    let limits = Limits::default();
    let of_traces = ReadOptions {
        format,
        choices,
        hash_key: fresh_hash_key(),
        ..ReadOptions::default()
    };
    // A format of traces is meant for them; the cases are in another.
    let format = format.filter(|format| options.traces.is_empty() || !format.holds_traces());
    let mut hearing = Hearing::default();
    let threads = options
        .threads
        .or_else(|| thread::available_parallelism().ok().map(usize::from))
        .unwrap_or(1);
    let mut left_out = 0;
    let traces = if options.traces.is_empty() {
        None
    } else {
        let index = TraceIndex::build(&options.traces, limits, &of_traces, threads, |left| {
            left_out += u64::from(!matches!(left, LeftOutRun::WithoutId(_)));
            hearing.add((&left).into());
        })?;
        Some(Traces {
            index,
            files: options.traces.clone(),
            reading: of_traces,
            left_out,
        })
    };
    let mut plan = Plan {
        traces,
        evaluators: options.evaluators()?,
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
    let mut outputs: Vec<Box<dyn Output>> = Vec::new();
    if let Some(answers) = answers {
        outputs.push(Box::new(Answers {
            sender: answers,
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
    };
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
            // A text is the argument itself.
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

/// Bytes of results that are handed on together.
const TOGETHER: usize = 1 << 17;

/// Answers with results as they come.
struct Answers {
    sender: SyncSender<String>,
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
        // A reader that has read enough ends the run.
        let closed = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.sender.send(answer).map_err(closed)
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

/// What could not be scored.
#[derive(Default)]
struct Hearing {
    problems: Vec<Fault>,
}

impl Observer for Hearing {
    fn problem(&mut self, problem: &Problem) {
        self.add(problem.into());
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
        writer
            .begin_object()
            .key("summary")
            .raw(&summary.to_json())
            .key("problems")
            .begin_list();
        self.problems
            .iter()
            .for_each(|fault| fault.write(&mut writer));
        writer.end_list().end_object();
        writer.finish().as_str().to_owned()
    }
}
