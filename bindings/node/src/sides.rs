//! Both sides of a case in memory, read as `inspect` reads files: a score is never made of calls that were not read.
//!
//! The reader of cases comes first, since what an original takes stays as it is there. Where something looks like a call that it did
//! not read, the side is read as a trace; where that leaves something too, there is no score but an error that names it.

use std::borrow::Cow;

use rightcall::call::{Call, Case};
use rightcall::value::{Reader, Syntax, SyntaxError};
use rightcall_formats::{
    CaseError, Format, Input, Limits, ReadOptions, Trace, likely_calls, read_case,
};

use crate::answer::Fault;

/// The sides of a case.
const SIDES: [&str; 2] = ["expected", "actual"];

/// The text of a case of which every call can be read: as it stands, or with sides that were read as traces.
pub(crate) fn readable(text: &str) -> Result<Cow<'_, str>, Fault> {
    let read = read_case(text, &ReadOptions::default());
    if read.as_ref().is_ok_and(is_plain) {
        return Ok(Cow::Borrowed(text));
    }
    // What is no object of sides is told by the reader of cases.
    let Ok(places) = places(text) else {
        return Ok(Cow::Borrowed(text));
    };
    let mut whole = Cow::Borrowed(text);
    // The later one first, so that the place of the other stays.
    for (side, start, end) in places.into_iter().rev() {
        let has_tree = |case: &Case<'_>| case.expected.tree.is_some();
        if side == "expected" && read.as_ref().is_ok_and(has_tree) {
            // Blocks and matchers are read whole or refused.
            continue;
        }
        let raw = &text[start..end];
        let known = read.as_ref().ok().map(|case| calls_of(case, side));
        // What has no name was none.
        let known = known
            .filter(|calls| calls.iter().all(is_named))
            .map(<[_]>::len);
        if known.is_some_and(|known| likely_calls(raw) <= known) {
            continue;
        }
        match trace(side, raw, known)? {
            Some(calls) => whole.to_mut().replace_range(start..end, &calls),
            None if known.is_none() && read.is_ok() => {
                return Err(Fault::case(
                    &format!("/{side}"),
                    "a call has no name",
                    "the name is empty, or stands under a key that is not read",
                ));
            }
            None => {}
        }
    }
    Ok(whole)
}

/// The calls that were made, as the text of a canonical case of them alone.
pub(crate) fn run_text(case: &Case<'_>) -> String {
    Trace::from_case(case, 1).to_case()
}

/// The calls of a side as they were read.
fn calls_of<'c, 'a>(case: &'c Case<'a>, side: &str) -> &'c [Call<'a>] {
    let calls = if side == "expected" {
        case.expected.calls.as_ref()
    } else {
        case.actual.as_ref().map(|run| &run.calls)
    };
    calls.map_or(&[], Vec::as_slice)
}

/// True where both sides are lists of calls: messages give each call a turn, and may hold what is no call.
fn is_plain(case: &Case<'_>) -> bool {
    let has_calls = |side| {
        let calls = calls_of(case, side);
        let is_plain = |call: &Call<'_>| call.metadata().turn.is_none() && is_named(call);
        !calls.is_empty() && calls.iter().all(is_plain)
    };
    SIDES.into_iter().all(has_calls)
}

fn is_named(call: &Call<'_>) -> bool {
    !call.name.is_empty()
}

/// The sides of a case with the places of their values in its text, in order.
fn places(text: &str) -> Result<Vec<(&'static str, usize, usize)>, SyntaxError> {
    let reader = &mut Reader::new(text, Syntax::PYTHON);
    let mut found = Vec::new();
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        let raw = reader.raw()?;
        let end = reader.offset();
        if let Some(side) = SIDES.into_iter().find(|side| key == **side) {
            found.push((side, end - raw.len(), end));
        }
    }
    Ok(found)
}

/// The calls of a side as the text of canonical calls, read as a trace; `None` where it is in no format of traces, or the reader of cases
/// read as many.
fn trace(side: &str, raw: &str, known: Option<usize>) -> Result<Option<String>, Fault> {
    let pointed = |error: CaseError| {
        Fault::from(CaseError {
            pointer: format!("/{side}{}", error.pointer),
            ..error
        })
    };
    let options = ReadOptions {
        questions: false,
        ..ReadOptions::default()
    };
    let mut input = Input::from_bytes(side, raw.as_bytes().to_vec(), Limits::default(), &options)?;
    let format = input.format();
    if !format.is_ok_and(|format| format.is_some_and(Format::holds_traces)) {
        return match known {
            // The reader of cases has an error of its own.
            None => Ok(None),
            Some(known) => Err(unread(side, raw, known)),
        };
    }
    let mut traces = Vec::new();
    while let Some(records) = input.next_traces().map_err(|error| Fault::from(&error))? {
        traces.extend(records);
    }
    let number = traces.len();
    let (Some((_, read)), true) = (traces.pop(), number <= 1) else {
        return match number {
            0 => Ok(None),
            _ => Err(Fault::case(
                &format!("/{side}"),
                format!("expected one run, found {number}"),
                "score each as a case of its own",
            )),
        };
    };
    let read = read.map_err(pointed)?;
    if let Some(warning) = read.report.warnings().next() {
        return Err(Fault::case(
            &format!("/{side}"),
            warning,
            "a score would be made without it; give the calls as {\"name\", \"args\"}",
        ));
    }
    if known == Some(read.calls.len()) {
        return Ok(None);
    }
    let case = Trace {
        calls: read.calls,
        ..Trace::default()
    };
    let text = case.to_case();
    // `{"actual":[…]}`
    Ok(text
        .strip_prefix("{\"actual\":")
        .and_then(|text| text.strip_suffix('}'))
        .map(str::to_owned))
}

fn unread(side: &str, raw: &str, known: usize) -> Fault {
    let left = likely_calls(raw) - known;
    let what = if left == 1 {
        "1 thing looks like a call and was".to_owned()
    } else {
        format!("{left} things look like calls and were")
    };
    Fault::case(
        &format!("/{side}"),
        format!("{what} not read, in a form that is not known"),
        "a score would be made without it; give the calls as {\"name\", \"args\"}",
    )
}
