//! Calls in Python syntax: `f(k=literal)`.

use super::calls::{TextArguments, TextCall};
use super::literal::{LooseQuotes, is_number};
use super::typing::Pairs;
use super::value::WrittenValue;
use crate::catalogue::ToolCatalogue;

/// The maximum nesting of brackets.
pub(super) const MAX_DEPTH: usize = 100;

/// A call in a text.
#[derive(Debug)]
pub(super) struct PythonCall<'t> {
    pub(super) name: &'t str,
    /// The start of the arguments.
    start: usize,
    /// The text between the parentheses; if they are unclosed, the rest of the text.
    inside: &'t str,
    arguments: Vec<PythonArgument<'t>>,
    pub(super) is_closed: bool,
    /// Its end.
    pub(super) end: usize,
}

#[derive(Debug)]
struct PythonArgument<'t> {
    key: Option<&'t str>,
    written: &'t str,
}

impl<'t> PythonCall<'t> {
    /// The call at this offset, in a block that ends at one of `ends`; `None` if there is none.
    pub(super) fn at(text: &'t str, at: usize, ends: &[&str]) -> Option<Self> {
        Self::nested_at(text, at, ends, MAX_DEPTH, &mut LooseQuotes::default())
    }

    /// [`PythonCall::at`] with a nesting limit. `quotes` belongs to this text.
    pub(super) fn nested_at(
        text: &'t str,
        at: usize,
        ends: &[&str],
        depth: usize,
        quotes: &mut LooseQuotes,
    ) -> Option<Self> {
        let name = called_name(text.get(at..)?)?;
        let start = at + name.len() + 1;
        let mut commas = Vec::new();
        let close = closing(text, start, ends, depth, quotes, &mut commas);
        let inside = text.get(start..close.unwrap_or(text.len()))?;
        Some(Self {
            name,
            start,
            inside,
            arguments: arguments(text, start, &commas, start + inside.len()),
            is_closed: close.is_some(),
            end: close.map_or(text.len(), |close| close + 1),
        })
    }

    /// The call whose name is cut off by the end of the text; its arguments are empty and unclosed.
    pub(super) fn cut_at(text: &'t str, at: usize) -> Option<Self> {
        let name = text.get(at..)?;
        let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
        let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && name.chars().all(is_letter);
        is_name.then_some(Self {
            name,
            start: text.len(),
            inside: "",
            arguments: Vec::new(),
            is_closed: false,
            end: text.len(),
        })
    }

    /// Limits the call to a block: if its parentheses are unclosed, it takes the rest of the block.
    pub(super) fn within(mut self, text: &'t str, end: usize) -> Self {
        if !self.is_closed {
            self.inside = text.get(self.start..end).unwrap_or_default();
            self.end = end.max(self.start);
        }
        self
    }

    pub(super) fn has_keyword(&self) -> bool {
        self.arguments.iter().any(|argument| argument.key.is_some())
    }

    /// True for the repr of an object in a message, such as `ToolUseBlock(id='c', name='find', input={})`.
    pub(super) fn is_object(&self) -> bool {
        const CLASSES: [&str; 4] = ["Block", "Part", "Message", "Call"];
        const MEMBERS: [&str; 7] = [
            "type",
            "part_kind",
            "tool_name",
            "tool_calls",
            "name",
            "tool_call_id",
            "function_call",
        ];
        let is_class = self.name.starts_with(|letter: char| letter.is_uppercase())
            && CLASSES.iter().any(|class| self.name.ends_with(class));
        let has_member = |it: &PythonArgument<'_>| it.key.is_some_and(|key| MEMBERS.contains(&key));
        is_class && self.arguments.iter().any(has_member)
    }

    /// True if there is no text between the parentheses.
    pub(super) fn is_empty(&self) -> bool {
        self.inside.trim().is_empty()
    }

    /// True if all arguments are names or numbers, as in mathematics.
    pub(super) fn is_mathematics(&self) -> bool {
        let is_plain = |it: &PythonArgument<'_>| {
            it.key.is_none() && (is_identifier(it.written) || is_number(it.written))
        };
        self.is_closed && self.arguments.iter().all(is_plain)
    }

    /// The arguments for a tool as an object; `None` if a value isn't a literal, or a positional argument has no name.
    fn object(&self, tool: &str, tools: &ToolCatalogue) -> Option<String> {
        let parameters = tools.parameters(tool);
        let mut pairs = Pairs::default();
        let mut after_keyword = false;
        for (place, argument) in self.arguments.iter().enumerate() {
            let value = WrittenValue::whole(argument.written)?;
            after_keyword |= argument.key.is_some();
            let name = match argument.key {
                Some(key) => key.into(),
                None if after_keyword => return None,
                None => parameters.get(place)?.name.to_display(),
            };
            if pairs.has(&name) {
                return None;
            }
            pairs.add(&name, value.to_json());
        }
        self.is_closed.then(|| pairs.to_json())
    }

    /// Converts to a call of this tool.
    pub(super) fn call(&self, tool: &str, tools: &ToolCatalogue) -> TextCall {
        let arguments = match self.object(tool, tools) {
            Some(object) => TextArguments::Json(object),
            None => TextArguments::invalid(self.inside),
        };
        TextCall::new(tool, arguments)
    }
}

/// The name of a call at the start of a text: dotted identifiers directly before a parenthesis.
pub(super) fn called_name(text: &str) -> Option<&str> {
    let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-');
    let length = text.find(|letter| !is_letter(letter))?;
    let (name, rest) = text.split_at(length);
    let is_name = rest.starts_with('(') && name.split('.').all(is_identifier);
    is_name.then_some(name)
}

/// True for a text that is a list of Python calls with a keyword, the first of a tool whose name has spaces or slashes.
pub(super) fn is_list_of_titles(text: &str) -> bool {
    let list = text.strip_prefix('[');
    let list = list.and_then(|list| list.trim_end().strip_suffix(")]"));
    let call = list.and_then(|list| list.split_once('('));
    let parts = call.and_then(|(name, rest)| Some((name, rest.split_once('=')?.0)));
    let is_title = |letter: char| letter.is_alphanumeric() || "_- /.".contains(letter);
    parts.is_some_and(|(name, keyword)| {
        let is_named = !name.is_empty() && name.chars().all(is_title) && !name.contains(" for ");
        is_named && is_identifier(keyword)
    })
}

/// True for an identifier. Hyphens are allowed, because tool names have them.
fn is_identifier(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    let starts = text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    starts && !text.ends_with('-') && text.chars().all(is_letter)
}

/// The closing parenthesis for the one before `start`, and the commas between the arguments.
fn closing(
    text: &str,
    start: usize,
    ends: &[&str],
    depth: usize,
    quotes: &mut LooseQuotes,
    commas: &mut Vec<usize>,
) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open = vec![b')'];
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        quotes.work += 1;
        match byte {
            b'"' | b'\'' => at = quotes.end(text, at)? - 1,
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b')' | b']' | b'}' => {
                if open.pop() != Some(byte) {
                    return None;
                }
                if open.is_empty() {
                    return Some(at);
                }
            }
            b',' if open.len() == 1 => commas.push(at),
            b'<' if ends.iter().any(|end| text[at..].starts_with(end)) => return None,
            _ => {}
        }
        if open.len() > depth {
            return None;
        }
        at += 1;
    }
    None
}

/// The arguments from `start` to `end`, separated at these commas.
fn arguments<'t>(
    text: &'t str,
    start: usize,
    commas: &[usize],
    end: usize,
) -> Vec<PythonArgument<'t>> {
    let mut from = start;
    let mut found = Vec::new();
    for to in commas.iter().copied().chain([end]) {
        let written = text.get(from..to).unwrap_or_default().trim();
        // A trailing comma is allowed, and so are no arguments.
        if to != end || !written.is_empty() {
            found.push(argument(written));
        }
        from = to + 1;
    }
    found
}

fn argument(written: &str) -> PythonArgument<'_> {
    let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    let length = written
        .find(|letter| !is_letter(letter))
        .unwrap_or_default();
    let (key, rest) = written.split_at(length);
    let value = rest.trim_start().strip_prefix('=');
    match value.filter(|value| is_identifier(key) && !value.starts_with('=')) {
        Some(value) => PythonArgument {
            key: Some(key),
            written: value.trim(),
        },
        None => PythonArgument { key: None, written },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let tools = ToolCatalogue::from_json(
            r#"[{"type":"function","function":{"name":"f","parameters":{"properties":{"a":{},"b":{}}}}}]"#,
        )
        .unwrap();
        let found = PythonCall::at(text, 0, &["</x>"]).map(|call| {
            match call.call(call.name, &tools).arguments {
                TextArguments::Json(json) => json,
                TextArguments::Invalid(written) => format!("? {written}"),
            }
        });
        assert_eq!(found.as_deref().unwrap_or("-"), expected, "{text}");
    }

    #[test]
    fn arguments_are_literals_with_names() {
        check("f()", "{}");
        check("f( x = 1 , )", r#"{"x":1}"#);
        check(
            "g(from='x', class=\"y\", True=true)",
            r#"{"from":"x","class":"y","True":true}"#,
        );
        check(
            "f(x='a)', y=[(1, 2), {'k': None}])",
            r#"{"x":"a)","y":[[1,2],{"k":null}]}"#,
        );
        check("f(x=\"</x>\")", r#"{"x":"</x>"}"#);
        check("a.b-c.d(x=-1.5)", r#"{"x":-1.5}"#);
    }

    #[test]
    fn positional_arguments_take_names_from_the_schema() {
        check("f('x', 2)", r#"{"a":"x","b":2}"#);
        check("f('x', b=2)", r#"{"a":"x","b":2}"#);
        check("f('x', a=2)", "? 'x', a=2");
        check("f(b=2, 1)", "? b=2, 1");
        check("f(1, 2, 3)", "? 1, 2, 3");
        check("g(1)", "? 1");
    }

    #[test]
    fn other_values_are_invalid() {
        for inside in [
            "p=1/6",
            "city=home",
            "x=g()",
            "x==1",
            "*a",
            "x=1 y=2",
            ",",
            "x=1, x=2",
            "x='a\nb'",
            "x=",
        ] {
            check(&format!("f({inside})"), &format!("? {inside}"));
        }
        check("f(x='a", "? x='a");
        check("f(x=[1)</x>", "? x=[1)</x>");
        check("f(x=1</x> )", "? x=1</x> )");
        check(
            &format!("f({}", "(".repeat(100_000)),
            &format!("? {}", "(".repeat(100_000)),
        );
        for text in ["f", "f (1)", "1f()", "f.()", "(1)", "f-(1)", ""] {
            check(text, "-");
        }
    }
}
