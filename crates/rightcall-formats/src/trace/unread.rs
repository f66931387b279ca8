//! What looks like a call and was not read as one: a run must not pass for one without calls because it is written in a way that
//! no reader knows.
//!
//! A reader says which part of a value it reads; where the part told of fewer calls than there seem to be in it, those whose
//! names no call of the run has are kept in mind. A run of which no call was read, although something in it looks like one, is
//! an error; in any other run such things are counted. Nothing is parsed again: the tree of the part is there already.
//!
//! What looks like a call: an object with the name of a tool and its arguments under any of the usual keys, one whose `type`
//! says so, and what stands under keys such as `tool_calls`. Definitions of tools, schemas, results and what is merely expected
//! do not.

use std::collections::BTreeMap;

use rightcall::value::Text;

use super::{LeftOut, Report, Trace, UnreadCalls};
use crate::CaseError;
use crate::node::Node;

/// Something that looks like a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Suspect {
    /// By what it looks like one, such as `type: tool_use_block`.
    pub(crate) looks: String,
    /// The name of the tool, where it is told.
    pub(crate) name: Option<Text<'static>>,
    /// Where it stands.
    pub(crate) place: String,
    pub(crate) doubt: Doubt,
}

/// Whether what looks like a call may be one that has been read from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Doubt {
    /// It is none of them.
    None,
    /// It is one of them if one has its name.
    SameName,
    /// It is a piece of one, if any was read.
    Piece,
}

impl Suspect {
    /// Something that looks like a call, as a whole.
    pub(crate) fn new(looks: impl Into<String>, doubt: Doubt) -> Self {
        Self { looks: looks.into(), name: None, place: String::new(), doubt }
    }

    /// The same within something else.
    pub(crate) fn within(mut self, place: &str) -> Self {
        self.place = if self.place.is_empty() { place.to_owned() } else { format!("at {} {place}", self.place) };
        self
    }
}

/// What looks like a call in a run that is being read.
#[derive(Debug, Default)]
pub(crate) struct Suspects(BTreeMap<(String, Option<Text<'static>>), (Suspect, u64)>);

/// More kinds of suspects are not told apart.
const MAX_KINDS: usize = 200;

impl Suspects {
    pub(crate) fn add(&mut self, suspect: Suspect) {
        let key = (suspect.looks.clone(), suspect.name.clone());
        if self.0.len() < MAX_KINDS || self.0.contains_key(&key) {
            let doubt = suspect.doubt;
            let (known, count) = self.0.entry(key).or_insert((suspect, 0));
            known.doubt = known.doubt.min(doubt);
            *count += 1;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Tells the report of those that no call of the run can stand for.
    pub(crate) fn tell(self, report: &mut Report, has_calls: bool, is_read: impl Fn(&Text<'static>) -> bool) {
        for (suspect, count) in self.0.into_values() {
            let may_be_read = match suspect.doubt {
                Doubt::None => false,
                Doubt::SameName => suspect.name.as_ref().is_some_and(&is_read),
                Doubt::Piece => has_calls,
            };
            if !may_be_read {
                report.unread(suspect.looks, count, &suspect.place);
            }
        }
    }
}

/// Looks for calls under the keys of a run that its reader does not know.
pub(crate) fn look_over(run: &Node<'_>, known: &[&str], trace: &mut Trace) {
    let mut suspects = Suspects::default();
    for suspect in in_members(run, known) {
        suspects.add(suspect);
    }
    let Trace { calls, report, .. } = trace;
    suspects.tell(report, !calls.is_empty(), |name| calls.iter().any(|call| call.name == *name));
}

/// What looks like a call under other keys than these, in words too.
pub(crate) fn in_members(node: &Node<'_>, known: &[&str]) -> Vec<Suspect> {
    let mut found = Vec::new();
    for (key, value) in node.entries() {
        if matches!(key_of(key), Key::PassedOver) || known.iter().any(|known| *key == **known) {
            continue;
        }
        let place = format!("under `{}`", key.to_display());
        each_suspect(value, &mut |it| found.push(it.within(&place)));
    }
    found
}

/// The trace, unless it holds a call without a name, or no call although something in it looks like one.
pub(crate) fn checked(trace: Trace, choice: UnreadCalls) -> Result<Trace, CaseError> {
    if let Some(place) = trace.calls.iter().position(|call| call.name.to_display().trim().is_empty()) {
        return Err(nameless(&trace, place));
    }
    let left_out = || trace.report.dropped().any(|(reason, _)| reason != LeftOut::RepeatedAttribute);
    if choice == UnreadCalls::Error && trace.calls.is_empty() && !left_out() {
        if let Some(error) = trace.report.unread_kinds().next().map(|first| unread(&trace, first)) {
            return Err(error);
        }
    }
    Ok(trace)
}

#[cold]
fn nameless(trace: &Trace, place: usize) -> CaseError {
    let call = &trace.calls[place];
    let about = match (&call.id, call.turn) {
        (Some(id), _) => format!(", with the id `{id}`,"),
        (None, Some(turn)) => format!(", of turn {},", turn + 1),
        (None, None) => String::new(),
    };
    CaseError {
        pointer: String::new(),
        expected: "the name of a tool in each call".into(),
        found: format!("none in call {} of {}{about} of this trajectory", place + 1, trace.calls.len()),
        help: Some(
            "the name is empty, or stands under a key that is not read; --input-format names another format if this is not the one"
                .into(),
        ),
    }
}

#[cold]
fn unread(trace: &Trace, (looks, count, place): (&str, u64, &str)) -> CaseError {
    let kinds = trace.report.unread_kinds().count();
    let all: u64 = trace.report.unread_kinds().map(|(_, count, _)| count).sum();
    let more = if kinds > 1 {
        format!(", one of {all} such things")
    } else if count > 1 {
        format!(", {count} times")
    } else {
        String::new()
    };
    CaseError {
        pointer: String::new(),
        expected: "calls in a form that is read".into(),
        found: format!("no call, but {looks} {place}{more}"),
        help: Some(
            "this looks like a call and is not read as one, so the run cannot be scored; `rightcall formats` says what is read, \
--input-format names the format, and `--read unread=note` takes it for a run without calls"
                .into(),
        ),
    }
}

/// Gives each thing in a value that looks like a call, the inner ones of such a thing left out.
pub(crate) fn each_suspect(node: &Node<'_>, each: &mut dyn FnMut(Suspect)) {
    walk(node, &mut Vec::new(), &mut |make| each(make()));
}

/// How many there are of them.
pub(crate) fn number_of_suspects(node: &Node<'_>) -> usize {
    walk(node, &mut Vec::new(), &mut |_| {})
}

/// Hears of something that looks like a call, which is put into words only if somebody wants them.
type Hears<'h> = &'h mut dyn FnMut(&dyn Fn() -> Suspect);

enum Step<'n> {
    Key(&'n Text<'n>),
    Item(usize),
}

fn pointer(path: &[Step<'_>]) -> String {
    let steps = path.iter().map(|step| match step {
        Step::Key(key) => format!("/{}", key.to_display().replace('~', "~0").replace('/', "~1")),
        Step::Item(index) => format!("/{index}"),
    });
    steps.collect()
}

/// Gives how many suspects there were.
fn walk<'n>(node: &'n Node<'_>, path: &mut Vec<Step<'n>>, each: Hears<'_>) -> usize {
    let mut number = 0;
    for (index, item) in node.items().iter().enumerate().filter(|(_, item)| item.is_object() || item.is_list()) {
        path.push(Step::Item(index));
        number += walk(item, path, each);
        path.pop();
    }
    if node.entries().is_empty() {
        return number;
    }
    let object = Object::of(node);
    if object.is_result() {
        return number;
    }
    let evidence = object.evidence();
    if let Some(Evidence::Members(..)) = evidence {
        each(&|| object.suspect(evidence, path));
        // What a call has led to may hold calls too.
        let inner =
            node.entries().iter().filter(|(key, value)| value.is_list() && matches!(key_of(key), Key::Other) && !is_outcome(key));
        for (key, value) in inner {
            path.push(Step::Key(key));
            number += walk(value, path, each);
            path.pop();
        }
        return number + 1;
    }
    for (key, value) in node.entries().iter().filter(|(_, value)| value.is_object() || value.is_list()) {
        path.push(Step::Key(key));
        number += match key_of(key) {
            Key::PassedOver => 0,
            Key::Calls => calls(key, value, path, each),
            _ => walk(value, path, each),
        };
        path.pop();
    }
    // A type says less than what stands inside.
    if let (Some(Evidence::Type), 0) = (evidence, number) {
        each(&|| object.suspect(evidence, path));
        return 1;
    }
    number
}

fn is_outcome(key: &Text<'_>) -> bool {
    ["result", "results", "output", "outputs", "error"].iter().any(|outcome| *key == **outcome)
}

/// What stands under a key that calls stand under: each object is one, whatever it holds.
fn calls<'n>(key: &Text<'_>, value: &'n Node<'_>, path: &mut Vec<Step<'n>>, each: Hears<'_>) -> usize {
    if value.is_list() {
        let mut number = 0;
        for (index, item) in value.items().iter().enumerate() {
            path.push(Step::Item(index));
            number += calls(key, item, path, each);
            path.pop();
        }
        return number;
    }
    if value.entries().is_empty() {
        return 0;
    }
    let inner = walk(value, path, each);
    if inner > 0 || Object::of(value).is_result() {
        return inner;
    }
    each(&|| {
        let inside = || value.entries().iter().find_map(|(_, part)| Object::of(part).name);
        let name = Object::of(value).name.or_else(inside).map(owned);
        let goes_on = ["index", "partialArgs", "partial_args", "willContinue", "will_continue"].iter().any(|key| value.has(key));
        let is_bare = !value.has("id") && !says_any(&key.to_display(), &["code"]);
        let doubt = if name.is_none() && (goes_on || is_bare) { Doubt::Piece } else { Doubt::SameName };
        Suspect { looks: format!("what stands under `{}`", key.to_display()), name, place: pointer(path), doubt }
    });
    1
}

fn owned(text: &Text<'_>) -> Text<'static> {
    text.clone().into_owned()
}

/// What of an object tells whether it is a call.
#[derive(Default)]
struct Object<'n, 'a> {
    kind: Option<&'n str>,
    role: Option<&'n str>,
    name: Option<&'n Text<'a>>,
    /// The keys of name and arguments, and whether calls alone have such.
    name_key: Option<(&'n Text<'a>, bool)>,
    arguments_key: Option<(&'n Text<'a>, bool)>,
    /// The key of a text that goes into something, which may be the argument of a call.
    text_key: Option<&'n Text<'a>>,
    /// The key of the id of a call.
    id_key: Option<&'n Text<'a>>,
    has_content: bool,
    has_description: bool,
}

impl<'n, 'a> Object<'n, 'a> {
    fn of(node: &'n Node<'a>) -> Self {
        let mut object = Self::default();
        for (key, value) in node.entries() {
            match key_of(key) {
                Key::Type => object.kind = object.kind.or(value.str()),
                Key::Role => object.role = object.role.or(value.str()),
                Key::Content => object.has_content |= !value.is_null(),
                Key::Description => object.has_description = true,
                found @ (Key::Name | Key::AnyName) => {
                    let is_telling = matches!(found, Key::Name);
                    let is_better = object.name_key.is_none_or(|(_, known)| !known && is_telling);
                    if let Some(text) = value.text().filter(|text| is_better && !text.is_empty()) {
                        object.name = Some(text);
                        object.name_key = Some((key, is_telling));
                    }
                }
                found @ (Key::Arguments | Key::AnyArguments) => {
                    let is_telling = matches!(found, Key::Arguments);
                    if value.text().is_some() {
                        object.text_key = Some(key);
                    }
                    let is_value = value.is_object() && !is_schema(value) || is_telling && value.text().is_some();
                    if is_value && object.arguments_key.is_none_or(|(_, known)| !known && is_telling) {
                        object.arguments_key = Some((key, is_telling));
                    }
                }
                Key::CallId => object.id_key = object.id_key.or(Some(key).filter(|_| !value.is_null())),
                Key::Calls | Key::PassedOver | Key::Other => {}
            }
        }
        object
    }

    /// True for a result of a call, which may hold anything.
    fn is_result(&self) -> bool {
        let is_of_tool = |word: &str| ["tool", "function"].iter().any(|role| word.eq_ignore_ascii_case(role));
        self.role.is_some_and(is_of_tool)
            || self
                .kind
                .is_some_and(|kind| is_result_kind(kind) || kind == "tool" && self.has_content || kind.contains("approval"))
    }

    /// By what it looks like a call.
    fn evidence(&self) -> Option<Evidence<'n, 'a>> {
        let is_answer = self.has_content && self.role.is_none();
        let (is_telling, arguments) = match self.arguments_key {
            Some((arguments, is_telling)) => (is_telling, Some(arguments)),
            None => (false, self.text_key.filter(|_| self.id_key.is_some())),
        };
        let named = self.name_key.filter(|(_, name_tells)| *name_tells || is_telling || !self.has_description);
        let first = named.map(|(name, _)| name).or_else(|| self.id_key.filter(|_| !is_answer));
        match first.zip(arguments) {
            Some((first, arguments)) => Some(Evidence::Members(first, arguments)),
            None => self.kind.filter(|kind| is_call_kind(kind)).map(|_| Evidence::Type),
        }
    }

    fn suspect(&self, evidence: Option<Evidence<'_, '_>>, path: &[Step<'_>]) -> Suspect {
        let kind = self.kind.filter(|kind| is_call_kind(kind)).map(|kind| format!("`type: {kind}`"));
        let members = match evidence {
            Some(Evidence::Members(first, second)) => Some(format!("`{}` with `{}`", first.to_display(), second.to_display())),
            _ => None,
        };
        let looks: Vec<_> = kind.into_iter().chain(members).collect();
        let of_kind = || self.kind.and_then(|kind| kind.strip_suffix("_call")).map(|name| Text::from(name.to_owned()));
        let name = self.name.map(owned);
        let is_piece = name.is_none() && self.kind.is_some_and(is_piece_kind);
        let doubt = if is_piece { Doubt::Piece } else { Doubt::SameName };
        Suspect { looks: looks.join(", "), name: name.or_else(of_kind), place: pointer(path), doubt }
    }
}

/// What tells of a call.
#[derive(Clone, Copy)]
enum Evidence<'n, 'a> {
    /// The keys of a name or an id, and of arguments.
    Members(&'n Text<'a>, &'n Text<'a>),
    Type,
}

/// True for a description of values rather than a value.
fn is_schema(value: &Node<'_>) -> bool {
    value.has("properties")
        || value.has("$schema")
        || value.str_at("type").is_some_and(|kind| matches!(kind.to_ascii_lowercase().as_str(), "object" | "dict"))
}

/// True if one of the words is in a text, in letters of either case.
fn says_any(text: &str, words: &[&str]) -> bool {
    let text = text.as_bytes();
    words.iter().any(|word| text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes())))
}

fn is_of_tools(kind: &str) -> bool {
    kind != "tool" && (kind.ends_with("_call") || says_any(kind, &["tool", "function_call", "functioncall", "function-call"]))
}

fn is_result_kind(kind: &str) -> bool {
    is_of_tools(kind) && (says_any(kind, &["result", "output", "error"]) || kind.ends_with("esponse"))
}

fn is_call_kind(kind: &str) -> bool {
    const OTHERS: [&str; 7] = ["tools", "choice", "definition", "approval", "schema", "summary", "reference"];
    is_of_tools(kind) && !is_result_kind(kind) && !says_any(kind, &OTHERS)
}

fn is_piece_kind(kind: &str) -> bool {
    const ENDS: [&str; 9] = ["delta", "start", "started", "begin", "end", "stop", "done", "progress", "streaming"];
    says_any(kind, &["chunk"]) || ENDS.iter().any(|end| kind.ends_with(end))
}

/// What a key means to one who looks for calls.
enum Key {
    Type,
    Role,
    Content,
    Description,
    /// The name of a tool.
    Name,
    /// The name of anything.
    AnyName,
    /// The arguments of a call.
    Arguments,
    /// What goes into anything.
    AnyArguments,
    /// The id of a call.
    CallId,
    /// Under it stand calls.
    Calls,
    /// Under it stands what is no call of the run: definitions, schemas, results, expectations.
    PassedOver,
    Other,
}

/// The meaning of a key, whichever way its words are put together.
fn key_of(key: &Text<'_>) -> Key {
    let mut letters = [0_u8; 24];
    let mut length = 0;
    for byte in key.as_bytes().iter().filter(|byte| !matches!(byte, b'_' | b'-' | b'.' | b' ')) {
        let Some(place) = letters.get_mut(length) else { return Key::Other };
        *place = byte.to_ascii_lowercase();
        length += 1;
    }
    match &letters[..length] {
        b"type" => Key::Type,
        b"role" => Key::Role,
        b"content" => Key::Content,
        b"description" => Key::Description,
        b"toolname" | b"tool" | b"functionname" | b"function" | b"recipientname" => Key::Name,
        b"name" => Key::AnyName,
        b"args" | b"arguments" | b"kwargs" | b"toolinput" | b"toolargs" | b"toolarguments" | b"toolparameters"
        | b"inputparameters" | b"functionargs" | b"functionarguments" | b"callargs" | b"rawinput" => Key::Arguments,
        b"input" | b"parameters" | b"params" => Key::AnyArguments,
        b"callid" | b"toolcallid" | b"tooluseid" => Key::CallId,
        b"executablecode" | b"invalidtoolcalls" => Key::Calls,
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
        | b"expected"
        | b"expectedcalls"
        | b"expectedtools"
        | b"expectedtoolcalls"
        | b"expectedtooluse"
        | b"groundtruth"
        | b"reference"
        | b"referencetoolcalls"
        | b"referenceoutputs" => Key::PassedOver,
        letters if CALLS.iter().any(|begin| letters.starts_with(begin)) && !letters.ends_with(b"results") => Key::Calls,
        _ => Key::Other,
    }
}

/// Under keys that begin so stand calls, whatever follows.
const CALLS: [&[u8]; 4] = [b"toolcall", b"functioncall", b"tooluse", b"toolinvocation"];

#[cfg(test)]
mod tests {
    use super::*;

    /// What looks like a call in a text, each with its place.
    fn found(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        each_suspect(&Node::parse(text, 512).unwrap(), &mut |it| {
            let piece = if it.doubt == Doubt::Piece { " (piece)" } else { "" };
            found.push(format!("{} {}{piece}", it.place, it.looks));
        });
        found
    }

    #[test]
    fn calls_in_any_spelling_look_like_calls() {
        for (text, looks) in [
            (r#"{"toolName":"f","args":{"a":1}}"#, " `toolName` with `args`"),
            (r#"{"tool":"f","tool_input":"x"}"#, " `tool` with `tool_input`"),
            (r#"{"name":"f","arguments":"{}"}"#, " `name` with `arguments`"),
            (r#"{"id":"c","name":"f","parameters":{"a":1}}"#, " `name` with `parameters`"),
            (r#"{"a":[{"function":"f","kwargs":{}}]}"#, "/a/0 `function` with `kwargs`"),
            (r#"{"content":[{"type":"text"},{"type":"tool_use_block","id":"c"}]}"#, "/content/1 `type: tool_use_block`"),
            (r#"{"type":"function_call","callee":"f"}"#, " `type: function_call`"),
            (r#"{"type":"toolCall","name":"f","input":{}}"#, " `type: toolCall`, `name` with `input`"),
            (r#"{"tool_calls":[{"id":"c","call":{"target":"f"}}]}"#, "/tool_calls/0 what stands under `tool_calls`"),
            (r#"{"functionCall":{"name":"f"}}"#, "/functionCall what stands under `functionCall`"),
            (r#"{"type":"tool-input-delta","delta":"{"}"#, " `type: tool-input-delta` (piece)"),
        ] {
            assert_eq!(found(text), [looks], "{text}");
        }
    }

    #[test]
    fn definitions_schemas_results_and_talk_do_not() {
        for text in [
            r#"{"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]}"#,
            r#"[{"name":"f","description":"d","parameters":{}},{"name":"g","input_schema":{"type":"object"}}]"#,
            r#"{"type":"function","name":"f","parameters":{"type":"dict","properties":{}}}"#,
            r#"{"tool_choice":{"type":"tool","name":"f"},"tool_calls":null,"function_call":{}}"#,
            r#"{"role":"tool","tool_call_id":"c","content":[{"name":"f","arguments":{}}]}"#,
            r#"{"type":"tool_result","tool_use_id":"c","content":[{"type":"tool_reference","tool_name":"f"}]}"#,
            r#"{"type":"tool","content":"x","name":"f","tool_call_id":"c"}"#,
            r#"{"role":"user","content":"{\"name\":\"f\",\"arguments\":{}}"}"#,
            r#"{"expected":[{"name":"f","args":{}}],"question":[[{"role":"user","content":"q"}]]}"#,
            r#"{"name":"server","command":"npx","args":["-y"]}"#,
            r#"{"type":"mcp_list_tools","tools":[{"name":"f","input_schema":{}}]}"#,
            r#"{"finish_reason":"tool_calls","usage":{"tool_tokens":7}}"#,
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
