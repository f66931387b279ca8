//! `uipath/tool-call-output`: whether the tools returned the expected texts.

use super::spans::{self, Attribute, SpanCall};
use super::{
    Criteria, DEFAULT_CRITERIA, DESCRIPTION, NAME, STRICT, criteria_under, empty_reason, push_id,
};
use crate::matching::ItemOutput;
use crate::presets::prelude::*;
use crate::recipe::{Comparisons, Field, explained_lines, not_expected, require_recorded};
use crate::value::python::{is_falsy, list_text, push_repr_text};
use crate::value::{Kind, Object, Reader, Syntax, TextBuilder, decode_with};

pub(crate) static ENTRY: Entry = Entry {
    id: "uipath/tool-call-output",
    aliases: &["tool-call-output", "uipath-tool-call-output"],
    summary: "The share of expected tool outputs that were returned.",
    page: Page {
        measures: "Whether the tools returned the expected texts. An output that is an object, or JSON text of one, is judged by its \
`content`.",
        formula: "Each expected output, in order, takes the first unused call of the same tool with that text. \
`score = outputs found / outputs expected`. With `strict`: 0 at the first comparison that fails, 1 if all are found.",
        use_when: "What tools return is fixed, as with mocked tools, and the agent is to reach it.",
        not_when: "Outputs vary from run to run.",
        limits: "Texts are compared whole. Key order counts where `content` is an object, since its text is compared. \
Beyond 1 MiB of lines in the details `_left_out` says how many more comparisons there were.",
        not_applicable: "The case states neither outputs nor calls with outputs; there is no run; or a call was recorded without output.",
        editions: "",
        departures: &[
            departures::UNKNOWN_SETTINGS,
            departures::REPEATED_KEYS,
            departures::NESTING,
            departures::DIGITS,
        ],
        source: "Package `uipath` 2.14.44.",
        related: &["uipath/tool-call-args", "uipath/tool-call-order"],
        example: Example {
            settings: "{}",
            expected: r#"{"outputs":[{"name":"find","output":"shipped"},{"name":"pay","output":"ok"}]}"#,
            actual: r#"[{"name":"find","output":"shipped"},{"name":"pay","output":{"content":"declined"}}]"#,
            result: r#"{"score":0.5,"score_type":1,"details":{"expected":"[ToolOutput(name='find', output='shipped', id=None), ToolOutput(name='pay', output='ok', id=None)]","actual":"[ToolOutput(name='find', output='shipped', id=None), ToolOutput(name='pay', output='declined', id=None)]","explained_tool_calls_outputs":{"find_0":"Actual: shipped, Expected: shipped, Score: 1.0","pay_0":"Actual: declined, Expected: ok, Score: 0.0"}}}"#,
        },
    },
    settings: &[NAME, DESCRIPTION, STRICT.setting, DEFAULT_CRITERIA],
    editions: &[Edition::Package],
    needs: "expected outputs (or calls with outputs); names and outputs of the actual calls",
    shape: Some(Shape::UiPath),
    build,
};

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let criteria = Criteria::new(settings, "tool_outputs", expected_of_value)?;
    let rules = Rules {
        outputs: OutputRule::Equal,
        ..Rules::from_names(NameRule::IdElseSanitised)
    };
    let strict = STRICT.read(settings)?;
    let score = if strict {
        Scoring::AllOrNothing("every expected output was returned", Costs::MISSED)
    } else {
        Scoring::Recall
    };
    let align = Align::NotedFirstFit {
        end_at_failure: strict,
    };
    let recipe = Recipe {
        empty: EmptyPolicy {
            rule: "no outputs on one side or both",
            ..EmptyPolicy::ALIKE
        },
        ..Recipe::new(rules, align, score)
    };
    Ok(Composed::preset(recipe, ToolCallOutput { criteria }))
}

#[derive(Debug)]
struct ToolCallOutput {
    criteria: Criteria<Item<'static>>,
}

fn item<'c>(name: Text<'c>, tool_id: Option<Text<'c>>, output: Text<'c>) -> Item<'c> {
    Item::from_name(name)
        .with_tool_id(tool_id)
        .with_output(Some(ItemOutput::Text(output)))
}

fn expected_of_value(value: &Value<'_>) -> Result<Vec<Item<'static>>, EvaluationError> {
    let (root, key) = (At::root("expected"), "tool_outputs");
    let output = |at: At<'_>, output: &Value<'_>| {
        let output = at.object(output)?;
        let owned = |text: &Text<'_>| text.clone().into_owned();
        Ok(item(
            owned(at.text(output, "name")?),
            at.optional_text(output, "id")?.map(owned),
            owned(at.text(output, "output")?),
        ))
    };
    root.key(key)
        .each(criteria_under(value, key, "toolOutputs")?, output)
}

/// The outputs that a case lists, or else the outputs of its calls.
fn expected_of_case<'c>(prepared: &'c PreparedCase<'c>) -> Result<Items<'c>, Outcome> {
    let id = |id: &'c Option<Text<'c>>| id.as_ref().map(Text::reborrow);
    if let Some(outputs) = &prepared.case().expected.outputs {
        let items = outputs
            .iter()
            .map(|it| item(it.name.reborrow(), id(&it.tool_id), it.output.reborrow()));
        return Ok(Items::Own(items.collect()));
    }
    let calls = prepared
        .case()
        .expected
        .calls
        .as_deref()
        .unwrap_or_default();
    let with_output = calls.iter().filter_map(|call| {
        let metadata = call.metadata();
        let output = text_of_json(metadata.output.as_deref()?)?;
        Some(item(call.name.reborrow(), id(&metadata.tool_id), output))
    });
    let items: Vec<_> = with_output.collect();
    if items.is_empty() {
        return Err(not_expected("outputs"));
    }
    Ok(Items::Own(items))
}

fn actual<'c>(prepared: &'c PreparedCase<'c>) -> Result<Items<'c>, Outcome> {
    let calls = spans::calls(prepared.case())?;
    if let Some(run) = prepared
        .case()
        .actual
        .as_ref()
        .filter(|run| run.spans.is_empty())
    {
        require_recorded(&run.calls, Field::Output)?;
    }
    Ok(with_outputs(calls))
}

fn with_outputs<'c>(calls: Vec<SpanCall<'c>>) -> Items<'c> {
    let item = |call: SpanCall<'c>| {
        let output = match call.output {
            Attribute::Tree(value) => text_of_output(value),
            Attribute::Json(json) => text_of_json(json).unwrap_or_else(|| Text::new("None")),
            Attribute::Absent | Attribute::Arguments(_) => Text::default(),
        };
        item(call.name, call.id, output)
    };
    Items::Own(calls.into_iter().map(item).collect())
}

/// The text of a JSON output; `None` if it is not JSON.
fn text_of_json(json: &str) -> Option<Text<'_>> {
    content_of_json(json).or_else(|| decode_with(json, Syntax::PYTHON).ok().map(text_of_output))
}

/// The text of an output: the `content` of an object, also of one given as JSON text; otherwise the text itself.
fn text_of_output(value: Value<'_>) -> Text<'_> {
    match value {
        Value::Object(object) => content_of(&object),
        Value::String(text) => {
            let content = text.as_str().and_then(content_of_json);
            content.map(Text::into_owned).unwrap_or(text)
        }
        other => spans::text(&other),
    }
}

/// The `content` of an object given as JSON text; `None` for any other text.
fn content_of_json(json: &str) -> Option<Text<'_>> {
    let mut reader = Reader::new(json, Syntax::PYTHON);
    if reader.peek().ok()? != Kind::Object {
        return None;
    }
    // Most objects are in the usual layout, so the member can be found without building a tree.
    let mut content = "null";
    let is_plain = reader.plain_object(|key, _, text| {
        if key == b"content" {
            content = text;
        }
    });
    if is_plain && reader.end().is_ok() {
        return decode_with(content, Syntax::PYTHON)
            .ok()
            .map(|content| text_of_content(&content));
    }
    let value = decode_with(json, Syntax::PYTHON).ok()?;
    value.as_object().map(content_of)
}

fn content_of<'v>(object: &Object<'v>) -> Text<'v> {
    object
        .get_str("content")
        .map(text_of_content)
        .unwrap_or_default()
}

/// Python's `str` of a truthy value; otherwise an empty text.
fn text_of_content<'v>(content: &Value<'v>) -> Text<'v> {
    if is_falsy(content) {
        Text::default()
    } else {
        spans::text(content)
    }
}

fn output_text<'i>(item: &'i Item<'_>) -> Text<'i> {
    match &item.more().output {
        ItemOutput::Text(text) => text.reborrow(),
        _ => Text::default(),
    }
}

fn push_output(item: &Item<'_>, out: &mut TextBuilder) {
    out.push_str("ToolOutput(name=");
    push_repr_text(&item.name().to_text(), out);
    out.push_str(", output=");
    push_repr_text(&output_text(item), out);
    out.push_str(", ");
    push_id(item.more().tool_id.as_ref(), out);
    out.push_str(")");
}

/// The first comparison that the details show, and their message if no comparison was possible.
fn shown(
    comparisons: &Comparisons,
    broken_off: bool,
    expected: &[Item<'_>],
) -> (usize, Option<Text<'static>>) {
    let compared = comparisons.seen.len();
    let Some(index) = comparisons.unanswered else {
        let last = compared.saturating_sub(1);
        let from = if broken_off { last } else { 0 };
        return (from, None);
    };
    let mut out = TextBuilder::default();
    out.push_str("No matching actual tool call found for expected ");
    out.push_text(&expected[index].name().to_text());
    (compared, Some(out.finish()))
}

impl Original for ToolCallOutput {
    fn layout(&self) -> Layout {
        Layout::UiPath
    }

    fn read_case<'c>(&self, _: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        let case_criteria = (expected_of_case(prepared), ExpectedList::Outputs);
        self.criteria.sides(case_criteria, || actual(prepared))
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        let case_criteria = (expected, ExpectedList::Outputs);
        self.criteria.native_sides(case_criteria, || {
            Ok(with_outputs(spans::calls_of_native(actual)?))
        })
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        let (expected, actual) = judged.items();
        let (wanted, called) = (
            list_text(expected, push_output),
            list_text(actual, push_output),
        );
        writer.key("expected").text(&wanted);
        writer.key("actual").text(&called);
        writer.key("explained_tool_calls_outputs").begin_object();
        let reason = empty_reason(judged, "tool calls outputs are empty");
        writer.optional("_result", reason);
        if let Some((alignment, comparisons)) = judged.compared() {
            let (shown, missing) = shown(comparisons, alignment.broken_off, expected);
            writer.optional("_result", missing);
            let found = |index: usize| output_text(&actual[index]).into_owned();
            let wanted = |index: usize| output_text(&expected[index]).into_owned();
            explained_lines(actual, (comparisons, shown), writer, [&found, &wanted]);
        }
        writer.end_object();
    }
}
