//! Reads any bytes as a file of the format in `RIGHTCALL_FUZZ_FORMAT`. Nothing may panic, a second read must return the same, the case must
//! contain everything in the trace, and each call must have a name.
#![no_main]

use std::io::Write as _;
use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use rightcall_formats::{CaseError, Format, Input, Limits, ReadOptions, Trace, read_case};

const LIMITS: Limits = Limits {
    max_line: 1 << 16,
    max_depth: 64,
    max_document: 1 << 16,
};

static FORMAT: LazyLock<&'static Format> = LazyLock::new(|| {
    let name =
        std::env::var("RIGHTCALL_FUZZ_FORMAT").expect("RIGHTCALL_FUZZ_FORMAT names a format");
    Format::find(&name).expect("a format of that name")
});

fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes)
        .and_then(|()| file.flush())
        .expect("room for a temporary file");
    let traces = read(file.path(), Some(*FORMAT));
    assert_eq!(
        texts(&traces),
        texts(&read(file.path(), Some(*FORMAT))),
        "a second reading finds something else"
    );
    for trace in traces.iter().filter_map(|trace| trace.as_ref().ok()) {
        assert!(
            trace.calls.iter().all(|call| !call.name.is_empty()),
            "a call without a name"
        );
        same_in_case(trace);
    }
    // With the format recognized automatically.
    _ = read(file.path(), None);
});

fn read(path: &Path, format: Option<&'static Format>) -> Vec<Result<Trace, CaseError>> {
    let options = ReadOptions {
        format,
        ..ReadOptions::default()
    };
    let mut found = Vec::new();
    let Ok(mut input) = Input::open(path, LIMITS, &options) else {
        return found;
    };
    while let Ok(Some(records)) = input.next_traces() {
        found.extend(records.into_iter().map(|(_, trace)| trace));
    }
    found
}

fn texts(traces: &[Result<Trace, CaseError>]) -> Vec<String> {
    traces
        .iter()
        .map(|trace| {
            trace
                .as_ref()
                .map_or_else(ToString::to_string, Trace::to_case)
        })
        .collect()
}

fn same_in_case(trace: &Trace) {
    let text = trace.to_case();
    assert!(!text.contains('\n'), "a case of several lines");
    let case = match read_case(&text, &ReadOptions::default()) {
        Ok(case) => case,
        Err(error) => panic!("{error}: {text}"),
    };
    let again = Trace::from_case(&case, trace.line);
    assert_eq!(again.calls.len(), trace.calls.len(), "{text}");
    let on_one_line =
        |json: &Option<String>| json.as_ref().map(|json| json.replace(['\n', '\r'], " "));
    for (a, b) in again.calls.iter().zip(&trace.calls) {
        assert_eq!(
            (&a.name, &a.id, &a.group, a.start, a.end),
            (&b.name, &b.id, &b.group, b.start, b.end),
            "{text}"
        );
        assert_eq!(
            (on_one_line(&a.output), on_one_line(&a.error)),
            (on_one_line(&b.output), on_one_line(&b.error)),
            "{text}"
        );
    }
}
