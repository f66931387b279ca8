//! The calls of a trace out of what its spans told, each once.
//!
//! Tool spans are the evidence where there are any. A span that another one around it repeats is dropped. What a model asked
//! for is matched with what ran: it tells turns, groups and what nobody ran; without tool spans it is the evidence itself.

use std::collections::{BTreeMap, HashSet, VecDeque};

use rightcall::value::{Syntax, Text, Value, ValueEquality, decode_with};

use super::dialect::{ToolKind, fill};
use super::parts::drop_inner_visits;
use super::trace_spans::TraceSpans;
use crate::trace::conversation::CallResult;
use crate::trace::open_calls::{OpenCalls, TextMap};
use crate::trace::{
    CallOrder, CallSubject, CaseScope, Choices, Evidence, Executor, Keep, LeftOut, ToolId,
    TraceArguments, TraceCall,
};

/// A call that a model asked for.
struct RequestedCall {
    span: usize,
    call: TraceCall,
    /// The place of its message among all, and of the call in it.
    place: (u64, usize),
    /// How many calls its message asked for.
    of: usize,
}

/// A call on its way into the trace, with what decides its place there.
struct OrderedCall {
    span: usize,
    is_tool: bool,
    /// The span in which it was asked for.
    asker: Option<usize>,
    asked: Option<(u64, usize)>,
    time: Option<i128>,
    call: TraceCall,
}

/// The calls of a trace, in order.
pub(super) fn calls(spans: &mut TraceSpans<'_>, choices: &Choices) -> Vec<TraceCall> {
    keep_calls_of_the_agent(spans, choices);
    match choices.calls {
        CallSubject::Tools => drop_repeated_tools(spans),
        CallSubject::Nodes | CallSubject::Agents => drop_inner_visits(spans),
    }
    let orphans = spans.report.orphans;
    let mut asked = asked(spans);
    let tools: Vec<usize> = (0..spans.seen.len())
        .filter(|&span| spans.seen[span].tool.is_some())
        .collect();
    let mut placed = Vec::new();
    let (matches, is_matched) = match_up(spans, &tools, &asked);
    let (has_tools, has_asked) = (!tools.is_empty(), !asked.is_empty());
    for (&span, asked_for) in tools.iter().zip(&matches) {
        let Some(tool) = spans.seen[span].tool.take() else {
            continue;
        };
        let mut call = tool.call;
        let by = asked_for.map(|index| {
            fill(&mut call, std::mem::take(&mut asked[index].call));
            &asked[index]
        });
        if let Some(by) = by {
            (call.turn, call.group) = turn(by);
        } else if choices.evidence == Evidence::Asked && has_asked {
            spans.report.drop(LeftOut::OtherEvidence);
            continue;
        }
        placed.push(OrderedCall {
            span,
            is_tool: true,
            asker: by.map(|by| by.span),
            asked: by.map(|by| by.place),
            time: call.start,
            call,
        });
    }
    let unmatched = asked.into_iter().zip(is_matched).filter(|it| !it.1);
    let unmatched = unmatched.filter_map(|(by, _)| requested_only(spans, by, has_tools, choices));
    placed.extend(unmatched);
    if placed.is_empty() && !spans.history.is_empty() && choices.evidence != Evidence::Ran {
        spans.report.note("no span tells of a call: the calls are those of the longest history that a model was shown");
        // The results in it have their calls there.
        spans.report.orphans = orphans;
        return std::mem::take(&mut spans.history);
    }
    in_order(&mut placed, choices);
    let calls = with_parents(spans, placed, choices);
    if choices.tool_id != ToolId::Call && look_like_ids_of_calls(&calls) {
        spans.report.note("the values of `tool.id` look like ids of calls, not of tools: `--read tool-id=call` reads them so");
    }
    calls
}

/// A call that a model asked for and no tool span answers, unless it was told to be left out.
fn requested_only(
    spans: &mut TraceSpans<'_>,
    by: RequestedCall,
    has_tools: bool,
    choices: &Choices,
) -> Option<OrderedCall> {
    if has_tools && choices.evidence == Evidence::Ran {
        spans.report.drop(LeftOut::OtherEvidence);
        return None;
    }
    if by.call.executor == Executor::Provider && choices.provider == Keep::Drop {
        spans.report.drop(LeftOut::ProviderExecuted);
        return None;
    }
    let (turn, group) = turn(&by);
    let is_answered = by.call.output.is_some() || by.call.executor == Executor::Provider;
    let executor = if has_tools && !is_answered {
        Executor::Nobody
    } else {
        by.call.executor
    };
    Some(OrderedCall {
        span: by.span,
        is_tool: false,
        asker: None,
        asked: Some(by.place),
        time: spans.seen[by.span].end.or(spans.seen[by.span].start),
        call: TraceCall {
            turn,
            group,
            executor,
            ..by.call
        },
    })
}

/// True if ids of tools are as many as calls, although tools are called again, or are written as models write ids of calls.
fn look_like_ids_of_calls(calls: &[TraceCall]) -> bool {
    let with_ids: Vec<_> = calls
        .iter()
        .filter_map(|call| Some((call.tool_id.as_ref()?, &call.name)))
        .collect();
    let ids: HashSet<_> = with_ids.iter().map(|(id, _)| id).collect();
    let names: HashSet<_> = with_ids.iter().map(|(_, name)| name).collect();
    let is_of_call = |id: &Text<'_>| {
        [&b"call_"[..], b"toolu_", b"tooluse_", b"chatcmpl-tool-"]
            .iter()
            .any(|start| id.as_bytes().starts_with(start))
    };
    let all_differ = ids.len() == with_ids.len() && names.len() < with_ids.len();
    all_differ || with_ids.iter().any(|(id, _)| is_of_call(id))
}

fn turn(asked: &RequestedCall) -> (Option<u64>, Option<Text<'static>>) {
    let group = (asked.of > 1).then(|| Text::from(format!("group-{}", asked.place.0 + 1)));
    (Some(asked.place.0), group)
}

/// Takes away what is no call of the agent.
fn keep_calls_of_the_agent(spans: &mut TraceSpans<'_>, choices: &Choices) {
    let is_marked = spans
        .seen
        .iter()
        .flat_map(|seen| &seen.tool)
        .any(|tool| tool.kind == ToolKind::Marked);
    for seen in &mut spans.seen {
        let dropped = match seen.tool.as_ref().map(|tool| tool.kind) {
            Some(ToolKind::Merged) => Some(LeftOut::MergedSpan),
            Some(ToolKind::Internal) if choices.internal == Keep::Drop => Some(LeftOut::Internal),
            // In a trace whose tool spans are marked, an unmarked one that names a tool is none.
            Some(ToolKind::IfNoneIsMarked) if is_marked => Some(LeftOut::Unmarked),
            _ => None,
        };
        if let Some(reason) = dropped {
            seen.tool = None;
            spans.report.drop(reason);
        }
    }
}

/// Drops tool spans that stand for a call which has a span already: another instrumentation, the protocol's side of it, or the
/// steps of one run. What only they know goes to the span that stays.
fn drop_repeated_tools(spans: &mut TraceSpans<'_>) {
    let depth = |span: usize| spans.ancestors(span).count();
    let mut inner_first: Vec<_> = (0..spans.seen.len())
        .filter(|&it| spans.seen[it].tool.is_some())
        .map(|it| (depth(it), it))
        .collect();
    inner_first.sort_by_key(|&(depth, span)| (usize::MAX - depth, span));
    for (_, span) in inner_first {
        let around: Vec<_> = spans
            .ancestors(span)
            .filter(|&it| spans.seen[it].tool.is_some())
            .collect();
        let sibling = earlier_sibling(spans, span);
        let keeper = around
            .into_iter()
            .enumerate()
            .find(|&(place, outer)| repeats(spans, span, outer, place == 0))
            .map(|it| it.1);
        let Some(keeper) = keeper.or(sibling) else {
            continue;
        };
        let (Some(dropped), Some(kept)) =
            (spans.seen[span].tool.take(), &mut spans.seen[keeper].tool)
        else {
            continue;
        };
        fill(&mut kept.call, dropped.call);
        spans.report.drop(LeftOut::RecordedTwice);
    }
}

/// True if a tool span stands for the same call as one around it.
fn repeats(spans: &TraceSpans<'_>, inner: usize, outer: usize, is_nearest: bool) -> bool {
    let (Some(a), Some(b)) = (&spans.seen[inner].tool, &spans.seen[outer].tool) else {
        return false;
    };
    if a.kind == ToolKind::Protocol && is_nearest && ends_with(&b.call.name, &a.call.name) {
        return true;
    }
    a.call.name == b.call.name
        && match (&a.call.id, &b.call.id) {
            (Some(a), Some(b)) => a == b,
            _ => {
                same_arguments(&a.call.arguments, &b.call.arguments)
                    && is_inside(spans, inner, outer)
            }
        }
}

fn ends_with(name: &Text<'_>, ending: &Text<'_>) -> bool {
    name.as_bytes().ends_with(ending.as_bytes())
}

fn is_inside(spans: &TraceSpans<'_>, inner: usize, outer: usize) -> bool {
    let (inner, outer) = (&spans.seen[inner], &spans.seen[outer]);
    inner.start >= outer.start && inner.end <= outer.end
}

/// The span of the same run, where a framework writes its start, success and finish as spans beside each other.
fn earlier_sibling(spans: &TraceSpans<'_>, span: usize) -> Option<usize> {
    let seen = &spans.seen[span];
    let tool = seen
        .tool
        .as_ref()
        .filter(|tool| tool.kind == ToolKind::IfNoneIsMarked)?;
    seen.start?;
    (0..spans.seen.len()).find(|&other| {
        let around = &spans.seen[other];
        let is_larger = (around.start, std::cmp::Reverse(around.end), other)
            < (seen.start, std::cmp::Reverse(seen.end), span);
        let is_same_run = |it: &TraceCall| {
            it.name == tool.call.name
                && (it.id.is_none() || tool.call.id.is_none() || it.id == tool.call.id)
                && (same_arguments(&it.arguments, &tool.call.arguments)
                    || TraceArguments::Absent == it.arguments
                    || TraceArguments::Absent == tool.call.arguments)
        };
        other != span
            && is_larger
            && around.parent == seen.parent
            && around.parent.is_some()
            && is_inside(spans, span, other)
            && around
                .tool
                .as_ref()
                .is_some_and(|it| it.kind == ToolKind::IfNoneIsMarked && is_same_run(&it.call))
    })
}

/// What the models asked for, in the order of time, with the results that later inputs hold.
fn asked(spans: &mut TraceSpans<'_>) -> Vec<RequestedCall> {
    let mut order: Vec<usize> = (0..spans.seen.len())
        .filter(|&span| {
            !spans.seen[span].exchange.asked.is_empty()
                || !spans.seen[span].exchange.results.is_empty()
        })
        .collect();
    // A span around another may repeat what the model asked for there.
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
    let mut asked: Vec<RequestedCall> = Vec::new();
    let mut open = OpenCalls::default();
    let mut answered: TextMap<Text<'static>, Vec<usize>> = TextMap::default();
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
                // Some carriers give the whole history with every call.
                None if is_repeated(&result, &answered, &asked) => {}
                None => spans.report.orphans += 1,
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
    asked
}

/// True for a result that a call has been given before.
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
        _ => a.name == b.name && same_arguments(&a.arguments, &b.arguments),
    }
}

/// For each tool span the call that it answers: by id, else by name and arguments, else by name, the oldest first. And for each
/// call whether one does.
fn match_up(
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
                        // Of calls with one id that of the name, which a framework may have written otherwise.
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
                            && (pass == Pass::Name
                                || same_arguments(&by.call.arguments, &ran.arguments))
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

/// True if arguments hold the same, however they were written down.
fn same_arguments(a: &TraceArguments, b: &TraceArguments) -> bool {
    fn value(arguments: &TraceArguments) -> Option<Value<'_>> {
        match arguments {
            TraceArguments::Absent => None,
            TraceArguments::Json(json) => decode_with(json, Syntax::PYTHON).ok(),
            TraceArguments::Text(text) | TraceArguments::Free(text) => {
                Some(rightcall::call::argument_text(text).0)
            }
        }
    }
    a == b
        || match (value(a), value(b)) {
            (Some(a), Some(b)) => ValueEquality::Json.equal(&a, &b),
            (None, None) => true,
            _ => false,
        }
}

/// Sorts by time, as exporters write spans when they end; where times tie, by the order in which the calls were asked for.
fn in_order(placed: &mut [OrderedCall], choices: &Choices) {
    if choices.order == CallOrder::Document || placed.iter().any(|it| it.time.is_none()) {
        placed.sort_by_key(|it| it.span);
    } else {
        placed.sort_by_key(|it| (it.time, it.asked.is_none(), it.asked, it.call.end, it.span));
    }
}

/// Names the call around each call, the agent that made it, and the part of the run that it is of.
fn with_parents(
    spans: &mut TraceSpans<'_>,
    placed: Vec<OrderedCall>,
    choices: &Choices,
) -> Vec<TraceCall> {
    let by_span: BTreeMap<usize, usize> = placed
        .iter()
        .enumerate()
        .filter(|(_, it)| it.is_tool)
        .map(|(place, it)| (it.span, place))
        .collect();
    let mut calls = Vec::with_capacity(placed.len());
    let mut dropped = 0;
    for OrderedCall {
        span,
        asker,
        mut call,
        ..
    } in placed
    {
        if choices.scope != CaseScope::Run {
            // A tool may run in a span of nobody, asked for by an agent.
            let asker = || asker.and_then(|asker| spans.part_of(asker));
            call.part = spans.part_of(span).or_else(asker);
        }
        let around: Vec<_> = spans.ancestors(span).collect();
        let parent = around.iter().position(|outer| by_span.contains_key(outer));
        if let Some(parent) = parent {
            if choices.sub_agents == Keep::Drop {
                dropped += 1;
                continue;
            }
            call.parent = by_span.get(&around[parent]).copied();
            call.actor = std::iter::once(&span)
                .chain(&around[..parent])
                .find_map(|&it| spans.seen[it].agent.clone())
                .map(Text::into_owned);
        }
        calls.push(call);
    }
    (0..dropped).for_each(|_| spans.report.drop(LeftOut::SubAgent));
    calls
}
