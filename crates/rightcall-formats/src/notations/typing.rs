//! Converts values that a notation writes as text, using the tools' schemas.

use std::collections::BTreeMap;

use rightcall_core::value::JsonWriter;

use super::literal::is_number;
use super::value::WrittenValue;
use crate::catalogue::SchemaTypes;
use crate::catalogue::ToolCatalogue;

/// The JSON of a value written as text: in the first type that the schema allows and the text fits, else a string.
pub(super) fn typed(text: &str, types: SchemaTypes) -> String {
    let text = without_layout(text);
    typed_value(text.trim(), types).unwrap_or_else(|| text_json(text))
}

/// The text without one line break at each end, which is only layout.
pub(super) fn without_layout(text: &str) -> &str {
    let text = text
        .strip_prefix("\r\n")
        .or(text.strip_prefix('\n'))
        .unwrap_or(text);
    text.strip_suffix("\r\n")
        .or(text.strip_suffix('\n'))
        .unwrap_or(text)
}

/// A text as JSON.
pub(super) fn text_json(text: &str) -> String {
    crate::json::quoted(text)
}

fn typed_value(text: &str, types: SchemaTypes) -> Option<String> {
    let has = |one| types.has(one);
    let may_be_null = has(SchemaTypes::NULL) || !types.is_empty() && !has(SchemaTypes::STRING);
    if may_be_null && matches!(text, "null" | "None") {
        return Some("null".to_owned());
    }
    let is_number = is_number(text);
    if is_number && (has(SchemaTypes::NUMBER) || has(SchemaTypes::INTEGER) && is_whole(text)) {
        return Some(text.to_owned());
    }
    if has(SchemaTypes::BOOLEAN) {
        let mut words = ["true", "false"].into_iter();
        if let Some(word) = words.find(|word| text.eq_ignore_ascii_case(word)) {
            return Some(word.to_owned());
        }
    }
    let value = (has(SchemaTypes::OBJECT) || has(SchemaTypes::ARRAY))
        .then(|| WrittenValue::whole(text))
        .flatten()?;
    let fits =
        value.is_object() && has(SchemaTypes::OBJECT) || value.is_list() && has(SchemaTypes::ARRAY);
    fits.then(|| value.to_json())
}

/// True for a JSON number without a fraction, such as `7`, `7.0` or `1e2`.
fn is_whole(number: &str) -> bool {
    let is_plain = !number.contains(['.', 'e', 'E']);
    is_plain
        || number
            .parse::<f64>()
            .is_ok_and(|number| number.fract() == 0.0)
}

/// Arguments written one by one. The last value of a repeated name counts.
#[derive(Default)]
pub(super) struct Pairs {
    entries: Vec<(String, String)>,
    places: BTreeMap<String, usize>,
}

impl Pairs {
    /// Adds a JSON value.
    pub(super) fn add(&mut self, name: &str, json: String) {
        if let Some(&place) = self.places.get(name) {
            self.entries[place].1 = json;
        } else {
            self.places.insert(name.to_owned(), self.entries.len());
            self.entries.push((name.to_owned(), json));
        }
    }

    /// Adds a value written as text.
    pub(super) fn add_text(&mut self, tools: &ToolCatalogue, tool: &str, name: &str, text: &str) {
        self.add(name, typed(text, tools.types(tool, name)));
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// The arguments as an object.
    pub(super) fn to_json(&self) -> String {
        let mut writer = JsonWriter::new();
        writer.begin_object();
        for (name, json) in &self.entries {
            writer.key(name).raw(json);
        }
        writer.end_object();
        writer.finish().into_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: &str, text: &str, expected: &str) {
        let json = format!(
            r#"[{{"type":"function","function":{{"name":"f","parameters":{{"properties":{{"k":{schema}}}}}}}}}]"#
        );
        let tools = ToolCatalogue::from_json(&json).unwrap();
        assert_eq!(
            typed(text, tools.types("f", "k")),
            expected,
            "{schema} {text}"
        );
    }

    #[test]
    fn a_value_is_of_the_first_type_that_fits() {
        for (schema, text, expected) in [
            ("{}", "7", r#""7""#),
            (r#"{"type":"string"}"#, "null", r#""null""#),
            (r#"{"type":["string","null"]}"#, "null", "null"),
            (r#"{"type":["string","integer"]}"#, "7", "7"),
            (r#"{"type":"integer"}"#, "None", "null"),
            (r#"{"type":"integer"}"#, " 7 ", "7"),
            (r#"{"type":"integer"}"#, "7.0", "7.0"),
            (r#"{"type":"integer"}"#, "7.5", r#""7.5""#),
            (r#"{"type":"integer"}"#, "07", r#""07""#),
            (r#"{"type":"number"}"#, "-1.5e3", "-1.5e3"),
            (r#"{"type":"number"}"#, "+1", r#""+1""#),
            (r#"{"type":"boolean"}"#, "TRUE", "true"),
            (r#"{"type":"boolean"}"#, "maybe", r#""maybe""#),
            (r#"{"type":"boolean"}"#, "1", r#""1""#),
            (r#"{"type":"object"}"#, "{'a': True}", r#"{"a":true}"#),
            (r#"{"type":"object"}"#, "[1]", r#""[1]""#),
            (r#"{"type":"array"}"#, "[1, 2]", "[1, 2]"),
            (r#"{"type":"array"}"#, "(1, 2)", "[1,2]"),
            (r#"{"type":"array"}"#, "1, 2", r#""1, 2""#),
            (r#"{"type":"date"}"#, "null", "null"),
            (r#"{"enum":[1,2]}"#, "2", "2"),
            (r#"{"enum":["1","2"]}"#, "2", r#""2""#),
        ] {
            check(schema, text, expected);
        }
    }

    #[test]
    fn one_line_break_at_each_end_is_layout() {
        for (text, expected) in [
            ("\na\n", "a"),
            ("\n\n a \n\n", "\n a \n"),
            ("\r\na\r\n", "a"),
            ("\n", ""),
            ("", ""),
        ] {
            assert_eq!(without_layout(text), expected);
        }
        check("{}", "\n &lt;b&gt; \n", r#"" &lt;b&gt; ""#);
    }
}
