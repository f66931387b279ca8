//! Recognizes call-like values: an object with a tool name and arguments under any of the usual keys, an object with a call's `type`, and
//! the values of keys such as `tool_calls`. Tool definitions, schemas, results and expectations are excluded.

mod keys;
mod object;
mod signs;

use memchr::memmem;
use rightcall_core::value::pointer::{child, item};
use rightcall_core::value::{MAX_DEPTH, Text};

use super::suspect::{Doubt, Suspect, in_text_of_model};
use super::written::action_in_json;
use crate::catalogue::ToolCatalogue;
use crate::node::Node;
use crate::notations::{TextCall, may_hold_calls, read_notations};
use crate::trace::role::{is_of_model, model_text};
use crate::trace::words::says_any;

pub(in crate::trace) use keys::is_passed_over;
use keys::{Key, is_count, is_of_names, is_of_somebody_else, is_outcome, is_said, key_of};
pub(crate) use keys::{is_of_thoughts, is_schema};
use object::{Evidence, Object, owned};
pub(crate) use signs::{NAMES_TOOL, each_sign, each_sign_under, line_of_tool};

/// Passes on each call-like value, but not those inside of it.
pub(crate) fn each_suspect(node: &Node<'_>, each: &mut dyn FnMut(Suspect)) {
    walk(node, &mut Vec::new(), &mut |make| each(make()));
}

/// Like [`each_suspect`], for the value of a key.
pub(crate) fn each_suspect_under(key: &Text<'_>, value: &Node<'_>, each: &mut dyn FnMut(Suspect)) {
    match key_of(key) {
        Key::Calls if is_of_names(key) || is_count(key) => {
            calls(key, value, &mut Vec::new(), &mut |make| each(make()));
        }
        Key::Thoughts => each_left_over(value, &|_| Seen::Whole, each),
        _ => each_suspect(value, each),
    }
}

/// The keys of an object that may be a call.
#[derive(Default)]
pub(crate) struct CallSigns {
    has_name: bool,
    has_arguments: bool,
    /// True if only calls have such a key.
    is_telling: bool,
}

impl CallSigns {
    pub(crate) fn add(&mut self, key: &Text<'_>) {
        let key = key_of(key);
        self.has_name |= matches!(key, Key::Name | Key::AnyName);
        self.has_arguments |= matches!(key, Key::Arguments | Key::AnyArguments);
        self.is_telling |= matches!(key, Key::Name | Key::Arguments);
    }

    pub(crate) fn are_of_call(&self) -> bool {
        self.has_name && self.has_arguments && self.is_telling
    }
}

/// True for a key that holds calls.
pub(crate) fn is_of_calls(key: &Text<'_>) -> bool {
    matches!(key_of(key), Key::Calls)
}

/// Passes on the calls under a key that holds calls.
pub(crate) fn each_call_under(key: &Text<'_>, value: &Node<'_>, each: &mut dyn FnMut(Suspect)) {
    calls(key, value, &mut Vec::new(), &mut |make| each(make()));
}

/// The number of values that [`each_suspect`] would pass on.
pub(crate) fn count_suspects(node: &Node<'_>) -> usize {
    let mut count = 0;
    walk(node, &mut Vec::new(), &mut |_| count += 1);
    count
}

/// How a value was read, for the search for leftovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Not read.
    Whole,
    /// Read, but it may contain unread parts.
    Inside,
    /// Read with all its contents.
    Entire,
    /// Not to be searched.
    Nothing,
}

/// Passes on each call-like value that was not read, but not those inside of it. Texts are not searched, and the speaker doesn't matter,
/// because a map determines which values were read.
pub(crate) fn each_left_over(
    node: &Node<'_>,
    seen: &dyn Fn(&Node<'_>) -> Seen,
    each: &mut dyn FnMut(Suspect),
) {
    left_over(node, &mut Vec::new(), seen, each);
}

/// Returns the number found, including those that were read.
fn left_over<'n>(
    node: &'n Node<'_>,
    path: &mut Vec<Step<'n>>,
    seen: &dyn Fn(&Node<'_>) -> Seen,
    each: &mut dyn FnMut(Suspect),
) -> usize {
    let how = seen(node);
    match how {
        Seen::Nothing => return 0,
        Seen::Entire => return 1,
        Seen::Whole | Seen::Inside => {}
    }
    let object = Object::from_node(node);
    let evidence = object.evidence().filter(|_| how == Seen::Whole);
    if let Some(Evidence::Members(..)) = evidence {
        each(object.suspect(evidence, path));
        return 1;
    }
    let mut number = usize::from(how == Seen::Inside);
    for (index, item) in node.items().iter().enumerate() {
        path.push(Step::Item(index));
        number += left_over(item, path, seen, each);
        path.pop();
    }
    for (key, value) in node.entries() {
        // `tools` are definitions, unless calls were read from them.
        if !is_passed_over(key) || holds_read(value, seen) {
            path.push(Step::Key(key));
            let inner = left_over(value, path, seen, each);
            let is_call = inner == 0 && is_of_calls(key) && !value.entries().is_empty();
            if is_call && seen(value) == Seen::Whole {
                let looks = format!("the value of `{}`", key.to_display());
                each(Suspect::new(looks, Doubt::Piece).within(&pointer(path)));
            }
            number += inner.max(usize::from(is_call));
            path.pop();
        }
    }
    // An inner suspect is better evidence than the type.
    if evidence.is_some() && number == 0 && !object.is_result() {
        each(object.suspect(evidence, path));
        return 1;
    }
    number
}

/// True for a list of which an item was read.
fn holds_read(list: &Node<'_>, seen: &dyn Fn(&Node<'_>) -> Seen) -> bool {
    list.items().iter().any(|it| seen(it) != Seen::Whole)
}

/// Passes on calls and signs of calls that no rule of a map reads: in JSON texts, in text of the model, and next to these.
pub(crate) fn each_unmapped(
    node: &Node<'_>,
    seen: &dyn Fn(&Node<'_>) -> Seen,
    each: &mut dyn FnMut(Suspect),
) {
    each_unmapped_in(node, false, seen, each);
}

/// `is_heard` is true inside of a message whose text is already searched.
fn each_unmapped_in(
    node: &Node<'_>,
    is_heard: bool,
    seen: &dyn Fn(&Node<'_>) -> Seen,
    each: &mut dyn FnMut(Suspect),
) {
    if matches!(seen(node), Seen::Nothing | Seen::Entire) {
        return;
    }
    if let Some(text) = node.str() {
        walk(node, &mut Vec::new(), &mut |make| each(make()));
        if let Some(inner) = json_in(text) {
            each_unmapped_in(&inner, is_heard, &|_| Seen::Inside, each);
        }
    }
    for item in node.items() {
        each_unmapped_in(item, is_heard, seen, each);
        if seen(item) == Seen::Whole {
            line_of_tool(item).into_iter().for_each(&mut *each);
        }
    }
    let object = Object::from_node(node);
    if object.is_result() || object.is_of_others() || object.is_thought() {
        return;
    }
    let is_of_model = is_of_model(node);
    let is_message = is_of_model && model_text(node).is_some();
    if is_message {
        in_words(node, &[], &mut |make| each(make()));
    } else if !is_heard && !is_of_somebody_else(node) {
        let said = node.entries().iter().filter(|(key, _)| is_said(key));
        for text in said.filter_map(|(_, value)| value.str()) {
            suspects_in_words(text).into_iter().for_each(&mut *each);
        }
    }
    let is_heard = is_heard || is_message;
    for (key, value) in node.entries() {
        match key_of(key) {
            Key::Tools if value.items().iter().any(is_called) && !holds_read(value, seen) => {
                left_over(value, &mut Vec::new(), seen, each);
            }
            Key::PassedOver | Key::Tools | Key::Thoughts => {}
            Key::Content | Key::Description | Key::Arguments if value.text().is_some() => {}
            Key::Other if is_of_model && value.is_list() && seen(value) == Seen::Whole => {
                each_sign_under(key, value, each);
            }
            _ => each_unmapped_in(value, is_heard, seen, each),
        }
    }
}

/// The number of call-like values. Each call counts once, even with several signs.
pub(crate) fn number_of_suspects(node: &Node<'_>) -> usize {
    walk(node, &mut Vec::new(), &mut |_| {})
}

/// Receives a suspect, which is only created on demand.
type Hears<'h> = &'h mut dyn FnMut(&dyn Fn() -> Suspect);

enum Step<'n> {
    Key(&'n Text<'n>),
    Item(usize),
}

fn pointer(path: &[Step<'_>]) -> String {
    let steps = path.iter().map(|step| match step {
        Step::Key(key) => child("", &key.to_display()),
        Step::Item(index) => item("", *index),
    });
    steps.collect()
}

/// Returns the number of suspects.
fn walk<'n>(node: &'n Node<'_>, path: &mut Vec<Step<'n>>, each: Hears<'_>) -> usize {
    let mut number = 0;
    if let Some(text) = node.str() {
        return in_text(text, path, each);
    }
    for (index, item) in node.items().iter().enumerate() {
        path.push(Step::Item(index));
        number += walk(item, path, each);
        path.pop();
    }
    if node.entries().is_empty() {
        return number;
    }
    let object = Object::from_node(node);
    if object.is_result() || object.is_of_others() {
        return number;
    }
    if object.is_thought() {
        return outside_texts(node, path, each);
    }
    match object.id_of_inner().and_then(Node::label) {
        None => number + walk_object(node, &object, path, each),
        Some(own_id) => {
            let each: Hears<'_> = &mut |make| {
                each(&|| {
                    let mut found = make();
                    found.id = found.id.or_else(|| Some(own_id.clone()));
                    found
                });
            };
            number + walk_object(node, &object, path, each)
        }
    }
}

/// Returns the number of suspects in an object, or 1 if it is one.
fn walk_object<'n>(
    node: &'n Node<'_>,
    object: &Object<'n, '_>,
    path: &mut Vec<Step<'n>>,
    each: Hears<'_>,
) -> usize {
    let mut number = 0;
    let is_of_model = is_of_model(node);
    let words = if is_of_model {
        in_words(node, path, each)
    } else {
        0
    };
    let evidence = object.evidence();
    if let Some(Evidence::Members(..)) = evidence {
        each(&|| object.suspect(evidence, path));
        // The outcome of a call may also contain calls.
        let inner = node.entries().iter().filter(|(key, value)| {
            let may_hold = value.is_list() || value.is_object();
            let may_be = matches!(key_of(key), Key::Other | Key::Id | Key::Calls);
            may_hold && may_be && !is_outcome(key)
        });
        for (key, value) in inner {
            path.push(Step::Key(key));
            number += walk(value, path, each);
            path.pop();
        }
        return number + 1;
    }
    number += words;
    for (key, value) in node.entries() {
        path.push(Step::Key(key));
        number += match key_of(key) {
            Key::Tools if is_of_model && value.items().iter().any(is_called) => {
                walk(value, path, each)
            }
            Key::PassedOver | Key::Tools => 0,
            Key::Thoughts => outside_texts(value, path, each),
            // Text content is not searched as a structure, nor are text arguments without a name.
            Key::Content | Key::Description | Key::Arguments if value.text().is_some() => 0,
            Key::Calls if node.has("messages") && is_demand(value) => 0,
            Key::Calls => calls(key, value, path, each),
            _ => walk(value, path, each),
        };
        path.pop();
    }
    // An inner suspect is better evidence than the type.
    if let (Some(Evidence::Type), 0) = (evidence, number) {
        each(&|| object.suspect(evidence, path));
        return 1;
    }
    number
}

/// True for the `function_call` of a request, which demands a call of this tool.
pub(crate) fn is_demand(call: &Node<'_>) -> bool {
    call.is_object() && call.has_only(&["name"])
}

fn is_called(node: &Node<'_>) -> bool {
    Object::from_node(node).is_called()
}

/// Call-like values in the model's thoughts, whose texts are not searched.
fn outside_texts<'n>(node: &'n Node<'_>, path: &mut Vec<Step<'n>>, each: Hears<'_>) -> usize {
    left_over(node, path, &|_| Seen::Whole, &mut |found| {
        each(&|| found.clone());
    })
}

/// Calls that the model wrote as text, in any notation.
fn in_words(message: &Node<'_>, path: &[Step<'_>], each: Hears<'_>) -> usize {
    let suspects = model_text(message).map_or_else(Vec::new, |text| suspects_in_words(&text));
    for suspect in &suspects {
        each(&|| Suspect {
            place: pointer(path),
            ..suspect.clone()
        });
    }
    suspects.len()
}

/// The calls that the model wrote into a text, with one that is not parsed.
fn suspects_in_words(text: &str) -> Vec<Suspect> {
    let (mut calls, unread) = acts_in_words(text);
    calls.extend(unread.map(|looks| Suspect::new(looks, Doubt::SameName)));
    calls
}

/// As [`calls_in_words`]. Without a call, an action in JSON of the model's own counts as one that is not parsed.
pub(crate) fn acts_in_words(text: &str) -> (Vec<Suspect>, Option<String>) {
    let (calls, unread) = calls_in_words(text);
    let action = || calls.is_empty().then(|| action_in_json(text)).flatten();
    let unread = unread.or_else(action);
    (calls, unread)
}

/// The fence of a command, which only mini-swe-agent asks of models.
const COMMAND_FENCE: &[u8] = b"```mswea_bash_command\n";

/// The calls that the model wrote into a text, and the kind of a call that is not parsed.
pub(crate) fn calls_in_words(text: &str) -> (Vec<Suspect>, Option<String>) {
    if memmem::find(text.as_bytes(), COMMAND_FENCE).is_some() {
        return (Vec::new(), Some(in_text_of_model("mini-swe-agent")));
    }
    if !may_hold_calls(text) {
        return (Vec::new(), None);
    }
    let found = read_notations(text, &ToolCatalogue::default());
    let notation = found.notation.unwrap_or("unknown");
    let looks = in_text_of_model(notation);
    let suspect = |call: TextCall| Suspect {
        name: Some(call.name),
        ..Suspect::new(looks.clone(), Doubt::SameName)
    };
    let calls = found.calls.into_iter().map(suspect).collect();
    let is_unread = found.unread && !found.quoted;
    (calls, is_unread.then_some(looks))
}

/// Calls in a text that contains JSON.
fn in_text(text: &str, path: &[Step<'_>], each: Hears<'_>) -> usize {
    let Some(inner) = json_in(text) else {
        return 0;
    };
    walk(&inner, &mut Vec::new(), &mut |make| {
        each(&|| {
            let found = make();
            Suspect {
                place: format!("{}{}", pointer(path), found.place),
                ..found
            }
        });
    })
}

/// The list or object in a text, or the text that it is encoded in.
fn json_in(text: &str) -> Option<Node<'_>> {
    let text = text.trim_ascii();
    let may_hold = text.starts_with(['{', '[', '"']) && text.contains('{');
    may_hold.then(|| Node::parse(text, MAX_DEPTH).ok())?
}

/// The name of a called tool under a key of names.
pub(crate) fn called_name(key: &Text<'_>, name: &Text<'_>) -> Option<Suspect> {
    (is_of_names(key) && !name.is_empty()).then(|| Suspect {
        name: Some(name.clone().into_owned()),
        ..Suspect::new(format!("a name in `{}`", key.to_display()), Doubt::SameName)
    })
}

/// The value of a key for calls: each object in it counts as one, with any members.
fn calls<'n>(
    key: &Text<'_>,
    value: &'n Node<'_>,
    path: &mut Vec<Step<'n>>,
    each: Hears<'_>,
) -> usize {
    if value.is_list() {
        let mut number = 0;
        for (index, item) in value.items().iter().enumerate() {
            path.push(Step::Item(index));
            number += calls(key, item, path, each);
            path.pop();
        }
        return number;
    }
    if let Some(text) = value.str() {
        let number = in_text(text, path, each);
        let name = Text::from(text.to_owned());
        return match called_name(key, &name).filter(|_| number == 0) {
            Some(suspect) => {
                each(&|| Suspect {
                    place: pointer(path),
                    ..suspect.clone()
                });
                1
            }
            None => number,
        };
    }
    if value.entries().is_empty() {
        return counted(key, value, path, each);
    }
    // Libraries in Go write empty values for members that are not there.
    if value.says("name", "") && value.says("arguments", "") {
        return 0;
    }
    let inner = walk(value, path, each);
    if inner > 0 || Object::from_node(value).is_result() {
        return inner;
    }
    each(&|| {
        let inside = || {
            value
                .entries()
                .iter()
                .find_map(|(_, part)| Object::from_node(part).name)
        };
        let name = Object::from_node(value).name.or_else(inside).map(owned);
        let goes_on = value.has_any(&[
            "index",
            "partialArgs",
            "partial_args",
            "willContinue",
            "will_continue",
        ]);
        let is_bare = !value.has("id") && !says_any(&key.to_display(), &["code"]);
        let doubt = if name.is_none() && (goes_on || is_bare) {
            Doubt::Piece
        } else {
            Doubt::SameName
        };
        Suspect {
            name,
            id: value.label_at(&["id"]),
            place: pointer(path),
            ..Suspect::new(format!("the value of `{}`", key.to_display()), doubt)
        }
    });
    1
}

/// The number of calls under a key such as `tool_calls`, which may have none of them. Limits aren't calls.
fn counted(key: &Text<'_>, value: &Node<'_>, path: &[Step<'_>], each: Hears<'_>) -> usize {
    let number = value
        .whole()
        .and_then(|number| u64::try_from(number).ok())
        .filter(|number| *number > 0);
    let is_limit = path.iter().any(|step| match step {
        Step::Key(key) => says_any(
            &key.to_display(),
            &["limit", "max", "budget", "config", "setting", "option"],
        ),
        Step::Item(_) => false,
    });
    let Some(number) = number.filter(|_| is_count(key) && !is_limit) else {
        return 0;
    };
    each(&|| Suspect {
        place: pointer(path),
        ..Suspect::new(
            format!("the number {number} in `{}`", key.to_display()),
            Doubt::Number(number),
        )
    });
    1
}

#[cfg(test)]
mod tests;
