//! Finds tool definitions in any form.

use rightcall_core::value::MAX_DEPTH;
use rightcall_core::value::pointer;

use super::{CatalogueTool, SchemaTypes, ToolParameter};
use crate::node::Node;

/// Keys that hold a schema: `OpenAI`'s, Anthropic's, MCP's, Gemini's.
const SCHEMA_KEYS: [&str; 5] = [
    "parameters",
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
];

/// Span attributes that hold definitions as text.
const TEXT_KEYS: [&str; 4] = [
    "gen_ai.tool.definitions",
    "llm.tools",
    "tool.json_schema",
    "input.tools",
];

/// The maximum depth of definitions.
const DEEPEST: usize = 64;

/// The tools in a value, in order.
pub(super) fn tools_in(node: &Node<'_>, line: u64) -> Vec<CatalogueTool> {
    let mut tools = Vec::new();
    let mut search = Search {
        line,
        tools: &mut tools,
    };
    search.visit(node, "", DEEPEST);
    tools
}

struct Search<'t> {
    line: u64,
    tools: &'t mut Vec<CatalogueTool>,
}

impl Search<'_> {
    fn visit(&mut self, node: &Node<'_>, pointer: &str, depth: usize) {
        let Some(deeper) = depth.checked_sub(1) else {
            return;
        };
        if let Some(tool) = tool(node, pointer, self.line) {
            if !self.tools.contains(&tool) {
                self.tools.push(tool);
            }
            return;
        }
        for (index, item) in node.items().iter().enumerate() {
            self.visit(item, &pointer::item(pointer, index), deeper);
        }
        for (key, value) in node.entries() {
            let key = key.to_display();
            let at = pointer::child(pointer, &key);
            match TEXT_KEYS.contains(&&*key).then(|| value.str()).flatten() {
                Some(text) => self.visit_text(text, &at, deeper),
                None => self.visit(value, &at, deeper),
            }
        }
        // An attribute of OTLP: `{"key": …, "value": {"stringValue": …}}`.
        let is_definitions = node
            .str_at("key")
            .is_some_and(|key| TEXT_KEYS.contains(&key));
        let text = node.at(&["value", "stringValue"]).and_then(Node::str);
        if let Some(text) = text.filter(|_| is_definitions) {
            self.visit_text(text, &format!("{pointer}/value/stringValue"), deeper);
        }
    }

    /// Definitions inside a string; their pointers end at the string.
    fn visit_text(&mut self, text: &str, pointer: &str, depth: usize) {
        let Ok(node) = Node::parse(text, MAX_DEPTH) else {
            return;
        };
        let before = self.tools.len();
        self.visit(&node, "", depth);
        for tool in &mut self.tools[before..] {
            pointer.clone_into(&mut tool.pointer);
            pointer.clone_into(&mut tool.schema_pointer);
        }
    }
}

/// The tool that a value defines.
fn tool(node: &Node<'_>, pointer: &str, line: u64) -> Option<CatalogueTool> {
    let nested = node.get("function").filter(|inner| inner.is_object());
    let (function, inner) = match nested {
        Some(function) => (function, "/function"),
        None => (node, ""),
    };
    let name = function.get("name")?.text()?.clone().into_owned();
    let schema = SCHEMA_KEYS
        .iter()
        .find_map(|key| Some((*key, function.get(key).filter(|it| is_schema(it))?)));
    // Without a schema, only a type distinguishes a tool from another named object, such as a call.
    let is_bare =
        node.says("type", "function") && !has_arguments(function) && node.get("id").is_none();
    if schema.is_none() && !is_bare {
        return None;
    }
    Some(CatalogueTool {
        name,
        description: function.str_at("description").map(str::to_owned),
        schema: schema.map(|(_, schema)| schema.raw().to_owned()),
        changes: changes(node),
        line,
        pointer: pointer.to_owned(),
        schema_pointer: match schema {
            Some((key, _)) => format!("{pointer}{inner}/{key}"),
            None => pointer.to_owned(),
        },
        parameters: schema
            .map(|(_, schema)| parameters(schema))
            .unwrap_or_default(),
    })
}

/// Whether a tool changes something, by its annotations. Without `readOnlyHint`, a tool that is not destructive may still change something.
fn changes(node: &Node<'_>) -> Option<bool> {
    let hint = |key: &str| match node.at(&["annotations", key])?.raw() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    };
    let reads = hint("readOnlyHint");
    let destroys = hint("destructiveHint").filter(|destroys| *destroys);
    reads.map(|reads| !reads).or(destroys)
}

fn has_arguments(function: &Node<'_>) -> bool {
    ["arguments", "args", "input"]
        .iter()
        .any(|key| function.has(key))
}

/// True if an object is an object schema, not the arguments of a call.
fn is_schema(node: &Node<'_>) -> bool {
    let is_object = |name: &str| super::json_type(name) == Some("object");
    node.get("properties").is_some_and(Node::is_object)
        || node.str_at("type").is_some_and(is_object)
        || node.str_at("$ref").is_some()
}

fn parameters(schema: &Node<'_>) -> Vec<ToolParameter> {
    let required: Vec<_> = schema
        .list("required")
        .iter()
        .filter_map(Node::str)
        .collect();
    let properties = schema.get("properties").map_or(&[][..], Node::entries);
    let parameters = properties.iter().map(|(name, property)| ToolParameter {
        name: name.clone().into_owned(),
        types: SchemaTypes::from_schema(property, schema),
        is_required: required.iter().any(|it| *name == **it),
    });
    parameters.collect()
}

#[cfg(test)]
mod tests {
    use crate::ToolCatalogue;

    #[test]
    fn every_published_form_is_found() {
        let schema = r#"{"type":"object","properties":{"id":{"type":"integer"}}}"#;
        for (form, pointer) in [
            (format!(r#"[{{"type":"function","function":{{"name":"f","parameters":{schema}}}}}]"#), "/0/function/parameters"),
            (format!(r#"[{{"type":"function","name":"f","parameters":{schema}}}]"#), "/0/parameters"),
            (format!(r#"[{{"name":"f","input_schema":{schema}}}]"#), "/0/input_schema"),
            (
                r#"[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","properties":{"id":{"type":"INTEGER"}}}}]}]"#.to_owned(),
                "/0/functionDeclarations/0/parameters",
            ),
            (
                format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{{"name":"f","inputSchema":{schema}}}]}}}}"#),
                "/result/tools/0/inputSchema",
            ),
            (
                r#"{"function":[{"name":"f","parameters":{"type":"dict","properties":{"id":{"type":"int"}}}}]}"#.to_owned(),
                "/function/0/parameters",
            ),
            (
                format!(r#"{{"attributes":{{"gen_ai.tool.definitions":[{{"type":"function","name":"f","parameters":{schema}}}]}}}}"#),
                "/attributes/gen_ai.tool.definitions/0/parameters",
            ),
            (
                format!(
                    r#"[{{"key":"gen_ai.tool.definitions","value":{{"stringValue":{:?}}}}}]"#,
                    format!(r#"[{{"name":"f","parameters":{schema}}}]"#)
                ),
                "/0/value/stringValue",
            ),
        ] {
            let read = ToolCatalogue::from_text(&form).unwrap();
            let [tool] = read.tools() else {
                panic!("{form}: {read:?}");
            };
            assert_eq!((&*tool.name.to_display(), &*tool.schema_pointer), ("f", pointer), "{form}");
            assert!(read.types("f", "id").has(super::SchemaTypes::INTEGER), "{form}");
        }
    }

    #[test]
    fn hints_say_which_tools_change_something() {
        for (annotations, changes) in [
            ("{}", None),
            (
                r#"{"readOnlyHint":true,"destructiveHint":true}"#,
                Some(false),
            ),
            (r#"{"readOnlyHint":false}"#, Some(true)),
            (r#"{"destructiveHint":true}"#, Some(true)),
            (r#"{"destructiveHint":false}"#, None),
            (r#"{"readOnlyHint":"no"}"#, None),
        ] {
            let json = format!(
                r#"[{{"name":"f","inputSchema":{{"type":"object"}},"annotations":{annotations}}}]"#
            );
            let read = ToolCatalogue::from_json(&json).unwrap();
            assert_eq!(read.tools()[0].changes, changes, "{annotations}");
        }
    }

    #[test]
    fn calls_are_no_tools() {
        let calls = r#"[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}},{"name":"f","parameters":{"id":1}},{"name":"f","args":{}}]"#;
        assert!(ToolCatalogue::from_json(calls).unwrap().is_empty());
    }

    #[test]
    fn lines_keep_their_numbers() {
        let line = r#"{"name":"NAME","parameters":{"type":"dict","properties":{}}}"#;
        let text = format!(
            "{}\n\n{}\n",
            line.replace("NAME", "a"),
            line.replace("NAME", "b")
        );
        let read = ToolCatalogue::from_text(&text).unwrap();
        let lines: Vec<_> = read.tools().iter().map(|it| it.line).collect();
        assert_eq!(lines, [1, 3]);
    }
}
