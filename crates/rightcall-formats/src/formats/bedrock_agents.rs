//! Traces of agents of Amazon Bedrock.

use rightcall_core::value::{MAX_DEPTH, Text};

use super::session::{SessionEvents, SessionReader};
use crate::format::{Format, Priority, Reading, Recognition};
use crate::json;
use crate::messages::ending::without_call;
use crate::messages::output_of;
use crate::node::Node;
use crate::spans::dialects::observations::unwrapped;
use crate::trace::unread::calls_in_words;
use crate::trace::{
    CallResult, CaseScope, Conversation, Doubt, Keep, LeftOut, Scope, TraceArguments, TraceCall,
};

pub(super) static ENTRY: Format = Format {
    name: "bedrock-agents",
    title: "AWS Bedrock agent traces",
    summary: "`orchestrationTrace` with `invocationInput` and `observation`, alone or in the events of `InvokeAgent`",
    reads: &[
        ("calls", "`invocationInput`: action groups by `function`, else by verb and path; knowledge bases by `knowledgeBaseId`; `code_interpreter`; collaborators by name; and `returnControl` events"),
        ("arguments", "`parameters` and `requestBody` by name, in their types; `text`; `code`; `input`"),
        ("results", "`observation`"),
        ("ids", "`invocationId`, where there is one; `sessionId`"),
        ("errors", "`executionError` of the code interpreter"),
        ("sub-agents", "traces with a `collaboratorName`"),
        ("order", "the order of events"),
    ],
    lacks: &["times", "which calls were asked for together"],
    notes: "The events of `InvokeAgent` and `InvokeInlineAgent` with traces enabled, one a line or in a list, or their traces alone. Knowledge bases
and the code interpreter run at the provider; `--read provider=drop` leaves them out. What a model call of an agent looked like is in
the [invocation logs](wrappers.md) of Bedrock.",
    extensions: &["jsonl", "json"],
    example: r#"{"trace":{"sessionId":"s1","agentId":"a","trace":{"orchestrationTrace":{"invocationInput":{"traceId":"t-0","invocationType":"ACTION_GROUP","actionGroupInvocationInput":{"actionGroupName":"shop","function":"find_order","parameters":[{"name":"id","type":"integer","value":"7"}]}}}}}}
{"trace":{"sessionId":"s1","agentId":"a","trace":{"orchestrationTrace":{"observation":{"traceId":"t-0","type":"ACTION_GROUP","actionGroupInvocationOutput":{"text":"shipped"}}}}}}"#,
    priority: Priority::SessionLog,
    reading: Reading::Traces(
        |value| {
            let events = value.list("completion");
            let event = events.iter().chain(value.items_or_self()).find(|it| orchestration(it).is_some());
            Recognition::certain_if(event.is_some())
        },
        SessionReader::<BedrockEvents>::boxed,
    ),
};

/// The part of an event that records the agent's work, at any of these depths.
fn orchestration<'n, 'a>(event: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let paths: [&[&str]; 3] = [&[], &["trace"], &["trace", "trace"]];
    // The work of a supervisor that only routes questions to its collaborators is under the second key.
    let keys = ["orchestrationTrace", "routingClassifierTrace"];
    let traces = paths.iter().filter_map(|path| event.at(path));
    traces.into_iter().find_map(|it| it.any(&keys))
}

/// True for an event of an orchestration by a function of the user, which writes any text.
fn is_of_custom_orchestration(event: &Node<'_>) -> bool {
    let paths: [&[&str]; 3] = [&[], &["trace"], &["trace", "trace"]];
    let mut traces = paths.iter().filter_map(|path| event.at(path));
    traces.any(|it| it.has("customOrchestrationTrace"))
}

#[derive(Default)]
struct BedrockEvents {
    /// The reason of a reply that ended for a call.
    reason: Option<String>,
    /// The kind of a call in the text of a reply.
    written: Option<String>,
}

impl SessionEvents for BedrockEvents {
    fn session(event: &Node<'_>) -> Option<Text<'static>> {
        let part = event.get("trace").unwrap_or(event);
        part.label_at(&["sessionId"])
            .or_else(|| event.label_at(&["sessionId"]))
    }

    fn event(&mut self, event: &Node<'_>, scope: Scope, conversation: &mut Conversation) {
        let events = event.list("completion");
        if !events.is_empty() {
            return events
                .iter()
                .for_each(|it| self.event(it, scope, conversation));
        }
        let part = event.get("trace").unwrap_or(event);
        conversation.enter(CaseScope::Agent, || part.label_at(&["collaboratorName"]));
        let is_inner = part.has("collaboratorName") && scope.choices.sub_agents == Keep::Drop;
        if let Some(returned) = event.get("returnControl") {
            return conversation.part(returned, |conversation| control(returned, conversation));
        }
        let Some(work) = orchestration(event) else {
            if is_of_custom_orchestration(event) {
                conversation.left_over("the text of a custom orchestration");
            }
            return conversation.look(event, 0, Doubt::SameName);
        };
        let (input, observation) = (work.get("invocationInput"), work.get("observation"));
        if let Some(answer) = work.at(&["observation", "finalResponse"]) {
            conversation.agent_spoke();
            conversation.look_into(answer.get("text"));
        }
        self.raw_reply(work, conversation);
        match input {
            Some(_) if is_inner => conversation.trace().report.drop(LeftOut::SubAgent),
            Some(input) => conversation.part(input, |conversation| invocation(input, conversation)),
            // Model input and output precede the invocation inputs, which hold the same calls.
            None => conversation.glance(work),
        }
        if let Some(observation) = observation.filter(|_| !is_inner) {
            self::observation(observation, conversation);
        }
    }

    fn end(&mut self, conversation: &mut Conversation) {
        let (reason, written) = (self.reason.take(), self.written.take());
        // The invocations have other names than the calls that the model wrote.
        if conversation.calls_read() > 0 {
            return;
        }
        if let Some(reason) = reason {
            without_call(&reason, conversation);
        } else if let Some(kind) = written {
            conversation.left_over(kind);
        }
    }
}

impl BedrockEvents {
    /// Looks at the raw reply of a model: the invocations after it hold the same calls.
    fn raw_reply(&mut self, work: &Node<'_>, conversation: &mut Conversation) {
        let reply = work.at(&["modelInvocationOutput", "rawResponse", "content"]);
        let text = reply.map(unwrapped).unwrap_or_default();
        let Ok(reply) = Node::parse(&text, MAX_DEPTH) else {
            return;
        };
        if let Some(text) = reply.str() {
            let (calls, unread) = calls_in_words(text);
            let kinds = calls.into_iter().map(|it| it.looks).chain(unread);
            self.written = self.written.take().or(kinds.into_iter().next());
            return;
        }
        conversation.glance(&reply);
        match reply
            .any(&["stop_reason", "stopReason"])
            .and_then(Node::str)
        {
            Some(reason) if reason.contains("tool") => self.reason = Some(reason.to_owned()),
            Some(_) => conversation.agent_spoke(),
            None => {}
        }
    }
}

fn invocation(input: &Node<'_>, conversation: &mut Conversation) {
    let call = if let Some(group) = input.get("actionGroupInvocationInput") {
        action(group)
    } else if let Some(lookup) = input.get("knowledgeBaseLookupInput") {
        TraceCall {
            arguments: TraceArguments::from_members(lookup, &["text"]),
            ..TraceCall::from_node(lookup, &["knowledgeBaseId"], &[], &[]).by_provider_if(true)
        }
    } else if let Some(code) = input.get("codeInterpreterInvocationInput") {
        TraceCall {
            name: Text::new("code_interpreter"),
            arguments: TraceArguments::from_members(code, &["code"]),
            ..TraceCall::default().by_provider_if(true)
        }
    } else if let Some(agent) = input.get("agentCollaboratorInvocationInput") {
        let text = agent.get("input").unwrap_or(agent);
        TraceCall {
            arguments: TraceArguments::from_members(text, &["text"]),
            ..TraceCall::from_node(agent, &["agentCollaboratorName"], &[], &[])
        }
    } else {
        if !input.says("invocationType", "FINISH") {
            conversation.note_irregular("an invocation of a kind that is not known");
        }
        return;
    };
    conversation.message();
    conversation.call(call);
}

/// A call of an action group, identified by a function name or by an API path.
fn action(group: &Node<'_>) -> TraceCall {
    let path = || {
        let path = group.str_at("apiPath")?;
        let verb = group.str_at("verb").map(str::to_uppercase);
        let verb = verb.map_or_else(String::new, |verb| verb + " ");
        Some(Text::from(verb + path))
    };
    let bodies = group
        .at(&["requestBody", "content"])
        .map_or(&[][..], Node::entries);
    let body = bodies
        .iter()
        .flat_map(|(_, body)| body.any(&["properties"]).unwrap_or(body).items());
    let parameters = group.list("parameters").iter().chain(body);
    // The parameters may be under an unknown key.
    let is_told = match group.get("parameters") {
        Some(parameters) => parameters.is_list(),
        None => group.has("parameters") || group.has("requestBody"),
    };
    let is_bare = !group.has("parameters")
        && !group
            .entries()
            .iter()
            .any(|(_, it)| it.is_list() || it.is_object());
    TraceCall {
        name: group
            .label_at(&["function"])
            .or_else(path)
            .unwrap_or_default(),
        arguments: if is_told || is_bare {
            TraceArguments::Json(named_values(parameters))
        } else {
            TraceArguments::Absent
        },
        id: group.label_at(&["invocationId"]),
        ..TraceCall::default()
    }
}

/// Parameters as an object, each value converted to its recorded type.
fn named_values<'n, 'a: 'n>(parameters: impl Iterator<Item = &'n Node<'a>>) -> String {
    json::object(|writer| {
        for parameter in parameters {
            let value = parameter.get("value");
            writer.key_text(&parameter.text_at(&["name"]));
            match value.and_then(Node::str) {
                Some(text) if !parameter.says("type", "string") && json::is_whole(text) => {
                    writer.raw(text)
                }
                _ => writer.raw(value.map_or("null", Node::raw)),
            };
        }
    })
}

/// The result of the last invocation without one.
fn observation(observation: &Node<'_>, conversation: &mut Conversation) {
    let outputs: [(&str, &[&str]); 4] = [
        ("actionGroupInvocationOutput", &["text"]),
        ("knowledgeBaseLookupOutput", &["retrievedReferences"]),
        (
            "codeInterpreterInvocationOutput",
            &["executionOutput", "executionError"],
        ),
        ("agentCollaboratorInvocationOutput", &["output"]),
    ];
    for (key, members) in outputs {
        let Some(output) = observation.get(key) else {
            continue;
        };
        let value = output.any(members).unwrap_or(output);
        conversation.result(CallResult {
            output: Some(
                value
                    .get("text")
                    .map_or_else(|| output_of(value), output_of),
            ),
            error: output.get("executionError").map(output_of),
            ..CallResult::default()
        });
    }
}

/// Calls that the caller has to run.
fn control(returned: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    let id = returned.label_at(&["invocationId"]);
    // The trace has the call too.
    let is_known = id.is_some_and(|id| conversation.has_call_id(&id));
    for input in returned.list("invocationInputs") {
        let Some(call) = input.any(&["functionInvocationInput", "apiInvocationInput"]) else {
            conversation.note_irregular("an invocation of a kind that is not known");
            continue;
        };
        let verb = call.str_at("httpMethod").zip(call.str_at("apiPath"));
        let path = verb.map(|(verb, path)| Text::from(format!("{verb} {path}")));
        let named = action(call);
        let name = path.unwrap_or_else(|| named.name.clone());
        let mut known = conversation.trace().calls.iter();
        if is_known && known.any(|call| call.name == name) {
            conversation.trace().report.drop(LeftOut::RecordedTwice);
            continue;
        }
        conversation.call(TraceCall {
            name,
            id: returned.label_at(&["invocationId"]),
            ..named
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, evidence};

    #[test]
    fn a_final_response_and_the_end_of_a_model_are_turns_of_the_agent() {
        let told = |work: &str| {
            evidence(
                "bedrock-agents",
                &format!(
                    r#"{{"trace":{{"sessionId":"s","trace":{{"orchestrationTrace":{work}}}}}}}"#
                ),
            )
        };
        assert_eq!(
            told(r#"{"observation":{"type":"FINISH","finalResponse":{"text":"x"}}}"#),
            ["spoke"]
        );
        let reply = |reason: &str| {
            told(&format!(
                r#"{{"modelInvocationOutput":{{"rawResponse":{{"content":"{{\"stop_reason\":\"{reason}\"}}"}}}}}}"#
            ))
        };
        assert_eq!(reply("end_turn"), ["spoke"]);
        let unmet = ["silent", "1 finish reason `tool_use` without a call"];
        assert_eq!(reply("tool_use"), unmet);
        assert_eq!(told(r#"{"modelInvocationInput":{"text":"q"}}"#), ["silent"]);
    }

    #[test]
    fn each_kind_of_invocation_is_a_call() {
        let event = |work: &str| {
            format!(r#"{{"trace":{{"sessionId":"s","trace":{{"orchestrationTrace":{work}}}}}}}"#)
        };
        let input = |kind: &str, input: &str| {
            event(&format!(
                r#"{{"invocationInput":{{"traceId":"t","invocationType":"{kind}",{input}}}}}"#
            ))
        };
        let answer =
            |output: &str| event(&format!(r#"{{"observation":{{"traceId":"t",{output}}}}}"#));
        let lines = [
            event(r#"{"modelInvocationInput":{"text":"q","type":"ORCHESTRATION"}}"#),
            input("ACTION_GROUP", r#""actionGroupInvocationInput":{"function":"find","parameters":[{"name":"id","type":"integer","value":"7"},{"name":"zip","type":"string","value":"007"}]}"#),
            answer(r#""actionGroupInvocationOutput":{"text":"x"}"#),
            input("ACTION_GROUP", r#""actionGroupInvocationInput":{"verb":"post","apiPath":"/orders","requestBody":{"content":{"application/json":[{"name":"ok","type":"boolean","value":"true"}]}}}"#),
            input("KNOWLEDGE_BASE", r#""knowledgeBaseLookupInput":{"knowledgeBaseId":"KB","text":"q"}"#),
            answer(r#""knowledgeBaseLookupOutput":{"retrievedReferences":[]}"#),
            input("AGENT_COLLABORATOR", r#""agentCollaboratorInvocationInput":{"agentCollaboratorName":"helper","input":{"type":"TEXT","text":"go"}}"#),
            answer(r#""agentCollaboratorInvocationOutput":{"output":{"type":"TEXT","text":"ok"}}"#),
            r#"{"returnControl":{"invocationId":"i","invocationInputs":[{"functionInvocationInput":{"actionGroup":"g","function":"ask","parameters":[]}}]}}"#.to_owned(),
        ];
        let found = [
            r#"find({"id":7,"zip":"007"}) @0 -> "x""#,
            r#"POST /orders({"ok":true}) @1"#,
            r#"KB({"text":"q"}) @2 by provider -> []"#,
            r#"helper({"text":"go"}) @3 -> "ok""#,
            "ask({}) i @4",
        ];
        check("bedrock-agents", &lines.join("\n"), &found);
        let whole = format!(r#"{{"sessionId":"s","completion":[{}]}}"#, lines.join(","));
        check("bedrock-agents", &whole, &found);
    }
}
