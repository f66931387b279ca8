//! Calls requested by models, with their results and the tool spans that executed them.

use std::collections::{HashSet, VecDeque};

use rightcall_core::value::Text;

use super::trace_spans::TraceSpans;
use crate::trace::conversation::CallResult;
use crate::trace::open_calls::{OpenCalls, TextMap};
use crate::trace::{LeftOut, TraceCall};

/// The calls requested by the models of a trace.
pub(super) struct Requests {
    pub(super) calls: Vec<RequestedCall>,
    /// Results without a known request, each with its span.
    pub(super) unanswered: Vec<(usize, CallResult)>,
}

/// A requested call.
pub(super) struct RequestedCall {
    pub(super) span: usize,
    pub(super) call: TraceCall,
    /// The index of its message, and of the call in it.
    pub(super) place: (u64, usize),
    /// The number of calls in its message.
    pub(super) of: usize,
}

/// The requested calls ordered by time, with the results found in model inputs.
pub(super) fn requests(spans: &mut TraceSpans<'_>) -> Requests {
    let mut order: Vec<usize> = (0..spans.seen.len())
        .filter(|&span| {
            !spans.seen[span].exchange.asked.is_empty()
                || !spans.seen[span].exchange.results.is_empty()
        })
        .collect();
    explain_reasons(spans);
    // An enclosing span may repeat the requests of an inner one.
    for &span in &order {
        let outer: Vec<_> = spans.ancestors(span).collect();
        for around in outer {
            for place in 0..spans.seen[span].exchange.asked.len() {
                let call = &spans.seen[span].exchange.asked[place];
                let repeated = spans.seen[around]
                    .exchange
                    .asked
                    .iter()
                    .position(|other| is_same_call(call, other));
                if let Some(repeated) = repeated {
                    spans.seen[around].exchange.asked.remove(repeated);
                    spans.report.drop(LeftOut::RecordedTwice);
                }
            }
        }
    }
    order.sort_by_key(|&span| (spans.seen[span].start, spans.seen[span].end, span));
    drop_second_records(spans, &order);
    let mut asked: Vec<RequestedCall> = Vec::new();
    let mut open = OpenCalls::default();
    let mut answered: TextMap<Text<'static>, Vec<usize>> = TextMap::default();
    let mut unanswered = Vec::new();
    let mut message = 0;
    for span in order {
        let exchange = std::mem::take(&mut spans.seen[span].exchange);
        for result in exchange.results {
            match open.answer(result.id.as_ref(), result.name.as_ref()) {
                Some(index) => {
                    if let Some(id) = result.id {
                        answered.entry(id).or_default().push(index);
                    }
                    asked[index].call.output = result.output;
                    asked[index].call.error = result.error;
                }
                // Some carriers repeat the whole history with every call.
                None if is_repeated(&result, &answered, &asked) => {}
                None => unanswered.push((span, result)),
            }
        }
        if exchange.asked.is_empty() {
            continue;
        }
        open.begin_group();
        let of = exchange.asked.len();
        for (place, call) in exchange.asked.into_iter().enumerate() {
            open.open(call.id.as_ref(), &call.name);
            asked.push(RequestedCall {
                span,
                call,
                place: (message, place),
                of,
            });
        }
        message += 1;
    }
    // A result may be recorded before its call.
    unanswered.retain(|(_, result)| {
        let is_open = |it: &&mut RequestedCall| it.call.output.is_none();
        let same_id = |it: &&mut RequestedCall| result.id.is_some() && it.call.id == result.id;
        let call = asked.iter_mut().filter(is_open).find(same_id);
        call.map(|it| answer(&mut it.call, result)).is_none()
    });
    Requests {
        calls: asked,
        unanswered,
    }
}

/// Drops requests without ids that another span shows with ids in the same time. A second instrumentation that lost its context writes
/// its span beside that of the first.
fn drop_second_records(spans: &mut TraceSpans<'_>, order: &[usize]) {
    for (place, &outer) in order.iter().enumerate() {
        let Some(end) = spans.seen[outer].end else {
            continue;
        };
        for &inner in &order[place + 1..] {
            if spans.seen[inner].start > Some(end) {
                break;
            }
            if spans.seen[inner].end.is_some_and(|inner| inner <= end) {
                drop_second_record(spans, outer, inner);
                drop_second_record(spans, inner, outer);
            }
        }
    }
}

/// Drops requests without ids of a span that another span shows with ids.
fn drop_second_record(spans: &mut TraceSpans<'_>, with: usize, without: usize) {
    let named = std::mem::take(&mut spans.seen[with].exchange.asked);
    let asked = &mut spans.seen[without].exchange.asked;
    for call in named.iter().filter(|call| call.id.is_some()) {
        let second = |it: &TraceCall| it.id.is_none() && is_same_call(it, call);
        if let Some(second) = asked.iter().position(second) {
            asked.remove(second);
            spans.report.drop(LeftOut::RecordedTwice);
        }
    }
    spans.seen[with].exchange.asked = named;
}

/// Clears the stop reason of spans without content if another span shows the calls of the same reply: a span around it, a span inside it,
/// or one with the same id of the reply. The provider's library may write such a span next to that of an instrumentation.
fn explain_reasons(spans: &mut TraceSpans<'_>) {
    let reasons: Vec<_> = (0..spans.seen.len())
        .filter(|&span| spans.seen[span].exchange.unmet_reason.is_some())
        .collect();
    if reasons.is_empty() {
        return;
    }
    let asks = |span: usize| !spans.seen[span].exchange.asked.is_empty();
    let (mut around, mut replies) = (HashSet::new(), HashSet::new());
    for span in (0..spans.seen.len()).filter(|&span| asks(span)) {
        around.extend(spans.ancestors(span).next());
        replies.extend(&spans.seen[span].reply);
    }
    let is_shown = |&span: &usize| {
        let reply = spans.seen[span].reply.as_ref();
        around.contains(&span)
            || spans.ancestors(span).next().is_some_and(asks)
            || reply.is_some_and(|reply| replies.contains(reply))
    };
    let shown: Vec<_> = reasons.into_iter().filter(is_shown).collect();
    for span in shown {
        spans.seen[span].exchange.unmet_reason = None;
    }
}

/// Sets the result of a call.
pub(super) fn answer(call: &mut TraceCall, result: &CallResult) {
    call.output.clone_from(&result.output);
    call.error.clone_from(&result.error);
}

/// True for a result that was already assigned to a call.
fn is_repeated(
    result: &CallResult,
    answered: &TextMap<Text<'static>, Vec<usize>>,
    asked: &[RequestedCall],
) -> bool {
    let calls = result.id.as_ref().and_then(|id| answered.get(id));
    calls.is_some_and(|calls| {
        calls
            .iter()
            .any(|&call| asked[call].call.output == result.output)
    })
}

fn is_same_call(a: &TraceCall, b: &TraceCall) -> bool {
    match (&a.id, &b.id) {
        (Some(a), Some(b)) => a == b,
        _ => a.is_equal(b),
    }
}

/// For each tool span, the request that it executes: matched by id, else by name and arguments, else by name, oldest first. And for each
/// request, true if a tool span executes it.
pub(super) fn match_up(
    spans: &TraceSpans<'_>,
    tools: &[usize],
    asked: &[RequestedCall],
) -> (Vec<Option<usize>>, Vec<bool>) {
    let mut by_id: TextMap<&Text<'_>, VecDeque<usize>> = TextMap::default();
    let mut by_name: TextMap<&Text<'_>, Vec<usize>> = TextMap::default();
    let mut is_matched = vec![false; asked.len()];
    for (index, it) in asked.iter().enumerate() {
        if let Some(id) = &it.call.id {
            by_id.entry(id).or_default().push_back(index);
        }
        by_name.entry(&it.call.name).or_default().push(index);
    }
    let mut order: Vec<usize> = (0..tools.len()).collect();
    order.sort_by_key(|&tool| (spans.seen[tools[tool]].start, tool));
    let mut matches = vec![None; tools.len()];
    let call = |tool: usize| spans.seen[tools[tool]].tool.as_ref().map(|tool| &tool.call);
    for pass in [Pass::Id, Pass::Arguments, Pass::Name] {
        for &tool in &order {
            let Some(ran) = call(tool).filter(|_| matches[tool].is_none()) else {
                continue;
            };
            let found = match pass {
                Pass::Id => ran
                    .id
                    .as_ref()
                    .and_then(|id| by_id.get_mut(id))
                    .and_then(|same| {
                        // If several calls share an id, prefer the one with the same name, which a framework may spell differently.
                        let named = same
                            .iter()
                            .position(|&index| asked[index].call.name == ran.name);
                        same.remove(named.unwrap_or_default())
                    }),
                Pass::Arguments | Pass::Name => by_name.get(&ran.name).and_then(|named| {
                    named.iter().copied().find(|&index| {
                        let by = &asked[index];
                        let ids_differ =
                            by.call.id.is_some() && ran.id.is_some() && by.call.id != ran.id;
                        !is_matched[index]
                            && !ids_differ
                            && (pass == Pass::Name || by.call.arguments.is_same(&ran.arguments))
                    })
                }),
            };
            if let Some(index) = found {
                is_matched[index] = true;
                matches[tool] = Some(index);
            }
        }
    }
    (matches, is_matched)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Id,
    Arguments,
    Name,
}

#[cfg(test)]
mod tests;
