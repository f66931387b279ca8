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

/// Keys that hold definitions and nothing else: a name alone defines a tool there.
const DEFINITIONS: [&str; 5] = [
    "functionDeclarations",
    "function_declarations",
    "tool_definitions",
    "gen_ai.tool.definitions",
    "available_tools",
];

/// Keys that may hold definitions or calls.
const LISTS: [&str; 3] = ["tools", "functions", "function"];

/// Keys that only a call, or the record of one, has.
const OF_CALLS: [&str; 15] = [
    "id",
    "arguments",
    "args",
    "kwargs",
    "input",
    "input_parameters",
    "inputParameters",
    "tool_input",
    "tool_args",
    "params",
    "output",
    "result",
    "call_id",
    "tool_call_id",
    "toolCallId",
];

/// The known contents of a list, to distinguish a tool without a schema from another named object, such as a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    /// Anything.
    Unknown,
    /// Named and described objects are tools.
    Described,
    /// Named objects are tools.
    Definitions,
}

/// The tools in a value, in order. In a catalogue, a list at the top that holds nothing but named and described objects is one of tools.
pub(super) fn tools_in(node: &Node<'_>, line: u64, is_catalogue: bool) -> Vec<CatalogueTool> {
    let mut tools = Vec::new();
    let mut search = Search {
        line,
        tools: &mut tools,
    };
    let is_described = |it: &Node<'_>| is_named(it, Context::Described);
    let is_list = node.is_list() && is_catalogue;
    let context = if is_list && node.items().iter().all(is_described) {
        Context::Described
    } else {
        Context::Unknown
    };
    search.visit(node, "", DEEPEST, context);
    tools
}

struct Search<'t> {
    line: u64,
    tools: &'t mut Vec<CatalogueTool>,
}

impl Search<'_> {
    fn visit(&mut self, node: &Node<'_>, pointer: &str, depth: usize, context: Context) {
        let Some(deeper) = depth.checked_sub(1) else {
            return;
        };
        if let Some(tool) = tool(node, pointer, self.line, context) {
            if !self.tools.contains(&tool) {
                self.tools.push(tool);
            }
            return;
        }
        // Calls are not listed next to definitions.
        let has_tool = || node.items().iter().any(is_definition);
        let of_items = if !node.items().is_empty() && has_tool() {
            Context::Definitions
        } else {
            context
        };
        for (index, item) in node.items().iter().enumerate() {
            self.visit(item, &pointer::item(pointer, index), deeper, of_items);
        }
        for (key, value) in node.entries() {
            let key = key.to_display();
            let at = pointer::child(pointer, &key);
            let holds_text = TEXT_KEYS.contains(&&*key) || LISTS.contains(&&*key);
            match holds_text.then(|| value.str()).flatten() {
                Some(text) => self.visit_text(text, &at, deeper),
                None => self.visit(value, &at, deeper, context_of(&key, value)),
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
        self.visit(&node, "", depth, Context::Definitions);
        for tool in &mut self.tools[before..] {
            pointer.clone_into(&mut tool.pointer);
            pointer.clone_into(&mut tool.schema_pointer);
        }
    }
}

/// The kind of contents under this key.
fn context_of(key: &str, value: &Node<'_>) -> Context {
    match key {
        _ if !value.is_list() => Context::Unknown,
        key if DEFINITIONS.contains(&key) => Context::Definitions,
        key if LISTS.contains(&key) => Context::Described,
        _ => Context::Unknown,
    }
}

/// The object with the name of a tool, and its path in the definition.
fn function_of<'n, 'a>(node: &'n Node<'a>) -> (&'n Node<'a>, &'static str) {
    let nested = |key: &str| node.get(key).filter(|inner| inner.is_object());
    let custom = || nested("custom").filter(|_| node.says("type", "custom"));
    match nested("function") {
        Some(function) => (function, "/function"),
        None => custom().map_or((node, ""), |inner| (inner, "/custom")),
    }
}

/// The schema of a tool, with its key.
fn schema_of<'n, 'a>(function: &'n Node<'a>) -> Option<(&'static str, &'n Node<'a>)> {
    let mut keys = SCHEMA_KEYS.iter();
    keys.find_map(|key| Some((*key, function.get(key).filter(|it| is_schema(it))?)))
}

/// True for an object that is a tool in any context.
fn is_definition(node: &Node<'_>) -> bool {
    let (function, _) = function_of(node);
    let has_name = || function.get("name").is_some_and(|it| it.text().is_some());
    has_name() && (schema_of(function).is_some() || is_bare(node, function))
}

/// True for a tool that has a type in the place of a schema: a function without parameters, a custom tool, a tool of the provider
/// with its date, such as `bash_20250124`.
fn is_bare(node: &Node<'_>, function: &Node<'_>) -> bool {
    let is_date = |date: &str| date.len() == 8 && date.bytes().all(|it| it.is_ascii_digit());
    let is_tool = |kind: &str| {
        let dated = kind.rsplit_once('_');
        matches!(kind, "function" | "custom") || dated.is_some_and(|(_, date)| is_date(date))
    };
    node.str_at("type").is_some_and(is_tool)
        && !OF_CALLS
            .iter()
            .any(|key| function.has(key) || node.has(key))
}

/// True for an object without a schema that is a tool in a list of this kind.
fn is_named(node: &Node<'_>, context: Context) -> bool {
    let has_name = node.get("name").is_some_and(|it| it.text().is_some());
    let is_empty = |it: &Node<'_>| !it.is_object() || it.entries().is_empty();
    let has_values = || {
        let mut keys = SCHEMA_KEYS.iter();
        keys.any(|key| {
            node.get(key)
                .is_some_and(|it| !is_empty(it) && !is_schema(it))
        })
    };
    let is_told = match context {
        Context::Unknown => false,
        Context::Described => node.str_at("description").is_some() || schema_of(node).is_some(),
        Context::Definitions => true,
    };
    has_name && is_told && !has_values() && !OF_CALLS.iter().any(|key| node.has(key))
}

/// The tool that a value defines.
fn tool(node: &Node<'_>, pointer: &str, line: u64, context: Context) -> Option<CatalogueTool> {
    let (function, inner) = function_of(node);
    let name = function.get("name")?.text()?.clone().into_owned();
    let schema = schema_of(function);
    let typed = typed_parameters(function).filter(|_| schema.is_none());
    if schema.is_none() && typed.is_none() && !is_bare(node, function) && !is_named(node, context) {
        return None;
    }
    let schema_text = match (schema, typed) {
        (Some((_, schema)), _) => Some(schema.raw().to_owned()),
        (None, Some(typed)) => Some(format!(
            r#"{{"type":"object","properties":{}}}"#,
            typed.raw()
        )),
        (None, None) => None,
    };
    Some(CatalogueTool {
        name,
        description: function.str_at("description").map(str::to_owned),
        schema: schema_text,
        changes: changes(node),
        line,
        pointer: pointer.to_owned(),
        schema_pointer: match schema {
            Some((key, _)) => format!("{pointer}{inner}/{key}"),
            None => pointer.to_owned(),
        },
        parameters: match (schema, typed) {
            (Some((_, schema)), _) => parameters(schema, schema.get("properties")),
            (None, typed) => parameters(function, typed),
        },
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

/// True if an object is an object schema, not the arguments of a call.
fn is_schema(node: &Node<'_>) -> bool {
    let is_object = |name: &str| super::json_type(name) == Some("object");
    node.get("properties").is_some_and(Node::is_object)
        || node.str_at("type").is_some_and(is_object)
        || node.str_at("$ref").is_some()
}

/// The parameters of a described tool as xLAM writes them: a schema for each, without one around all.
fn typed_parameters<'n, 'a>(function: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let parameters = function.get("parameters")?;
    let is_typed = |(_, it): &(_, Node<'_>)| it.str_at("type").is_some();
    let are_typed = !parameters.entries().is_empty() && parameters.entries().iter().all(is_typed);
    (are_typed && function.str_at("description").is_some()).then_some(parameters)
}

fn parameters(schema: &Node<'_>, properties: Option<&Node<'_>>) -> Vec<ToolParameter> {
    let required: Vec<_> = schema
        .list("required")
        .iter()
        .filter_map(Node::str)
        .collect();
    let properties = properties.map_or(&[][..], Node::entries);
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
                r#"{"tools":[{"name":"f","description":"d","parameters":{"id":{"type":"int"}}}]}"#.to_owned(),
                "/tools/0",
            ),
            (
                format!(r#"{{"tools":{:?}}}"#, format!(r#"[{{"name":"f","parameters":{schema}}}]"#)),
                "/tools",
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
    fn tools_without_a_schema_are_known() {
        let described = r#"{"name":"f","description":"Does it."}"#;
        let with_schema = r#"{"name":"g","parameters":{"type":"object","properties":{}}}"#;
        for (form, names) in [
            (
                format!(r#"{{"functionDeclarations":[{described},{with_schema}]}}"#),
                &["f", "g"][..],
            ),
            (
                r#"[{"function_declarations":[{"name":"f"}]}]"#.to_owned(),
                &["f"],
            ),
            (format!("[{described}]"), &["f"]),
            (format!(r#"{{"tools":[{described}]}}"#), &["f"]),
            (format!(r#"[{with_schema},{{"name":"f"}}]"#), &["g", "f"]),
            (
                format!(r#"[{with_schema},{{"name":"f","parameters":null}}]"#),
                &["g", "f"],
            ),
            (
                r#"[{"name":"f","description":"x","parameters":null}]"#.to_owned(),
                &["f"],
            ),
            (
                r#"[{"name":"f","description":"x","parameters":{}}]"#.to_owned(),
                &["f"],
            ),
            (
                r#"[{"type":"function","function":{"name":"f","parameters":null}}]"#.to_owned(),
                &["f"],
            ),
            (
                r#"[{"type":"bash_20250124","name":"bash"}]"#.to_owned(),
                &["bash"],
            ),
            (
                r#"[{"type":"computer_20241022","name":"computer","display_width_px":1024}]"#
                    .to_owned(),
                &["computer"],
            ),
            (
                r#"[{"type":"custom","name":"f","description":"x"}]"#.to_owned(),
                &["f"],
            ),
            (
                r#"[{"type":"custom","custom":{"name":"f"}}]"#.to_owned(),
                &["f"],
            ),
        ] {
            let read = ToolCatalogue::from_text(&form).unwrap();
            let found: Vec<_> = read.tools().iter().map(|it| it.name.to_display()).collect();
            assert_eq!(found, names, "{form}");
            let has_schema = |it: &&super::CatalogueTool| it.schema.is_some();
            assert!(
                read.tools()
                    .iter()
                    .filter(has_schema)
                    .all(|it| it.name == *"g"),
                "{form}"
            );
        }
    }

    #[test]
    fn what_may_be_calls_or_something_else_is_no_list_of_tools() {
        for other in [
            r#"[{"name":"f"}]"#,
            r#"["f"]"#,
            r#"{"tools":[{"name":"f"}]}"#,
            r#"{"tools":[{"name":"f","description":"x","input_parameters":{"a":1}}]}"#,
            r#"[{"name":"f","description":"x","args":{}}]"#,
            r#"[{"name":"f","description":"x"},{"name":"g"}]"#,
            r#"{"cases":[{"name":"f","description":"x"}]}"#,
            r#"{"name":"a data set","description":"x"}"#,
            r#"[{"type":"custom_tool_call","name":"f","input":"x"}]"#,
            r#"[{"type":"tool_use","id":"1","name":"f","input":{}}]"#,
        ] {
            assert!(ToolCatalogue::from_text(other).is_err(), "{other}");
        }
        // Only a file that is named as a catalogue is believed to hold descriptions of tools.
        let described = r#"[{"name":"f","description":"x"}]"#;
        assert!(ToolCatalogue::from_json(described).unwrap().is_empty());
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
