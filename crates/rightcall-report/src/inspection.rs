//! The contents of a file of traces: calls as a tree with times, and notes on skipped data.

use std::borrow::Cow;
use std::fmt::Write as _;

use anstyle::Style;
use rightcall_core::call::{ArgumentSource, Call, CallMetadata, Case, Executor, nanoseconds};
use rightcall_core::value::{JsonText, JsonWriter};
use rightcall_formats::{Inspection, has_invalid_arguments};

use crate::text::{
    BAD, FAINT, HEAD, count, cut_end, left, paint, paragraph, printable, right, screen_columns,
    widest, width, wrap,
};

/// The contents of a file. `runs` are its first [runs](inspected_run); `all` is the option that
/// shows the others, such as `--all`.
pub fn inspection(found: &Inspection, runs: &[String], all: &str) -> String {
    let mut out = head(found) + &contents(found) + &runs.concat();
    let hidden = found.trajectories - runs.len() as u64;
    if hidden > 0 {
        _ = writeln!(out, "\n  {hidden} more, which {all} shows");
    }
    let remarks = remarks(found);
    if !remarks.is_empty() {
        out.push('\n');
        out.push_str(&remarks);
    }
    out
}

/// Maximum number of tools listed with their calls.
const TOOLS: usize = 12;

/// The numbers of trajectories that can be scored, by what they have, and of calls by tool.
fn contents(found: &Inspection) -> String {
    let mut out = String::new();
    if found.trajectories > 0 {
        let parts = [
            (found.with_expectation, "an expectation"),
            (found.with_reward, "a reward"),
            (found.with_question, "the question"),
        ];
        let parts = parts.map(|(number, what)| match number {
            0 => format!("none with {what}"),
            number if number == found.trajectories => format!("all with {what}"),
            number => format!("{number} with {what}"),
        });
        out += &paragraph(&parts.join(", "), 2, Style::new());
    }
    let mut names: Vec<_> = found.names.iter().collect();
    names.sort_by_key(|(name, calls)| (std::cmp::Reverse(**calls), *name));
    let tools = names.iter().take(TOOLS);
    let tools = tools.map(|(name, calls)| format!("{} {calls}", printable(name)));
    let mut tools: Vec<_> = tools.collect();
    if names.len() > TOOLS {
        tools.push(format!("and {} more", names.len() - TOOLS));
    }
    if !tools.is_empty() {
        for (number, line) in wrap(&tools.join(", "), screen_columns() - 9)
            .iter()
            .enumerate()
        {
            let head = if number == 0 { "tools: " } else { "       " };
            _ = writeln!(out, "  {head}{line}");
        }
    }
    out
}

/// The summary and notes on a file, without its calls.
pub fn read_report(found: &Inspection) -> String {
    head(found) + &remarks(found)
}

fn head(found: &Inspection) -> String {
    let format = found
        .format
        .map_or("nothing to read", |format| format.title);
    let mut facts = vec![format!(
        "{}, {}",
        trajectories(found.trajectories),
        count(found.calls, "call")
    )];
    let without_call = match found.report.orphans {
        1 => "result without a call",
        _ => "results without a call",
    };
    for (number, what) in [
        (found.expected_calls, "expected"),
        (found.failed, "failed"),
        (found.not_run, "not run"),
        (found.report.dropped_count(), "dropped"),
        (found.report.orphans, without_call),
        (found.report.unplaced, "of no known part"),
        (
            found.report.unread_count(),
            "not read, although they look like calls",
        ),
        (found.invalid_arguments, "with invalid arguments"),
        (found.errors.len() as u64, "unreadable"),
    ] {
        if number > 0 {
            facts.push(format!("{number} {what}"));
        }
    }
    let (file, facts) = (printable(&found.file), facts.join(", "));
    let room = screen_columns().saturating_sub(width(&file) + width(format) + 6);
    let head = format!("{} · {format}", paint(HEAD, &file));
    if width(&facts) <= room || screen_columns() >= 100 {
        return format!("{head} · {facts}\n");
    }
    let below = wrap(&facts, screen_columns() - 2);
    let below = below.iter().flat_map(|line| ["\n  ", line]);
    format!("{head}{}\n", below.collect::<String>())
}

/// Notes on skipped data, on data that was not recorded, and by readers.
fn remarks(found: &Inspection) -> String {
    let mut remarks = Vec::new();
    for (reason, number) in found.report.dropped() {
        remarks.push(format!("dropped: {number} {reason}"));
    }
    for (actor, number) in found.report.kept() {
        remarks.push(format!(
            "kept: {} of another actor, {actor} (other-actors=detect)",
            count(number, "call")
        ));
    }
    for (key, number) in &found.other_keys {
        remarks.push(format!(
            "not judged: the key {key} of {}",
            count(*number, "call")
        ));
    }
    if found.report.unplaced > 0 {
        remarks.push(format!(
            "{} of no known agent, node or turn, under the id of the run",
            count(found.report.unplaced, "call")
        ));
    }
    let not_recorded: Vec<_> = found
        .not_recorded()
        .iter()
        .map(ToString::to_string)
        .collect();
    if !not_recorded.is_empty() {
        remarks.push(format!("not recorded: {}", not_recorded.join(", ")));
    }
    remarks.extend(
        found
            .report
            .notes
            .iter()
            .map(|note| format!("note: {note}")),
    );
    remarks
        .iter()
        .flat_map(|line| {
            [
                "  ".to_owned(),
                cut_end(line, screen_columns() - 2),
                "\n".to_owned(),
            ]
        })
        .collect()
}

fn trajectories(number: u64) -> String {
    if number == 1 {
        "1 trajectory".to_owned()
    } else {
        format!("{number} trajectories")
    }
}

/// The widths of the columns for calls and for their status. The status gets the rest of the line.
fn call_columns(calls: &[String], states: &[(String, Option<anstyle::Style>)]) -> (usize, usize) {
    let both = screen_columns() - 28;
    let most = both - 14;
    let free = both.saturating_sub(widest(states.iter().map(|(state, _)| state)));
    let of_calls = most.min(free.max(widest(calls)));
    (of_calls, both - of_calls)
}

/// A run that begins on this line: its calls as a tree, with their times and results. Shows the
/// first `most` calls and counts the others.
pub fn inspected_run(case: &Case<'_>, line: u64, most: usize) -> String {
    let mut out = String::new();
    let title = case
        .id
        .as_ref()
        .map_or_else(|| format!("line {line}"), ToString::to_string);
    _ = writeln!(
        out,
        "\n  conversation {}",
        cut_end(&title, screen_columns() - 15)
    );
    let run = case.actual.as_ref().map(|run| &run.calls[..]);
    let about_run = match (&case.incomplete, run) {
        (Some(why), None) => Some(format!("not recorded: {why}")),
        (Some(why), Some(_)) => Some(format!("incomplete: {why}")),
        (None, None) => Some("no run, only what is expected".to_owned()),
        (None, Some([])) => Some("no calls".to_owned()),
        (None, Some(_)) => None,
    };
    let all = run.unwrap_or_default();
    let run = &all[..all.len().min(most)];
    if let Some(about_run) = about_run {
        _ = writeln!(out, "    {}", paint(FAINT, &printable(&about_run)));
    }
    let calls: Vec<String> = (0..run.len()).map(|place| call_text(run, place)).collect();
    let states: Vec<_> = (0..run.len()).map(|place| state(run, place)).collect();
    let (call_columns, state_columns) = call_columns(&calls, &states);
    let mut turn = None;
    for (place, call) in run.iter().enumerate() {
        let metadata = call.metadata();
        let same_group = |other: Option<&Call<'_>>| {
            let group = metadata.group.as_ref();
            group.is_some() && other.is_some_and(|it| it.metadata().group.as_ref() == group)
        };
        let bracket = match (
            same_group(place.checked_sub(1).and_then(|it| run.get(it))),
            same_group(run.get(place + 1)),
        ) {
            (false, false) => ' ',
            (false, true) => '┌',
            (true, true) => '│',
            (true, false) => '└',
        };
        let head = match metadata.turn {
            Some(number) if turn != Some(number) => format!("turn {}", number + 1),
            _ => String::new(),
        };
        turn = metadata.turn;
        let (state, style) = &states[place];
        let state = cut_end(state, state_columns);
        let line = format!(
            "    {} {bracket} {} {}   ",
            left(&head, 8),
            left(&cut_end(&calls[place], call_columns), call_columns),
            right(&duration(call), 9)
        );
        _ = writeln!(
            out,
            "{line}{}",
            style.map_or_else(|| state.clone(), |style| paint(style, &state))
        );
    }
    if run.len() < all.len() {
        let hidden = count((all.len() - run.len()) as u64, "more call");
        _ = writeln!(out, "    … and {hidden}");
    }
    out
}

/// A call as text, indented below its parent calls.
fn call_text(run: &[Call<'_>], place: usize) -> String {
    let call = &run[place];
    let indent = "  ".repeat(depth(run, place));
    format!("{indent}{}({})", call.name, arguments(call))
}

/// The nesting depth of a call.
fn depth(run: &[Call<'_>], place: usize) -> usize {
    let mut depth = 0;
    let mut at = place;
    while let Some(parent) = run
        .get(at)
        .and_then(|call| call.metadata().parent)
        .filter(|_| depth < 20)
    {
        depth += 1;
        at = parent as usize;
    }
    depth
}

fn arguments(call: &Call<'_>) -> String {
    let text = match call.arguments.source() {
        ArgumentSource::Absent => "…".to_owned(),
        ArgumentSource::Json(json) => json.to_owned(),
        ArgumentSource::Text { text, .. } => text.to_string(),
    };
    if has_invalid_arguments(call) {
        return format!("invalid: {text}");
    }
    members(&text).unwrap_or(text)
}

/// Formats `{"id": 7, "lang": "en"}` as `id=7, lang="en"`.
fn members(text: &str) -> Option<String> {
    let object = rightcall_core::value::decode(text).ok()?;
    let members = object
        .as_object()?
        .iter()
        .map(|(key, value)| format!("{key}={}", JsonText::from_python_value(value)));
    Some(members.collect::<Vec<_>>().join(", "))
}

fn duration(call: &Call<'_>) -> String {
    let CallMetadata { start, end, .. } = call.metadata();
    let time = |json: &Option<Cow<'_, str>>| nanoseconds(json.as_deref()?);
    let Some(nanoseconds) = time(end).zip(time(start)).map(|(end, start)| end - start) else {
        return String::new();
    };
    match nanoseconds {
        ..1_000_000 => format!("{} µs", nanoseconds / 1000),
        1_000_000..10_000_000_000 => format!("{} ms", nanoseconds / 1_000_000),
        _ => format!("{} s", nanoseconds / 1_000_000_000),
    }
}

/// The status of a call.
fn state(run: &[Call<'_>], place: usize) -> (String, Option<Style>) {
    let (call, metadata) = (&run[place], run[place].metadata());
    let mut words = Vec::new();
    let has_failed = |call: &Call<'_>| call.failed() == Some(true);
    let error = metadata.error.as_ref().filter(|_| has_failed(call));
    let style = match (error, metadata.executor) {
        (Some(error), _) => {
            let message = error.trim_matches('"');
            words.push(if message == "true" {
                "error".to_owned()
            } else {
                format!("error: {message}")
            });
            Some(BAD)
        }
        (None, Executor::Nobody) => {
            words.push("not run".to_owned());
            Some(BAD)
        }
        (None, _) if metadata.recorded_output().is_some() || metadata.error.is_some() => {
            words.push("ok".to_owned());
            None
        }
        (None, _) => {
            words.push("no result".to_owned());
            Some(FAINT)
        }
    };
    if metadata.executor == Executor::Provider {
        words.push("by the provider".to_owned());
    }
    words.extend(metadata.actor.as_ref().map(|actor| format!("by {actor}")));
    let is_earlier = |it: &&Call<'_>| {
        let turn = it.metadata().turn;
        turn != metadata.turn || turn.is_none()
    };
    let is_same =
        |it: &Call<'_>| it.name == call.name && it.arguments.source() == call.arguments.source();
    if run[..place]
        .iter()
        .rev()
        .take_while(is_earlier)
        .any(|it| has_failed(it) && is_same(it))
    {
        words.push("again after an error".to_owned());
    }
    (words.join(", "), style)
}

/// The contents of a file as a JSON object.
pub fn inspection_json(found: &Inspection) -> JsonText {
    let mut writer = JsonWriter::new();
    writer.begin_object().key("file").str(&found.file);
    let format = found.format.map(|format| format.name);
    writer.key("format").serialize(&format);
    let totals = [
        ("trajectories", found.trajectories),
        ("calls", found.calls),
        ("expected_calls", found.expected_calls),
    ];
    write_counts(&mut writer, totals);
    writer.key("names").begin_object();
    write_counts(&mut writer, &found.names);
    writer.end_object();
    let report = &found.report;
    let of_calls = [
        ("with_result", found.with_result),
        ("failed", found.failed),
        ("not_run", found.not_run),
        ("invalid_args", found.invalid_arguments),
        ("orphans", report.orphans),
        ("unread", report.unread_count()),
        ("dropped", report.dropped_count()),
    ];
    write_counts(&mut writer, of_calls);
    if report.unplaced > 0 {
        write_counts(&mut writer, [("unplaced", report.unplaced)]);
    }
    writer.key("dropped_why").begin_object();
    let dropped = report.dropped();
    write_counts(
        &mut writer,
        dropped.map(|(why, number)| (why.to_string(), number)),
    );
    writer.end_object().key("kept").begin_object();
    write_counts(&mut writer, report.kept());
    writer.end_object().key("other_keys").begin_object();
    write_counts(&mut writer, &found.other_keys);
    writer.end_object().key("not_recorded");
    writer.strs(found.not_recorded().iter().map(ToString::to_string));
    let ignored = report.ignored_tags();
    writer
        .key("notes")
        .strs(report.notes.iter().chain(&ignored));
    write_counts(&mut writer, [("unreadable", found.errors.len() as u64)]);
    writer.end_object();
    writer.finish()
}

fn write_counts<K: AsRef<str>, N: std::borrow::Borrow<u64>>(
    writer: &mut JsonWriter,
    counts: impl IntoIterator<Item = (K, N)>,
) {
    for (key, number) in counts {
        let number = usize::try_from(*number.borrow()).unwrap_or(usize::MAX);
        writer.key(key.as_ref()).count(number);
    }
}
