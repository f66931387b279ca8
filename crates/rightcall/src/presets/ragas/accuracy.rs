//! `ragas/tool-call-accuracy`: arguments right, where the sequence of tools is.

use std::cmp::Ordering;

use crate::alignment::position;
use crate::call::Shape;
use crate::evaluation::{Ask, Evaluation, Outcome};
use crate::explanation::{Costs, Explanation};
use crate::matching::{ArgumentRule, Item, Items, Rules};
use crate::presets::explain::{explain, explain_empty};
use crate::presets::rendering::{Layout, evaluation};
use crate::presets::{Preset, Source, departures};
use crate::registry::{Edition, Entry, Example, Page};
use crate::scoring::{EmptyPolicy, Scored, Worth, recall};
use crate::settings::{ConfigError, Setting, SettingKind, Settings};
use crate::value::{Text, Value, ValueEquality, python};

pub(crate) static ENTRY: Entry = Entry {
    id: "ragas/tool-call-accuracy",
    aliases: &[],
    summary: "The share of right arguments, if the right tools were called.",
    page: Page {
        measures: "Whether the agent called exactly the reference tools, and how many of the reference arguments were right.",
        formula: "0 unless the lists of names are equal, in order or, with `strict_order: false`, sorted. Else the mean over the \
reference calls of the share of reference arguments whose value has the same text, by Python's `str`.",
        use_when: "You move from Ragas and want the same numbers.",
        not_when: "An extra call should not cost everything (`ragas/tool-call-f1`, `axion/tool-correctness`).",
        limits: "Values are compared as text: `1` equals `\"1\"`, and nested objects with another key order differ.",
        not_applicable: "The case states no calls, an expected call states no arguments, there is no run, or a call was recorded \
without arguments.",
        editions: "",
        departures: &[departures::REPEATED_KEYS, departures::NESTING],
        source: "Package `ragas` 0.4.3.",
        related: &["ragas/tool-call-f1", "deepeval/tool-correctness"],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"find","args":{"id":7,"full":true}}]"#,
            actual: r#"[{"name":"find","args":{"id":"7"}}]"#,
            result: r#"{"score":0.5}"#,
        },
    },
    settings: &[Setting {
        name: "strict_order",
        kind: SettingKind::Bool,
        default: "true",
        doc: "Compare in order; else both sides are sorted first.",
    }],
    editions: &[Edition::Package],
    needs: "expected calls with arguments; names and arguments of the actual calls",
    shape: Some(Shape::Ragas),
    build,
};

fn build(settings: &Settings<'_>, _: Edition) -> Result<Box<dyn Preset>, ConfigError> {
    let rules = Rules::of_arguments(ArgumentRule::AsText, ValueEquality::Python);
    Ok(Box::new(ToolCallAccuracy {
        strict_order: settings.bool("strict_order", true)?,
        rules,
    }))
}

#[derive(Debug)]
struct ToolCallAccuracy {
    strict_order: bool,
    rules: Rules,
}

/// Sorts calls by name, then key by key and text by text; gives the original positions.
fn sort(items: &mut Items<'_>) -> Vec<usize> {
    let key = |item: &Item<'_>| {
        let mut texts = vec![item.name().to_text().into_owned()];
        if let Some(Value::Object(object)) = item.arguments().to_tree().as_deref() {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            texts.extend(
                entries
                    .into_iter()
                    .flat_map(|(key, value)| [key.clone().into_owned(), python::str(value)]),
            );
        }
        texts
    };
    let keys: Vec<Vec<Text<'static>>> = items.iter().map(key).collect();
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&a, &b| match keys[a].cmp(&keys[b]) {
        Ordering::Equal => a.cmp(&b),
        other => other,
    });
    *items = Items::Own(order.iter().map(|&index| items[index].clone()).collect());
    order
}

impl Preset for ToolCallAccuracy {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let (mut expected, mut actual) = super::read(source, false)?;
        if let Worth::Fixed { score, .. } = EmptyPolicy::ALIKE.worth(expected.len(), actual.len()) {
            let scored = Scored::fixed("no calls on one side or both", score);
            return Ok(evaluation(
                scored,
                None,
                ask,
                Layout::Flat,
                |_| {},
                || explain_empty(&expected, &actual),
            ));
        }
        let places = (!self.strict_order).then(|| (sort(&mut expected), sort(&mut actual)));
        let matcher = source.matcher(&self.rules, &expected, &actual);
        let alignment = position(&matcher, &mut ())?;
        let aligned = expected.len() == actual.len() && alignment.pairs.len() == expected.len();
        // One extra call is enough for the names not to align.
        let scored = recall(alignment.credit, expected.len())
            .only_if("the names align", aligned)
            .costing(Costs::default());
        let explain = || {
            let explanation = explain(&matcher, &alignment);
            places.map_or(explanation.clone(), |(expected, actual)| {
                at_places(explanation, &expected, &actual)
            })
        };
        Ok(evaluation(scored, None, ask, Layout::Flat, |_| {}, explain))
    }
}

/// Indices of the sorted lists as those of the original ones.
fn at_places(mut explanation: Explanation, expected: &[usize], actual: &[usize]) -> Explanation {
    for pair in &mut explanation.pairs {
        (pair.expected, pair.actual) = (expected[pair.expected], actual[pair.actual]);
    }
    explanation
        .missed
        .iter_mut()
        .for_each(|index| *index = expected[*index]);
    explanation
        .extra
        .iter_mut()
        .for_each(|index| *index = actual[*index]);
    explanation
}
