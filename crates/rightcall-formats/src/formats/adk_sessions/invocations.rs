//! Invocations of the evaluation: an answer of the agent, with its events or its calls.

use super::Session;
use crate::messages::speaker::keep_question;
use crate::node::Node;
use crate::trace::{CallResult, Doubt, TraceCall};

const CALLS: [&str; 2] = ["tool_uses", "toolUses"];
const EVENTS: [&str; 2] = ["invocation_events", "invocationEvents"];

pub(super) fn is_invocation(value: &Node<'_>) -> bool {
    let data = value.any(&["intermediate_data", "intermediateData"]);
    value.has_any(&["final_response", "finalResponse"])
        && data.is_some_and(|data| data.any(&CALLS).or_else(|| data.any(&EVENTS)).is_some())
}

impl Session {
    /// Reads invocations as turns.
    pub(super) fn invocations(&mut self, invocations: &[Node<'_>]) {
        let turns = (0..).zip(invocations);
        turns.for_each(|(turn, invocation)| self.invocation(invocation, turn));
    }

    fn invocation(&mut self, invocation: &Node<'_>, turn: u64) {
        let before = self.conversation.trace().calls.len();
        let seen = self.conversation.calls_read();
        if let Some(content) = invocation.any(&["user_content", "userContent"]) {
            keep_question(content, &mut self.conversation);
        }
        let data = invocation.inner(&["intermediate_data", "intermediateData"]);
        for event in data.any_list(&EVENTS) {
            self.event(event);
        }
        let conversation = &mut self.conversation;
        for call in data.any_list(&CALLS) {
            conversation.message();
            conversation.call(TraceCall::from_node(call, &["name"], &["args"], &["id"]));
        }
        for response in data.any_list(&["tool_responses", "toolResponses"]) {
            let (id, name) = (&["id"], &["name"]);
            conversation.result(CallResult::from_node(response, id, name, &["response"]));
        }
        let calls = conversation.calls_read() - seen;
        conversation.look(invocation, calls, Doubt::None);
        let answer = invocation.any(&["final_response", "finalResponse"]);
        if answer.is_some_and(|answer| !answer.list("parts").is_empty()) {
            conversation.agent_spoke();
        }
        let calls = &mut conversation.trace().calls;
        calls[before..]
            .iter_mut()
            .for_each(|call| call.turn = Some(turn));
    }
}
