//! Keys that no reader knows: no call is lost in silence because a key of a trace has another name.

use std::fs;
use std::path::Path;

use rightcall::value::{Kind, Reader, Syntax};
use rightcall_formats::{FORMATS, Input, Limits, ReadOptions, Report, Understood};

/// What a text came to.
#[derive(Debug, Default, PartialEq)]
struct Read {
    calls: usize,
    trajectories: usize,
    runs: usize,
    expected: usize,
    invalid: usize,
    with_result: usize,
    report: Report,
    errors: Vec<String>,
}

fn read(name: &str, bytes: Vec<u8>) -> Read {
    let mut read = Read::default();
    let options = ReadOptions::default();
    let mut input = match Input::of_bytes(name, bytes, Limits::default(), &options) {
        Ok(input) => input,
        Err(error) => return Read { errors: vec![error.to_string()], ..read },
    };
    loop {
        match input.next_traces() {
            Ok(None) => break read,
            Err(error) => {
                read.errors.push(error.to_string());
                break read;
            }
            Ok(Some(records)) => {
                for (_, record) in records {
                    match record {
                        Ok(trace) => {
                            read.trajectories += 1;
                            read.runs += usize::from(!trace.lacks_run);
                            read.calls += trace.calls.len();
                            read.expected += usize::from(trace.expected.is_some());
                            let invalid = trace.calls.iter().filter(|it| it.arguments.understood() == Understood::Invalid);
                            read.invalid += invalid.count();
                            read.with_result += trace.calls.iter().filter(|it| it.output.is_some()).count();
                            read.report.add(&trace.report);
                            assert!(trace.calls.iter().all(|it| !it.name.is_empty()), "a call without a name");
                        }
                        Err(error) => read.errors.push(error.to_string()),
                    }
                }
            }
        }
    }
}

impl Read {
    /// Whether anything is said that was not said before.
    fn says_more_than(&self, before: &Self) -> bool {
        !self.errors.is_empty()
            || self.report.unread_count() > 0
            || self.report.dropped_count() > before.report.dropped_count()
            || self.report.orphans > before.report.orphans
            || self.report.notes.iter().any(|note| !before.report.notes.contains(note))
            || self.invalid > before.invalid
            // Cases without a run are not scored.
            || self.runs == 0
    }
}

/// The places at which keys of the JSON texts in a file end, just before the quote; texts in texts are left alone.
fn ends_of_keys(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(['{', '[']).map(|at| from + at) {
        let mut reader = Reader::new(&text[start..], Syntax::PYTHON);
        let mut found = Vec::new();
        let is_read = keys(&mut reader, &mut found).is_some();
        from = start + reader.offset().max(1);
        if is_read {
            // A key is followed by its colon.
            ends.extend(found.into_iter().map(|at| start + at));
        }
    }
    ends
}

fn keys(reader: &mut Reader<'_>, ends: &mut Vec<usize>) -> Option<()> {
    match reader.peek().ok()? {
        Kind::List => {
            let mut first = reader.enter_list().ok()?;
            while reader.next_item(&mut first).ok()? {
                keys(reader, ends)?;
            }
        }
        Kind::Object => {
            let mut first = reader.enter_object().ok()?;
            while reader.next_key(&mut first).ok()?.is_some() {
                ends.push(reader.offset());
                keys(reader, ends)?;
            }
        }
        _ => _ = reader.raw().ok()?,
    }
    Some(())
}

/// The texts of the files under `tests/traces` and of the examples, each with a name.
fn texts() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let named = |path: &std::path::PathBuf| Some((path.file_name()?.to_str()?.to_owned(), fs::read_to_string(path).ok()?));
    let examples = FORMATS.iter().filter(|format| format.holds_traces());
    let examples = examples.map(|format| (format!("example of {}", format.name), format.example.to_owned()));
    files.iter().filter_map(named).chain(examples).collect()
}

/// Keys whose loss is told nowhere, each renamed by these letters; all calls are counted before and after.
fn lost_in_silence(name: &str, text: &str, letters: &str, step: usize) -> (usize, Vec<String>) {
    let before = read(name, text.as_bytes().to_vec());
    assert!(before.errors.is_empty(), "{name}: {:?}", before.errors);
    let (mut tried, mut silent) = (0, Vec::new());
    silent.extend(before.report.warnings().map(|warning| format!("{name}: {warning}")));
    for end in ends_of_keys(text).into_iter().step_by(step) {
        // Behind the key stand its quote, and maybe white space and a colon.
        let Some(quote) = text[..end].rfind('"') else { continue };
        let renamed = format!("{}{letters}{}", &text[..quote], &text[quote..]);
        let after = read(name, renamed.into_bytes());
        tried += 1;
        let is_less = after.calls < before.calls || after.expected < before.expected && after.calls + after.expected == 0;
        if is_less && !after.says_more_than(&before) {
            let start = text[..quote].rfind('"').unwrap_or_default();
            let line = text[..quote].matches('\n').count() + 1;
            silent.push(format!(
                "{name}:{line}: {} -> {letters} ({} calls, {} before)",
                &text[start..=quote],
                after.calls,
                before.calls
            ));
        }
    }
    (tried, silent)
}

#[test]
fn no_call_is_lost_in_silence_because_a_key_has_another_name() {
    let mut silent = Vec::new();
    for (name, text) in texts() {
        silent.extend(lost_in_silence(&name, &text, "X", 1).1);
    }
    assert!(silent.is_empty(), "{} keys:\n{}", silent.len(), silent.join("\n"));
}
