//! The parts of the benchmarks that must be Rust: the bare parse, and single functions of the engine without a process around them.
//!
//! `rightcall-bench WHAT FILE` prints one line of JSON: `cases`, and `cpu_seconds` if only a part
//! of the process counts. `rightcall-bench run FILE PROGRAM…` measures a whole process.

mod parse;

use std::error::Error;
use std::hint::black_box;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use rightcall_core::call::{Arguments, Call};
use rightcall_core::expectation::{ActualCall, ProcessTree};
use rightcall_core::monitor::{Admission, Monitor, ResultOfCall};
use rightcall_core::value::Text;
use rightcall_formats::{Input, Limits, ReadOptions};
use serde_json::{Value, json};
use wait4::Wait4 as _;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    // As in `rightcall`: keep freed memory for the next large search.
    drop(black_box(Vec::<u8>::with_capacity(1 << 20)));
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let (what, file, program) = match &arguments[..] {
        [what, file, program @ ..] => (what, Path::new(file), program),
        _ => return Err("usage: rightcall-bench WHAT FILE".into()),
    };
    let measured = match what.as_str() {
        "parse" => json!({"cases": parse::cases(file)?}),
        "parse-messages" => json!({"cases": parse::messages(file)?}),
        "parse-spans" => json!({"cases": parse::spans(file)?}),
        "read" => json!({"cases": read(file)?}),
        "align" => align(file)?,
        "guard" => guard(&std::fs::read_to_string(file)?)?,
        "run" => return run(file, program),
        _ => return Err(format!("nothing is called `{what}`").into()),
    };
    writeln!(io::stdout(), "{measured}")?;
    Ok(())
}

/// Runs a program, and writes its exit code, time and memory to a file. Prints nothing itself. The
/// peak memory of a process is at least its parent's, so measuring needs a small program.
fn run(file: &Path, program: &[String]) -> Result<()> {
    let (program, arguments) = program.split_first().ok_or("no program")?;
    let start = Instant::now();
    let used = Command::new(program).args(arguments).spawn()?.wait4()?;
    let wall = start.elapsed().as_secs_f64();
    let cpu = (used.rusage.utime + used.rusage.stime).as_secs_f64();
    let peak = used.rusage.maxrss;
    let used = json!({"code": used.status.code(), "total": cpu, "wall": wall, "peak": peak});
    Ok(std::fs::write(file, used.to_string())?)
}

/// Reads the traces of a file in any format, as `score` does; returns their number.
fn read(file: &Path) -> Result<usize> {
    let options = ReadOptions {
        questions: false,
        ..ReadOptions::default()
    };
    let mut input = Input::open(file, Limits::default(), &options)?;
    let mut traces = 0;
    while let Some(block) = input.next_block(1 << 20)? {
        for record in block.records() {
            let case = record.content.and_then(|it| it.case(&options));
            black_box(case.map_err(|error| error.found)?);
            traces += 1;
        }
    }
    Ok(traces)
}

/// The batch size: a real run aligns each tree right after reading it, but starting and stopping the clock for each takes time too.
const TREES: usize = 20;

/// Finds the nearest accepted run for each line of `expected`, a list of elements, and `actual`, a list of names.
fn align(file: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(file)?;
    let lines: Vec<&str> = text.lines().collect();
    let mut time = Duration::ZERO;
    for lines in lines.chunks(TREES) {
        let mut cases = Vec::new();
        for line in lines {
            let case: Value = serde_json::from_str(line)?;
            let names: Vec<String> = serde_json::from_value(case["actual"].clone())?;
            cases.push((ProcessTree::read(&case["expected"].to_string())?, names));
        }
        let call = |name| ActualCall::new(Text::new(name), None, None);
        let runs: Vec<Vec<_>> = cases
            .iter()
            .map(|(_, names)| names.iter().map(|name| call(name)).collect())
            .collect();
        let start = ProcessTime::now();
        for ((tree, _), run) in cases.iter().zip(&runs) {
            black_box(tree.align(run)?);
        }
        time += start.elapsed();
    }
    Ok(json!({"cases": lines.len(), "cpu_seconds": time.as_secs_f64()}))
}

/// Admits 10,000 calls of the tools `t0` to `t9` in turn, and records a result of each.
fn guard(settings: &str) -> Result<Value> {
    const CALLS: usize = 10_000;
    let mut monitor = Monitor::new(settings)?;
    let arguments = r#"{"order":1,"amount":5}"#;
    let calls: Vec<_> = (0..CALLS)
        .map(|number| Call {
            name: format!("t{}", number % 10).into(),
            arguments: Arguments::owned_json(arguments.to_owned()),
            ..Call::default()
        })
        .collect();
    let result = ResultOfCall {
        output: Some("\"ok\""),
        failed: Some(false),
    };
    let start = ProcessTime::now();
    for call in &calls {
        let Admission::Admitted(number) = monitor.admit(call)? else {
            return Err(format!("refused: {}", call.name).into());
        };
        monitor.result(number, result)?;
    }
    Ok(json!({"cases": CALLS, "cpu_seconds": start.elapsed().as_secs_f64()}))
}
