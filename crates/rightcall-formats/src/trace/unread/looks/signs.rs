//! Signs of calls that aren't calls themselves: results, spans of tools, runs that are elsewhere, and numbers of calls.

use rightcall_core::value::Text;

use super::keys::{
    is_count, is_of_results, is_of_thoughts, is_outcome, is_passed_over, letters_of,
};
use super::object::{Object, owned};
use super::{Doubt, Step, Suspect, json_in, pointer};
use crate::node::Node;

/// Passes on the signs of calls in a value.
pub(crate) fn each_sign(value: &Node<'_>, each: &mut dyn FnMut(Suspect)) {
    signs(value, &mut Vec::new(), each);
}

/// Passes on the signs of calls in the value of a key that no reader knows.
pub(crate) fn each_sign_under(key: &Text<'_>, value: &Node<'_>, each: &mut dyn FnMut(Suspect)) {
    member(key, value, &mut Vec::new(), each);
}

fn member<'n>(
    key: &Text<'_>,
    value: &'n Node<'_>,
    path: &mut Vec<Step<'n>>,
    each: &mut dyn FnMut(Suspect),
) {
    let letters = letters_of(key);
    let holds = !value.entries().is_empty() || !value.items().is_empty();
    let of_key = |doubt| Suspect {
        place: pointer(path),
        ..Suspect::new(format!("the value of `{}`", key.to_display()), doubt)
    };
    match letters.as_str() {
        // It repeats results of earlier calls.
        "citations" => {}
        letters if is_of_results(letters) => {
            for result in value.items_or_self().iter().filter(|it| !it.is_null()) {
                each(result_of(&Object::from_node(result), path));
            }
        }
        "invocationinput" if holds => each(of_key(Doubt::SameName)),
        "childruns" | "childrunids" | "websearchqueries" | "urlcontextmetadata"
        | "retrievedcontext"
            if holds =>
        {
            each(of_key(Doubt::Piece));
        }
        "usage" | "usagemetadata" => {
            let is_number =
                |(key, value): &(Text<'_>, Node<'_>)| is_count(key) && value.whole() > Some(0);
            if value.entries().iter().any(is_number) {
                each(of_key(Doubt::Piece));
            }
            for (key, value) in value.entries() {
                if letters_of(key).starts_with("server") {
                    member(key, value, path, each);
                }
            }
        }
        "servertooluse"
        | "servertoolusedetails"
        | "serversidetoolusage"
        | "serversidetoolusagedetails" => {
            if value
                .entries()
                .iter()
                .any(|(_, number)| number.whole() > Some(0))
            {
                each(of_key(Doubt::Piece));
            }
        }
        "toolusage" => {
            let is_used = |(_, number): &&(Text<'_>, Node<'_>)| number.whole() > Some(0);
            for (tool, _) in value.entries().iter().filter(is_used) {
                each(Suspect {
                    name: Some(owned(tool)),
                    ..of_key(Doubt::SameName)
                });
            }
        }
        _ if is_passed_over(key) || is_of_thoughts(key) => {}
        _ => signs(value, path, each),
    }
}

fn signs<'n>(node: &'n Node<'_>, path: &mut Vec<Step<'n>>, each: &mut dyn FnMut(Suspect)) {
    if let Some(text) = node.str() {
        if let Some(inner) = json_in(text) {
            signs(&inner, &mut Vec::new(), &mut |sign| {
                let place = format!("{}{}", pointer(path), sign.place);
                each(Suspect { place, ..sign });
            });
        }
        return;
    }
    for (index, item) in node.items().iter().enumerate() {
        path.push(Step::Item(index));
        signs(item, path, each);
        path.pop();
    }
    if node.entries().is_empty() {
        return;
    }
    let object = Object::from_node(node);
    if object.is_of_others() || object.is_thought() {
        return;
    }
    let has_outcome = || node.entries().iter().any(|(key, _)| is_outcome(key));
    let is_named = object.name_key.is_some_and(|(_, is_telling)| is_telling);
    if object.is_result() || is_named && object.arguments.is_none() && has_outcome() {
        return each(result_of(&object, path));
    }
    if let Some((looks, name)) = action(node, &object) {
        return each(Suspect {
            name,
            id: object.call_id.and_then(Node::label),
            arguments: node
                .at(&["params", "arguments"])
                .map(|it| it.raw().to_owned()),
            place: pointer(path),
            ..Suspect::new(looks, Doubt::SameName)
        });
    }
    for (key, value) in node.entries() {
        path.push(Step::Key(key));
        member(key, value, path, each);
        path.pop();
    }
}

/// The sign in a record of which nothing was read: it has the type or the role of a tool, or it is a line of a log that names one.
pub(crate) fn line_of_tool(record: &Node<'_>) -> Option<Suspect> {
    if !record.is_object() {
        return None;
    }
    let object = Object::from_node(record);
    let looks = looks_of_line(record, &object)?;
    Some(Suspect {
        name: object.name.map(owned),
        id: object.call_id.and_then(Node::label),
        ..Suspect::new(looks, Doubt::SameName)
    })
}

fn looks_of_line(record: &Node<'_>, object: &Object<'_, '_>) -> Option<String> {
    const KINDS: [&str; 6] = [
        "action",
        "observation",
        "shell",
        "tool_output",
        "tool_result",
        "tool-result",
    ];
    const ROLES: [&str; 10] = [
        "tool",
        "tool_call",
        "tool_response",
        "function",
        "function_call",
        "function_response",
        "ipython",
        "observation",
        "executor",
        "environment",
    ];
    let has_text = |key: &str| record.str_at(key).is_some_and(|text| !text.is_empty());
    if let Some(kind) = object.kind {
        return KINDS
            .contains(&kind)
            .then(|| format!("a record of the type `{kind}`"));
    }
    if let Some(role) = object.role {
        let is_result = ROLES.contains(&role) && has_text("content");
        return is_result.then(|| format!("a message of the role `{role}`"));
    }
    if has_text("action") && record.has("action_input") {
        return Some("`action` with `action_input`".to_owned());
    }
    let mut members = record.entries().iter().map(|(_, member)| member);
    let is_flat = !members.any(|it| it.is_object() || it.is_list());
    let is_named = object.name_key.is_some_and(|(_, is_telling)| is_telling);
    (is_flat && is_named).then(|| NAMES_TOOL.to_owned())
}

/// The sign in a line that has only texts and numbers.
pub(crate) const NAMES_TOOL: &str = "a record that names a tool";

fn result_of(object: &Object<'_, '_>, path: &[Step<'_>]) -> Suspect {
    Suspect {
        name: object.name.map(owned),
        id: object.call_id.and_then(Node::label),
        place: pointer(path),
        ..Suspect::new("a result of a tool", Doubt::Result)
    }
}

/// The description and the tool of an object that reports a tool's action, without the members of a call.
fn action(node: &Node<'_>, object: &Object<'_, '_>) -> Option<(String, Option<Text<'static>>)> {
    let name = || object.name.map(owned);
    if node.says("method", "tools/call") {
        return Some((
            "`method: tools/call`".to_owned(),
            node.at(&["params", "name"]).and_then(Node::label),
        ));
    }
    if let Some(kind) = object
        .kind
        .filter(|it| matches!(*it, "command_execution" | "file_change"))
    {
        return Some((format!("`type: {kind}`"), None));
    }
    if node.str_at("server").is_some() && node.str_at("tool").is_some() {
        return Some(("`server` with `tool`".to_owned(), name()));
    }
    let executed = node
        .str_at("name")
        .and_then(|it| it.strip_prefix("execute_tool "));
    if let Some(tool) = executed {
        return Some((
            "a span of a tool".to_owned(),
            Some(Text::from(tool.to_owned())),
        ));
    }
    let is_span = node.entries().iter().any(|(key, _)| {
        matches!(
            letters_of(key).as_str(),
            "spanid" | "traceid" | "runtype" | "spantype" | "dottedorder"
        )
    });
    let attributes = node
        .entries()
        .iter()
        .filter(|(_, value)| value.is_object() || value.is_list());
    let inner = attributes.flat_map(|(_, value)| pairs(value));
    let own = node.entries().iter().map(|(key, value)| (key, value));
    let mut pairs = own.chain(inner).filter(|_| is_span);
    let of_tool = pairs.any(|(key, value)| marks_tool(key, value));
    of_tool.then(|| ("a span of a tool".to_owned(), name()))
}

/// The members of an object, or the pairs of an OTLP list of attributes.
fn pairs<'n, 'a>(
    node: &'n Node<'a>,
) -> Box<dyn Iterator<Item = (&'n Text<'a>, &'n Node<'a>)> + 'n> {
    let of_list = node.items().iter().filter_map(|pair| {
        Some((
            pair.get("key")?.text()?,
            pair.at(&["value", "stringValue"])?,
        ))
    });
    Box::new(
        node.entries()
            .iter()
            .map(|(key, value)| (key, value))
            .chain(of_list),
    )
}

/// True for an attribute that only spans of tools have.
fn marks_tool(key: &Text<'_>, value: &Node<'_>) -> bool {
    let key = key.to_display().to_ascii_lowercase();
    let is_kind = ["kind", "type", "operation.name"]
        .iter()
        .any(|end| key.ends_with(end));
    let says_tool = |text: &str| {
        let text = text.trim_matches('"').to_ascii_lowercase();
        matches!(text.as_str(), "tool" | "execute_tool" | "tool_call")
    };
    let Some(text) = value.str() else {
        return false;
    };
    is_kind && says_tool(text) || key.ends_with("tool.name") && !text.is_empty()
}
