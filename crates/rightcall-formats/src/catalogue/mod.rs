//! The tools available to an agent, in any published form.
//!
//! Names and types of parameters determine the types of values that a model writes as text. The complete schemas are kept verbatim to
//! check expectations and runs.

mod find;
mod schema_types;

use rightcall_core::value::{MAX_DEPTH, Text};

use crate::error::CaseError;
use crate::node::Node;

pub(crate) use schema_types::SchemaTypes;
pub use schema_types::json_type;

/// The tools of a run or of a file. They never decide whether a value is a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCatalogue {
    tools: Vec<CatalogueTool>,
}

/// A tool available to an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogueTool {
    /// Its name.
    pub name: Text<'static>,
    /// Its description, verbatim.
    pub description: Option<String>,
    /// The JSON schema of its parameters, verbatim. Its types may have names that JSON Schema doesn't have, see [`json_type`]. `None` if
    /// the definition has no schema.
    pub schema: Option<String>,
    /// Whether it changes something, by MCP's hints. `None` if it has none.
    pub changes: Option<bool>,
    /// The line of its definition in JSON Lines, from 1; always 1 in other texts.
    pub line: u64,
    /// The RFC 6901 pointer to its definition within that line or text.
    pub pointer: String,
    /// The pointer to the schema.
    pub schema_pointer: String,
    parameters: Vec<ToolParameter>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolParameter {
    pub(crate) name: Text<'static>,
    pub(crate) types: SchemaTypes,
    is_required: bool,
}

impl ToolCatalogue {
    /// Reads a JSON text that contains tools, as a list or nested in anything else.
    ///
    /// Supports both forms of `OpenAI`, Anthropic's, Gemini's, the responses of MCP's `tools/list`, BFCL's functions and the definitions
    /// in traces, at any depth. A tool may lack a schema: then its type, its key or the tools next to it distinguish it from a call.
    ///
    /// # Errors
    /// Text that is not a JSON list or object.
    pub fn from_json(json: &str) -> Result<Self, CaseError> {
        Self::read(json, false)
    }

    fn read(json: &str, is_catalogue: bool) -> Result<Self, CaseError> {
        let expected = "a JSON list of tools, or an object that holds one";
        let tools = Node::parse(json, MAX_DEPTH)
            .map_err(|error| CaseError::new(expected, error.to_string()))?;
        if !tools.is_list() && !tools.is_object() {
            return Err(CaseError::new(expected, "another value"));
        }
        Ok(Self {
            tools: find::tools_in(&tools, 1, is_catalogue),
        })
    }

    /// Reads a file of tools: one JSON text, or one on each line. A list of names with descriptions is one of tools too.
    ///
    /// # Errors
    /// Text that is neither, or holds no tool.
    pub fn from_text(text: &str) -> Result<Self, CaseError> {
        let whole = Self::read(text, true);
        let is_lines = whole.is_err() && text.trim().lines().nth(1).is_some();
        let read = if is_lines {
            Self::from_lines(text)?
        } else {
            whole?
        };
        if read.is_empty() {
            let expected = "definitions of tools: a name, with a schema under `parameters`, `input_schema` or `inputSchema`";
            return Err(CaseError::new(expected, "none"));
        }
        Ok(read)
    }

    fn from_lines(text: &str) -> Result<Self, CaseError> {
        let mut read = Self::default();
        // Split at line feeds only: other line separators can occur inside JSON.
        for (number, line) in (1..).zip(text.split('\n')) {
            if line.trim().is_empty() {
                continue;
            }
            let node = Node::parse(line, MAX_DEPTH).map_err(|error| {
                let found = format!("{error} on line {number}");
                CaseError::new("one JSON text, or one on each line", found)
            })?;
            read.add(find::tools_in(&node, number, true));
        }
        Ok(read)
    }

    /// Adds those tools of another catalogue that this one lacks.
    pub fn merge(&mut self, other: Self) {
        self.add(other.tools);
    }

    fn add(&mut self, tools: Vec<CatalogueTool>) {
        for tool in tools {
            if !self.tools.contains(&tool) {
                self.tools.push(tool);
            }
        }
    }

    /// The tools, in the order of the text. Repeated definitions are repeated here.
    pub fn tools(&self) -> &[CatalogueTool] {
        &self.tools
    }

    /// True if there is no tool.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// True if a tool has this name.
    pub fn has(&self, name: &str) -> bool {
        self.tool(name).is_some()
    }

    /// The first tool with this name.
    pub fn tool(&self, name: &str) -> Option<&CatalogueTool> {
        self.tools.iter().find(|tool| tool.name == *name)
    }

    /// The parameters of a tool, in order; empty for an unknown tool.
    pub(crate) fn parameters(&self, tool: &str) -> &[ToolParameter] {
        self.tool(tool).map_or(&[], |tool| &tool.parameters)
    }

    /// The types of a parameter; empty if unknown.
    pub(crate) fn types(&self, tool: &str, parameter: &str) -> SchemaTypes {
        let mut parameters = self.parameters(tool).iter();
        let found = parameters.find(|it| it.name == *parameter);
        found.map(|it| it.types).unwrap_or_default()
    }

    /// The only parameter of a tool, or else its only required one.
    pub(crate) fn only_parameter(&self, tool: &str) -> Option<&ToolParameter> {
        let parameters = self.parameters(tool);
        let mut required = parameters.iter().filter(|it| it.is_required);
        match (parameters, required.next(), required.next()) {
            ([only], _, _) | (_, Some(only), None) => Some(only),
            _ => None,
        }
    }
}

impl CatalogueTool {
    /// The names of its parameters, in the order of the schema.
    pub fn parameter_names(&self) -> impl Iterator<Item = &Text<'static>> {
        self.parameters.iter().map(|it| &it.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_read_with_their_parameters() {
        let tools = ToolCatalogue::from_json(
            r##"[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"$ref":"#/$defs/n"},"b":{}},
            "required":["b"],"$defs":{"n":{"type":"integer"}}}}},{"type":"function","function":{"name":"g"}},{"type":"web_search"}]"##,
        )
        .unwrap();
        assert_eq!(tools.tools.len(), 2);
        assert!(tools.has("g") && !tools.has("web_search"));
        assert_eq!(tools.types("f", "a"), SchemaTypes::INTEGER);
        assert!(tools.types("f", "c").is_empty() && tools.types("h", "a").is_empty());
        assert!(tools.only_parameter("f").is_some_and(|it| it.name == *"b"));
        assert!(tools.only_parameter("g").is_none());
        assert!(ToolCatalogue::from_json("1").is_err() && ToolCatalogue::from_json("[").is_err());
        assert!(
            ToolCatalogue::from_text("{}").is_err() && ToolCatalogue::from_text("[]\n[]").is_err()
        );
        assert!(ToolCatalogue::default().is_empty());
    }
}
