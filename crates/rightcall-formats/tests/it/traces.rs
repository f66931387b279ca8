//! Trace files: each is recognized, contains the expected calls, and may be cut off anywhere.

use std::path::{Path, PathBuf};

use rightcall_formats::Trace;

use counts::files;

mod counts;
mod cut_off;
mod whole;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces")
}

/// Name, id and result of a call.
type Pair = (String, Option<String>, Option<String>);

fn pairs(trace: &Trace) -> Vec<Pair> {
    let text = |id: &Option<rightcall_core::value::Text<'_>>| id.as_ref().map(ToString::to_string);
    trace
        .calls
        .iter()
        .map(|call| (call.name.to_string(), text(&call.id), call.output.clone()))
        .collect()
}
