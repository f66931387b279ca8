//! YAML trees with a line for every node.

use rightcall_core::value::JsonWriter;

/// A value and the line it begins on, from 1.
#[derive(Clone, Debug)]
pub struct YamlNode {
    /// The line.
    pub line: u64,
    /// The value.
    pub value: Yaml,
}

/// A YAML value.
#[derive(Clone, Debug)]
pub enum Yaml {
    /// Null.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as JSON text; `NaN` and `Infinity` as Python writes them.
    Number(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<YamlNode>),
    /// An object, its keys in the order of the file.
    Map(Vec<(Key, YamlNode)>),
}

/// A key of a map.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its line.
    pub line: u64,
    /// The key.
    pub name: String,
}

/// Why a text is not valid YAML, or has no JSON equivalent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// The line, from 1.
    pub line: u64,
    /// The expected value.
    pub expected: &'static str,
    /// The value found.
    pub found: String,
    /// A hint for the user.
    pub help: &'static str,
}

impl YamlError {
    pub(super) fn new(
        line: u64,
        expected: &'static str,
        found: impl Into<String>,
        help: &'static str,
    ) -> Self {
        let found = found.into();
        Self {
            line,
            expected,
            found,
            help,
        }
    }
}

impl YamlNode {
    /// The members of an object; empty for other values.
    pub fn members(&self) -> &[(Key, Self)] {
        match &self.value {
            Yaml::Map(members) => members,
            _ => &[],
        }
    }

    /// The member with this name.
    pub fn member(&self, name: &str) -> Option<&Self> {
        self.members()
            .iter()
            .find(|(key, _)| key.name == name)
            .map(|(_, node)| node)
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Yaml::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list; for other values, the value itself.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Yaml::List(items) => items,
            _ => std::slice::from_ref(self),
        }
    }

    /// The value in a word or two, for messages.
    pub fn describe(&self) -> String {
        match &self.value {
            Yaml::Null => "nothing".to_owned(),
            Yaml::Bool(it) => format!("`{it}`"),
            Yaml::Number(it) => format!("the number {it}"),
            Yaml::Text(it) => format!("the text `{it}`"),
            Yaml::List(_) => "a list".to_owned(),
            Yaml::Map(_) => "an object".to_owned(),
        }
    }

    /// The value as JSON text, on one line.
    pub fn to_json(&self) -> String {
        let (mut json, mut line) = (String::new(), u64::MAX);
        self.write(&mut json, &mut line);
        json
    }

    /// Appends the value as JSON text. Each part keeps its line in the YAML text; `line` is the line of the end of `json`. Copies from an
    /// alias are on the alias's line.
    pub(crate) fn write(&self, json: &mut String, line: &mut u64) {
        move_to(self.line, json, line);
        match &self.value {
            Yaml::Null => json.push_str("null"),
            Yaml::Bool(it) => json.push_str(if *it { "true" } else { "false" }),
            Yaml::Number(it) => json.push_str(it),
            Yaml::Text(it) => write_text(json, it),
            Yaml::List(items) => {
                json.push('[');
                for (number, item) in items.iter().enumerate() {
                    if number > 0 {
                        json.push(',');
                    }
                    item.write(json, line);
                }
                json.push(']');
            }
            Yaml::Map(members) => {
                json.push('{');
                for (number, (key, value)) in members.iter().enumerate() {
                    if number > 0 {
                        json.push(',');
                    }
                    move_to(key.line, json, line);
                    write_text(json, &key.name);
                    json.push(':');
                    value.write(json, line);
                }
                json.push('}');
            }
        }
    }
}

fn move_to(wanted: u64, json: &mut String, line: &mut u64) {
    while *line < wanted {
        json.push('\n');
        *line += 1;
    }
}

fn write_text(json: &mut String, text: &str) {
    let mut writer = JsonWriter::new();
    writer.str(text);
    json.push_str(writer.finish().as_str());
}
