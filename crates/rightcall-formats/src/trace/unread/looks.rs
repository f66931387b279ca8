//! Recognizes call-like values: an object with a tool name and arguments under any of the usual keys, an object with a call's `type`, and
//! the values of keys such as `tool_calls`. Tool definitions, schemas, results and expectations are excluded.

use rightcall_core::value::pointer::{child, item};
use rightcall_core::value::{MAX_DEPTH, Text};

use super::suspect::{Doubt, Suspect};
use crate::catalogue::ToolCatalogue;
use crate::node::Node;
use crate::notations::{DSPY_END, TextCall, may_hold_calls, read_notations};
use crate::trace::role::{is_of_model, model_text};
use crate::trace::wrappers::tool_of;

/// Passes on each call-like value, but not those inside of it.
pub(crate) fn each_suspect(node: &Node<'_>, each: &mut dyn FnMut(Suspect)) {
    walk(node, &mut Vec::new(), &mut |make| each(make()));
}

/// Like [`each_suspect`], for the value of a key.
pub(crate) fn each_suspect_under(key: &Text<'_>, value: &Node<'_>, each: &mut dyn FnMut(Suspect)) {
    if matches!(key_of(key), Key::Calls) && is_of_names(key) {
        calls(key, value, &mut Vec::new(), &mut |make| each(make()));
    } else {
        each_suspect(value, each);
    }
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
        if !is_passed_over(key) || value.items().iter().any(|it| seen(it) != Seen::Whole) {
            path.push(Step::Key(key));
            number += left_over(value, path, seen, each);
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
    // The wrapper has the id of the call inside.
    let own_id = object.own_id.filter(|_| object.kind == Some(HOSTED));
    let own_id = own_id.and_then(Node::label);
    let each: Hears<'_> = &mut |make| {
        each(&|| {
            let mut found = make();
            found.id = found.id.or_else(|| own_id.clone());
            found
        });
    };
    let words = if is_of_model(node) {
        in_words(node, path, each)
    } else {
        0
    };
    let evidence = object.evidence();
    if let Some(Evidence::Members(..)) = evidence {
        each(&|| object.suspect(evidence, path));
        // The outcome of a call may also contain calls.
        let inner = node.entries().iter().filter(|(key, value)| {
            value.is_list() && matches!(key_of(key), Key::Other | Key::Id) && !is_outcome(key)
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
            Key::PassedOver => 0,
            // Text content is not searched as a structure, nor are text arguments without a name.
            Key::Content | Key::Description | Key::Arguments if value.text().is_some() => 0,
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

fn is_outcome(key: &Text<'_>) -> bool {
    let outcomes = ["result", "results", "output", "outputs", "error"];
    outcomes.iter().any(|outcome| key == outcome)
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

/// The calls that the model wrote into a text.
pub(crate) fn suspects_in_words(text: &str) -> Vec<Suspect> {
    if !may_hold_calls(text) {
        return Vec::new();
    }
    let found = read_notations(text, &ToolCatalogue::default());
    let notation = found.notation.unwrap_or("unknown");
    let suspect = |call: TextCall| Suspect {
        name: Some(call.name),
        ..Suspect::new(
            format!("a call in the text of the model ({notation})"),
            Doubt::SameName,
        )
    };
    found.calls.into_iter().map(suspect).collect()
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

/// The list or object in a text.
fn json_in(text: &str) -> Option<Node<'_>> {
    let text = text.trim_ascii();
    let may_hold = text.starts_with(['{', '[']) && text.contains('{');
    may_hold.then(|| Node::parse(text, MAX_DEPTH).ok())?
}

/// The value of a key for calls: each object in it counts as one, whatever its members.
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
        return if number == 0 && is_of_names(key) && !text.is_empty() {
            each(&|| Suspect {
                name: Some(Text::from(text.to_owned())),
                place: pointer(path),
                ..Suspect::new(format!("a name in `{}`", key.to_display()), Doubt::SameName)
            });
            1
        } else {
            number
        };
    }
    if value.entries().is_empty() {
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

/// True for a key of the called tools. Some logs keep only their names.
fn is_of_names(key: &Text<'_>) -> bool {
    let word = key
        .to_display()
        .replace(['_', '-'], "")
        .to_ascii_lowercase();
    matches!(word.as_str(), "toolsused" | "usedtools" | "toolscalled")
}

fn owned(name: &Text<'_>) -> Text<'static> {
    tool_of(name.clone().into_owned())
}

/// The members of an object that decide whether it is a call.
#[derive(Default)]
struct Object<'n, 'a> {
    kind: Option<&'n str>,
    role: Option<&'n str>,
    name: Option<&'n Text<'a>>,
    /// The keys of name and arguments, and true if only calls have such a key.
    name_key: Option<(&'n Text<'a>, bool)>,
    arguments_key: Option<(&'n Text<'a>, bool)>,
    /// The key of an input text, which may be the argument of a call.
    text_key: Option<&'n Text<'a>>,
    /// The key of a call id.
    id_key: Option<&'n Text<'a>>,
    /// The id of the call, and that of the object.
    call_id: Option<&'n Node<'a>>,
    own_id: Option<&'n Node<'a>>,
    status: Option<&'n str>,
    has_content: bool,
    has_description: bool,
    /// True if the name is an empty text.
    lacks_name: bool,
}

impl<'n, 'a> Object<'n, 'a> {
    fn from_node(node: &'n Node<'a>) -> Self {
        let mut object = Self::default();
        for (key, value) in node.entries() {
            match key_of(key) {
                Key::Type => object.kind = object.kind.or(value.str()),
                Key::Role => object.role = object.role.or(value.str()),
                Key::Content => object.has_content |= !value.is_null(),
                Key::Description => object.has_description = true,
                found @ (Key::Name | Key::AnyName) => {
                    let is_telling = matches!(found, Key::Name);
                    let is_better = object
                        .name_key
                        .is_none_or(|(_, known)| !known && is_telling);
                    let is_end =
                        |text: &Text<'_>| *text == *DSPY_END && unnumbered(key) != key.as_bytes();
                    let is_name = |text: &&Text<'_>| !text.is_empty() && !is_end(text);
                    object.lacks_name |= value.text().is_some_and(Text::is_empty);
                    if let Some(text) = value.text().filter(|text| is_better && is_name(text)) {
                        // Semantic Kernel also writes the full name, which begins with the plugin.
                        let is_full = |known: &&Text<'_>| {
                            *key == *"function_name" && known.as_bytes().ends_with(text.as_bytes())
                        };
                        object.name = object.name.filter(is_full).or(Some(text));
                        object.name_key = Some((key, is_telling));
                    }
                }
                found @ (Key::Arguments | Key::AnyArguments) => {
                    let is_telling = matches!(found, Key::Arguments);
                    if value.text().is_some() {
                        object.text_key = Some(key);
                    }
                    let is_value = value.is_object() && !is_schema(value)
                        || is_telling && value.text().is_some();
                    if is_value
                        && object
                            .arguments_key
                            .is_none_or(|(_, known)| !known && is_telling)
                    {
                        object.arguments_key = Some((key, is_telling));
                    }
                }
                Key::CallId => {
                    object.id_key = object.id_key.or(Some(key).filter(|_| !value.is_null()));
                    object.call_id = object.call_id.or(Some(value));
                }
                Key::Id => object.own_id = Some(value),
                Key::Other if *key == *"status" => object.status = value.str(),
                Key::Calls | Key::PassedOver | Key::Other => {}
            }
        }
        object
    }

    /// True for a message to the agent.
    fn is_of_others(&self) -> bool {
        const OTHERS: [&str; 4] = ["user", "human", "system", "developer"];
        self.role
            .is_some_and(|role| OTHERS.iter().any(|other| role.eq_ignore_ascii_case(other)))
    }

    /// True for a call's result, which may contain anything.
    fn is_result(&self) -> bool {
        let is_of_tool =
            |word: &str| word.eq_ignore_ascii_case("tool") || word.eq_ignore_ascii_case("function");
        self.role.is_some_and(is_of_tool)
            || self.kind.is_some_and(|kind| {
                is_result_kind(kind)
                    || kind == "tool" && self.has_content
                    || kind.contains("approval")
            })
    }

    /// Why the object looks like a call.
    fn evidence(&self) -> Option<Evidence<'n, 'a>> {
        let is_answer = self.has_content && self.role.is_none();
        let (is_telling, arguments) = match self.arguments_key {
            Some((arguments, is_telling)) => (is_telling, Some(arguments)),
            None => (false, self.text_key.filter(|_| self.id_key.is_some())),
        };
        let named = self
            .name_key
            .filter(|(_, name_tells)| *name_tells || is_telling || !self.has_description);
        let first = named
            .map(|(name, _)| name)
            .or_else(|| self.id_key.filter(|_| !is_answer));
        match first.zip(arguments) {
            Some((first, arguments)) => Some(Evidence::Members(first, arguments)),
            None => self.call_kind().map(|_| Evidence::Type),
        }
    }

    /// The type of a call. A part of the type `tool` is one if it names a tool and has the id of a call.
    fn call_kind(&self) -> Option<&'n str> {
        let is_named = self.name_key.is_some_and(|(_, is_telling)| is_telling);
        let is_part = is_named && self.id_key.is_some();
        self.kind
            .filter(|kind| is_call_kind(kind) || *kind == "tool" && is_part)
    }

    fn suspect(&self, evidence: Option<Evidence<'_, '_>>, path: &[Step<'_>]) -> Suspect {
        let kind = self.call_kind().map(|kind| format!("`type: {kind}`"));
        let members = match evidence {
            Some(Evidence::Members(first, second)) => Some(format!(
                "`{}` with `{}`",
                first.to_display(),
                second.to_display()
            )),
            _ => None,
        };
        let looks: Vec<_> = kind.into_iter().chain(members).collect();
        let is_hosted = self.kind == Some(HOSTED);
        let of_kind = || {
            self.kind
                .filter(|_| !is_hosted)
                .and_then(|kind| kind.strip_suffix("_call").or_else(|| self.ui_tool(kind)))
                .map(|name| Text::from(name.to_owned()))
        };
        let name = self.name.filter(|_| !is_hosted).map(owned);
        let name = name.or_else(|| self.hosted_tool().filter(|_| is_hosted));
        // A chunk goes on with a call by its place alone.
        let goes_on = self.lacks_name && self.id_key.is_none();
        let is_piece =
            name.is_none() && (goes_on || is_hosted || self.kind.is_some_and(is_piece_kind));
        let doubt = if is_piece {
            Doubt::Piece
        } else {
            Doubt::SameName
        };
        // A streamed call that only began may have another id at its end.
        let has_begun = self.status == Some("in_progress");
        let id = self.call_id.or(self.own_id).filter(|_| !has_begun);
        Suspect {
            looks: looks.join(", "),
            name: name.or_else(of_kind),
            id: id.and_then(Node::label),
            place: pointer(path),
            doubt,
        }
    }
}

/// The type of a call in the `OpenAI` Agents SDK whose name is the type of an item.
const HOSTED: &str = "hosted_tool_call";

impl<'n> Object<'n, '_> {
    /// The tool in the name of such a call; for a call of MCP it is elsewhere.
    fn hosted_tool(&self) -> Option<Text<'static>> {
        let name = self.name?.as_str()?.strip_suffix("_call")?;
        (name != "mcp").then(|| Text::from(name.to_owned()))
    }

    /// The tool in the type of a part of a UI message of the AI SDK: `tool-NAME`.
    fn ui_tool(&self, kind: &'n str) -> Option<&'n str> {
        const EVENTS: [&str; 5] = ["approval", "call", "input", "invocation", "output"];
        let name = kind
            .strip_prefix("tool-")
            .filter(|_| self.id_key.is_some())?;
        (!EVENTS.iter().any(|event| name.starts_with(event))).then_some(name)
    }
}

/// Evidence of a call.
#[derive(Clone, Copy)]
enum Evidence<'n, 'a> {
    /// The keys of a name or id, and of arguments.
    Members(&'n Text<'a>, &'n Text<'a>),
    Type,
}

/// True for a schema, not a value.
pub(crate) fn is_schema(value: &Node<'_>) -> bool {
    value.has("properties")
        || value.has("$schema")
        || value
            .str_at("type")
            .is_some_and(|kind| matches!(kind.to_ascii_lowercase().as_str(), "object" | "dict"))
}

/// True if the text contains one of the lower-case words, ignoring case.
pub(crate) fn says_any(text: &str, words: &[&str]) -> bool {
    let text = text.as_bytes();
    words.iter().any(|word| {
        text.windows(word.len())
            .any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    })
}

fn is_of_tools(kind: &str) -> bool {
    kind != "tool"
        && (kind.ends_with("_call")
            || says_any(
                kind,
                &["tool", "function_call", "functioncall", "function-call"],
            ))
}

fn is_result_kind(kind: &str) -> bool {
    // A request to submit outputs has the calls.
    is_of_tools(kind)
        && !kind.starts_with("submit")
        && (says_any(kind, &["result", "output", "error", "callexecution"])
            || kind.ends_with("esponse"))
}

fn is_call_kind(kind: &str) -> bool {
    const OTHERS: [&str; 7] = [
        "tools",
        "choice",
        "definition",
        "approval",
        "schema",
        "summary",
        "reference",
    ];
    is_of_tools(kind) && !is_result_kind(kind) && !says_any(kind, &OTHERS)
}

fn is_piece_kind(kind: &str) -> bool {
    const ENDS: [&str; 10] = [
        "args",
        "delta",
        "start",
        "started",
        "begin",
        "end",
        "stop",
        "done",
        "progress",
        "streaming",
    ];
    // LangChain adds one to a chunk with a part of the arguments.
    kind == "invalid_tool_call"
        || says_any(kind, &["chunk"])
        || ENDS
            .iter()
            .any(|end| kind.to_ascii_lowercase().ends_with(end))
}

/// True for a key of values that aren't calls of the run.
pub(super) fn is_passed_over(key: &Text<'_>) -> bool {
    matches!(key_of(key), Key::PassedOver)
}

/// The meaning of a key in the search for calls.
enum Key {
    Type,
    Role,
    Content,
    Description,
    /// The id of any object.
    Id,
    /// The name of a tool.
    Name,
    /// A name of any kind.
    AnyName,
    /// The arguments of a call.
    Arguments,
    /// An input of any kind.
    AnyArguments,
    /// The id of a call.
    CallId,
    /// Holds calls.
    Calls,
    /// Holds values that are not calls of the run: definitions, schemas, results, expectations.
    PassedOver,
    Other,
}

/// A key without its number: the keys of a `DSPy` trajectory are numbered.
fn unnumbered<'k>(key: &'k Text<'_>) -> &'k [u8] {
    let key = key.as_bytes();
    if !key.starts_with(b"tool_name_") && !key.starts_with(b"tool_args_") {
        return key;
    }
    let number = key.iter().rev().take_while(|byte| byte.is_ascii_digit());
    &key[..key.len() - number.count()]
}

/// The meaning of a key, in any word style such as snake case.
fn key_of(key: &Text<'_>) -> Key {
    let mut letters = [0_u8; 24];
    let mut length = 0;
    for byte in unnumbered(key)
        .iter()
        .filter(|byte| !matches!(byte, b'_' | b'-' | b'.' | b' '))
    {
        let Some(place) = letters.get_mut(length) else {
            return Key::Other;
        };
        *place = byte.to_ascii_lowercase();
        length += 1;
    }
    match &letters[..length] {
        b"type" => Key::Type,
        b"role" => Key::Role,
        b"content" => Key::Content,
        b"description" => Key::Description,
        b"id" => Key::Id,
        b"toolname" | b"tool" | b"functionname" | b"function" | b"recipientname" => Key::Name,
        b"name" => Key::AnyName,
        b"args" | b"arguments" | b"kwargs" | b"toolinput" | b"toolargs" | b"toolarguments"
        | b"toolparameters" | b"inputparameters" | b"functionargs" | b"functionarguments"
        | b"callargs" | b"rawinput" => Key::Arguments,
        b"input" | b"parameters" | b"params" => Key::AnyArguments,
        b"callid" | b"toolcallid" | b"tooluseid" => Key::CallId,
        b"executablecode" | b"invalidtoolcalls" | b"toolcallchunks" | b"toolscalled"
        | b"toolsused" | b"usedtools" => Key::Calls,
        b"tools"
        | b"functions"
        | b"tooldefinitions"
        | b"availabletools"
        | b"toolconfig"
        | b"toolchoice"
        | b"toolspec"
        | b"functiondeclarations"
        | b"schema"
        | b"jsonschema"
        | b"inputschema"
        | b"outputschema"
        | b"argsschema"
        | b"responseformat"
        | b"properties"
        | b"definitions"
        | b"toolresult"
        | b"toolresults"
        | b"toolresponse"
        | b"toolresponses"
        | b"functionresponse"
        | b"tooloutput"
        | b"toolmessages"
        | b"tooluseresult"
        | b"observation"
        | b"usage"
        | b"usagemetadata"
        | b"expected"
        | b"expectedcalls"
        | b"expectedtools"
        | b"expectedtoolcalls"
        | b"expectedtooluse"
        | b"groundtruth"
        | b"reference"
        | b"referencetoolcalls"
        | b"referenceoutputs" => Key::PassedOver,
        letters if begins_as_calls(letters) => Key::Calls,
        _ => Key::Other,
    }
}

/// True for a key of calls, possibly with a few letters after it.
fn begins_as_calls(letters: &[u8]) -> bool {
    const CALLS: [&[u8]; 4] = [b"toolcall", b"functioncall", b"tooluse", b"toolinvocation"];
    const OTHERS: [&[u8]; 5] = [b"stats", b"usage", b"limit", b"error", b"model"];
    CALLS
        .iter()
        .filter_map(|begin| letters.strip_prefix(*begin))
        .any(|rest| rest.len() <= 5 && !OTHERS.contains(&rest))
}

#[cfg(test)]
mod tests;
