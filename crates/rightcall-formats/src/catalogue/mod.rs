//! The tools that an agent could call, in any form in which they are published.
//!
//! Names and types of parameters type what a model writes as text. The whole schemas are kept as they were written, for checks of
//! expectations and of runs.

mod find;
mod schema_types;

use rightcall::value::{MAX_DEPTH, Text};

use crate::error::CaseError;
use crate::node::Node;

pub(crate) use schema_types::SchemaTypes;
pub use schema_types::json_type;

/// The tools of a run or of a file. They never decide whether something is a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCatalogue {
    tools: Vec<CatalogueTool>,
}

/// A tool that an agent could call.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogueTool {
    /// Its name.
    pub name: Text<'static>,
    /// What it does, in the words of its author.
    pub description: Option<String>,
    /// The schema of its parameters as it was written, a JSON text; its types may have other names than those of JSON Schema, see
    /// [`json_type`]. `None` where the definition has none.
    pub schema: Option<String>,
    /// The line of its definition in a file of lines, from 1; of any other text 1.
    pub line: u64,
    /// Where its definition is in that line or text, an RFC 6901 pointer.
    pub pointer: String,
    /// Where the schema is.
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
    /// Reads a JSON text that holds tools: a list of them, or anything around one.
    ///
    /// `OpenAI`'s two forms, Anthropic's, Gemini's, the answers of MCP's `tools/list`, BFCL's functions and the definitions in traces are
    /// found at any depth.
    ///
    /// # Errors
    /// Text that is no JSON list or object.
    pub fn from_json(json: &str) -> Result<Self, CaseError> {
        let expected = "a JSON list of tools, or an object that holds one";
        let tools = Node::parse(json, MAX_DEPTH)
            .map_err(|error| CaseError::new(expected, error.to_string()))?;
        if !tools.is_list() && !tools.is_object() {
            return Err(CaseError::new(expected, "another value"));
        }
        Ok(Self {
            tools: find::tools_in(&tools, 1),
        })
    }

    /// Reads a file that holds tools: one JSON text, or one on each line.
    ///
    /// # Errors
    /// Text that is neither, or holds no tool.
    pub fn from_text(text: &str) -> Result<Self, CaseError> {
        let whole = Self::from_json(text);
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
        // Lines end at a line feed only: other line ends can be inside JSON.
        for (number, line) in (1..).zip(text.split('\n')) {
            if line.trim().is_empty() {
                continue;
            }
            let node = Node::parse(line, MAX_DEPTH).map_err(|error| {
                let found = format!("{error} on line {number}");
                CaseError::new("one JSON text, or one on each line", found)
            })?;
            read.add(find::tools_in(&node, number));
        }
        Ok(read)
    }

    /// Adds the tools of another catalogue that this one does not have.
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

    /// The tools, in the order of the text; one that is defined several times is there several times.
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

    /// The first tool of this name.
    pub fn tool(&self, name: &str) -> Option<&CatalogueTool> {
        self.tools.iter().find(|tool| tool.name == *name)
    }

    /// The parameters of a tool, in order; none of an unknown tool.
    pub(crate) fn parameters(&self, tool: &str) -> &[ToolParameter] {
        self.tool(tool).map_or(&[], |tool| &tool.parameters)
    }

    /// The types of a parameter; none if they are not known.
    pub(crate) fn types(&self, tool: &str, parameter: &str) -> SchemaTypes {
        let mut parameters = self.parameters(tool).iter();
        let found = parameters.find(|it| it.name == *parameter);
        found.map(|it| it.types).unwrap_or_default()
    }

    /// The parameter of a tool that has one, or one required parameter.
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
