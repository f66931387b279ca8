//! The schema of one tool, and its checks.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use rightcall_core::value::pointer::child;
use rightcall_formats::CatalogueTool;
use serde_json::{Map, Value};

use super::normal::normal;
use super::relaxed::referred;
use crate::place::Place;

/// A tool with its schema.
#[derive(Debug)]
pub(crate) struct ToolSchema {
    pub(crate) name: String,
    pub(crate) description: String,
    /// The place of its definition.
    pub(crate) place: Place,
    schema_pointer: String,
    /// True if the hints declare that the tool changes something; `None` without a hint.
    pub(super) changes: Option<bool>,
    /// The original schema; null if it has none.
    pub(crate) schema: Value,
    /// The schema with JSON Schema's type names.
    pub(crate) normal: Value,
    parameters: Vec<String>,
    required: Vec<String>,
    /// Checks arguments, but ignores missing ones on the outermost level.
    validator: Result<Option<Validator>, String>,
    /// Checks the names of arguments against patterns, if the schema has any.
    names: Option<Validator>,
}

/// The reason why a schema rejects a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    Type,
    Enum,
    Range,
    Format,
    /// An argument inside the value is unknown.
    Unknown,
    /// A required argument inside the value is missing.
    Missing,
    /// Anything else, such as no branch of `anyOf`.
    Other,
}

/// A value that its schema rejects.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Violation {
    pub(crate) broken: Broken,
    /// The pointer within the arguments. A missing argument has the pointer that it would have.
    pub(crate) pointer: String,
    /// The values that the schema allows.
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl ToolSchema {
    pub(super) fn new(tool: &CatalogueTool, place: Place) -> Self {
        let schema = tool.schema.as_deref();
        let schema: Value = schema
            .and_then(|schema| serde_json::from_str(schema).ok())
            .unwrap_or_default();
        let normal = normal(&schema);
        let required = normal["required"].as_array().into_iter().flatten();
        Self {
            name: tool.name.to_display().into_owned(),
            description: tool.description.clone().unwrap_or_default(),
            place,
            schema_pointer: tool.schema_pointer.clone(),
            changes: tool.changes,
            parameters: tool
                .parameter_names()
                .map(|it| it.to_display().into_owned())
                .collect(),
            required: required
                .filter_map(|it| it.as_str().map(str::to_owned))
                .collect(),
            validator: validator(&normal),
            names: validator_of_names(&normal),
            schema,
            normal,
        }
    }

    /// The names of its parameters, in order.
    pub(crate) fn parameters(&self) -> &[String] {
        &self.parameters
    }

    pub(crate) fn is_required(&self, parameter: &str) -> bool {
        self.required.iter().any(|it| it == parameter)
    }

    /// Why the schema is invalid; `None` if it is valid.
    pub(crate) fn broken(&self) -> Option<&str> {
        self.validator.as_ref().err().map(String::as_str)
    }

    /// The place of a pointer into the schema.
    pub(crate) fn place_in_schema(&self, pointer: &str) -> Place {
        Place {
            pointer: format!("{}{pointer}", self.schema_pointer),
            ..self.place.clone()
        }
    }

    /// The schema of a parameter, with references resolved.
    pub(crate) fn property(&self, name: &str) -> Option<&Value> {
        self.member(&self.normal, name)
    }

    /// The schema of a member of an object with this schema, with references resolved.
    pub(crate) fn member<'s>(&'s self, schema: &'s Value, name: &str) -> Option<&'s Value> {
        let schema = referred(schema, &self.normal).unwrap_or(schema);
        let member = schema.get("properties")?.get(name)?;
        Some(referred(member, &self.normal).unwrap_or(member))
    }

    /// The schema of the items of a list with this schema.
    pub(crate) fn items<'s>(&'s self, schema: &'s Value) -> Option<&'s Value> {
        let schema = referred(schema, &self.normal).unwrap_or(schema);
        schema.get("items")
    }

    /// The default of a parameter.
    pub(crate) fn default(&self, name: &str) -> Option<&Value> {
        let written = self.normal.get("properties")?.get(name)?.get("default");
        written.or_else(|| self.property(name)?.get("default"))
    }

    /// The description of a parameter.
    pub(crate) fn description_of(&self, name: &str) -> &str {
        let property = self.property(name).map(|it| &it["description"]);
        property.and_then(Value::as_str).unwrap_or_default()
    }

    /// True if the description of a parameter quotes this text, as an example or a placeholder: 'today'.
    pub(crate) fn description_quotes(&self, name: &str, text: &str) -> bool {
        let description = self.description_of(name);
        ['\'', '"', '`']
            .iter()
            .any(|quote| description.contains(&format!("{quote}{text}{quote}")))
    }

    /// True if the schema lists this argument, or allows any.
    pub(crate) fn takes(&self, name: &str) -> bool {
        let is_named = self.normal["properties"].get(name).is_some();
        let is_closed = self.normal["additionalProperties"] == false
            || self.normal["properties"]
                .as_object()
                .is_some_and(Map::is_empty)
                && self.normal.get("additionalProperties").is_none();
        is_named || !is_closed || self.fits_name_pattern(name)
    }

    /// True if a pattern of the schema allows an argument with this name.
    fn fits_name_pattern(&self, name: &str) -> bool {
        let member = Value::Object(Map::from_iter([(name.to_owned(), Value::Null)]));
        self.names.as_ref().is_some_and(|it| it.is_valid(&member))
    }

    /// The names that the schema requires but does not list.
    pub(crate) fn required_and_unlisted(&self) -> impl Iterator<Item = &str> {
        let lists = self.normal["properties"].as_object();
        // Other keywords may list more.
        let others = [
            "patternProperties",
            "anyOf",
            "oneOf",
            "allOf",
            "$ref",
            "unevaluatedProperties",
            "if",
        ];
        let is_whole = !others.iter().any(|it| self.normal.get(*it).is_some());
        let lists = lists.filter(|it| is_whole && !it.is_empty());
        let required = self.required.iter().map(String::as_str);
        required.filter(move |name| lists.is_some_and(|it| !it.contains_key(*name)))
    }

    /// All violations of the arguments; the outermost level comes first.
    pub(crate) fn all_violations(&self, arguments: &Value) -> Vec<Violation> {
        let Value::Object(given) = arguments else {
            return vec![Violation {
                broken: Broken::Type,
                pointer: String::new(),
                expected: "object".to_owned(),
                found: short(arguments),
            }];
        };
        let missing = self.required.iter().filter(|it| !given.contains_key(*it));
        let unknown = given.keys().filter(|it| !self.takes(it));
        let mut violations: Vec<_> = missing
            .map(|name| missing_argument("", name))
            .chain(unknown.map(|name| unknown_argument("", name)))
            .collect();
        violations.extend(self.violations(arguments));
        violations
    }

    /// The violations of the arguments. Missing and unknown arguments on the outermost level are left to other rules.
    pub(crate) fn violations(&self, arguments: &Value) -> Vec<Violation> {
        let Ok(Some(validator)) = &self.validator else {
            return Vec::new();
        };
        validator
            .iter_errors(arguments)
            .flat_map(|it| violations_of(&it))
            .collect()
    }
}

/// A validator that accepts missing and unknown arguments on the outermost level, because separate rules report them.
fn validator(schema: &Value) -> Result<Option<Validator>, String> {
    let Value::Object(members) = schema else {
        return Ok(None);
    };
    let mut loose = members.clone();
    loose.remove("required");
    if loose.get("additionalProperties") == Some(&Value::Bool(false)) {
        loose.remove("additionalProperties");
    }
    let built = jsonschema::options()
        .should_validate_formats(true)
        .build(&Value::Object(loose));
    built.map(Some).map_err(|error| error.to_string())
}

/// A validator that accepts names of arguments that match a pattern of the schema.
fn validator_of_names(schema: &Value) -> Option<Validator> {
    let patterns = schema["patternProperties"].as_object()?.keys();
    let patterns = patterns.map(|pattern| (pattern.clone(), Value::Bool(true)));
    let patterns: Map<_, _> = patterns.collect();
    let names = serde_json::json!({"patternProperties": patterns, "additionalProperties": false});
    jsonschema::validator_for(&names).ok()
}

fn violations_of(error: &ValidationError<'_>) -> Vec<Violation> {
    use ValidationErrorKind as Kind;
    let pointer = error.instance_path().to_string();
    let (broken, expected) = match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            return vec![missing_argument(&pointer, name)];
        }
        Kind::AdditionalProperties { unexpected } => {
            let unknown = unexpected
                .iter()
                .map(|name| unknown_argument(&pointer, name));
            return unknown.collect();
        }
        Kind::Type { kind } => {
            let types: Vec<_> = match kind {
                TypeKind::Single(kind) => vec![kind.to_string()],
                TypeKind::Multiple(kinds) => kinds.iter().map(|it| it.to_string()).collect(),
            };
            (Broken::Type, types.join(" or "))
        }
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => (
            Broken::Type,
            "a value that one of the branches of the schema allows".to_owned(),
        ),
        Kind::Enum { options } => (Broken::Enum, listed(options)),
        Kind::Constant { expected_value } => (Broken::Enum, short(expected_value)),
        Kind::Minimum { limit } => (Broken::Range, format!("at least {limit}")),
        Kind::Maximum { limit } => (Broken::Range, format!("at most {limit}")),
        Kind::ExclusiveMinimum { limit } => (Broken::Range, format!("more than {limit}")),
        Kind::ExclusiveMaximum { limit } => (Broken::Range, format!("less than {limit}")),
        Kind::MinLength { limit } => (Broken::Range, format!("{limit} characters or more")),
        Kind::MaxLength { limit } => (Broken::Range, format!("{limit} characters or fewer")),
        Kind::MinItems { limit } => (Broken::Range, format!("{limit} items or more")),
        Kind::MaxItems { limit } => (Broken::Range, format!("{limit} items or fewer")),
        Kind::MultipleOf { multiple_of } => (Broken::Range, format!("a multiple of {multiple_of}")),
        Kind::UniqueItems => (Broken::Range, "items that all differ".to_owned()),
        Kind::MinProperties { limit } => (Broken::Range, format!("{limit} members or more")),
        Kind::MaxProperties { limit } => (Broken::Range, format!("{limit} members or fewer")),
        Kind::Format { format } => (Broken::Format, format!("the format `{format}`")),
        Kind::Pattern { pattern } => (Broken::Format, format!("the pattern `{pattern}`")),
        _ => (Broken::Other, error.to_string()),
    };
    vec![Violation {
        broken,
        pointer,
        expected,
        found: short(error.instance()),
    }]
}

fn missing_argument(pointer: &str, name: &str) -> Violation {
    Violation {
        broken: Broken::Missing,
        pointer: child(pointer, name),
        expected: format!("`{name}`"),
        found: "nothing".to_owned(),
    }
}

fn unknown_argument(pointer: &str, name: &str) -> Violation {
    Violation {
        broken: Broken::Unknown,
        pointer: child(pointer, name),
        expected: "an argument of the schema".to_owned(),
        found: format!("`{name}`"),
    }
}

/// The first few values of an enum.
fn listed(options: &Value) -> String {
    let options = options.as_array().map_or(&[][..], Vec::as_slice);
    let mut shown: Vec<_> = options.iter().take(6).map(short).collect();
    if options.len() > shown.len() {
        shown.push(format!("{} more", options.len() - shown.len()));
    }
    format!("one of {}", shown.join(", "))
}

/// A value as JSON, truncated if it is long.
pub(crate) fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
