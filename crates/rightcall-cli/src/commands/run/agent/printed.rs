//! Reads an agent's output as the trace of a case.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use rightcall_core::value::{Kind, Reader, Syntax, Text, Value, decode_with};
use rightcall_formats::{Input, Limits, ReadOptions, Report, case_text};
use zstd::stream::read::Decoder;

use super::AgentRun;
use super::process::too_much;

/// The name of the agent's output in messages. Its ending keeps text from being parsed as a table.
const NAME: &str = "output.jsonl";

/// A trace that an agent printed.
pub(super) struct PrintedTrace {
    /// The run as the text of a canonical case.
    pub(super) trace: String,
    /// The report on its skipped parts.
    pub(super) report: Report,
    /// Lines around the trace that are not part of it.
    pub(super) skipped: Vec<String>,
}

/// Parses the output, at most this many bytes after decompression.
pub(super) fn read(
    run: &AgentRun,
    printed: Vec<u8>,
    most: u64,
    limits: Limits,
) -> Result<PrintedTrace, String> {
    let most_bytes = usize::try_from(most).unwrap_or(usize::MAX);
    let limits = Limits {
        max_document: limits.max_document.min(most_bytes),
        ..limits
    };
    let printed = unpacked(printed, most)?;
    let lines = without_log_lines(&String::from_utf8_lossy(&printed));
    let read = read_trace(run, printed, most, limits);
    match (read, lines) {
        (Err(_), Some((json, skipped))) => {
            let read = read_trace(run, json.into_bytes(), most, limits)?;
            Ok(PrintedTrace { skipped, ..read })
        }
        (read, _) => read,
    }
}

/// Decompresses gzip or zstd, nested ones too. Other bytes are returned unchanged.
fn unpacked(mut printed: Vec<u8>, most: u64) -> Result<Vec<u8>, String> {
    let limit = most.saturating_add(1);
    loop {
        let mut bytes = Vec::new();
        let packed = &*printed;
        let read = match packed {
            [0x1F, 0x8B, ..] => MultiGzDecoder::new(packed)
                .take(limit)
                .read_to_end(&mut bytes),
            [0x28, 0xB5, 0x2F, 0xFD, ..] => {
                Decoder::new(packed).and_then(|it| it.take(limit).read_to_end(&mut bytes))
            }
            _ => return Ok(printed),
        };
        read.map_err(|error| format!("its output cannot be decompressed: {error}"))?;
        if bytes.len() as u64 > most {
            return Err(too_much(most));
        }
        printed = bytes;
    }
}

/// Parses the output, which must hold exactly one trajectory.
fn read_trace(
    run: &AgentRun,
    printed: Vec<u8>,
    most: u64,
    limits: Limits,
) -> Result<PrintedTrace, String> {
    let unread = |error: &dyn std::fmt::Display| format!("its output is not a trace: {error}");
    let options = ReadOptions::default();
    let mut input = Input::from_bytes(NAME, printed, limits, &options).map_err(|it| unread(&it))?;
    let (mut traces, mut report, mut length) = (Vec::new(), Report::default(), 0);
    while let Some(block) = input.next_block(Input::BLOCK).map_err(|it| unread(&it))? {
        block.report().into_iter().for_each(|of| report.add(of));
        for record in block.records() {
            let content = record.content.clone();
            let read = content.and_then(|content| {
                let case = content.case(&options)?;
                length += content.text_of(&case).len() as u64;
                Ok(case)
            });
            let at = input.name();
            let mut case = read.map_err(|error| unread(&error.in_record(at, &record)))?;
            // Archives and tables are decompressed while they are read, so the limit is checked here too.
            if length > most {
                return Err(too_much(most));
            }
            if case.actual.is_some() {
                case.id = Some(Text::new(&run.id));
                case.trial = run.trial.as_deref();
                traces.push(case_text(&case));
            }
        }
    }
    match (traces.pop(), traces.len()) {
        (Some(trace), 0) => Ok(PrintedTrace {
            trace,
            report,
            skipped: Vec::new(),
        }),
        (None, _) => Err("its output holds no trajectory".to_owned()),
        (Some(_), others) => Err(format!(
            "its output holds {} trajectories, expected one",
            others + 1
        )),
    }
}

/// Splits a text into its JSON objects and lists, and the log lines between them. `None` if there
/// is no log line, or if a line looks like broken JSON, because skipping a part of a trace would
/// lose calls.
fn without_log_lines(text: &str) -> Option<(String, Vec<String>)> {
    let (mut json, mut skipped, mut rest) = (String::new(), Vec::new(), text);
    while let Some(start) = rest.find(|it: char| !it.is_whitespace()) {
        rest = &rest[start..];
        let line = rest.lines().next().unwrap_or_default();
        match json_value(rest) {
            Some(value) if !is_log_record(value) => {
                json += value;
                json.push('\n');
                rest = &rest[value.len()..];
            }
            None if is_like_json(line) => return None,
            _ => {
                skipped.push(line.trim_end().to_owned());
                rest = &rest[line.len()..];
            }
        }
    }
    // Invalid UTF-8 became replacement characters, which would change values inside a trace. Do not
    // skip lines then.
    let is_changed = json.contains(char::REPLACEMENT_CHARACTER);
    (!skipped.is_empty() && !is_changed).then_some((json, skipped))
}

/// The object or list at the beginning of a text, if only white space follows it on its last line.
fn json_value(text: &str) -> Option<&str> {
    let mut reader = Reader::new(text, Syntax::PYTHON);
    let kind = reader.peek().ok()?;
    let value = matches!(kind, Kind::Object | Kind::List).then(|| reader.raw().ok())??;
    let after = text[value.len()..].lines().next().unwrap_or_default();
    after.trim().is_empty().then_some(value)
}

/// True if a line may be part of a JSON text, for example a truncated one. `[12:00] ready` is not.
fn is_like_json(line: &str) -> bool {
    let mut characters = line.chars().filter(|it| !it.is_whitespace());
    match characters.next() {
        Some('{' | '}' | ']' | '"') => true,
        Some('[') => matches!(characters.next(), None | Some('{' | '[' | '"' | ']')),
        _ => false,
    }
}

/// True if a value is a line of a structured log: an object with a level and a message.
fn is_log_record(json: &str) -> bool {
    const LEVELS: [&str; 5] = ["level", "levelname", "log_level", "lvl", "severity"];
    const MESSAGES: [&str; 4] = ["msg", "message", "event", "text"];
    let is_text = |value: Option<&Value<'_>>| matches!(value, Some(Value::String(_)));
    decode_with(json, Syntax::PYTHON).is_ok_and(|value| {
        value.as_object().is_some_and(|object| {
            let has_level = LEVELS.iter().any(|key| object.get_str(key).is_some());
            has_level && MESSAGES.iter().any(|key| is_text(object.get_str(key)))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, wanted: Option<(&str, &[&str])>) {
        let found = without_log_lines(text);
        let found = found.as_ref().map(|(json, skipped)| {
            let skipped: Vec<_> = skipped.iter().map(String::as_str).collect();
            (json.replace(['\n', ' '], ""), skipped)
        });
        let wanted = wanted.map(|(json, skipped)| (json.to_owned(), skipped.to_vec()));
        assert_eq!(found, wanted, "{text}");
    }

    #[test]
    fn lines_before_between_and_after_json_are_skipped() {
        check("start\n{\"a\":1}", Some(("{\"a\":1}", &["start"])));
        check(
            "[INFO] start\r\n[12:00] on\n\n{\n \"a\": [\n  1]\n}\ndone\n",
            Some(("{\"a\":[1]}", &["[INFO] start", "[12:00] on", "done"])),
        );
        check(
            "{\"a\":1}\nhalf way\n[2]",
            Some(("{\"a\":1}[2]", &["half way"])),
        );
        check(
            "\u{1b}[32mINFO\u{1b}[0m a\n[1]",
            Some(("[1]", &["\u{1b}[32mINFO\u{1b}[0m a"])),
        );
        let log = "{\"level\":\"info\",\"msg\":\"hi\",\"args\":{}}";
        check(&format!("{log}\n{{\"a\":1}}"), Some(("{\"a\":1}", &[log])));
    }

    #[test]
    fn possible_parts_of_a_trace_are_not_skipped() {
        for text in [
            "{\"a\":1}",
            "",
            "start\n{\"a\":\n[{\"b\":1}]\n",
            "start\n{\"a\":1} done\n{}",
            "[\n{\"a\":1}\n",
            "start\n\"a\"\n{}",
            "start\n{\"a\":\"\u{fffd}\"}",
        ] {
            check(text, None);
        }
    }
}
