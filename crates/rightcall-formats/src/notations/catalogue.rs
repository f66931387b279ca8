//! The tools that a model could call: their names, and their parameters with types.

use rightcall::value::{MAX_DEPTH, Text};

use super::schema_types::SchemaTypes;
use crate::error::CaseError;
use crate::node::Node;

/// The tools of a run. Their schemas type what a model writes as text; they never decide whether something is a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCatalogue {
    tools: Vec<CatalogueTool>,
}

#[derive(Clone, Debug, PartialEq)]
struct CatalogueTool {
    name: Text<'static>,
    parameters: Vec<ToolParameter>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ToolParameter {
    pub(super) name: Text<'static>,
    pub(super) types: SchemaTypes,
    is_required: bool,
}

impl ToolCatalogue {
    /// Reads tools in `OpenAI`'s form: a JSON list of `{"type": "function", "function": {"name", "parameters"}}`.
    ///
    /// # Errors
    /// Text that is no JSON list.
    pub fn from_json(json: &str) -> Result<Self, CaseError> {
        let expected = "a JSON list of tools";
        let tools = Node::parse(json, MAX_DEPTH)
            .map_err(|error| CaseError::new(expected, error.to_string()))?;
        if !tools.is_list() {
            return Err(CaseError::new(expected, "another value"));
        }
        Ok(Self::from_node(&tools))
    }

    /// The tools of a list in `OpenAI`'s form; items without a name are no tools that a text can call.
    pub(crate) fn from_node(tools: &Node<'_>) -> Self {
        let tools = tools.items().iter().filter_map(CatalogueTool::from_node);
        Self {
            tools: tools.collect(),
        }
    }

    /// True if there is no tool.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// True if a tool has this name.
    pub fn has(&self, name: &str) -> bool {
        self.tool(name).is_some()
    }

    fn tool(&self, name: &str) -> Option<&CatalogueTool> {
        self.tools.iter().find(|tool| tool.name == *name)
    }

    /// The parameters of a tool, in order; none of an unknown tool.
    pub(super) fn parameters(&self, tool: &str) -> &[ToolParameter] {
        self.tool(tool).map_or(&[], |tool| &tool.parameters)
    }

    /// The types of a parameter; none if they are not known.
    pub(super) fn types(&self, tool: &str, parameter: &str) -> SchemaTypes {
        let mut parameters = self.parameters(tool).iter();
        let found = parameters.find(|it| it.name == *parameter);
        found.map(|it| it.types).unwrap_or_default()
    }

    /// The parameter of a tool that has one, or one required parameter.
    pub(super) fn only_parameter(&self, tool: &str) -> Option<&ToolParameter> {
        let parameters = self.parameters(tool);
        let mut required = parameters.iter().filter(|it| it.is_required);
        match (parameters, required.next(), required.next()) {
            ([only], _, _) | (_, Some(only), None) => Some(only),
            _ => None,
        }
    }
}

impl CatalogueTool {
    fn from_node(tool: &Node<'_>) -> Option<Self> {
        let function = tool.inner(&["function"]);
        let name = function.get("name")?.text()?.clone().into_owned();
        let parameters = function.get("parameters").map(parameters);
        Some(Self {
            name,
            parameters: parameters.unwrap_or_default(),
        })
    }
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
        assert!(ToolCatalogue::from_json("{}").is_err() && ToolCatalogue::from_json("[").is_err());
        assert!(ToolCatalogue::default().is_empty());
    }
}
