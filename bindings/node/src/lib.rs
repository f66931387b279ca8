//! The addon of the npm package `rightcall`.
//!
//! Values go in and out as JSON text, which V8 reads and writes faster than an addon can walk its objects; the TypeScript above
//! gives them types. Every entry answers, and none panics through to Node, which would abort: see [`answer`].

mod answer;
mod channel;
mod evaluate;
mod run;
mod sides;

use std::ffi::OsString;
use std::path::Path;

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use rightcall_formats::Inspection;
use rightcall_report::inspection_json;
use rightcall_run::fresh_hash_key;

use crate::answer::{Background, answer, panic_on_demand};

/// Judges one case, `{"expected", "actual", …}`; answers with the evaluation.
#[napi(catch_unwind)]
pub fn evaluate(evaluator: String, case: String, explained: bool) -> String {
    answer("evaluate", || {
        evaluate::evaluation(&evaluator, &case, explained)
    })
}

/// Judges one case; answers with the evaluation as text for people.
#[napi(catch_unwind)]
pub fn explain(evaluator: String, case: String) -> String {
    answer("explain", || evaluate::screen(&evaluator, &case))
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

/// The calls of a value in any shape that is read, as `{"actual": […]}`.
#[napi(catch_unwind)]
pub fn calls(value: String) -> String {
    answer("calls", || evaluate::calls(&value))
}

/// How much of a value looks like a call, whoever reads it.
#[napi(catch_unwind)]
pub fn likely_calls(value: String) -> u32 {
    u32::try_from(rightcall_formats::likely_calls(&value)).unwrap_or(u32::MAX)
}

/// What a file of traces holds.
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
            0,
        )?;
        Ok(inspection_json(&found).as_str().to_owned())
    })
}

/// The command line; gives the exit code.
#[napi(catch_unwind)]
pub fn command_line(arguments: Vec<String>) -> u8 {
    panic_on_demand("commandLine");
    rightcall_cli::run(arguments.into_iter().map(OsString::from))
}
