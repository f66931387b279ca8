//! `uipath/tool-call-args`: whether the tools were called with the expected arguments.

use super::spans::{self, Attribute, SpanCall};
use super::{
    Criteria, DEFAULT_CRITERIA, DESCRIPTION, NAME, STRICT, criteria_under, empty_reason,
    error_result, push_id,
};
use crate::call::{ArgumentSource, Call};
use crate::matching::ArgumentsRef;
use crate::presets::prelude::*;
use crate::recipe::{Field, expected_calls, explained_lines, require_recorded, trajectory};
use crate::value::python::{
    LiteralError, list_text, parse_literal, push_repr, push_repr_text, repr,
};
use crate::value::{Object, PythonValue, Syntax, TextBuilder, decode_with};

pub(crate) static ENTRY: Entry = Entry {
    id: "uipath/tool-call-args",
    aliases: &["tool-call-args", "uipath-tool-call-args"],
    summary: "The share of expected calls that were made with the expected arguments.",
    page: Page {
        measures: "Whether each expected call was made with at least the expected arguments: every expected key with an equal value \
(Python's equality). Further arguments and further calls cost nothing; order does not matter.",
        formula: "Each expected call, in order, takes the first unused actual call of the same tool that holds its arguments. \
`score = calls answered / calls expected`. With `strict`: 1 if all are answered, else 0.",
        use_when: "Arguments carry the meaning: ids, amounts, addresses.",
        not_when: "Further arguments or further calls are mistakes (`tpmjs/tool-call-accuracy-score`, `trajectory`).",
        limits: "`subset` changes nothing: both of its values look at the expected keys only, as the original does. The first fit is \
taken, so an undemanding expected call can use up the actual call that a later one needs. The details have a line a comparison, as the \
original has; beyond 1 MiB of lines `_left_out` says how many more there were.",
        not_applicable: "The case states no calls, there is no run, or a call was recorded without arguments.",
        editions: "",
        departures: &[
            departures::ERROR_RESULT,
            departures::NAN_BELOW,
            departures::UNKNOWN_SETTINGS,
            departures::REPEATED_KEYS,
            departures::NESTING,
            departures::DIGITS,
        ],
        source: "Package `uipath` 2.14.44.",
        related: &[
            "uipath/tool-call-output",
            "axion/tool-correctness",
            "trajectory",
        ],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"refund","args":{"id":7}},{"name":"mail","args":{"to":"a"}}]"#,
            actual: r#"[{"name":"refund","args":{"id":7,"amount":20}},{"name":"mail","args":{"to":"b"}}]"#,
            result: r#"{"score":0.5,"score_type":1,"details":{"expected":"[ToolCall(name='refund', args={'id': 7}, id=None), ToolCall(name='mail', args={'to': 'a'}, id=None)]","actual":"[ToolCall(name='refund', args={'id': 7, 'amount': 20}, id=None), ToolCall(name='mail', args={'to': 'b'}, id=None)]","explained_tool_calls_args":{"refund_0":"Actual: {'id': 7, 'amount': 20}, Expected: {'id': 7}, Score: 1.0","mail_0":"Actual: {'to': 'b'}, Expected: {'to': 'a'}, Score: 0.0"}}}"#,
        },
    },
    settings: &[
        NAME,
        DESCRIPTION,
        STRICT.setting,
        SUBSET.setting,
        DEFAULT_CRITERIA,
    ],
    editions: &[Edition::Package],
    needs: "expected calls; names and arguments of the actual calls",
    shape: Some(Shape::UiPath),
    build,
};

const SUBSET: Flag = Flag::new(
    "subset",
    false,
    "Accepted, and without effect, as in the original.",
);

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    SUBSET.read(settings)?;
    let criteria = Criteria::new(settings, "tool_calls", expected_of_value)?;
    let rules = Rules {
        names: NameRule::IdElseSanitised,
        missing: MissingArguments::Wildcard,
        ..Rules::from_arguments(ArgumentRule::Subset, ValueEquality::Python)
    };
    let score = if STRICT.read(settings)? {
        Scoring::AllOrNothing("every expected call is answered", Costs::MISSED)
    } else {
        Scoring::Recall
    };
    let align = Align::NotedFirstFit {
        end_at_failure: false,
    };
    let recipe = Recipe::new(rules, align, score);
    Ok(Composed::preset(recipe, ToolCallArgs { criteria }))
}

#[derive(Debug)]
struct ToolCallArgs {
    criteria: Criteria<Item<'static>>,
}

fn expected_of_value(value: &Value<'_>) -> Result<Vec<Item<'static>>, EvaluationError> {
    let (root, key) = (At::root("expected"), "tool_calls");
    let call = |at: At<'_>, call: &Value<'_>| {
        let call = at.object(call)?;
        let arguments = call.get_str("args");
        let arguments = arguments.ok_or_else(|| at.key("args").error("a value", None))?;
        at.key("args").object(arguments)?;
        let name = ItemName::Text(at.text(call, "name")?.clone().into_owned());
        let id = at.optional_text(call, "id")?;
        let arguments = ItemArguments::Tree(arguments.clone().into_owned());
        Ok(Item::new(name, arguments).with_tool_id(id.map(|id| id.clone().into_owned())))
    };
    root.key(key)
        .each(criteria_under(value, key, "toolCalls")?, call)
}

/// The calls of a run, with arguments as the original reads them.
fn actual<'c>(prepared: &'c PreparedCase<'c>) -> Result<Items<'c>, Outcome> {
    let run = trajectory(prepared.case())?;
    if run.spans.is_empty() {
        require_recorded(&run.calls, Field::Arguments)?;
        // The original parses arguments given as text in its own way. Only a plain object has the
        // same value in both parsers.
        let are_read_alike = |call: &Call<'_>| call.arguments.compared_json().is_some();
        let are_alike = run.calls.iter().all(are_read_alike);
        if let (items @ Items::Prepared(..), true) = (spans::items(prepared)?, are_alike) {
            return Ok(items);
        }
    }
    with_arguments(spans::calls(prepared.case())?)
}

fn with_arguments(calls: Vec<SpanCall<'_>>) -> Result<Items<'_>, Outcome> {
    let items = calls.into_iter().map(|call| {
        let arguments = arguments_of_span(&call)?;
        Ok(Item::new(ItemName::Text(call.name), arguments).with_tool_id(call.id))
    });
    items.collect::<Result<_, _>>().map(Items::Own)
}

/// The arguments of a span: an object, or a string with JSON or a Python literal of one. Anything else counts as none.
fn arguments_of_span<'c>(call: &SpanCall<'c>) -> Result<ItemArguments<'c>, Outcome> {
    let empty = || ItemArguments::Tree(Value::Object(Object::default()));
    match &call.input {
        Attribute::Tree(value @ Value::Object(_)) => Ok(ItemArguments::Tree(value.clone())),
        Attribute::Tree(Value::String(text)) => arguments_of_text(text),
        Attribute::Absent | Attribute::Json(_) | Attribute::Tree(_) => Ok(empty()),
        Attribute::Arguments(arguments) => match arguments.source() {
            ArgumentSource::Json(_) => Ok(ItemArguments::Lazy(arguments)),
            ArgumentSource::Text { text, .. } => arguments_of_text(&text),
            ArgumentSource::Absent => Ok(empty()),
        },
    }
}

fn arguments_of_text(text: &Text<'_>) -> Result<ItemArguments<'static>, Outcome> {
    let json = text
        .as_str()
        .and_then(|text| decode_with(text, Syntax::PYTHON).ok());
    let value = match json {
        Some(value) => value.into_owned(),
        None => match parse_literal(text) {
            Ok(value) => value,
            Err(LiteralError::Invalid) => Value::Null,
            Err(LiteralError::Unhashable(kind)) => {
                return Err(error_result(&format!("unhashable type: '{kind}'")));
            }
        },
    };
    match value {
        Value::Object(_) => Ok(ItemArguments::Tree(value)),
        Value::Python(python) => match *python {
            PythonValue::Dict(entries) => {
                let bad = entries
                    .iter()
                    .filter(|(key, _)| key.as_text().is_none())
                    .count();
                let plural = if bad == 1 { "" } else { "s" };
                Err(error_result(&format!(
                    "{bad} validation error{plural} for ToolCall"
                )))
            }
            _ => Ok(ItemArguments::Tree(Value::Object(Object::default()))),
        },
        _ => Ok(ItemArguments::Tree(Value::Object(Object::default()))),
    }
}

fn tree_text(arguments: ArgumentsRef<'_, '_>) -> Text<'static> {
    arguments
        .to_tree()
        .map_or_else(|| Text::new("{}"), |tree| repr(&tree))
}

fn push_call(item: &Item<'_>, out: &mut TextBuilder) {
    out.push_str("ToolCall(name=");
    push_repr_text(&item.name().to_text(), out);
    out.push_str(", args=");
    match item.arguments().to_tree() {
        Some(tree) => push_repr(&tree, out),
        None => out.push_str("{}"),
    }
    out.push_str(", ");
    push_id(item.more().tool_id.as_ref(), out);
    out.push_str(")");
}

impl Original for ToolCallArgs {
    fn layout(&self) -> Layout {
        Layout::UiPath
    }

    fn read_case<'c>(&self, recipe: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        let case_criteria = expected_calls(prepared.case())
            .map(|calls| recipe.items(calls, prepared.expected_items()));
        self.criteria
            .sides((case_criteria, ExpectedList::Calls), || actual(prepared))
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        let case_criteria = (expected, ExpectedList::Calls);
        self.criteria.native_sides(case_criteria, || {
            with_arguments(spans::calls_of_native(actual)?)
        })
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        let (expected, actual) = judged.items();
        let (wanted, called) = (list_text(expected, push_call), list_text(actual, push_call));
        writer.key("expected").text(&wanted);
        writer.key("actual").text(&called);
        writer.key("explained_tool_calls_args").begin_object();
        writer.optional("_result", empty_reason(judged, "tool calls are empty"));
        let found = |index: usize| tree_text(actual[index].arguments());
        let wanted = |index: usize| tree_text(expected[index].arguments());
        if let Some((_, comparisons)) = judged.compared() {
            explained_lines(actual, (comparisons, 0), writer, [&found, &wanted]);
        }
        writer.end_object();
    }
}
