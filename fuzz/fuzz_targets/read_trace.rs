//! Reads any bytes as a file of the format in `RIGHTCALL_FUZZ_FORMAT`. Nothing may panic, a second read must return the same, the text
//! of a case must read back to the same calls, and each call must have a name.
#![no_main]

use std::io::Write as _;
use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use rightcall_core::call::Case;
use rightcall_formats::{
    CaseError, Format, Input, Limits, ReadOptions, RecordContent, read_case,
};

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
    let cases = read(file.path(), Some(*FORMAT));
    assert_eq!(
        cases,
        read(file.path(), Some(*FORMAT)),
        "a second reading finds something else"
    );
    // With the format recognized automatically.
    _ = read(file.path(), None);
});

/// The texts of all cases, or their errors.
fn read(path: &Path, format: Option<&'static Format>) -> Vec<Result<String, CaseError>> {
    let options = ReadOptions {
        format,
        ..ReadOptions::default()
    };
    let mut found = Vec::new();
    let Ok(mut input) = Input::open(path, LIMITS, &options) else {
        return found;
    };
    while let Ok(Some(block)) = input.next_block(1 << 20) {
        for record in block.records() {
            let case = |content: RecordContent<'_>| {
                let case = content.case(&options)?;
                let text = content.text()?.into_owned();
                same_in_text(&case, &text);
                Ok(text)
            };
            found.push(record.content.and_then(case));
        }
    }
    found
}

fn same_in_text(case: &Case<'_>, text: &str) {
    assert!(!text.contains('\n'), "a case of several lines");
    let again = match read_case(text, &ReadOptions::default()) {
        Ok(again) => again,
        Err(error) => panic!("{error}: {text}"),
    };
    let [calls, calls_again] =
        [case, &again].map(|it| it.actual.as_ref().map_or(&[][..], |run| &run.calls));
    assert_eq!(calls.len(), calls_again.len(), "{text}");
    let on_one_line = |json: Option<&str>| json.map(|json| json.replace(['\n', '\r'], " "));
    for (a, b) in calls.iter().zip(calls_again) {
        assert!(!a.name.is_empty(), "a call without a name");
        let (told, told_again) = (a.metadata(), b.metadata());
        assert_eq!(
            (&a.name, &told.id, &told.group, &told.start, &told.end),
            (&b.name, &told_again.id, &told_again.group, &told_again.start, &told_again.end),
            "{text}"
        );
        assert_eq!(
            on_one_line(told.recorded_output()),
            on_one_line(told_again.recorded_output()),
            "{text}"
        );
    }
}
