//! Generates the JSON Schema of maps from the lists of their keys.

use rightcall_core::value::JsonWriter;

use super::keys::{Key, MAP, Takes};
use crate::json;

/// The JSON Schema (2020-12) of maps.
pub fn map_schema() -> String {
    json::object(|writer| {
        writer
            .key("$schema")
            .str("https://json-schema.org/draft/2020-12/schema");
        writer.key("title").str("rightcall map");
        writer
            .key("description")
            .str("Where the calls are in a log.");
        object(writer, MAP);
        writer.key("anyOf").begin_list();
        for key in ["call", "messages"] {
            writer.begin_object().key("required").strs([key]);
            writer.end_object();
        }
        writer.end_list();
        writer.key("$defs").begin_object();
        definitions(writer);
        writer.end_object();
    })
}

/// The schema of the tests in conditions.
fn definitions(writer: &mut JsonWriter) {
    writer.key("test").raw(
        r##"{"anyOf":[{"type":["string","number","boolean"]},{"type":"array","minItems":1,"items":{"$ref":"#/$defs/test"}},{"type":"object","required":["not"],"properties":{"not":{"$ref":"#/$defs/test"}},"additionalProperties":false}]}"##,
    );
    writer.key("group").raw(
        r##"{"type":"object","minProperties":1,"additionalProperties":{"$ref":"#/$defs/test"}}"##,
    );
    writer.key("conditions").raw(
        r##"{"anyOf":[{"$ref":"#/$defs/group"},{"type":"array","minItems":1,"items":{"$ref":"#/$defs/group"}}]}"##,
    );
    writer.key("path").raw(r#"{"type":"string","minLength":1}"#);
}

/// The members of the schema of an object with these keys.
fn object(writer: &mut JsonWriter, keys: &[Key]) {
    writer.key("type").str("object");
    writer.key("additionalProperties").bool(false);
    writer.key("properties").begin_object();
    for key in keys {
        writer.key(key.name).begin_object();
        takes(writer, key.takes);
        writer.key("description").str(key.means).end_object();
    }
    writer.end_object();
}

fn takes(writer: &mut JsonWriter, takes: Takes) {
    let reference = |name: &str| format!("{{\"$ref\":\"#/$defs/{name}\"}}");
    let either = |names: &[&str]| {
        let all: Vec<_> = names.iter().map(|name| reference(name)).collect();
        all.join(",")
    };
    match takes {
        Takes::Text => _ = writer.key("type").str("string"),
        Takes::Bool => _ = writer.key("type").str("boolean"),
        Takes::Path(_) => _ = writer.key("$ref").str("#/$defs/path"),
        Takes::Conditions => _ = writer.key("$ref").str("#/$defs/conditions"),
        Takes::ConditionsOrPath(_) => {
            let all = format!("[{}]", either(&["conditions", "path"]));
            writer.key("anyOf").raw(&all);
        }
        Takes::ListOfThem => {
            let items = format!(
                "[{},{{\"type\":\"array\",\"minItems\":1,\"items\":{{\"anyOf\":[{}]}}}}]",
                either(&["conditions", "path"]),
                either(&["group", "path"])
            );
            writer.key("anyOf").raw(&items);
        }
        Takes::NamedPaths => {
            writer
                .key("type")
                .str("object")
                .key("minProperties")
                .count(1);
            writer.key("additionalProperties").raw(&reference("path"));
        }
        Takes::Rest => {
            writer.key("anyOf").raw(
                r#"[{"const":true},{"type":"object","required":["without"],"properties":{"without":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}]"#,
            );
        }
        Takes::Rules(keys) => {
            let rule = json::object(|writer| {
                object(writer, keys);
                if keys.iter().any(|key| key.takes == Takes::Rest) {
                    writer.key("required").strs(["name"]);
                }
            });
            let list = format!("[{rule},{{\"type\":\"array\",\"minItems\":1,\"items\":{rule}}}]");
            writer.key("anyOf").raw(&list);
        }
    }
}
