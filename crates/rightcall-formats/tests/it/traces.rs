//! Trace files: each is recognized, contains the expected calls, and may be cut off anywhere.

use std::path::{Path, PathBuf};

use counts::files;
use rightcall_core::call::Case;

use super::calls_of;

mod counts;
mod cut_off;
mod whole;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces")
}

/// Name, id and result of a call.
type Pair = (String, Option<String>, Option<String>);

fn pairs(case: &Case<'_>) -> Vec<Pair> {
    let calls = calls_of(case).iter();
    calls
        .map(|call| {
            let metadata = call.metadata();
            (
                call.name.to_string(),
                metadata.id.as_ref().map(ToString::to_string),
                metadata.recorded_output().map(ToOwned::to_owned),
            )
        })
        .collect()
}
