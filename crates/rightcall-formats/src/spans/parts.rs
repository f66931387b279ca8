//! Finds the agent or graph node of a span, and the spans that represent a visit of one.

use std::collections::HashSet;
use std::iter::once;

use rightcall_core::value::{Syntax, Text, is_json};

use super::dialect::{Tool, ToolKind, name_without};
use super::dialects::observations::{PLATFORMS, Platform};
use super::span::{Attribute, TraceSpan};
use super::trace_spans::TraceSpans;
use crate::trace::{CaseScope, TraceArguments, TraceCall};

/// The part of the run that a span belongs to; `None` if it inherits the part of its enclosing spans.
pub(super) fn part_of(span: &TraceSpan<'_>, scope: CaseScope) -> Option<Text<'static>> {
    match scope {
        CaseScope::Agent => agent_of(span),
        CaseScope::Node => node_of(span).map(|node| node.name),
        CaseScope::Run | CaseScope::Turn => None,
    }
}

/// The visit that a span represents, as a call with the name of the agent or node.
pub(super) fn visit(span: &TraceSpan<'_>, subject: CaseScope) -> Option<Tool> {
    let node = match subject {
        CaseScope::Agent if stands_for_agent(span) => GraphNode {
            name: agent_of(span)?,
            visit: None,
        },
        CaseScope::Node => node_of(span)?,
        _ => return None,
    };
    // Attributes of input and output in libraries, platforms and frameworks.
    let value = |library, of_platform: fn(&Platform) -> &'static str, framework| {
        let keys = PLATFORMS.iter().map(of_platform);
        let mut keys = once(library).chain(keys).chain(once(framework));
        keys.find_map(|key| span.attributes.get(key))
    };
    let went_in = value("input.value", |it| it.input, "traceloop.entity.input");
    let came_out = value("output.value", |it| it.output, "traceloop.entity.output");
    let call = TraceCall {
        name: node.name,
        id: node.visit,
        arguments: went_in.map_or(TraceArguments::Absent, input),
        output: came_out.map(Attribute::output),
        error: span.error.clone(),
        start: span.start,
        end: span.end,
        ..TraceCall::default()
    };
    Some(Tool::new(call, ToolKind::Certain))
}

/// The node of a span.
struct GraphNode {
    name: Text<'static>,
    /// Distinguishes this visit from others of the node, if recorded.
    visit: Option<Text<'static>>,
}

/// The input of a node: the members of an object are its arguments, any other value is the single input.
fn input(value: &Attribute<'_>) -> TraceArguments {
    let source = value.source().unwrap_or_default().trim();
    if source.starts_with('{') && is_json(source, Syntax::PYTHON) {
        TraceArguments::Json(source.to_owned())
    } else {
        TraceArguments::Free(value.label())
    }
}

/// Attributes that name an agent.
const NAMES: [&str; 4] = ["gen_ai.agent.name", "agent.name", "agent_name", "agentName"];

/// The agent that a span names or represents.
fn agent_of(span: &TraceSpan<'_>) -> Option<Text<'static>> {
    let label = |key: &str| span.attributes.label(key);
    NAMES
        .into_iter()
        .find_map(label)
        .or_else(|| in_metadata(span, "lc_agent_name"))
        .or_else(|| {
            let name = || name_without(span, &["invoke_agent ", "agent_run "]);
            stands_for_agent(span).then(|| label("traceloop.entity.name").unwrap_or_else(name))
        })
        .filter(|name| !name.is_empty())
}

/// True for a span that is the run of an agent.
fn stands_for_agent(span: &TraceSpan<'_>) -> bool {
    // The OpenAI Agents SDK instrumentation also marks the whole workflow as an agent.
    if span.name == *"Agent workflow" {
        return false;
    }
    let attributes = &span.attributes;
    let kinds = || {
        let kind_of = |platform: &Platform| attributes.label(platform.kind);
        PLATFORMS.iter().filter_map(kind_of)
    };
    let is_agent = |kind: Text<'_>| {
        kind.to_display()
            .trim_matches('"')
            .eq_ignore_ascii_case("agent")
    };
    if attributes.says("gen_ai.operation.name", "invoke_agent")
        || attributes.says("openinference.span.kind", "AGENT")
        || attributes.says("traceloop.span.kind", "agent")
        || kinds().any(is_agent)
    {
        return true;
    }
    // The spans of some carriers have only the name of their agent.
    let has_kind = attributes
        .any(&[
            "gen_ai.operation.name",
            "openinference.span.kind",
            "traceloop.span.kind",
        ])
        .is_some();
    let is_unspecific = |kind: Text<'_>| kind.to_display().eq_ignore_ascii_case("span");
    attributes.any(&NAMES).is_some() && !has_kind && kinds().all(is_unspecific)
}

/// The node of a graph: the outermost for nested graphs.
fn node_of(span: &TraceSpan<'_>) -> Option<GraphNode> {
    if let Some(path) = in_metadata(span, "langgraph_checkpoint_ns") {
        let outermost = path
            .to_display()
            .split('|')
            .next()
            .unwrap_or_default()
            .to_owned();
        let name = outermost.split(':').next().unwrap_or_default().to_owned();
        if !name.is_empty() {
            return Some(GraphNode {
                name: name.into(),
                visit: Some(outermost.into()),
            });
        }
    }
    let name = in_metadata(span, "langgraph_node").or_else(|| {
        let keys = ["graph.node.name", "graph.node.id", "executor.id"];
        keys.iter().find_map(|key| span.attributes.label(key))
    })?;
    Some(GraphNode { name, visit: None })
}

/// A metadata value of a span: in its own attribute, or in a combined one.
fn in_metadata(span: &TraceSpan<'_>, wanted: &str) -> Option<Text<'static>> {
    let ends = |key: &Text<'_>, end: &str| {
        let before = key.as_str().and_then(|key| key.strip_suffix(end));
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let attributes = || span.attributes.iter().rev();
    let own = attributes().find(|(key, _)| ends(key, wanted));
    if let Some((_, value)) = own {
        return Some(value.label()).filter(|text| !text.is_empty());
    }
    attributes()
        .filter(|(key, _)| ends(key, "metadata"))
        .find_map(|(_, all)| all.read(|all| all.label_at(&[wanted])).flatten())
}

/// Keeps only the outermost span of each visit, since often all of its spans name the node.
pub(super) fn drop_inner_visits(spans: &mut TraceSpans<'_>) {
    let mut order: Vec<(usize, Option<i128>, usize)> = (0..spans.seen.len())
        .filter(|&span| spans.seen[span].tool.is_some())
        .map(|span| (spans.ancestors(span).count(), spans.seen[span].start, span))
        .collect();
    order.sort_unstable();
    let name_and_visit = |spans: &TraceSpans<'_>, span: usize| {
        let call = spans.seen[span].tool.as_ref().map(|tool| &tool.call);
        call.map(|call| (call.name.clone(), call.id.clone()))
    };
    let mut known = HashSet::new();
    let mut inner = Vec::new();
    for (_, _, span) in order {
        let Some((name, visit)) = name_and_visit(spans, span) else {
            continue;
        };
        let is_inner = match visit {
            Some(visit) => !known.insert((name, visit)),
            None => spans
                .ancestors(span)
                .find_map(|around| name_and_visit(spans, around))
                .is_some_and(|(outer, _)| outer == name),
        };
        if is_inner {
            inner.push(span);
        }
    }
    inner
        .into_iter()
        .for_each(|span| spans.seen[span].tool = None);
}

/// The parts of a trace, ordered by time.
pub(super) fn parts_of(spans: &TraceSpans<'_>) -> Vec<Text<'static>> {
    let mut order: Vec<_> = (0..spans.seen.len()).collect();
    order.sort_by_key(|&span| (spans.seen[span].start, span));
    let mut parts: Vec<&Text<'_>> = Vec::new();
    for part in order
        .into_iter()
        .filter_map(|span| spans.seen[span].part.as_ref())
    {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts
        .into_iter()
        .map(|part| part.clone().into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{error_of, shown};
    use crate::trace::{CallSubject, Choices};

    fn of_scope(scope: CaseScope) -> Choices {
        Choices {
            scope,
            ..Choices::default()
        }
    }

    fn of_visits(calls: CallSubject) -> Choices {
        Choices {
            calls,
            ..Choices::default()
        }
    }

    fn span(id: u32, parent: u32, name: &str, attributes: &str) -> String {
        format!(
            r#"{{"trace_id":"t","span_id":"{id}","parent_span_id":"{parent}","name":"{name}","start_time":{id},"end_time":{},"attributes":{{{attributes}}}}}"#,
            200 - id
        )
    }

    fn tool(name: &str) -> String {
        format!(r#""gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"{name}""#)
    }

    fn agent(name: &str) -> String {
        format!(
            r#""gen_ai.operation.name":"invoke_agent","gen_ai.agent.name":"{name}","input.value":"{{\"q\":1}}""#
        )
    }

    #[test]
    fn a_call_is_of_the_nearest_agent_around_it() {
        let text = [
            span(1, 0, "invoke_agent planner", &agent("planner")),
            span(2, 1, "find", &tool("find")),
            span(3, 1, "invoke_agent billing", &agent("billing")),
            span(4, 3, "chain", ""),
            span(5, 4, "refund", &tool("refund")),
            span(6, 1, "invoke_agent mailer", &agent("mailer")),
            span(7, 1, "look", &tool("look")),
            span(8, 0, "stray", &tool("stray")),
        ]
        .join("\n");
        assert_eq!(
            shown("flat-spans", &text, of_scope(CaseScope::Agent)),
            [
                "stray(?)",
                "---",
                "find(?)",
                "look(?)",
                "---",
                "refund(?)",
                "---"
            ]
        );
        assert_eq!(
            shown("flat-spans", &text, of_visits(CallSubject::Agents)),
            [
                r#"planner({"q":1})"#,
                r#"billing({"q":1}) in 0"#,
                r#"mailer({"q":1}) in 0"#
            ]
        );
        let error = error_of("flat-spans", &text, of_scope(CaseScope::Turn));
        assert!(error.to_string().contains("no turn"), "{error}");
        let error = error_of("flat-spans", &text, of_visits(CallSubject::Nodes));
        assert!(error.to_string().contains("no node"), "{error}");
    }

    #[test]
    fn kinds_of_platforms_tell_agents_too() {
        for kind in [
            r#""openinference.span.kind":"AGENT""#,
            r#""langfuse.observation.type":"AGENT""#,
            r#""mlflow.spanType":"\"AGENT\"""#,
            r#""traceloop.span.kind":"agent","traceloop.entity.name":"billing""#,
            r#""agent.name":"billing""#,
            r#""agent_name":"billing","langfuse.observation.type":"SPAN""#,
        ] {
            let text = [
                span(1, 0, "billing", kind),
                span(2, 1, "refund", &tool("refund")),
            ];
            let text = text.join("\n");
            for choices in [of_scope(CaseScope::Agent), of_visits(CallSubject::Agents)] {
                let found = shown("flat-spans", &text, choices);
                assert_eq!(found.len(), 1, "{kind}");
                assert!(["refund(?)", "billing(?)"].contains(&&*found[0]), "{kind}");
            }
        }
    }

    #[test]
    fn all_spans_of_a_visit_name_its_node_and_the_outermost_counts() {
        let node = |path: &str, name: &str| {
            format!(
                r#""openinference.span.kind":"CHAIN","metadata":"{{\"langgraph_node\":\"{name}\",\"langgraph_checkpoint_ns\":\"{path}\"}}""#
            )
        };
        let with = |path: &str, name: &str| format!("{},{}", node(path, "tools"), tool(name));
        let text = [
            span(1, 0, "graph", ""),
            span(2, 1, "__start__", &node("__start__:0", "__start__")),
            span(3, 1, "planner", &node("planner:1", "planner")),
            span(4, 3, "agent", &node("planner:1|agent:2", "agent")),
            span(5, 3, "find", &with("planner:1|tools:3", "find")),
            span(6, 1, "billing", &node("billing:4", "billing")),
            span(7, 1, "planner", &node("planner:5", "planner")),
            span(8, 7, "agent", &node("planner:5|agent:6", "agent")),
        ]
        .join("\n");
        assert_eq!(
            shown("flat-spans", &text, of_visits(CallSubject::Nodes)),
            [
                "planner(?) planner:1",
                "billing(?) billing:4",
                "planner(?) planner:5",
                "1 internal to the framework"
            ]
        );
        assert_eq!(
            shown("flat-spans", &text, of_scope(CaseScope::Node)),
            ["---", "find(?)", "---"]
        );
    }
}
