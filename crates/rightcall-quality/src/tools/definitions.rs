//! The definitions of tools for evaluators and guards: schemas of arguments, and MCP's hints.

use std::io;
use std::iter::once;
use std::path::Path;
use std::sync::Arc;

use rightcall_core::value::pointer::unescaped;
use rightcall_core::{ArgumentViolation, ToolDefinitions, ToolSource, ToolSourceError};
use rightcall_formats::{CaseError, Limits, ToolCatalogue, read_text};
use serde_json::Value;

use super::{Broken, Toolbox, Violation};

/// Enables definitions of tools in evaluators, monitors and guards: `schema` of `constraints`, and
/// `weigh.hints` of `trajectory`. Only the first call has an effect.
pub fn use_tool_definitions() {
    rightcall_core::use_tool_definition_reader(compiled);
}

fn compiled(source: ToolSource<'_>) -> Result<Arc<dyn ToolDefinitions>, ToolSourceError> {
    let (name, catalogue) = match source {
        ToolSource::File(path) => (format!("`{path}`"), catalogue_in(path)?),
        ToolSource::Json(json) => {
            let name = "tools in place".to_owned();
            let read = ToolCatalogue::from_text(json).map_err(|error| no_tools(&name, &error))?;
            (name, read)
        }
    };
    let tools = Toolbox::new(&catalogue, &Arc::from(name.as_str()), 1, true);
    for tool in &tools.tools {
        if let Some(error) = tool.broken() {
            let found = format!(
                "{name}, where the schema of `{}` is invalid: {error}",
                tool.name
            );
            return Err(ToolSourceError { found });
        }
    }
    Ok(Arc::new(tools))
}

fn catalogue_in(path: &str) -> Result<ToolCatalogue, ToolSourceError> {
    let limit = Limits::default().max_document;
    let text = read_text(Path::new(path), limit).map_err(|error| ToolSourceError {
        found: match error.kind() {
            io::ErrorKind::NotFound => format!("no file `{path}`"),
            _ => format!("`{path}`, which cannot be read: {error}"),
        },
    })?;
    ToolCatalogue::from_text(&text).map_err(|error| no_tools(&format!("`{path}`"), &error))
}

fn no_tools(name: &str, error: &CaseError) -> ToolSourceError {
    let (expected, found) = (&error.expected, &error.found);
    ToolSourceError {
        found: format!("{name} (expected {expected}, found {found})"),
    }
}

impl ToolDefinitions for Toolbox {
    fn has_schema(&self, tool: &str) -> bool {
        self.get(tool).is_some_and(|tool| !tool.schema.is_null())
    }

    fn violations(&self, tool: &str, arguments: &str) -> Vec<ArgumentViolation> {
        let Some(tool) = self.get(tool) else {
            return Vec::new();
        };
        match serde_json::from_str::<Value>(arguments) {
            Ok(value) => tool
                .all_violations(&value)
                .iter()
                .map(argument_violation)
                .collect(),
            Err(error) => vec![ArgumentViolation {
                pointer: String::new(),
                sentence: format!("arguments are no JSON: {error}"),
            }],
        }
    }

    fn changing(&self) -> Option<Vec<String>> {
        let hinted: Vec<_> = self
            .tools
            .iter()
            .filter(|it| it.changes.is_some())
            .collect();
        let changing = hinted.iter().filter(|it| it.changes == Some(true));
        let names = changing.map(|it| it.name.clone());
        (!hinted.is_empty()).then(|| names.collect())
    }
}

fn argument_violation(violation: &Violation) -> ArgumentViolation {
    let (path, found) = (path(&violation.pointer), &violation.found);
    let is = if violation.pointer.is_empty() {
        "are"
    } else {
        "is"
    };
    let mismatch = |expected: &str| format!("{path} {is} {found}, the schema asks for {expected}");
    ArgumentViolation {
        sentence: match violation.broken {
            Broken::Missing => format!("{path} is missing, the schema requires it"),
            Broken::Unknown => format!("{path} is not in the schema"),
            Broken::Type => mismatch(&with_articles(&violation.expected)),
            Broken::Other => format!("{path}: {}", violation.expected),
            Broken::Enum | Broken::Range | Broken::Format => mismatch(&violation.expected),
        },
        pointer: violation.pointer.clone(),
    }
}

/// `/items/0/id` as `arguments.items[0].id`.
fn path(pointer: &str) -> String {
    let steps = pointer.split('/').skip(1).map(|step| {
        let step = unescaped(step);
        if step.bytes().all(|it| it.is_ascii_digit()) {
            format!("[{step}]")
        } else {
            format!(".{step}")
        }
    });
    once("arguments".to_owned()).chain(steps).collect()
}

/// `number or null` as `a number or null`.
fn with_articles(types: &str) -> String {
    let article = |name: &str| match name {
        "number" | "string" | "boolean" => format!("a {name}"),
        "integer" | "array" | "object" => format!("an {name}"),
        other => other.to_owned(),
    };
    let types: Vec<_> = types.split(" or ").map(article).collect();
    types.join(" or ")
}

#[cfg(test)]
mod tests {
    use rightcall_core::call::{Arguments, Call};
    use rightcall_core::monitor::{Admission, Monitor, RuleVerdict};
    use rightcall_core::{Ask, Evaluator};
    use rightcall_formats::{ReadOptions, read_case};

    use super::*;

    const TOOLS: &str = r##"{"tools": [
        {"name": "refund", "inputSchema": {"type": "object", "required": ["order"], "properties": {
            "order": {"type": "integer"}, "amount": {"type": ["number", "null"], "minimum": 0}, "unit": {"enum": ["EUR", "USD"]},
            "day": {"type": "string", "format": "date"}, "items": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
            "$defs": {"item": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}}}},
        {"name": "ping", "inputSchema": {"type": "object", "properties": {}}},
        {"name": "open", "inputSchema": {"type": "object", "properties": {"a": {}}, "additionalProperties": true}}]}"##;

    fn schemas(json: &str) -> Result<Arc<dyn ToolDefinitions>, ToolSourceError> {
        compiled(ToolSource::Json(json))
    }

    #[track_caller]
    fn check(tool: &str, arguments: &str, expected: &[(&str, &str)]) {
        let found = schemas(TOOLS).unwrap().violations(tool, arguments);
        let found: Vec<_> = found
            .iter()
            .map(|it| (&*it.pointer, &*it.sentence))
            .collect();
        assert_eq!(found, expected, "{arguments}");
    }

    #[test]
    fn each_kind_of_violation_has_a_message() {
        check(
            "refund",
            r#"{"order": 7, "amount": 7.5, "unit": "EUR", "day": "2026-01-31", "items": [{"id": "a"}]}"#,
            &[],
        );
        check("refund", r#"{"order": 7, "amount": null}"#, &[]);
        check(
            "refund",
            r#"{"amount": "7", "to": "me"}"#,
            &[
                (
                    "/order",
                    "arguments.order is missing, the schema requires it",
                ),
                ("/to", "arguments.to is not in the schema"),
                (
                    "/amount",
                    "arguments.amount is \"7\", the schema asks for null or a number",
                ),
            ],
        );
        for (argument, sentence) in [
            (
                r#""amount": -1"#,
                "arguments.amount is -1, the schema asks for at least 0",
            ),
            (
                r#""unit": "euro""#,
                "arguments.unit is \"euro\", the schema asks for one of \"EUR\", \"USD\"",
            ),
            (
                r#""day": "today""#,
                "arguments.day is \"today\", the schema asks for the format `date`",
            ),
            (
                r#""items": [{}]"#,
                "arguments.items[0].id is missing, the schema requires it",
            ),
            (
                r#""items": [{"id": 1}]"#,
                "arguments.items[0].id is 1, the schema asks for a string",
            ),
        ] {
            let json = format!("{{\"order\": 7, {argument}}}");
            let found = schemas(TOOLS).unwrap().violations("refund", &json);
            assert_eq!(found[0].sentence, sentence);
        }
    }

    #[test]
    fn arguments_must_be_an_object_and_schemas_may_be_open() {
        check(
            "refund",
            "[7]",
            &[("", "arguments are [7], the schema asks for an object")],
        );
        check(
            "refund",
            "\"{order\"",
            &[(
                "",
                "arguments are \"{order\", the schema asks for an object",
            )],
        );
        check("ping", "{}", &[]);
        check(
            "ping",
            r#"{"a": 1}"#,
            &[("/a", "arguments.a is not in the schema")],
        );
        check("open", r#"{"b": 1}"#, &[]);
        let not_json = schemas(TOOLS).unwrap().violations("open", r#"{"a": NaN}"#);
        assert!(not_json[0].sentence.starts_with("arguments are no JSON: "));
    }

    #[test]
    fn a_tool_without_a_schema_is_not_judged() {
        let read = schemas(r#"[{"type": "function", "function": {"name": "f"}}]"#).unwrap();
        assert!(!read.has_schema("f") && !read.has_schema("g"));
    }

    #[test]
    fn a_source_without_usable_schemas_is_an_error() {
        for (json, found) in [
            (
                "[7]",
                "tools in place (expected definitions of tools: a name, with a schema under `parameters`, `input_schema` or `inputSchema`, found none)",
            ),
            (
                r#"[{"name": "f", "parameters": {"type": "object", "properties": {"a": {"pattern": "("}}}}]"#,
                "tools in place, where the schema of `f` is invalid: ",
            ),
        ] {
            let error = schemas(json).unwrap_err();
            assert!(error.found.starts_with(found), "{error}");
        }
        let error = compiled(ToolSource::File("nowhere/tools.json")).unwrap_err();
        assert_eq!(error.found, "no file `nowhere/tools.json`");
    }

    #[test]
    fn monitor_refuses_schema_violations_like_the_evaluator() {
        use_tool_definitions();
        let settings = format!("{{\"schema\": {TOOLS}}}");
        let call = |name: &'static str, json| Call {
            name: name.into(),
            arguments: Arguments::json(json),
            ..Call::default()
        };
        let mut monitor = Monitor::new(&settings).unwrap();
        let verdict = |monitor: &Monitor| monitor.verdicts()[0];
        assert_eq!(verdict(&monitor), Some(RuleVerdict::SatisfiedSoFar));
        assert_eq!(monitor.observe(&call("other", "{}")), Ok(0));
        assert_eq!(verdict(&monitor), None);
        let wrong = call("refund", r#"{"order": "7"}"#);
        let Admission::Refused(refusals) = monitor.admit(&wrong).unwrap() else {
            panic!("it is allowed")
        };
        let sentence = "arguments.order is \"7\", the schema asks for an integer";
        assert_eq!(refusals[0].rule, "arguments by schema");
        assert_eq!(refusals[0].calls, [1]);
        assert_eq!(refusals[0].violations[0].sentence, sentence);
        assert_eq!(
            refusals[0].sentence,
            format!("`refund` may not be called now: {sentence}.")
        );
        let right = call("refund", r#"{"order": 7}"#);
        assert_eq!(monitor.admit(&right), Ok(Admission::Admitted(1)));
        assert_eq!(verdict(&monitor), Some(RuleVerdict::SatisfiedSoFar));
        assert_eq!(monitor.observe(&wrong), Ok(2));
        let mut again = Monitor::restore(monitor.snapshot().as_str()).unwrap();
        assert_eq!(verdict(&again), Some(RuleVerdict::Violated));
        assert!(again.would_break(&right).unwrap().is_empty());
        assert_eq!(again.finish().unwrap().passed, Some(false));
    }

    #[test]
    fn tools_with_side_effects_weigh_more() {
        use_tool_definitions();
        let score = |which: &str| {
            let settings = format!(r#"{{"weigh":{{"effects":10,{which}}}}}"#);
            let evaluator = Evaluator::new("trajectory", &settings, None);
            let evaluator = evaluator.map_err(|error| error.to_string())?;
            let case = r#"{"expected":["find","refund"],"actual":["find"]}"#;
            let case = read_case(case, &ReadOptions::default()).unwrap();
            Ok::<_, String>(evaluator.evaluate(&case, Ask::OUTCOME).outcome.score())
        };
        let tool = |name: &str, hints: &str| {
            format!(
                r#"{{"name":"{name}","inputSchema":{{"type":"object"}},"annotations":{hints}}}"#
            )
        };
        let find = tool("find", r#"{"readOnlyHint":true}"#);
        let refund = tool("refund", r#"{"readOnlyHint":false}"#);
        let hints = |tools: &[&str]| format!("\"hints\":[{}]", tools.join(","));
        let both = score(&hints(&[&find, &refund]));
        assert_eq!(both, score(r#""tools":["refund"]"#));
        assert_eq!(
            both,
            score(&format!("{},\"tools\":[\"refund\"]", hints(&[&find])))
        );
        assert_eq!(score(&hints(&[&find])), Ok(Some(2.0 / 3.0)));
        assert_eq!(
            score(&hints(&[&tool("find", "{}")])),
            Err("trajectory: `weigh.hints` takes tools with `annotations`: `readOnlyHint` or `destructiveHint`, found none".to_owned())
        );
    }
}
