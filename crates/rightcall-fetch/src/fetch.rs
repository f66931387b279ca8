//! From page to page, into a file.

use std::path::Path;

use serde_json::{Value, json};

use crate::circles::Circles;
use crate::part_file::{PartFile, PartState, question_of};
use crate::{
    FetchError, FetchQuestion, Fetched, FetchedTrace, Pause, Service, TimeBound, TraceSource,
    Variables,
};

/// Fetches the traces that are asked for into a file of JSON Lines, which appears when it is whole; packed where it is called `.gz` or `.zst`.
///
/// A fetch that was stopped goes on behind its last whole page, with the times that it began with; `anew` begins again. Where there is
/// nothing to fetch there is no file. `pause` waits while the service is busy; `progress` is told after every page.
///
/// # Errors
/// The service cannot be reached or answers what it should not, the file cannot be written, or what is there of it belongs to another
/// question. What had been written stays for the next fetch.
pub fn fetch(
    service: &Service,
    variables: &Variables<'_>,
    question: &FetchQuestion,
    output: &Path,
    anew: bool,
    pause: Box<dyn FnMut(&Pause)>,
    progress: &mut dyn FnMut(Fetched),
) -> Result<Fetched, FetchError> {
    let before = if anew { None } else { question_of(output)? };
    let question = FetchQuestion {
        since: as_begun(question.since.as_ref(), before.as_ref(), "since"),
        until: as_begun(question.until.as_ref(), before.as_ref(), "until"),
        ..question.clone()
    };
    let mut source = service.open(variables, &question, pause)?;
    let asked = asked(service, source.address(), &question);
    if before.is_some_and(|before| before != asked) {
        return Err(FetchError::OtherPart {
            path: output.to_owned(),
            what: "a part of it is there, which was fetched for another question".to_owned(),
        });
    }
    let state = PartState {
        question: asked,
        ..PartState::default()
    };
    let mut part = PartFile::open(output, state, anew)?;
    if let Err(error) = read_pages(&mut *source, &mut part, &question, progress) {
        if part.state.fetched.pages == 0 {
            part.remove()?;
        }
        return Err(error);
    }
    let fetched = part.state.fetched;
    if fetched.records == 0 {
        part.remove()?;
    } else {
        part.finish()?;
    }
    Ok(fetched)
}

/// Reads pages to the last that is wanted, and writes each.
fn read_pages(
    source: &mut dyn TraceSource,
    part: &mut PartFile,
    question: &FetchQuestion,
    progress: &mut dyn FnMut(Fetched),
) -> Result<(), FetchError> {
    /// Pages in a row without a new trace: some services give empty pages where a filter leaves nothing of one.
    const MOST_WITHOUT_NEW: u32 = 20;
    let limit = question.limit.map_or(usize::MAX, usize::from);
    let last = part.state.last.clone();
    let mut circles = Circles::begin(
        part.state.cursor.as_deref(),
        last.iter().map(String::as_str),
    );
    while !part.state.is_whole {
        let most = limit - part.state.fetched.traces;
        let mut page = source.page(part.state.cursor.as_deref(), most)?;
        let ids: Vec<_> = page.traces.iter().map(|trace| trace.id.clone()).collect();
        page.traces
            .retain(|trace| !part.state.last.contains(&trace.id));
        let next = after(&part.state, &page.traces, page.next, ids, limit);
        part.append(&page.traces, next)?;
        progress(part.state.fetched);
        let PartState {
            last,
            cursor,
            is_whole: false,
            ..
        } = &part.state
        else {
            break;
        };
        let ids = last.iter().map(String::as_str);
        let next = cursor.as_deref().unwrap_or_default();
        circles
            .page(ids, next, MOST_WITHOUT_NEW)
            .map_err(|what| FetchError::Circle {
                address: source.address().to_owned(),
                what: what.to_owned(),
            })?;
    }
    Ok(())
}

/// What is known when a page has been written.
fn after(
    before: &PartState,
    traces: &[FetchedTrace],
    cursor: Option<String>,
    last: Vec<String>,
    limit: usize,
) -> PartState {
    let mut fetched = before.fetched;
    fetched.pages += 1;
    for trace in traces {
        fetched.traces += usize::from(!trace.records.is_empty());
        fetched.without_records += u64::from(trace.records.is_empty());
        fetched.records += trace.records.len() as u64;
    }
    PartState {
        is_whole: cursor.is_none() || fetched.traces >= limit,
        fetched,
        cursor,
        last,
        ..before.clone()
    }
}

/// The bound as it was when the fetch began, if it was written in the same words: `7d` means another time now.
fn as_begun(bound: Option<&TimeBound>, before: Option<&Value>, key: &str) -> Option<TimeBound> {
    let begun: Option<TimeBound> =
        before.and_then(|before| serde_json::from_value(before.get(key)?.clone()).ok());
    let is_same = |begun: &TimeBound| bound.is_some_and(|it| it.text == begun.text);
    begun.filter(is_same).or_else(|| bound.cloned())
}

/// What is asked, for comparison with what was asked before.
fn asked(service: &Service, address: &str, question: &FetchQuestion) -> Value {
    json!({
        "service": service.name,
        "address": address,
        "project": question.project,
        "since": question.since,
        "until": question.until,
        "limit": question.limit,
        "filters": question.filters,
    })
}
