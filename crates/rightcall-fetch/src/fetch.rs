//! Fetches page after page into a file.

use std::path::Path;

use serde_json::{Value, json};

use crate::circles::Circles;
use crate::part_file::{PartFile, PartState, question_of};
use crate::{
    FetchError, FetchQuestion, Fetched, FetchedTrace, Pause, Service, TimeBound, TraceSource,
    Variables,
};

/// Fetches the matching traces into a JSON Lines file, which appears only when it is complete.
/// Files with the ending `.gz` or `.zst` are compressed.
///
/// A stopped fetch continues after its last complete page, with its original time bounds; `anew` starts over. If there are no traces, no
/// file is created. `pause` waits while the service is busy; `progress` is called after every page.
///
/// # Errors
/// The service can't be reached or sends an invalid response, the file can't be written, or its partial file belongs to another query.
/// Pages written so far are kept for the next fetch.
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
        since: original_bound(question.since.as_ref(), before.as_ref(), "since"),
        until: original_bound(question.until.as_ref(), before.as_ref(), "until"),
        ..question.clone()
    };
    let mut source = service.open(variables, &question, pause)?;
    let asked = query_json(service, source.address(), &question);
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

/// Reads pages up to the last one needed, and writes each.
fn read_pages(
    source: &mut dyn TraceSource,
    part: &mut PartFile,
    question: &FetchQuestion,
    progress: &mut dyn FnMut(Fetched),
) -> Result<(), FetchError> {
    /// The maximum number of consecutive pages without a new trace. Some services send empty pages
    /// if a filter removes all their traces.
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
        let next = state_after(&part.state, &page.traces, page.next, ids, limit);
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

/// The state after a page has been written.
fn state_after(
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

/// The original time bound of a resumed fetch, if the user wrote the same text: `7d` means another
/// time now.
fn original_bound(
    bound: Option<&TimeBound>,
    before: Option<&Value>,
    key: &str,
) -> Option<TimeBound> {
    let begun: Option<TimeBound> =
        before.and_then(|before| serde_json::from_value(before.get(key)?.clone()).ok());
    let is_same = |begun: &TimeBound| bound.is_some_and(|it| it.text == begun.text);
    begun.filter(is_same).or_else(|| bound.cloned())
}

/// The query, to compare with the one of a partial file.
fn query_json(service: &Service, address: &str, question: &FetchQuestion) -> Value {
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
