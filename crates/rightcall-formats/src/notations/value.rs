//! Values in a text: JSON, or else a literal.

use rightcall_core::value::{JsonWriter, MAX_DEPTH, Reader, Syntax, Text};

use super::literal::{LiteralContent, WrittenLiteral, literal_at};

/// The maximum nesting of literals.
const LITERAL_DEPTH: usize = 100;

/// A value as written.
#[derive(Clone, Debug)]
pub(super) enum WrittenValue<'t> {
    Json(&'t str),
    Literal(WrittenLiteral<'t>),
}

impl<'t> WrittenValue<'t> {
    /// The value at this offset, and its end.
    ///
    /// # Errors
    /// The offset where it is broken: the length of the text if the text ends inside the value.
    pub(super) fn at(text: &'t str, at: usize) -> Result<(Self, usize), usize> {
        Self::nested_at(text, at, MAX_DEPTH)
    }

    /// [`WrittenValue::at`] with a nesting limit.
    pub(super) fn nested_at(
        text: &'t str,
        at: usize,
        depth: usize,
    ) -> Result<(Self, usize), usize> {
        let syntax = Syntax {
            max_depth: depth,
            ..Syntax::JSON
        };
        let mut reader = Reader::new(text.get(at..).unwrap_or_default(), syntax);
        if let Ok(json) = reader.raw() {
            return Ok((Self::Json(json), at + reader.offset()));
        }
        let (literal, end) = literal_at(text, at, depth.min(LITERAL_DEPTH))?;
        Ok((Self::Literal(literal), end))
    }

    /// The value that makes up the whole text.
    pub(super) fn whole(text: &'t str) -> Option<Self> {
        let text = text.trim();
        let (value, end) = Self::at(text, 0).ok()?;
        (end == text.len()).then_some(value)
    }

    /// The object that makes up the whole text.
    pub(super) fn whole_object(text: &'t str) -> Option<Self> {
        let text = text.trim();
        let found = text.starts_with('{').then(|| Self::whole(text));
        found.flatten()
    }

    pub(super) fn written(&self) -> &'t str {
        match self {
            Self::Json(written) => written,
            Self::Literal(literal) => literal.written,
        }
    }

    pub(super) fn is_object(&self) -> bool {
        self.written().starts_with('{')
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.written(), "null" | "None")
    }

    pub(super) fn is_list(&self) -> bool {
        match self {
            Self::Json(written) => written.starts_with('['),
            Self::Literal(literal) => matches!(literal.content, LiteralContent::List(_)),
        }
    }

    /// The value as JSON text.
    pub(super) fn to_json(&self) -> String {
        match self {
            Self::Json(written) => (*written).to_owned(),
            Self::Literal(literal) => {
                let mut writer = JsonWriter::new();
                literal.write(&mut writer);
                writer.finish().into_string()
            }
        }
    }

    /// The string, if the value is one.
    pub(super) fn text(&self) -> Option<Text<'t>> {
        match self {
            Self::Json(written) if written.starts_with('"') => {
                Reader::new(written, Syntax::JSON).string().ok()
            }
            Self::Literal(literal) => match &literal.content {
                LiteralContent::Text(text) => Some(text.clone()),
                _ => None,
            },
            Self::Json(_) => None,
        }
    }

    /// The members of an object; empty for other values.
    pub(super) fn members(&self) -> Vec<(Text<'t>, Self)> {
        match self {
            Self::Json(written) => json_members(written).unwrap_or_default(),
            Self::Literal(literal) => match &literal.content {
                LiteralContent::Object(members) => members
                    .iter()
                    .map(|(key, value)| (key.clone(), Self::Literal(value.clone())))
                    .collect(),
                _ => Vec::new(),
            },
        }
    }

    /// The items of a list; empty for other values.
    pub(super) fn items(&self) -> Vec<Self> {
        match self {
            Self::Json(written) => json_items(written).unwrap_or_default(),
            Self::Literal(literal) => match &literal.content {
                LiteralContent::List(items) => items.iter().cloned().map(Self::Literal).collect(),
                _ => Vec::new(),
            },
        }
    }
}

fn json_members(json: &str) -> Option<Vec<(Text<'_>, WrittenValue<'_>)>> {
    let mut reader = Reader::new(json, Syntax::JSON);
    let mut first = reader.enter_object().ok()?;
    let mut members = Vec::new();
    while let Some(key) = reader.next_key(&mut first).ok()? {
        members.push((key, WrittenValue::Json(reader.raw().ok()?)));
    }
    Some(members)
}

fn json_items(json: &str) -> Option<Vec<WrittenValue<'_>>> {
    let mut reader = Reader::new(json, Syntax::JSON);
    let mut first = reader.enter_list().ok()?;
    let mut items = Vec::new();
    while reader.next_item(&mut first).ok()? {
        items.push(WrittenValue::Json(reader.raw().ok()?));
    }
    Some(items)
}

/// The value under the first of these keys that exists; the last if the key is repeated.
pub(super) fn member<'v, 't>(
    members: &'v [(Text<'t>, WrittenValue<'t>)],
    keys: &[&str],
) -> Option<&'v WrittenValue<'t>> {
    keys.iter().find_map(|key| {
        let found = members.iter().rev().find(|(name, _)| *name == **key);
        found.map(|(_, value)| value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_goes_before_literals() {
        let json = |text| WrittenValue::whole(text).map(|value| value.to_json());
        assert_eq!(
            json(r#" {"a": "b\/c"} "#).as_deref(),
            Some(r#"{"a": "b\/c"}"#)
        );
        assert_eq!(
            json(r#"{"a": "b\/c",}"#).as_deref(),
            Some(r#"{"a":"b\\/c"}"#)
        );
        assert_eq!(
            json("{\"a\": \"b\tc\"}").as_deref(),
            Some(r#"{"a":"b\tc"}"#)
        );
        assert_eq!(json("{\"a\": \"b\nc\"}"), None);
        assert_eq!(json("{\"a\": NaN}"), None);
        assert_eq!(json("{} x"), None);
    }

    #[test]
    fn parts_keep_how_they_are_written() {
        for text in [
            r#"{"a": [1, 2], "a": [3 , 4]}"#,
            r"{'a': [1, 2], 'a': [3 , 4]}",
        ] {
            let members = WrittenValue::whole(text).unwrap().members();
            let last = member(&members, &["b", "a"]).unwrap();
            assert_eq!(last.written(), "[3 , 4]");
            assert_eq!(last.items()[1].written(), "4");
            assert!(last.is_list() && !last.is_object());
        }
    }
}
