//! BFCL's conversations: turns, each a list of calls as Python writes them.

use rightcall_core::value::pointer::item;
use serde_json::Value;

use super::python::{PythonCall, parse_call};
use super::{Accepted, Content, Expected, ExpectedArgument, ExpectedCall, kind};

const CALL: &str = "a call as Python writes it, such as `find(id=7)`";

/// True for a list of turns: each is a list of strings, and at least one is not empty.
pub(super) fn are_turns(items: &[Value]) -> bool {
    let turns = || items.iter().filter_map(Value::as_array);
    let is_turn = |turn: &Vec<Value>| turn.iter().all(Value::is_string);
    turns().count() == items.len() && turns().all(is_turn) && turns().any(|turn| !turn.is_empty())
}

pub(super) fn read(expected: &mut Expected, value: &Value, pointer: &str) {
    for (turn, calls) in value.as_array().into_iter().flatten().enumerate() {
        let at = item(pointer, turn);
        for (index, call) in calls.as_array().into_iter().flatten().enumerate() {
            let at = item(&at, index);
            match call.as_str().map(parse_call) {
                Some(Ok(call)) => expected.calls.push(expected_call(call, at, turn)),
                Some(Err(found)) => expected.malformed(&at, CALL, found),
                None => expected.malformed(&at, CALL, kind(call)),
            }
        }
    }
}

fn expected_call(call: PythonCall, pointer: String, turn: usize) -> ExpectedCall {
    let positional = call.positional.into_iter().map(|value| Accepted {
        pointer: pointer.clone(),
        content: Content::Plain(value),
    });
    let arguments = call
        .named
        .into_iter()
        .map(|(name, value)| ExpectedArgument::plain(&name, pointer.clone(), value));
    ExpectedCall {
        tool: call.name,
        unnumbered: None,
        positional: positional.collect(),
        arguments: Some(arguments.collect()),
        pointer,
        turn,
        is_open: false,
    }
}
