//! The types that the schema of a parameter allows.

use rightcall_core::value::pointer::steps;

use crate::node::Node;

/// Types of JSON Schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SchemaTypes(u8);

impl SchemaTypes {
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(2);
    pub(crate) const INTEGER: Self = Self(4);
    pub(crate) const NUMBER: Self = Self(8);
    pub(crate) const STRING: Self = Self(16);
    pub(crate) const OBJECT: Self = Self(32);
    pub(crate) const ARRAY: Self = Self(64);
    /// A type that JSON Schema does not have.
    const OTHER: Self = Self(128);

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if one of these types is allowed.
    pub(crate) fn has(self, types: Self) -> bool {
        self.0 & types.0 != 0
    }

    fn add(&mut self, types: Self) {
        self.0 |= types.0;
    }

    fn from_name(name: &str) -> Self {
        match json_type(name).unwrap_or(name) {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "object" => Self::OBJECT,
            "array" => Self::ARRAY,
            _ => Self::OTHER,
        }
    }

    /// The type of a value in `enum` or `const`.
    fn of_value(value: &Node<'_>) -> Self {
        match value.raw().bytes().next() {
            Some(b'n') => Self::NULL,
            Some(b't' | b'f') => Self::BOOLEAN,
            Some(b'"') => Self::STRING,
            Some(b'{') => Self::OBJECT,
            Some(b'[') => Self::ARRAY,
            _ if value.raw().contains(['.', 'e', 'E']) => Self::NUMBER,
            _ => Self::INTEGER,
        }
    }

    /// The types that a schema names, else the types of its `enum` and `const` values. References are resolved in `root`.
    pub(crate) fn from_schema(schema: &Node<'_>, root: &Node<'_>) -> Self {
        let mut left = MAX_SCHEMAS;
        Self::collect(schema, root, MAX_DEPTH, &mut left)
    }

    fn collect(schema: &Node<'_>, root: &Node<'_>, depth: usize, left: &mut usize) -> Self {
        let mut types = Self::default();
        if depth == 0 || *left == 0 {
            return types;
        }
        *left -= 1;
        if let Some(kind) = schema.get("type") {
            let names = kind.items_or_self().iter().filter_map(Node::str);
            names.for_each(|name| types.add(Self::from_name(name)));
        }
        let parts = ["anyOf", "oneOf", "allOf"].into_iter();
        let parts = parts.flat_map(|key| schema.list(key));
        let referred = schema.str_at("$ref").and_then(|path| target(root, path));
        for part in parts.chain(referred) {
            types.add(Self::collect(part, root, depth - 1, left));
        }
        if schema.is_set("nullable") {
            types.add(Self::NULL);
        }
        if types.is_empty() {
            let values = schema.list("enum").iter().chain(constant(schema));
            values.for_each(|value| types.add(Self::of_value(value)));
        }
        types
    }
}

/// The JSON Schema type for a name: JSON Schema's own, Gemini's `STRING`, BFCL's `dict`, `float` and `tuple`. `None` for a type of
/// another language, such as Java's `HashMap`, and for `any`.
pub fn json_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "null" | "NULL" => "null",
        "boolean" | "BOOLEAN" | "bool" => "boolean",
        "integer" | "INTEGER" | "int" => "integer",
        "number" | "NUMBER" | "float" => "number",
        "string" | "STRING" | "str" => "string",
        "object" | "OBJECT" | "dict" => "object",
        "array" | "ARRAY" | "list" | "tuple" => "array",
        _ => return None,
    })
}

/// Limits on the depth and the number of schemas searched for one parameter.
const MAX_DEPTH: usize = 32;
const MAX_SCHEMAS: usize = 1000;

/// The value of `const`, which may be null.
fn constant<'n, 'a>(schema: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let mut entries = schema.entries().iter().rev();
    let found = entries.find(|(key, _)| *key == *"const");
    found.map(|(_, value)| value)
}

/// The target of a local reference.
fn target<'n, 'a>(root: &'n Node<'a>, reference: &str) -> Option<&'n Node<'a>> {
    let path = reference.strip_prefix('#')?;
    steps(path).try_fold(root, |node, step| match step.parse::<usize>() {
        Ok(index) if node.is_list() => node.items().get(index),
        _ => node.get(&step),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_come_from_all_parts_of_a_schema() {
        let types = |schema: &str| {
            let root = format!(
                r##"{{"s":{schema},"$defs":{{"n":{{"type":"number"}},"loop":{{"$ref":"#/$defs/loop"}}}}}}"##
            );
            let root = Node::parse(&root, 512).unwrap();
            SchemaTypes::from_schema(root.get("s").unwrap(), &root)
        };
        for (schema, expected) in [
            ("{}", 0),
            (r#"{"type":"integer"}"#, 4),
            (r#"{"type":["integer","null"]}"#, 5),
            (
                r#"{"anyOf":[{"type":"string"},{"oneOf":[{"type":"array"}]}],"allOf":[{"type":"object"}]}"#,
                16 + 64 + 32,
            ),
            (r##"{"$ref":"#/$defs/n"}"##, 8),
            (r##"{"$ref":"#/$defs/loop"}"##, 0),
            (r#"{"$ref":"other.json"}"#, 0),
            (r#"{"type":"string","nullable":true}"#, 17),
            (r#"{"enum":["a",1,1.5,true,null]}"#, 16 + 4 + 8 + 2 + 1),
            (r#"{"const":null}"#, 1),
            (r#"{"type":"integer","enum":["a"]}"#, 4),
            (r#"{"enum":[1],"nullable":true}"#, 1),
            (r#"{"anyOf":[{"const":1},{"type":"null"}]}"#, 5),
            (r#"{"type":"dict"}"#, 32),
            (r#"{"type":"STRING"}"#, 16),
            (r#"{"type":"HashMap"}"#, 128),
        ] {
            assert_eq!(types(schema), SchemaTypes(expected), "{schema}");
        }
    }
}
