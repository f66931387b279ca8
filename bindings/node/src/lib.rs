//! The addon of the npm package `rightcall`.
//!
//! Values are passed as JSON text, which V8 reads and writes faster than an addon can walk its objects; the TypeScript layer adds types.
//! Every function returns an answer. None lets a panic through to Node, which would abort the process: see [`answer`].

mod answer;
mod calls;
mod channel;
mod evaluate;
mod guard;
mod learning;
mod run;

use std::ffi::OsString;
use std::path::Path;

use napi::bindgen_prelude::{AsyncTask, Buffer, Either};
use napi_derive::napi;
use rightcall_core::learn::LearningOptions;
use rightcall_formats::Inspection;
use rightcall_report::inspection_json;
use rightcall_run::fresh_hash_key;

use crate::answer::{Background, answer, attempt, panic_on_demand};
use crate::evaluate::CompiledEvaluator;
use crate::guard::RunGuard;

/// Creates an evaluator from an argument of `-e` or an entry of a suite; returns the error if that fails.
#[napi(catch_unwind)]
pub fn evaluator(given: String) -> Either<CompiledEvaluator, String> {
    match attempt("evaluator", || CompiledEvaluator::parse(&given)) {
        Ok(evaluator) => Either::A(evaluator),
        Err(error) => Either::B(error),
    }
}

/// Creates a guard for rules, for a file with rules, or from a snapshot; returns the error if that fails.
#[napi(catch_unwind)]
pub fn guard(
    source: String,
    given: String,
    mode: String,
    max_refusals: u32,
) -> Either<RunGuard, String> {
    let guard = attempt("guard", || match &*source {
        "file" => RunGuard::over_file(&given, &mode, max_refusals),
        "snapshot" => RunGuard::restored(&given),
        _ => RunGuard::over(&given, &mode, max_refusals),
    });
    match guard {
        Ok(guard) => Either::A(guard),
        Err(error) => Either::B(error),
    }
}

/// Judges two sides in the original's own shape, as the original does; answers with its `result` and the `alignment`.
#[napi(catch_unwind)]
pub fn original(
    id: String,
    edition: String,
    config: String,
    expected: String,
    actual: String,
    explained: bool,
) -> String {
    answer("original", || {
        evaluate::original([&id, &edition, &config], [&expected, &actual], explained)
    })
}

/// Learns the elements of an expectation that runs have in common.
#[napi(catch_unwind)]
pub fn learn(
    runs: Vec<String>,
    arguments: String,
    noise: f64,
    variants: Option<u32>,
    open_repeats: bool,
) -> String {
    answer("learn", || {
        let options = LearningOptions {
            noise,
            open_repeats,
            arguments: learning::arguments(&arguments)?,
            variants: variants.map(|most| most as usize),
        };
        learning::learned(&runs, &options)
    })
}

/// The calls of one run, as `{"calls": […], "malformed": […]}`, from a JSON text or from the bytes of a file. The tools of the agent are
/// JSON; a map is JSON or a path.
#[napi(catch_unwind)]
pub fn calls(
    source: Either<String, Buffer>,
    format: Option<String>,
    tools: Option<String>,
    map: Option<String>,
) -> String {
    answer("calls", || {
        calls::calls(source, format.as_deref(), map.as_deref(), tools.as_deref())
    })
}

/// Inspects a file of traces.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn inspect(path: String) -> AsyncTask<Background> {
    Background::answer("inspect", move || {
        let options = rightcall_formats::ReadOptions {
            hash_key: fresh_hash_key(),
            ..Default::default()
        };
        let found = Inspection::from_file(
            Path::new(&path),
            rightcall_formats::Limits::default(),
            &options,
            &mut |_, _| {},
        )?;
        Ok(inspection_json(&found).as_str().to_owned())
    })
}

/// Runs the command line; returns the exit code.
#[napi(catch_unwind)]
pub fn command_line(arguments: Vec<String>) -> u8 {
    panic_on_demand("commandLine");
    rightcall_cli::run(arguments.into_iter().map(OsString::from))
}
