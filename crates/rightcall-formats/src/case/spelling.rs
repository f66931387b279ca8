//! Spellings of the keys of calls and cases: the keys of other formats, and typos.
//!
//! Ignoring a key would leave a call with fewer conditions than its author wrote, and fewer conditions are easier to meet. So names and
//! arguments are read under any key that plainly means them, near misses of a field are errors, and every other key is recorded.

use std::borrow::Cow;

use rightcall_core::call::{Arguments, Call};
use rightcall_core::value::{Kind, MAX_DEPTH, Reader, Text};

use super::fault::{Fault, Result, Within};
use crate::node::Node;

/// A field of a call that every evaluator judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallField {
    Name,
    Arguments,
}

impl CallField {
    /// The field that a key plainly means: `tool_name`, `inputParameters`, `Args`.
    pub(crate) fn of(key: &str) -> Option<Self> {
        let folded = folded(key);
        let owners = ["toolcall", "functioncall", "tool", "function", "call"];
        match owners
            .iter()
            .find_map(|owner| folded.strip_prefix(owner))
            .unwrap_or(&folded)
        {
            "name" => Some(Self::Name),
            "" => matches!(&*folded, "tool" | "function").then_some(Self::Name),
            "arg" | "args" | "argument" | "arguments" | "kwarg" | "kwargs" | "param" | "params"
            | "parameter" | "parameters" | "input" | "inputs" | "inputarg" | "inputargs"
            | "inputargument" | "inputarguments" | "inputparam" | "inputparams"
            | "inputparameter" | "inputparameters" => Some(Self::Arguments),
            _ => None,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Name => "the name of the tool",
            Self::Arguments => "the arguments",
        }
    }
}

/// Keys of calls that misspelled keys are compared with. Shorter ones have too many neighbours.
const FIELDS: [&str; 19] = [
    "name",
    "args",
    "arguments",
    "parameters",
    "params",
    "tool_args",
    "input_parameters",
    "tool_input",
    "toolName",
    "kwargs",
    "output",
    "error",
    "turn",
    "group",
    "start",
    "actor",
    "parent",
    "compare_args",
    "tool_id",
];

/// The key in `among` that `key` is a typo of: one or two letters apart, or in another case.
pub(crate) fn near<'n>(key: &str, among: &[&'n str]) -> Option<&'n str> {
    let ends = |text: &str| {
        Some((
            text.bytes().next()?.to_ascii_lowercase(),
            text.bytes().last()?.to_ascii_lowercase(),
        ))
    };
    if among.contains(&key) {
        return None;
    }
    let (first, last) = ends(key)?;
    // Keys are many and typos are few, so a cheap check of length and ends rejects most.
    let may_be = |name: &&&'n str| {
        key.len().abs_diff(name.len()) <= 3
            && ends(name).is_some_and(|it| it.0 == first || it.1 == last)
    };
    let distance = |name: &&'n str| {
        let name_folded = folded(name);
        let distance = strsim::damerau_levenshtein(&folded(key), &name_folded);
        (distance <= if name_folded.len() < 8 { 1 } else { 2 }).then_some((distance, *name))
    };
    among
        .iter()
        .filter(may_be)
        .filter_map(distance)
        .min()
        .map(|(_, name)| name)
}

/// Lower case, without underscores, hyphens and spaces.
fn folded(key: &str) -> Cow<'_, str> {
    if key.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(key);
    }
    key.chars()
        .filter(|character| !matches!(character, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

pub(super) const CALL: &str = "a call is an object such as {\"name\": \"find_order\", \"args\": {\"id\": 7}}, or a name alone";

#[cold]
pub(super) fn event_as_call() -> Fault {
    Fault::new("a call", "an event about one").help(CALL)
}

/// True for a key that may say what happened to a call.
fn is_of_event(key: &Text<'_>) -> bool {
    const KEYS: [&str; 7] = [
        "action", "event", "kind", "phase", "stage", "state", "status",
    ];
    KEYS.iter().any(|it| *key == **it)
}

/// True if this JSON text is the type or event of a piece, the start or the end of a call: `toolStart`, `TOOL_CALL_END`, but not
/// `send`.
pub(super) fn is_part_of_call(json: &str) -> bool {
    let kind = json.trim_matches('"');
    let is_last_word = |word: &&str| {
        let before = kind.strip_suffix(*word);
        before.is_some_and(|before| !before.ends_with(char::is_alphabetic))
    };
    kind.to_ascii_lowercase().contains("delta")
        || ["start", "started", "begin", "end", "START", "END"]
            .iter()
            .any(is_last_word)
        || ["Start", "Started", "Begin", "End"]
            .iter()
            .any(|word| kind.ends_with(word))
}

/// The keys of a call seen so far.
#[derive(Debug, Default)]
pub(crate) struct CallKeys {
    name: Option<Cow<'static, str>>,
    arguments: Option<Cow<'static, str>>,
    /// A meaningless key that may hold the arguments.
    holds_more: Option<String>,
    /// A meaningless key that changes what is expected, such as `optional`.
    condition: Option<String>,
}

impl CallKeys {
    /// The keys of a call, after its name and its arguments were read under these two.
    pub(crate) fn read(name: Option<&'static str>, arguments: Option<&'static str>) -> Self {
        Self {
            name: name.map(Cow::Borrowed),
            arguments: arguments.map(Cow::Borrowed),
            holds_more: None,
            condition: None,
        }
    }

    /// True if the name is under this key.
    pub(crate) fn has_name_under(&self, key: &str) -> bool {
        self.name.as_deref() == Some(key)
    }

    pub(crate) fn has_name(&self) -> bool {
        self.name.is_some()
    }

    /// True if the arguments are under one of these keys.
    pub(crate) fn has_arguments_under(&self, keys: &[&str]) -> bool {
        let key = self.arguments.as_deref();
        key.is_some_and(|key| keys.contains(&key))
    }

    /// True if a key without meaning holds an object.
    pub(crate) fn hold_more(&self) -> bool {
        self.holds_more.is_some()
    }

    pub(crate) fn has_arguments(&self) -> bool {
        self.arguments.is_some()
    }

    /// Called before the value of a field is read. A repeated key replaces the earlier one, as everywhere. Two keys for one field are an
    /// error, unless one of them is null: then the null is skipped and the result is false.
    pub(crate) fn begin(
        &mut self,
        field: CallField,
        key: impl Into<Cow<'static, str>>,
        call: &Call<'_>,
        reader: &mut Reader<'_>,
    ) -> Result<bool> {
        let key = key.into();
        if field == CallField::Arguments && key.ends_with("arameters") {
            refuse_schema(reader.clone().raw()?).within(&key)?;
        }
        let known = match field {
            CallField::Name => &mut self.name,
            CallField::Arguments => &mut self.arguments,
        };
        if let Some(known) = known.as_ref().filter(|known| **known != key) {
            if reader.peek()? == Kind::Null {
                reader.null()?;
                return Ok(false);
            }
            if field == CallField::Name || !call.arguments.is_absent() {
                return Err(twice(field.words(), known, &key));
            }
        }
        *known = Some(key);
        Ok(true)
    }

    /// Handles a key that is not a canonical field: another format's name or arguments key (read with `arguments`), a typo, or a key
    /// without meaning.
    #[cold]
    pub(crate) fn other<'a>(
        &mut self,
        call: &mut Call<'a>,
        key: Text<'a>,
        reader: &mut Reader<'a>,
        arguments: fn(&mut Reader<'a>) -> Result<Arguments<'a>>,
    ) -> Result<()> {
        let written = key.to_display().into_owned();
        match CallField::of(&written) {
            Some(CallField::Arguments) => {
                if self.begin(CallField::Arguments, written.clone(), call, reader)? {
                    call.arguments = arguments(reader).within(&written)?;
                }
                return Ok(());
            }
            Some(CallField::Name) if reader.peek()? == Kind::String => {
                self.begin(CallField::Name, written, call, reader)?;
                call.name = reader.string()?;
                return Ok(());
            }
            // `{"function": {"name": …, "arguments": …}}`.
            Some(CallField::Name) if reader.peek()? == Kind::Object => {
                let mut first = reader.enter_object()?;
                while let Some(inner) = reader.next_key(&mut first)? {
                    let inner_written = inner.to_display();
                    let path = format!("{written}.{inner_written}");
                    match CallField::of(&inner_written) {
                        Some(CallField::Name) if reader.peek()? == Kind::String => {
                            self.begin(CallField::Name, path, call, reader)?;
                            call.name = reader.string()?;
                        }
                        Some(CallField::Arguments) => {
                            if self.begin(CallField::Arguments, path, call, reader)? {
                                call.arguments =
                                    arguments(reader).within(&inner_written).within(&written)?;
                            }
                        }
                        Some(CallField::Name) if reader.peek()? != Kind::Null => {
                            return Err(Fault::unexpected("the name of a tool", reader))
                                .within(&inner_written)
                                .within(&written);
                        }
                        _ => self.without_meaning(call, inner, reader)?,
                    }
                }
                return Ok(());
            }
            _ => {}
        }
        self.without_meaning(call, key, reader)
    }

    /// A key that calls don't have.
    #[cold]
    pub(crate) fn without_meaning<'a>(
        &mut self,
        call: &mut Call<'a>,
        key: Text<'a>,
        reader: &mut Reader<'a>,
    ) -> Result<()> {
        let written = key.to_display();
        if let Some(name) = near(&written, &FIELDS) {
            return Err(
                Fault::slip("a key of a call", format!("the key `{written}`"))
                    .help(format!("did you mean `{name}`?")),
            );
        }
        let raw = reader.raw()?;
        if key == "hook_event_name"
            || is_of_event(&key) && raw.starts_with('"') && is_part_of_call(raw)
        {
            return Err(event_as_call());
        }
        refuse_inner_calls(raw).within(&written)?;
        if self.condition.is_none() && is_condition_of_call(&written, raw) {
            self.condition = Some(written.clone().into_owned());
        }
        if self.holds_more.is_none() && (raw.starts_with('{') || raw.starts_with("\"{")) {
            self.holds_more = Some(written.into_owned());
        }
        call.metadata_mut().other_keys.push(key);
        Ok(())
    }

    /// An expected call without arguments would match by name alone. An author who wrote an object under another key can't mean that.
    pub(crate) fn finish(&self, call: &Call<'_>, is_expected: bool) -> Result<()> {
        if let Some(key) = self.condition.as_ref().filter(|_| is_expected) {
            let found = format!("the key `{key}`");
            let help = "blocks state what may be left out, repeated or replaced: [{\"optional\": [CALL]}], [{\"repeat\": CALL}], \
[{\"one_of\": [CALL, CALL]}]; what must not be called belongs into `constraints` with `forbidden`";
            return Err(Fault::slip("a call that is expected once", found).help(help));
        }
        match &self.holds_more {
            Some(key) if is_expected && call.arguments.is_absent() => Err(Fault::slip(
                "the arguments of an expected call under `args`",
                format!("none, and an object under the key `{key}`"),
            )
            .help("write them under `args`; a call that demands nothing of its arguments has the name alone")),
            _ => Ok(()),
        }
    }
}

/// True for a member of an expected call that makes it optional, repeated, replaceable or forbidden.
pub(crate) fn is_condition_of_call(key: &str, value: &str) -> bool {
    const FLAGS: [&str; 8] = [
        "optional",
        "negate",
        "negated",
        "forbidden",
        "isoptional",
        "isforbidden",
        "mustnotcall",
        "shouldnotcall",
    ];
    const DEMANDS: [&str; 5] = [
        "required",
        "isrequired",
        "mandatory",
        "shouldcall",
        "mustcall",
    ];
    const NUMBERS: [&str; 10] = [
        "count", "times", "min", "max", "mincount", "maxcount", "mincalls", "maxcalls", "mintimes",
        "maxtimes",
    ];
    const OTHERS: [&str; 4] = ["alternatives", "alternative", "anyof", "oneof"];
    let key = letters(key);
    let is_one_of = |keys: &[&str]| keys.contains(&key.as_str());
    is_one_of(&FLAGS) && value == "true"
        || is_one_of(&DEMANDS) && value == "false"
        || is_one_of(&NUMBERS) && value.starts_with(|it: char| it.is_ascii_digit()) && value != "1"
        || is_one_of(&OTHERS) && !matches!(value, "null" | "[]" | "\"\"")
}

/// Refuses calls in a member of a call: they would not be judged.
pub(super) fn refuse_inner_calls(raw: &str) -> Result<()> {
    let may_hold = raw.starts_with(['[', '{']) && raw.len() > 2;
    let node = may_hold.then(|| Node::parse(raw, MAX_DEPTH).ok()).flatten();
    if node.is_some_and(|node| holds_call(&node)) {
        let fault = Fault::new("one call", "calls inside a call");
        return Err(fault.help("write each call as an item of the list"));
    }
    Ok(())
}

/// True for an object with a name and arguments, and for a value with one inside.
fn holds_call(node: &Node<'_>) -> bool {
    let mut fields = node.entries().iter().filter_map(|(key, value)| {
        let field = CallField::of(&key.to_display())?;
        let is_call = match field {
            CallField::Name => value.str().is_some_and(|name| !name.is_empty()),
            CallField::Arguments => {
                let text = value.str().map(str::trim_start);
                value.is_object() || text.is_some_and(|text| text.starts_with('{'))
            }
        };
        is_call.then_some(field)
    });
    let first = fields.next();
    first.is_some() && fields.any(|field| Some(field) != first)
        || node.items().iter().any(holds_call)
        || node.entries().iter().any(|(_, value)| holds_call(value))
}

/// Refuses the schema of arguments in place of arguments.
fn refuse_schema(raw: &str) -> Result<()> {
    let node = raw
        .contains("\"properties\"")
        .then(|| Node::parse(raw, MAX_DEPTH).ok());
    let is_schema = |node: Node<'_>| {
        let kind = node.str_at("type").unwrap_or_default();
        node.has("properties") && matches!(kind.to_ascii_lowercase().as_str(), "object" | "dict")
    };
    if node.flatten().is_some_and(is_schema) {
        let fault = Fault::new(
            "the arguments of a call",
            "the schema of a tool's arguments",
        );
        return Err(fault.help("this is the definition of a tool, not a call of it"));
    }
    Ok(())
}

/// The letters of a word in lower case, so that all spellings are equal.
pub(crate) fn letters(word: &str) -> String {
    let letters = word.chars().filter(char::is_ascii_alphabetic);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Two keys hold the same field.
#[cold]
pub(crate) fn twice(what: &str, one: &str, other: &str) -> Fault {
    Fault::slip(
        format!("{what} under one key"),
        format!("them under `{one}` and `{other}`").replace("them", pronoun(what)),
    )
    .help("leave one of the two out")
}

fn pronoun(what: &str) -> &'static str {
    if what.ends_with('s') { "them" } else { "it" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_of_a_part_of_a_call_if_its_last_word_says_so() {
        for kind in [
            "toolStart",
            "TOOL_CALL_END",
            "tool-call-start",
            "end",
            "argumentsDelta",
        ] {
            assert!(is_part_of_call(&format!("\"{kind}\"")), "{kind}");
        }
        for kind in ["send", "SEND", "Send", "restart", "append", "tool_call"] {
            assert!(!is_part_of_call(&format!("\"{kind}\"")), "{kind}");
        }
    }

    #[test]
    fn a_key_is_of_the_field_that_it_is_plainly_meant_for() {
        for key in [
            "args",
            "arg",
            "Args",
            "input",
            "arguments",
            "input_parameters",
            "inputParameters",
            "kwargs",
            "parameters",
            "params",
            "tool_input",
            "tool_args",
            "toolArgs",
            "function_arguments",
            "tool-input",
            "call_args",
        ] {
            assert_eq!(CallField::of(key), Some(CallField::Arguments), "{key}");
        }
        for key in [
            "name",
            "toolName",
            "tool",
            "tool_name",
            "function_name",
            "function",
            "Name",
        ] {
            assert_eq!(CallField::of(key), Some(CallField::Name), "{key}");
        }
        for key in [
            "raw_args",
            "id",
            "tool_id",
            "call_id",
            "tool_call",
            "type",
            "output",
            "",
            "args_schema",
            "call",
        ] {
            assert_eq!(CallField::of(key), None, "{key}");
        }
    }

    #[test]
    fn a_slip_is_a_letter_or_two_away() {
        for (key, meant) in [
            ("argz", "args"),
            ("agrs", "args"),
            ("arguements", "arguments"),
            ("argumnets", "arguments"),
            ("nmae", "name"),
            ("ouput", "output"),
            ("compareArgs", "compare_args"),
            ("tool_nput", "tool_input"),
            ("toolNmae", "toolName"),
        ] {
            assert_eq!(near(key, &FIELDS), Some(meant), "{key}");
        }
        for key in [
            "raw_args",
            "type",
            "tags",
            "status",
            "id",
            "index",
            "description",
            "reasoning",
            "start_time",
            "parent_id",
            "model",
            "action_id",
            "info",
            "latency",
            "result",
            "source",
            "state",
            "time",
            "step",
            "reward",
            "title",
            "metadata",
        ] {
            assert_eq!(near(key, &FIELDS), None, "{key}");
        }
    }
}
