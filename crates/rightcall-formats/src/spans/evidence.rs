//! Assembles the calls of a trace from its spans, without duplicates.
//!
//! Tool spans are the evidence if there are any. A span repeated by an outer one is dropped. Calls requested by models are matched with
//! executed ones: they determine turns, groups and the calls that did not run. Without tool spans, they are the evidence themselves.

use std::collections::{BTreeMap, HashMap, HashSet};

use rightcall_core::value::Text;

use super::dialect::{Exchange, ToolKind, fill};
use super::parts::drop_inner_visits;
use super::requests::{RequestedCall, Requests, answer, match_up, requests};
use super::trace_spans::TraceSpans;
use super::turn::tell_unmet_reasons;
use crate::trace::conversation::CallResult;
use crate::trace::{
    CallOrder, CallSubject, CaseScope, Choices, Evidence, Executor, Keep, LeftOut, ToolId,
    TraceArguments, TraceCall,
};

/// A call to be placed in the trace, with its sort criteria.
struct OrderedCall {
    span: usize,
    is_tool: bool,
    /// The span that requested it.
    asker: Option<usize>,
    asked: Option<(u64, usize)>,
    time: Option<i128>,
    call: TraceCall,
}

/// The calls of a trace, in order.
pub(super) fn calls(spans: &mut TraceSpans<'_>, choices: &Choices) -> Vec<TraceCall> {
    let hands_off = spans.seen.iter().flat_map(|seen| &seen.tool);
    let hands_off = hands_off.filter(|it| it.kind == ToolKind::HandOff).count();
    keep_calls_of_the_agent(spans, choices);
    match choices.calls {
        CallSubject::Tools => drop_repeated_tools(spans),
        CallSubject::Nodes | CallSubject::Agents => drop_inner_visits(spans),
    }
    give_records_to_tools(spans);
    let Requests {
        calls: mut asked,
        unanswered,
    } = requests(spans);
    if hands_off > 0 && asked.is_empty() {
        let kind = "the call of a hand-off";
        spans.report.left_over(kind.to_owned(), "in the trajectory");
    }
    let tools: Vec<usize> = (0..spans.seen.len())
        .filter(|&span| spans.seen[span].tool.is_some())
        .collect();
    let (matches, is_matched) = match_up(spans, &tools, &asked);
    let unasked = tools.iter().zip(&matches).filter(|it| it.1.is_none());
    let unasked: Vec<_> = unasked.map(|(&span, _)| spans.seen[span].start).collect();
    tell_unmet_reasons(spans, unasked);
    tell_lost_calls(spans, &tools, &asked);
    let mut placed = Vec::new();
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
    let is_missing = placed.is_empty() && choices.evidence != Evidence::Ran;
    if is_missing && !spans.history.calls.is_empty() && spans.counts_history() {
        spans.report.note("no span tells of a call: the calls are those of the longest history that a model was shown");
        spans.report.orphans += spans.history.orphans;
        return std::mem::take(&mut spans.history.calls);
    }
    answer_the_rest(spans, unanswered, &mut placed);
    in_order(&mut placed, choices);
    let calls = with_parents(spans, placed, choices);
    if choices.tool_id != ToolId::Call && look_like_ids_of_calls(&calls) {
        spans.report.note("the values of `tool.id` look like ids of calls, not of tools: `--read tool-id=call` reads them so");
    }
    calls
}

/// Adds the facts of log records to the calls of their tool spans, as these records aren't exchanges with a model.
fn give_records_to_tools(spans: &mut TraceSpans<'_>) {
    for record in 0..spans.seen.len() {
        let Some(told) = spans.seen[record].of_tool.take() else {
            continue;
        };
        let around = spans.seen[record].parent.as_ref();
        let Some(&span) = around.and_then(|parent| spans.by_id.get(parent)) else {
            continue;
        };
        if let Some(tool) = &mut spans.seen[span].tool {
            fill(&mut tool.call, *told);
            spans.seen[record].exchange = Exchange::default();
        }
    }
}

/// Pairs results without a request with the tool spans of their ids or names. A result that names its tool proves at least that the tool
/// was called.
fn answer_the_rest(
    spans: &mut TraceSpans<'_>,
    unanswered: Vec<(usize, CallResult)>,
    placed: &mut Vec<OrderedCall>,
) {
    let mut orphans = 0;
    for (span, result) in unanswered {
        let is_open = |it: &OrderedCall| it.call.output.is_none() && it.call.error.is_none();
        let answered = match (&result.id, &result.name) {
            (Some(id), _) => {
                let mut same = placed
                    .iter_mut()
                    .filter(|it| it.call.id.as_ref() == Some(id));
                let first = same.next();
                first.map(|it| {
                    if is_open(it) {
                        answer(&mut it.call, &result);
                    }
                })
            }
            (None, name) => {
                let is_named = |it: &&mut OrderedCall| {
                    it.is_tool
                        && is_open(it)
                        && name.as_ref().is_none_or(|it_is| it.call.name == *it_is)
                };
                placed
                    .iter_mut()
                    .find(is_named)
                    .map(|it| answer(&mut it.call, &result))
            }
        };
        if answered.is_some() {
            continue;
        }
        orphans += 1;
        placed.extend(result.name.map(|name| OrderedCall {
            span,
            is_tool: false,
            asker: None,
            asked: None,
            time: spans.seen[span].start,
            call: TraceCall {
                name,
                id: result.id,
                output: result.output,
                error: result.error,
                ..TraceCall::default()
            },
        }));
    }
    let in_history = if spans.counts_history() {
        spans.history.orphans
    } else {
        0
    };
    spans.report.orphans += orphans.max(in_history);
}

/// Counts the calls in a state's messages that exceed the calls that the spans show for the same tool.
fn tell_lost_calls(spans: &mut TraceSpans<'_>, tools: &[usize], asked: &[RequestedCall]) {
    if !spans.history.is_of_run || tools.is_empty() && asked.is_empty() {
        return;
    }
    let mut missing: HashMap<Text<'static>, usize> = HashMap::new();
    for call in &spans.history.calls {
        *missing.entry(call.name.clone()).or_default() += 1;
    }
    let mut known: HashMap<&Text<'_>, usize> = HashMap::new();
    for it in asked {
        *known.entry(&it.call.name).or_default() += 1;
    }
    let mut ran: HashMap<&Text<'_>, usize> = HashMap::new();
    for tool in tools.iter().filter_map(|&it| spans.seen[it].tool.as_ref()) {
        *ran.entry(&tool.call.name).or_default() += 1;
    }
    let count = |of: &HashMap<&Text<'_>, usize>, name| of.get(name).copied().unwrap_or_default();
    let lost: usize = missing
        .iter()
        .map(|(name, &number)| number.saturating_sub(count(&known, name).max(count(&ran, name))))
        .sum();
    for _ in 0..lost {
        let kind = "a call in the messages of a state that no span shows";
        spans.report.left_over(kind.to_owned(), "in the trajectory");
    }
}

/// A requested call without a tool span, unless it is to be left out.
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

/// True if the tool ids are really call ids: they are all different although tools are repeated, or they look like a model's call ids.
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

/// Removes spans that aren't calls of the agent.
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
            Some(ToolKind::HandOff) => Some(LeftOut::RecordedTwice),
            // If the tool spans of a trace are marked, an unmarked span with a tool name isn't a tool span.
            Some(ToolKind::IfNoneIsMarked) if is_marked => Some(LeftOut::Unmarked),
            _ => None,
        };
        if let Some(reason) = dropped {
            seen.tool = None;
            spans.report.drop(reason);
        }
    }
}

/// Drops tool spans for a call that already has one: from another instrumentation, from the protocol, or for the steps of one run. Their
/// additional facts are added to the remaining span.
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

/// True if a tool span is the same call as an enclosing one.
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
            _ => a.call.arguments.is_same(&b.call.arguments) && is_inside(spans, inner, outer),
        }
}

fn ends_with(name: &Text<'_>, ending: &Text<'_>) -> bool {
    name.as_bytes().ends_with(ending.as_bytes())
}

fn is_inside(spans: &TraceSpans<'_>, inner: usize, outer: usize) -> bool {
    let (inner, outer) = (&spans.seen[inner], &spans.seen[outer]);
    inner.start >= outer.start && inner.end <= outer.end
}

/// The earlier span of the same run, for a framework that writes start, success and finish as sibling spans.
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
                && (it.arguments.is_same(&tool.call.arguments)
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

/// Sorts by time, as exporters write spans when they end. Equal times are sorted by the order of requests.
fn in_order(placed: &mut [OrderedCall], choices: &Choices) {
    if choices.order == CallOrder::Document || placed.iter().any(|it| it.time.is_none()) {
        placed.sort_by_key(|it| it.span);
    } else {
        placed.sort_by_key(|it| (it.time, it.asked.is_none(), it.asked, it.call.end, it.span));
    }
}

/// Sets the enclosing call, the agent and the part of each call.
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
            // The span of a tool may have no agent; then use the span that requested it.
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
