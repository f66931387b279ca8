//! `uipath/tool-call-order`: whether the tools were called in the expected order.

use super::spans;
use super::{BOTH, Criteria, DEFAULT_CRITERIA, DESCRIPTION, NAME, STRICT, criteria_under};
use crate::presets::prelude::*;
use crate::recipe::{expected_order, not_expected, nothing_expected};
use crate::value::TextBuilder;
use crate::value::python::{list_text, push_repr_text};

pub(crate) static ENTRY: Entry = Entry {
    id: "uipath/tool-call-order",
    aliases: &["tool-call-order", "uipath-tool-call-order"],
    summary: "The share of the expected order of tools that the agent kept.",
    page: Page {
        measures: "Whether the agent called the expected tools in the expected order. Arguments play no part, and calls in between \
cost nothing unless `strict` is set.",
        formula: "`score = lcs(expected, actual) / |expected|`, where `lcs` is the length of the longest common subsequence of the two \
lists of names. With `strict`: 1 if the lists are the same, else 0.",
        use_when: "The sequence of steps matters: authenticate before access, check before refund.",
        not_when: "Steps may come in any order (`uipath/tool-call-count`, or `trajectory` with `align: assignment`), or arguments \
matter (`uipath/tool-call-args`).",
        limits: "Calls that were not asked for go unnoticed unless `strict` is set. Parallel calls are taken in the order in which they \
were recorded.",
        not_applicable: "The case states neither an order nor calls; there is no run; or, in the `documented` edition, the order was \
derived from an empty list of calls.",
        editions: "| point | `documented` | `package` |
| --- | --- | --- |
| details | `actual_tool_calls_order` and `expected_tool_calls_order` as lists, `lcs` | `actual` and `expected` as Python texts, `lcs` |
| empty expected order | an error | 1 if nothing was called, else 0 |
| names | exact, case-sensitive | by `tool.id` where the call has one, else sanitised |",
        departures: &[departures::UNKNOWN_SETTINGS, departures::REPEATED_KEYS, departures::NESTING, departures::DIGITS],
        source: "UiPath, *Tool Call Order Evaluator*; package `uipath` 2.14.44. Length of the LCS after Hyyrö (2004).",
        related: &["uipath/tool-call-count", "uipath/tool-call-args", "trajectory"],
        example: Example {
            settings: "{}",
            expected: r#"{"order":["search","filter","sort","display"]}"#,
            actual: r#"[{"name":"search"},{"name":"filter"},{"name":"display"}]"#,
            result: r#"{"score":0.75,"score_type":1,"details":{"actual_tool_calls_order":["search","filter","display"],"expected_tool_calls_order":["search","filter","sort","display"],"lcs":["search","filter","display"]}}"#,
        },
    },
    settings: &[NAME, DESCRIPTION, STRICT.setting, DEFAULT_CRITERIA],
    editions: BOTH,
    needs: "expected order (or calls); names of the actual calls, in order",
    shape: Some(Shape::UiPath),
    build,
};

fn build(settings: &Settings<'_>, edition: Edition) -> Made {
    let criteria = Criteria::new(settings, "tool_calls_order", order)?;
    let names = match edition {
        Edition::Documented => NameRule::Exact,
        Edition::Package => NameRule::IdElseSanitised,
    };
    let no_order = Worth::Error("an empty expected order cannot be scored");
    let empty = match edition {
        Edition::Documented => EmptyPolicy {
            both: no_order,
            expected: no_order,
            ..EmptyPolicy::ALIKE
        },
        Edition::Package => EmptyPolicy::ALIKE,
    };
    let strict = STRICT.read(settings)?;
    let (align, score) = if strict {
        let same = Scoring::AllOrNothing("the same tools in the same order", Costs::BOTH);
        (Align::Position, same)
    } else {
        (Align::Lcs, Scoring::Recall)
    };
    let recipe = Recipe {
        empty,
        ..Recipe::new(Rules::from_names(names), align, score)
    };
    let original = ToolCallOrder {
        criteria,
        strict,
        edition,
    };
    Ok(Composed::preset(recipe, original))
}

#[derive(Debug)]
struct ToolCallOrder {
    criteria: Criteria<Item<'static>>,
    strict: bool,
    edition: Edition,
}

fn order(value: &Value<'_>) -> Result<Vec<Item<'static>>, EvaluationError> {
    let (root, key) = (At::root("expected"), "tool_calls_order");
    let name = |at: At<'_>, name: &Value<'_>| match name {
        Value::String(name) => Ok(Item::from_name(name.clone().into_owned())),
        other => Err(at.error("a name", Some(other))),
    };
    root.key(key)
        .each(criteria_under(value, key, "toolCallsOrder")?, name)
}

impl ToolCallOrder {
    /// The order in a case, or else the order of its calls.
    fn order_of_case<'c>(
        &self,
        prepared: &'c PreparedCase<'c>,
    ) -> (Result<Items<'c>, Outcome>, ExpectedList) {
        if let Some(order) = expected_order(prepared.case()) {
            return (Ok(order), ExpectedList::Order);
        }
        let order = match &prepared.case().expected.calls {
            None => Err(not_expected("order")),
            Some(calls) if calls.is_empty() && self.edition == Edition::Documented => {
                Err(nothing_expected("order"))
            }
            Some(_) => Ok(prepared.expected_items()),
        };
        (order, ExpectedList::Calls)
    }
}

impl Original for ToolCallOrder {
    fn layout(&self) -> Layout {
        Layout::UiPath
    }

    fn read_case<'c>(&self, _: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        self.criteria
            .sides(self.order_of_case(prepared), || spans::items(prepared))
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        let case_criteria = (expected, ExpectedList::Order);
        self.criteria
            .native_sides(case_criteria, || spans::items_of_native(actual))
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        let (expected, actual) = judged.items();
        match self.edition {
            Edition::Documented => {
                names(writer, "actual_tool_calls_order", actual.iter());
                names(writer, "expected_tool_calls_order", expected.iter());
            }
            Edition::Package => {
                let push_called =
                    |item: &Item<'_>, out: &mut TextBuilder| match &item.more().tool_id {
                        Some(id) => push_repr_text(id, out),
                        None => push_repr_text(&item.name().to_text(), out),
                    };
                writer.key("actual").text(&list_text(actual, push_called));
                let push_name = |item: &Item<'_>, out: &mut TextBuilder| {
                    push_repr_text(&item.name().to_text(), out);
                };
                writer.key("expected").text(&list_text(expected, push_name));
            }
        }
        // Without `strict`, the subsequence is shown for any score.
        let kept = !self.strict || judged.score == 1.0;
        let lcs = judged.alignment().pairs.iter().filter(|_| kept);
        names(writer, "lcs", lcs.map(|pair| &expected[pair.expected]));
    }
}

fn names<'i>(writer: &mut JsonWriter, key: &str, items: impl Iterator<Item = &'i Item<'i>>) {
    writer.key(key).list(items, |writer, item| {
        writer.text(&item.name().to_text());
    });
}
