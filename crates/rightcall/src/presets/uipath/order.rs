//! `uipath/tool-call-order`: were the tools called in the expected order?

use crate::alignment::{longest_common_subsequence, position};
use crate::call::Shape;
use crate::evaluation::{Ask, Evaluation, EvaluationError, NotApplicable, Outcome};
use crate::explanation::ExpectedList;
use crate::matching::{Item, Items, NameRule, Rules};
use crate::prepared::PreparedCase;
use crate::presets::explain::{explain, explain_empty};
use crate::presets::reading::{At, expected_order};
use crate::presets::rendering::evaluation;
use crate::presets::{Preset, Source, departures};
use crate::registry::{Edition, Entry, Example, Page};
use crate::scoring::{EmptyPolicy, Scored, Worth, all_or_nothing, recall};
use crate::settings::{ConfigError, Settings};
use crate::value::python::{list_text, push_repr_text};
use crate::value::{JsonWriter, TextBuilder, Value};

use super::spans;
use super::{
    BOTH, Common, Criteria, DEFAULT_CRITERIA, DESCRIPTION, LAYOUT, NAME, STRICT, criteria,
    criteria_member,
};

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
        departures: &[departures::UNKNOWN_SETTINGS, departures::REPEATED_KEYS, departures::NESTING],
        source: "UiPath, *Tool Call Order Evaluator*; package `uipath` 2.14.44. Length of the LCS after Hyyrö (2004).",
        related: &["uipath/tool-call-count", "uipath/tool-call-args", "trajectory"],
        example: Example {
            settings: "{}",
            expected: r#"{"order":["search","filter","sort","display"]}"#,
            actual: r#"[{"name":"search"},{"name":"filter"},{"name":"display"}]"#,
            result: r#"{"score":0.75,"score_type":1,"details":{"actual_tool_calls_order":["search","filter","display"],"expected_tool_calls_order":["search","filter","sort","display"],"lcs":["search","filter","display"]}}"#,
        },
    },
    settings: &[NAME, DESCRIPTION, STRICT, DEFAULT_CRITERIA],
    editions: BOTH,
    needs: "expected order (or calls); names of the actual calls, in order",
    shape: Some(Shape::UiPath),
    build,
};

fn build(settings: &Settings<'_>, edition: Edition) -> Result<Box<dyn Preset>, ConfigError> {
    let rules = Rules::of_names(match edition {
        Edition::Documented => NameRule::Exact,
        Edition::Package => NameRule::IdElseSanitised,
    });
    let empty = match edition {
        Edition::Documented => EmptyPolicy {
            both: Worth::Error,
            expected: Worth::Error,
            ..EmptyPolicy::ALIKE
        },
        Edition::Package => EmptyPolicy::ALIKE,
    };
    Ok(Box::new(ToolCallOrder {
        common: Common::new(settings, "tool_calls_order", order)?,
        edition,
        rules,
        empty,
    }))
}

#[derive(Debug)]
struct ToolCallOrder {
    common: Common<Items<'static>>,
    edition: Edition,
    rules: Rules,
    empty: EmptyPolicy,
}

fn order(value: &Value<'_>) -> Result<Items<'static>, EvaluationError> {
    let (root, key) = (At::root("expected"), "tool_calls_order");
    let at = root.key(key);
    let list = at.list(criteria_member(value, key, "toolCallsOrder")?)?;
    let name = |(index, item): (usize, &Value<'_>)| {
        let text = item
            .as_text()
            .ok_or_else(|| at.index(index).error("a name", Some(item)))?;
        Ok(Item::of_name(text.clone().into_owned()))
    };
    list.iter()
        .enumerate()
        .map(name)
        .collect::<Result<_, _>>()
        .map(Items::Own)
}

impl ToolCallOrder {
    fn order_of_case<'c>(&self, case: &'c PreparedCase<'c>) -> Result<Items<'c>, Outcome> {
        let (order, stated) = expected_order(case)?;
        if order.is_empty() && !stated && self.edition == Edition::Documented {
            return Err(Outcome::NotApplicable(NotApplicable::NothingExpected {
                what: "order",
            }));
        }
        Ok(order)
    }

    fn render(
        &self,
        expected: &[Item<'_>],
        actual: &[Item<'_>],
        lcs: &[usize],
        writer: &mut JsonWriter,
    ) {
        match self.edition {
            Edition::Documented => {
                writer.key("actual_tool_calls_order").begin_list();
                actual
                    .iter()
                    .for_each(|item| _ = writer.text(&item.name().to_text()));
                writer
                    .end_list()
                    .key("expected_tool_calls_order")
                    .begin_list();
                expected
                    .iter()
                    .for_each(|item| _ = writer.text(&item.name().to_text()));
                writer.end_list();
            }
            Edition::Package => {
                let push_called = |item: &Item<'_>, out: &mut TextBuilder| match &item.tool_id {
                    Some(id) => push_repr_text(id, out),
                    None => push_repr_text(&item.name().to_text(), out),
                };
                writer.key("actual").text(&list_text(actual, push_called));
                let push_name = |item: &Item<'_>, out: &mut TextBuilder| {
                    push_repr_text(&item.name().to_text(), out)
                };
                writer.key("expected").text(&list_text(expected, push_name));
            }
        }
        writer.key("lcs").begin_list();
        lcs.iter()
            .for_each(|&index| _ = writer.text(&expected[index].name().to_text()));
        writer.end_list();
    }
}

impl Preset for ToolCallOrder {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let default = self.common.default_criteria.as_ref();
        #[expect(
            clippy::redundant_closure,
            reason = "a closure's result may live shorter than 'static"
        )]
        let criteria: Criteria<'_, Items<'_>> = criteria(
            source,
            default,
            |case| self.order_of_case(case),
            |value| order(value),
        )?;
        let (expected, actual) = (criteria.get(), spans::items(source)?);
        let list = match source {
            Source::Case(case) if case.expected.order.is_none() => ExpectedList::Calls,
            _ => ExpectedList::Order,
        };
        match self.empty.worth(expected.len(), actual.len()) {
            Worth::Compute => {}
            Worth::Error => {
                return Err(EvaluationError::Raised(
                    "an empty expected order cannot be scored".to_owned(),
                )
                .into());
            }
            Worth::Fixed { score, .. } => {
                let render = |writer: &mut JsonWriter| self.render(expected, &actual, &[], writer);
                let scored = Scored::fixed("no calls on one side or both", score);
                let explained = || criteria.explanation(explain_empty(expected, &actual), list);
                return Ok(evaluation(scored, None, ask, LAYOUT, render, explained));
            }
        }
        let matcher = source.matcher(&self.rules, expected, &actual);
        let (alignment, scored) = if self.common.strict {
            let alignment = position(&matcher, &mut ())?;
            let same = expected.len() == actual.len() && alignment.pairs.len() == expected.len();
            (
                alignment,
                all_or_nothing("the same tools in the same order", same),
            )
        } else {
            let alignment = longest_common_subsequence(&matcher)?;
            let scored = recall(alignment.credit, expected.len());
            (alignment, scored)
        };
        let render = |writer: &mut JsonWriter| {
            let kept = !self.common.strict || scored.score == 1.0;
            let lcs: Vec<_> = alignment
                .pairs
                .iter()
                .filter(|_| kept)
                .map(|pair| pair.expected)
                .collect();
            self.render(expected, &actual, &lcs, writer);
        };
        Ok(evaluation(scored, None, ask, LAYOUT, render, || {
            criteria.explanation(explain(&matcher, &alignment), list)
        }))
    }
}
