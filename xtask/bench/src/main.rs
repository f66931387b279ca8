//! Runs one measurement per process, so that time and memory belong to it alone.

use std::error::Error;
use std::ffi::OsString;
use std::fs::File;
use std::hint::black_box;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};
use std::time::{Duration, Instant};

use clap::Parser;
use cpu_time::ProcessTime;
use rightcall_bench::{
    Exported, TreeShape, Usage, Workload, each_case, parse_messages, parse_requests, run_of,
    write_logs, write_spans, write_trees,
};
use rightcall_core::call::Case;
use rightcall_core::expectation::{ActualCall, ExpectationError, ProcessTree};
use rightcall_core::value::Text;
use rightcall_core::{Ask, Evaluator, similarity};
use rightcall_formats::{Input, Limits, ReadOptions, read_case};

#[derive(Debug, Parser)]
#[command(about = "What the benchmarks of `cargo xtask` run")]
enum Command {
    /// Write a workload
    Write {
        /// w1, w2, w3, w4, w5, w6 or wl
        workload: String,
        /// Where to
        file: PathBuf,
        /// Number of cases, if not the workload's own
        #[arg(long)]
        cases: Option<usize>,
        /// Expected calls of a case, if not the workload's own
        #[arg(long)]
        calls: Option<usize>,
    },
    /// Write exports of OpenTelemetry
    WriteSpans {
        /// Where to
        file: PathBuf,
        /// Number of traces
        #[arg(long)]
        traces: usize,
        /// One document in place of a request a line
        #[arg(long)]
        document: bool,
    },
    /// Write expectations in blocks and runs, of names alone
    WriteTrees {
        /// Where to
        file: PathBuf,
        /// What the trees look like
        #[arg(long)]
        shape: TreeShape,
        /// Number of cases
        #[arg(long)]
        cases: usize,
    },
    /// Write logs of generated trees, and the expectations learned from them
    WriteLogs {
        /// Where to
        file: PathBuf,
        /// Number of logs
        #[arg(long)]
        logs: usize,
    },
    /// Find the nearest accepted run of each expectation of a file of trees, and print the costs
    Align {
        /// The file
        file: PathBuf,
    },
    /// The same, with the calls of that run made concrete, and what was chosen
    Resolve {
        /// The file
        file: PathBuf,
    },
    /// Read the traces of a file, whatever its format
    ReadSpans {
        /// The file
        file: PathBuf,
    },
    /// The bare parse of a file with a request of OpenTelemetry on each line
    ParseSpans {
        /// The file
        file: PathBuf,
    },
    /// The bare parse of a case file
    Parse {
        /// The file
        file: PathBuf,
    },
    /// The bare parse of a case file with lists of messages
    ParseMessages {
        /// The file
        file: PathBuf,
    },
    /// Ratios of the texts in the arguments, call by call
    Difflib {
        /// The file
        file: PathBuf,
    },
    /// Read the first case and score nothing
    Read {
        /// The file
        file: PathBuf,
    },
    /// The longest common subsequence of the first case's names, by rightcall
    Lcs {
        /// The file
        file: PathBuf,
    },
    /// What a program takes, which must succeed
    Measure {
        /// Keep what it prints
        #[arg(long)]
        keep: bool,
        /// The program and its arguments
        #[arg(last = true, required = true)]
        program: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    // As in `rightcall`: keeps freed memory for the next large search.
    drop(black_box(Vec::<u8>::with_capacity(1 << 20)));
    match run(Command::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The number of traces and of calls in a file of spans.
fn read_spans(file: &Path) -> Result<(usize, usize), Box<dyn Error>> {
    // The same options as `score`.
    let options = ReadOptions {
        questions: false,
        ..ReadOptions::default()
    };
    let mut input = Input::open(file, Limits::default(), &options)?;
    let (mut traces, mut calls) = (0, 0);
    while let Some(block) = input.next_block(1 << 20)? {
        for record in block.records() {
            let case = record.content.and_then(|it| it.case(&options));
            let case = black_box(case.map_err(|error| error.found)?);
            traces += 1;
            calls += case.actual.map_or(0, |run| run.calls.len());
        }
    }
    Ok((traces, calls))
}

fn run(command: Command) -> Result<(), Box<dyn Error>> {
    match command {
        Command::Write {
            workload,
            file,
            cases,
            calls,
        } => {
            let own = Workload::named(&workload)
                .ok_or_else(|| format!("no workload is called `{workload}`"))?;
            let workload = Workload {
                cases: cases.unwrap_or(own.cases),
                calls: calls.unwrap_or(own.calls),
                ..own
            };
            written(&file, |out| Ok(workload.write(out)?))?;
        }
        Command::WriteSpans {
            file,
            traces,
            document,
        } => {
            let mut out = BufWriter::new(File::create(file)?);
            write_spans(
                if document {
                    Exported::Document
                } else {
                    Exported::Lines
                },
                traces,
                &mut out,
            )?;
            out.flush()?;
        }
        Command::WriteTrees { file, shape, cases } => {
            written(&file, |out| Ok(write_trees(shape, cases, out)?))?;
        }
        Command::WriteLogs { file, logs } => {
            written(&file, |out| write_logs(logs, out))?;
        }
        Command::Align { file } => costs(&file, |tree, run| Ok(tree.align(run)?.cost))?,
        Command::Resolve { file } => costs(&file, |tree, run| Ok(tree.resolve(run)?.cost))?,
        Command::ReadSpans { file } => {
            let (traces, calls) = read_spans(&file)?;
            say(&format!(r#"{{"cases":{traces},"calls":{calls}}}"#))?;
        }
        Command::ParseSpans { file } => {
            let spans = parse_requests(&file)?;
            say(&format!(r#"{{"cases":{spans},"calls":0}}"#))?;
        }
        Command::Parse { file } => {
            let mut calls = 0;
            let cases = each_case(&file, |case| calls += black_box(case).actual.len())?;
            say(&format!(r#"{{"cases":{cases},"calls":{calls}}}"#))?;
        }
        Command::ParseMessages { file } => {
            let (cases, messages) = parse_messages(&file)?;
            say(&format!(r#"{{"cases":{cases},"calls":{messages}}}"#))?;
        }
        Command::Difflib { file } => difflib(&file)?,
        Command::Read { file } => {
            let calls = first_case(&std::fs::read_to_string(file)?)?
                .actual
                .map_or(0, |actual| actual.calls.len());
            say(&format!(r#"{{"cases":1,"calls":{calls}}}"#))?;
        }
        Command::Lcs { file } => lcs(&file)?,
        Command::Measure { keep, program } => measure(&program, keep)?,
    }
    Ok(())
}

/// Writes a file, buffered.
fn written(
    file: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(File::create(file)?);
    write(&mut out)?;
    Ok(out.flush()?)
}

fn measure(program: &[OsString], keeps_printed: bool) -> Result<(), Box<dyn Error>> {
    let mut command = process::Command::new(&program[0]);
    let (usage, status) = Usage::of(command.args(&program[1..]), keeps_printed)?;
    if !status.success() {
        return Err(format!("{}: {status}", program[0].display()).into());
    }
    say(&serde_json::to_string(&usage)?)?;
    Ok(())
}

fn say(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

/// The batch size: a real run aligns each tree right after reading it, but starting and stopping the clock for each takes time too.
const TREES: usize = 20;

/// Prints the costs of the nearest runs, and the time to find them.
fn costs(
    file: &Path,
    cost: impl Fn(&ProcessTree, &[ActualCall<'_>]) -> Result<u64, ExpectationError>,
) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let lines: Vec<&str> = text.lines().collect();
    let mut costs = Vec::new();
    let mut time = Duration::ZERO;
    for lines in lines.chunks(TREES) {
        let cases = lines.iter().map(|line| tree_and_names(line));
        let cases = cases.collect::<Result<Vec<_>, _>>()?;
        let runs: Vec<Vec<_>> = cases.iter().map(|(_, names)| run_of(names)).collect();
        let start = ProcessTime::now();
        for ((tree, _), run) in cases.iter().zip(&runs) {
            costs.push(cost(tree, run)?);
        }
        time += start.elapsed();
    }
    let (cases, seconds) = (lines.len(), time.as_secs_f64());
    let result = serde_json::json!({"cases": cases, "cpu_seconds": seconds, "costs": costs});
    say(&result.to_string())?;
    Ok(())
}

fn tree_and_names(line: &str) -> Result<(ProcessTree, Vec<String>), Box<dyn Error>> {
    let case: serde_json::Value = serde_json::from_str(line)?;
    let names = serde_json::from_value(case["actual"].clone())?;
    Ok((ProcessTree::read(&case["expected"].to_string())?, names))
}

/// Prints a digest of the bits of all ratios. It must equal Python's.
fn difflib(file: &Path) -> Result<(), Box<dyn Error>> {
    let mut digest = crc32fast::Hasher::new();
    let cases = each_case(file, |case| {
        for (expected, actual) in case.expected.iter().zip(&case.actual) {
            // Both sides' keys come in a fixed order, no matter what order the parser keeps.
            for key in ["subject", "body"] {
                if let (Some(expected), Some(actual)) =
                    (expected.args[key].as_str(), actual.args[key].as_str())
                {
                    digest.update(
                        &similarity::ratio(&Text::new(actual), &Text::new(expected)).to_le_bytes(),
                    );
                }
            }
        }
    })?;
    say(&format!(
        r#"{{"cases":{cases},"digest":"{:08x}"}}"#,
        digest.finalize()
    ))?;
    Ok(())
}

fn first_case(text: &str) -> Result<Case<'_>, Box<dyn Error>> {
    let line = text.lines().next().ok_or("no case")?;
    read_case(line, &ReadOptions::default()).map_err(|error| format!("{error:?}").into())
}

/// Evaluates the order, which is almost only an LCS with its back-tracking.
fn lcs(file: &Path) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let case = first_case(&text)?;
    let evaluator = Evaluator::new("uipath/tool-call-order", r#"{"edition":"package"}"#, None)?;
    let (score, seconds) = fastest(20, || evaluator.evaluate(&case, Ask::OUTCOME).score());
    say(&format!(
        r#"{{"cases":1,"wall_seconds":{seconds},"score":{}}}"#,
        score.ok_or("no score")?
    ))?;
    Ok(())
}

/// Returns the function's result, and the seconds of its fastest run, which other processes disturbed least.
fn fastest<T>(runs: usize, mut function: impl FnMut() -> T) -> (T, f64) {
    let (mut value, mut least) = (None, Duration::MAX);
    for _ in 0..runs {
        let start = Instant::now();
        let given = black_box(function());
        least = least.min(start.elapsed());
        value = Some(given);
    }
    (
        value.expect("there is at least one run"),
        least.as_secs_f64(),
    )
}
