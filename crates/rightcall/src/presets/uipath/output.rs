//! `uipath/tool-call-output`: did the tools return the expected texts?

use crate::alignment::{Driver, Fallback, first_fit};
use crate::call::Shape;
use crate::evaluation::{Ask, Evaluation, EvaluationError, NotApplicable, Outcome};
use crate::explanation::{Costs, ExpectedList};
use crate::matching::{ArgumentRule, Item, ItemOutput, NameRule, OutputRule, Rules};
use crate::prepared::PreparedCase;
use crate::presets::explain::{explain, explain_empty};
use crate::presets::reading::{At, require_recorded};
use crate::presets::rendering::evaluation;
use crate::presets::{Preset, Source, departures};
use crate::registry::{Edition, Entry, Example, Page};
use crate::scoring::{EmptyPolicy, Scored, Worth, all_or_nothing, recall};
use crate::settings::{ConfigError, Settings};
use crate::value::python::{is_falsy, list_text, push_repr_text};
use crate::value::{JsonWriter, Syntax, Text, TextBuilder, Value, decode_with};

use super::comparisons::{Comparisons, empty_reason, explained_lines, push_id};
use super::spans::{Attribute, calls, text};
use super::{
    Common, Criteria, DEFAULT_CRITERIA, DESCRIPTION, LAYOUT, NAME, STRICT, criteria,
    criteria_member,
};

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
    settings: &[NAME, DESCRIPTION, STRICT, DEFAULT_CRITERIA],
    editions: &[Edition::Package],
    needs: "expected outputs (or calls with outputs); names and outputs of the actual calls",
    shape: Some(Shape::UiPath),
    build,
};

fn build(settings: &Settings<'_>, _: Edition) -> Result<Box<dyn Preset>, ConfigError> {
    let names = NameRule::IdElseSanitised;
    let rules = Rules {
        outputs: OutputRule::Equal,
        arguments: ArgumentRule::Ignored,
        ..Rules::of_names(names)
    };
    Ok(Box::new(ToolCallOutput {
        common: Common::new(settings, "tool_outputs", expected_of_value)?,
        rules,
    }))
}

#[derive(Debug)]
struct ToolCallOutput {
    common: Common<Vec<Item<'static>>>,
    rules: Rules,
}

fn item<'c>(name: Text<'c>, tool_id: Option<Text<'c>>, output: Text<'c>) -> Item<'c> {
    Item::of_name(name)
        .with_tool_id(tool_id)
        .with_output(Some(ItemOutput::Text(output)))
}

fn expected_of_value(value: &Value<'_>) -> Result<Vec<Item<'static>>, EvaluationError> {
    let (root, key) = (At::root("expected"), "tool_outputs");
    let at = root.key(key);
    let outputs = at.list(criteria_member(value, key, "toolOutputs")?)?;
    let output = |(index, output): (usize, &Value<'_>)| {
        let at = at.index(index);
        let output = at.object(output)?;
        let owned = |text: &Text<'_>| text.clone().into_owned();
        Ok(item(
            owned(at.text(output, "name")?),
            at.optional_text(output, "id")?.map(owned),
            owned(at.text(output, "output")?),
        ))
    };
    outputs.iter().enumerate().map(output).collect()
}

fn expected_of_case<'c>(case: &'c PreparedCase<'c>) -> Result<Vec<Item<'c>>, Outcome> {
    if let Some(outputs) = &case.expected.outputs {
        let items = outputs.iter().map(|it| {
            item(
                it.name.reborrow(),
                it.tool_id.as_ref().map(Text::reborrow),
                it.output.reborrow(),
            )
        });
        return Ok(items.collect());
    }
    let calls = case.expected.calls.as_deref().unwrap_or_default();
    let with_output = calls.iter().filter_map(|call| {
        let output = text_of_output(&decode_with(call.output?, Syntax::PYTHON).ok()?);
        Some(item(
            call.name.reborrow(),
            call.tool_id.as_ref().map(Text::reborrow),
            output,
        ))
    });
    let items: Vec<_> = with_output.collect();
    if items.is_empty() {
        Err(Outcome::NotApplicable(NotApplicable::NotExpected {
            what: "outputs",
        }))
    } else {
        Ok(items)
    }
}

/// The text of an output: the `content` of an object, also as JSON text, else the text itself.
fn text_of_output(value: &Value<'_>) -> Text<'static> {
    let of_content = |value: &Value<'_>| {
        let content = value
            .as_object()
            .and_then(|object| object.get_str("content"))
            .filter(|content| !is_falsy(content));
        content
            .map(|content| text(content).into_owned())
            .unwrap_or_default()
    };
    match value {
        Value::String(string) => match string
            .as_str()
            .and_then(|json| decode_with(json, Syntax::PYTHON).ok())
        {
            Some(object @ Value::Object(_)) => of_content(&object),
            _ => string.clone().into_owned(),
        },
        Value::Object(_) => of_content(value),
        other => text(other).into_owned(),
    }
}

fn output_text<'i>(item: &'i Item<'_>) -> Text<'i> {
    match &item.output {
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
    push_id(item.tool_id.as_ref(), out);
    out.push_str(")");
}

/// The comparisons from `shown` on, or the reason why there is none.
fn render(
    expected: &[Item<'_>],
    actual: &[Item<'_>],
    comparisons: &Comparisons,
    shown: usize,
    reason: Option<&Text<'_>>,
    writer: &mut JsonWriter,
) {
    writer
        .key("expected")
        .text(&list_text(expected, push_output))
        .key("actual")
        .text(&list_text(actual, push_output));
    writer.key("explained_tool_calls_outputs").begin_object();
    if let Some(reason) = reason {
        writer.key("_result").text(reason);
    }
    let found = |index: usize| output_text(&actual[index]).into_owned();
    let wanted = |index: usize| output_text(&expected[index]).into_owned();
    explained_lines(actual, comparisons, shown, writer, [&found, &wanted]);
    writer.end_object();
}

impl Preset for ToolCallOutput {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let default = self.common.default_criteria.as_ref();
        #[expect(
            clippy::redundant_closure,
            reason = "a closure's result may live shorter than 'static"
        )]
        let criteria: Criteria<'_, Vec<Item<'_>>> =
            criteria(source, default, expected_of_case, |value| {
                expected_of_value(value)
            })?;
        let expected = criteria.get();
        let calls = calls(source)?;
        if let Source::Case(case) = source
            && let Some(run) = case.actual.as_ref().filter(|run| run.spans.is_empty())
        {
            require_recorded(&run.calls, "output", |call| call.output.is_some())?;
        }
        let actual = calls.iter().map(|call| {
            let output = match &call.output {
                Attribute::Absent => Text::default(),
                attribute => attribute
                    .to_value()
                    .map(|value| text_of_output(&value))
                    .unwrap_or_default(),
            };
            item(
                call.name.reborrow(),
                call.id.as_ref().map(Text::reborrow),
                output,
            )
        });
        let actual: Vec<_> = actual.collect();
        if let Worth::Fixed { score, .. } = EmptyPolicy::ALIKE.worth(expected.len(), actual.len()) {
            let reason = Text::from(empty_reason(
                expected,
                &actual,
                "tool calls outputs are empty",
            ));
            let render = |writer: &mut JsonWriter| {
                render(
                    expected,
                    &actual,
                    &Comparisons::default(),
                    0,
                    Some(&reason),
                    writer,
                )
            };
            let scored = Scored::fixed("no outputs on one side or both", score);
            return Ok(evaluation(scored, None, ask, LAYOUT, render, || {
                criteria.explanation(explain_empty(expected, &actual), ExpectedList::Outputs)
            }));
        }
        let strict = self.common.strict;
        let matcher = source.matcher(&self.rules, expected, &actual);
        let mut comparisons = Comparisons {
            end_at_failure: strict,
            ..Comparisons::default()
        };
        let alignment = if strict || ask.details || ask.result {
            first_fit(&matcher, Driver::Expected, Fallback::None, &mut comparisons)?
        } else {
            first_fit(&matcher, Driver::Expected, Fallback::None, &mut ())?
        };
        let scored = if strict {
            let held = !alignment.broken_off && alignment.pairs.len() == expected.len();
            all_or_nothing("every expected output was returned", held).costing(Costs::MISSED)
        } else {
            recall(alignment.credit, expected.len())
        };
        let render = |writer: &mut JsonWriter| {
            let missing = comparisons.unanswered.map(|index| {
                let mut out = TextBuilder::default();
                out.push_str("No matching actual tool call found for expected ");
                out.push_text(&expected[index].name().to_text());
                out.finish()
            });
            let seen = comparisons.seen.len();
            let shown = match (&missing, alignment.broken_off) {
                (Some(_), _) => seen,
                (None, true) => seen.saturating_sub(1),
                (None, false) => 0,
            };
            render(
                expected,
                &actual,
                &comparisons,
                shown,
                missing.as_ref(),
                writer,
            );
        };
        Ok(evaluation(scored, None, ask, LAYOUT, render, || {
            criteria.explanation(explain(&matcher, &alignment), ExpectedList::Outputs)
        }))
    }
}
