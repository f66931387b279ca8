//! YAML as a tree in which every node knows its line, so that every message about a suite can name it. JSON is YAML too.

use std::fmt;

use rightcall::value::JsonWriter;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

/// A value and the line on which it begins, from 1.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) line: u64,
    pub(crate) value: Yaml,
}

/// What YAML can hold.
#[derive(Clone, Debug)]
pub(crate) enum Yaml {
    Null,
    Bool(bool),
    /// A number as JSON text.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

/// A key of a map.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) line: u64,
    pub(crate) name: String,
}

/// Why a text is no YAML, with the line.
#[derive(Debug)]
pub(crate) struct YamlError {
    pub(crate) line: Option<u64>,
    pub(crate) message: String,
}

impl Node {
    /// Reads a document.
    pub(crate) fn parse(text: &str) -> Result<Self, YamlError> {
        // `no` is a word, as in YAML 1.2.
        let options = serde_saphyr::options! { strict_booleans: true };
        serde_saphyr::from_str_with_options(text, options).map_err(|error| {
            let place = error.location().map(|location| (location.line(), location.column()));
            let whole = error.without_snippet().to_string();
            let message = whole.lines().next().unwrap_or_default().to_owned();
            // The place stands at the front of every message about a suite.
            let message = match place {
                Some((line, column)) => message.replace(&format!(" at line {line}, column {column}"), ""),
                None => message,
            };
            YamlError { line: place.map(|(line, _)| line), message }
        })
    }

    /// The value in a word or two, for messages.
    pub(crate) fn describe(&self) -> String {
        match &self.value {
            Yaml::Null => "nothing".to_owned(),
            Yaml::Bool(it) => format!("`{it}`"),
            Yaml::Number(it) => format!("the number {it}"),
            Yaml::Text(it) => format!("the text `{it}`"),
            Yaml::List(_) => "a list".to_owned(),
            Yaml::Map(_) => "an object".to_owned(),
        }
    }

    /// The value as JSON text.
    pub(crate) fn to_json(&self) -> String {
        let mut writer = JsonWriter::new();
        self.write(&mut writer);
        writer.finish().as_str().to_owned()
    }

    fn write(&self, writer: &mut JsonWriter) {
        match &self.value {
            Yaml::Null => _ = writer.null(),
            Yaml::Bool(it) => _ = writer.bool(*it),
            Yaml::Number(it) => _ = writer.raw(it),
            Yaml::Text(it) => _ = writer.str(it),
            Yaml::List(items) => {
                writer.begin_list();
                for item in items {
                    item.write(writer);
                }
                writer.end_list();
            }
            Yaml::Map(members) => {
                writer.begin_object();
                for (key, value) in members {
                    writer.key(&key.name);
                    value.write(writer);
                }
                writer.end_object();
            }
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Yaml>::deserialize(deserializer)?;
        Ok(Self { line: spanned.referenced.line(), value: spanned.value })
    }
}

impl<'de> Deserialize<'de> for Yaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlVisitor)
    }
}

struct YamlVisitor;

impl<'de> Visitor<'de> for YamlVisitor {
    type Value = Yaml;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_none<E>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Yaml, D::Error> {
        deserializer.deserialize_any(Self)
    }

    fn visit_bool<E>(self, it: bool) -> Result<Yaml, E> {
        Ok(Yaml::Bool(it))
    }

    fn visit_i64<E>(self, it: i64) -> Result<Yaml, E> {
        Ok(Yaml::Number(it.to_string()))
    }

    fn visit_u64<E>(self, it: u64) -> Result<Yaml, E> {
        Ok(Yaml::Number(it.to_string()))
    }

    fn visit_i128<E>(self, it: i128) -> Result<Yaml, E> {
        Ok(Yaml::Number(it.to_string()))
    }

    fn visit_u128<E>(self, it: u128) -> Result<Yaml, E> {
        Ok(Yaml::Number(it.to_string()))
    }

    fn visit_f64<E>(self, it: f64) -> Result<Yaml, E> {
        // The parser refuses `.nan` and `.inf`, which no setting and no gate takes.
        Ok(Yaml::Number(zmij::Buffer::new().format(it).to_owned()))
    }

    fn visit_str<E>(self, it: &str) -> Result<Yaml, E> {
        Ok(Yaml::Text(it.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Yaml, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Yaml::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Yaml, A::Error> {
        let mut map = Vec::new();
        while let Some(key) = members.next_key::<Spanned<String>>()? {
            map.push((Key { line: key.referenced.line(), name: key.value }, members.next_value()?));
        }
        Ok(Yaml::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_knows_its_line_and_its_json() {
        let node = Node::parse("a: 1\nb:\n  - x\n  - {c: 0.5, d: no}\n# e\ne: null\nf: 1e3\ng: \"1\"\n").unwrap();
        assert_eq!(node.to_json(), r#"{"a":1,"b":["x",{"c":0.5,"d":"no"}],"e":null,"f":1000.0,"g":"1"}"#);
        let Yaml::Map(members) = node.value else { panic!() };
        let lines: Vec<_> = members.iter().map(|(key, value)| (key.line, value.line)).collect();
        assert_eq!(lines, [(1, 1), (2, 3), (6, 6), (7, 7), (8, 8)]);
    }

    #[test]
    fn what_is_no_yaml_has_a_line() {
        for (text, line) in [("a: .nan", 1), ("a: 1\nb: [1, 2\nc: 3\n", 3), ("a: 1\na: 2\n", 2), ("a:\n\t- 1\n", 2)] {
            let error = Node::parse(text).unwrap_err();
            assert_eq!(error.line, Some(line), "{text:?}: {}", error.message);
        }
    }

    #[test]
    fn hostile_yaml_is_refused() {
        assert!(Node::parse(&"[".repeat(100_000)).is_err());
        let bomb = (1..9).fold("a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned(), |text, level| {
            let below = format!("*a{}", level - 1);
            text + &format!("a{level}: &a{level} [{}]\n", [below.as_str(); 9].join(","))
        });
        assert!(Node::parse(&bomb).is_err());
    }
}
