//! `uipath/tool-call-args`: were the tools called with the expected arguments?

use crate::alignment::{Driver, Fallback, first_fit};
use crate::call::{ArgumentSource, Call, Shape};
use crate::evaluation::{Ask, Evaluation, EvaluationError, Outcome};
use crate::explanation::{Costs, ExpectedList};
use crate::matching::{
    ArgumentRule, ArgumentsOf, Item, ItemArguments, ItemName, Items, NameRule, Rules, Unasked,
};
use crate::prepared::PreparedCase;
use crate::presets::explain::{explain, explain_empty};
use crate::presets::reading::{At, expected_calls, require_recorded_arguments, run};
use crate::presets::rendering::evaluation;
use crate::presets::{Preset, Source, departures};
use crate::registry::{Edition, Entry, Example, Page};
use crate::scoring::{EmptyPolicy, Scored, Worth, all_or_nothing, recall};
use crate::settings::{ConfigError, Setting, SettingKind, Settings};
use crate::value::python::{
    LiteralError, list_text, parse_literal, push_repr, push_repr_text, repr,
};
use crate::value::{
    JsonWriter, Object, PythonValue, Syntax, Text, TextBuilder, Value, ValueEquality, decode_with,
};

use super::comparisons::{Comparisons, empty_reason, explained_lines, push_id};
use super::spans::{self, Attribute, SpanCall};
use super::{
    Common, Criteria, DEFAULT_CRITERIA, DESCRIPTION, LAYOUT, NAME, STRICT, criteria,
    criteria_member, error_result, required,
};

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
        STRICT,
        Setting {
            name: "subset",
            kind: SettingKind::Bool,
            default: "false",
            doc: "Accepted, and without effect, as in the original.",
        },
        DEFAULT_CRITERIA,
    ],
    editions: &[Edition::Package],
    needs: "expected calls; names and arguments of the actual calls",
    shape: Some(Shape::UiPath),
    build,
};

fn build(settings: &Settings<'_>, _: Edition) -> Result<Box<dyn Preset>, ConfigError> {
    settings.bool("subset", false)?;
    let rules = Rules {
        names: NameRule::IdElseSanitised,
        unasked: Unasked::Nothing,
        ..Rules::of_arguments(ArgumentRule::Subset, ValueEquality::Python)
    };
    Ok(Box::new(ToolCallArgs {
        common: Common::new(settings, "tool_calls", expected_of_value)?,
        rules,
    }))
}

#[derive(Debug)]
struct ToolCallArgs {
    common: Common<Items<'static>>,
    rules: Rules,
}

fn expected_of_value(value: &Value<'_>) -> Result<Items<'static>, EvaluationError> {
    let (root, key) = (At::root("expected"), "tool_calls");
    let at = root.key(key);
    let calls = at.list(criteria_member(value, key, "toolCalls")?)?;
    let call = |(index, call): (usize, &Value<'_>)| {
        let at = at.index(index);
        let call = at.object(call)?;
        let arguments = at.key("args").object(required(&at, call, "args")?)?;
        let name = ItemName::Text(at.text(call, "name")?.clone().into_owned());
        let id = at
            .optional_text(call, "id")?
            .map(|id| id.clone().into_owned());
        Ok(Item::new(
            name,
            ItemArguments::Tree(Value::Object(arguments.clone()).into_owned()),
        )
        .with_tool_id(id))
    };
    calls
        .iter()
        .enumerate()
        .map(call)
        .collect::<Result<_, _>>()
        .map(Items::Own)
}

fn expected_of_case<'c>(case: &'c PreparedCase<'c>) -> Result<Items<'c>, Outcome> {
    let calls = expected_calls(case)?;
    if calls.iter().all(|call| call.tool_id.is_none()) {
        return Ok(case.expected_items());
    }
    let with_id = |(call, prepared): (&'c Call<'c>, &Item<'c>)| {
        prepared
            .clone()
            .with_tool_id(call.tool_id.as_ref().map(Text::reborrow))
    };
    Ok(Items::Own(
        calls.iter().zip(&case.of_expected).map(with_id).collect(),
    ))
}

/// The calls of a run, with arguments as the original reads them.
fn actual<'c>(source: &Source<'c>) -> Result<Result<Items<'c>, ErrorResult>, Outcome> {
    if let Source::Case(case) = source
        && let run = run(case)?
        && run.spans.is_empty()
    {
        require_recorded_arguments(&run.calls)?;
        let are_values = run.calls.iter().all(|call| call.arguments.is_value());
        if let (items @ Items::Prepared(..), true) = (spans::items(source)?, are_values) {
            return Ok(Ok(items));
        }
    }
    let item = |call: SpanCall<'c>| {
        let arguments = arguments_of_span(&call)?;
        Ok(Item::new(ItemName::Text(call.name), arguments).with_tool_id(call.id))
    };
    Ok(spans::calls(source)?
        .into_iter()
        .map(item)
        .collect::<Result<_, _>>()
        .map(Items::Own))
}

/// The arguments of a span: an object; a text with JSON or a Python literal of one; anything else counts as none.
fn arguments_of_span<'c>(call: &SpanCall<'c>) -> Result<ItemArguments<'c>, ErrorResult> {
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

/// The message of an error result.
struct ErrorResult(String);

fn arguments_of_text(text: &Text<'_>) -> Result<ItemArguments<'static>, ErrorResult> {
    let json = text
        .as_str()
        .and_then(|text| decode_with(text, Syntax::PYTHON).ok());
    let value = match json {
        Some(value) => value.into_owned(),
        None => match parse_literal(text) {
            Ok(value) => value,
            Err(LiteralError::Invalid) => Value::Null,
            Err(LiteralError::Unhashable(kind)) => {
                return Err(ErrorResult(format!("unhashable type: '{kind}'")));
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
                Err(ErrorResult(format!(
                    "{bad} validation error{} for ToolCall",
                    if bad == 1 { "" } else { "s" }
                )))
            }
            _ => Ok(ItemArguments::Tree(Value::Object(Object::default()))),
        },
        _ => Ok(ItemArguments::Tree(Value::Object(Object::default()))),
    }
}

fn tree_text(arguments: ArgumentsOf<'_, '_>) -> Text<'static> {
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
    push_id(item.tool_id.as_ref(), out);
    out.push_str(")");
}

fn render(
    expected: &[Item<'_>],
    actual: &[Item<'_>],
    comparisons: &Comparisons,
    empty: Option<&str>,
    writer: &mut JsonWriter,
) {
    writer
        .key("expected")
        .text(&list_text(expected, push_call))
        .key("actual")
        .text(&list_text(actual, push_call));
    writer.key("explained_tool_calls_args").begin_object();
    if let Some(reason) = empty {
        writer.key("_result").str(reason);
    }
    let found = |index: usize| tree_text(actual[index].arguments());
    let wanted = |index: usize| tree_text(expected[index].arguments());
    explained_lines(actual, comparisons, 0, writer, [&found, &wanted]);
    writer.end_object();
}

impl Preset for ToolCallArgs {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let default = self.common.default_criteria.as_ref();
        #[expect(
            clippy::redundant_closure,
            reason = "a closure's result may live shorter than 'static"
        )]
        let criteria: Criteria<'_, Items<'_>> =
            criteria(source, default, expected_of_case, |value| {
                expected_of_value(value)
            })?;
        let expected = criteria.get();
        let actual = match actual(source)? {
            Ok(actual) => actual,
            Err(ErrorResult(message)) => return Ok(error_result(&message, ask)),
        };
        if let Worth::Fixed { score, .. } = EmptyPolicy::ALIKE.worth(expected.len(), actual.len()) {
            let reason = empty_reason(expected, &actual, "tool calls are empty");
            let render = |writer: &mut JsonWriter| {
                render(
                    expected,
                    &actual,
                    &Comparisons::default(),
                    Some(&reason),
                    writer,
                )
            };
            let scored = Scored::fixed("no calls on one side or both", score);
            return Ok(evaluation(scored, None, ask, LAYOUT, render, || {
                criteria.explanation(explain_empty(expected, &actual), ExpectedList::Calls)
            }));
        }
        let matcher = source.matcher(&self.rules, expected, &actual);
        let mut comparisons = Comparisons::default();
        let alignment = if ask.details || ask.result {
            first_fit(&matcher, Driver::Expected, Fallback::None, &mut comparisons)?
        } else {
            first_fit(&matcher, Driver::Expected, Fallback::None, &mut ())?
        };
        let scored = if self.common.strict {
            all_or_nothing(
                "every expected call is answered",
                alignment.pairs.len() == expected.len(),
            )
            .costing(Costs::MISSED)
        } else {
            recall(alignment.credit, expected.len())
        };
        let render =
            |writer: &mut JsonWriter| render(expected, &actual, &comparisons, None, writer);
        Ok(evaluation(scored, None, ask, LAYOUT, render, || {
            criteria.explanation(explain(&matcher, &alignment), ExpectedList::Calls)
        }))
    }
}
