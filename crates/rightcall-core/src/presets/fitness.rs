//! `fitness`: how close a run is to the nearest accepted run.

use std::borrow::Cow;

use crate::alignment::Grade;
use crate::call::{Call, Case, Trajectory};
use crate::evaluation::{Ask, Evaluation};
use crate::expectation::{ProcessTree, Resolution};
use crate::explanation::{ExplainedPair, Explanation, Term};
use crate::matching::Differences;
use crate::outcome::NotApplicable;
use crate::presets::prelude::*;
use crate::recipe::{Source, evaluation, expected_calls, trajectory};
use crate::tally::Tally;

pub(crate) static ENTRY: Entry = Entry {
    id: "fitness",
    aliases: &[],
    summary: "How close a run is to the nearest accepted run.",
    page: Page {
        measures: "How far a run is from an accepted one: an expectation in blocks is a *process tree*, and the nearest \
run that it accepts is found by an *optimal alignment*. See [Several right ways](../expectations.md).",
        formula: "`score = 1 - cost / (actual calls + calls of the shortest accepted run)`, and 1 where both are 0. The cost is the number of \
expected calls that were missed, of actual calls that are extra, and of pairs in which the names alone agree. A run passes where the cost is 0.",
        use_when: "Tasks have several right ways: steps in parallel, options, alternatives, repeats, ids that come from an earlier call.",
        not_when: "A published metric has to be reported: each of them judges the resolved run as it judges any list.",
        limits: "An argument that is partly right earns nothing. Sequences side by side are hard in general: beyond four million states \
the case is an error that names the block.",
        not_applicable: "The case expects no calls; there is no run; or a call of a name whose arguments or output are demanded did not \
record them.",
        editions: "",
        departures: &[],
        source: "Adriansyah, *Aligning Observed and Modeled Behavior* (2014), trace fitness by alignments; van der Aalst, *Process Mining* \
(2016), 8.3. There is no original.",
        related: &["trajectory", "constraints"],
        example: Example {
            settings: "{}",
            expected: r#"[{"any_order":[{"name":"find_order","args":{"id":7},"output":{"total":{"$var":"total"},"$rest":"any"}},"get_policy"]},{"name":"refund","args":{"id":7,"amount":{"$var":"total"}}}]"#,
            actual: r#"[{"name":"get_policy","args":{}},{"name":"find_order","args":{"id":7},"output":{"total":30,"currency":"EUR"}},{"name":"refund","args":{"id":7,"amount":50}}]"#,
            result: r#"{"score":0.8333333333333334,"cost":1,"full":2,"name_only":1,"missed":0,"extra":0,"shortest":3}"#,
        },
    },
    settings: &[],
    editions: &[Edition::Package],
    needs: "`calls`, in blocks or as a list; of the actual calls what these demand",
    shape: None,
    build: |_, _| Ok(Box::new(Fitness)),
};

#[derive(Debug)]
struct Fitness;

/// The resolution of the expectation. A plain list accepts only itself.
fn resolution<'c>(case: &'c PreparedCase<'c>) -> Result<Cow<'c, Resolution>, Outcome> {
    if let Some(Ok(resolution)) = case.case().expected.resolution {
        return Ok(Cow::Borrowed(resolution));
    }
    let tree = ProcessTree::from_calls(expected_calls(case.case())?);
    let calls: Vec<_> = trajectory(case.case())?
        .calls
        .iter()
        .map(Call::for_expectation)
        .collect();
    let raised = |error: crate::expectation::ExpectationError| {
        Outcome::Failed(EvaluationError::Raised(error.to_string()))
    };
    tree.resolve(&calls).map(Cow::Owned).map_err(raised)
}

/// The case is not applicable if the expectation has a demand on arguments or outputs that were not recorded.
fn require_recorded(case: &Case<'_>, run: &Trajectory<'_>) -> Result<(), Outcome> {
    let expected = case.expected.calls.as_deref().unwrap_or_default();
    for (index, call) in run.calls.iter().enumerate() {
        let demands = |is: fn(&Call<'_>) -> bool| {
            expected
                .iter()
                .any(|wanted| wanted.name == call.name && is(wanted))
        };
        let field = if call.arguments.is_absent() && demands(|it| !it.arguments.is_absent()) {
            "args"
        } else if call.metadata().output.is_none() && demands(|it| it.metadata().output.is_some()) {
            "output"
        } else {
            continue;
        };
        return Err(Outcome::NotApplicable(NotApplicable::NotRecorded {
            index,
            name: call.name.to_string(),
            field,
        }));
    }
    Ok(())
}

fn tally(resolution: &Resolution) -> Tally {
    let pairs = resolution.pairs.len();
    Tally {
        expected: resolution.calls.len(),
        actual: resolution.actual,
        full: resolution.full,
        name_only: pairs - resolution.full,
        credit: resolution.full as f64,
        missed: resolution.calls.len() - pairs,
        extra: resolution.actual - pairs,
        ..Tally::default()
    }
}

fn write(resolution: &Resolution, writer: &mut JsonWriter) {
    let tally = tally(resolution);
    writer.key("cost").count(resolution.cost as usize);
    for (key, count) in [
        ("full", tally.full),
        ("name_only", tally.name_only),
        ("missed", tally.missed),
        ("extra", tally.extra),
        ("shortest", resolution.shortest as usize),
    ] {
        writer.key(key).count(count);
    }
}

fn explain(case: &Case<'_>, run: &Trajectory<'_>, resolution: &Resolution) -> Explanation {
    let expected = case.expected.calls.as_deref().unwrap_or_default();
    let pair = |pair: &crate::expectation::RunPair| {
        let mut explained = ExplainedPair::new(pair.expected, pair.actual);
        explained.grade = if pair.is_full {
            Grade::Full
        } else {
            Grade::NameOnly
        };
        if let (false, Some(wanted)) = (pair.is_full, expected.get(pair.expected)) {
            let found = run.calls[pair.actual].arguments.to_value();
            let differences = Differences::between(
                &ArgumentRule::Equal,
                (&wanted.name, None),
                wanted.arguments.to_value().as_ref(),
                found.as_ref().filter(|_| !wanted.arguments.is_absent()),
                ValueEquality::Json,
            );
            explained.differences = differences.found;
            explained.more_differences = differences.more;
        }
        explained
    };
    let is_paired = |index: usize, side: fn(&crate::expectation::RunPair) -> usize| {
        resolution.pairs.iter().any(|pair| side(pair) == index)
    };
    let worst = resolution.actual as u64 + resolution.shortest;
    Explanation {
        pairs: resolution.pairs.iter().map(pair).collect(),
        missed: (0..resolution.calls.len())
            .filter(|index| !is_paired(*index, |pair| pair.expected))
            .collect(),
        extra: (0..resolution.actual)
            .filter(|index| !is_paired(*index, |pair| pair.actual))
            .collect(),
        tally: tally(resolution),
        arithmetic: vec![Term {
            label: "fitness".into(),
            formula: match worst {
                0 => "nothing was expected and nothing called".to_owned(),
                _ => format!(
                    "1 − {} / ({} + {})",
                    resolution.cost, resolution.actual, resolution.shortest
                ),
            },
            value: resolution.fitness(),
        }],
        ..Explanation::default()
    }
}

impl Preset for Fitness {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let Source::Case(case) = source else {
            return Err(EvaluationError::Raised("this evaluator takes cases".to_owned()).into());
        };
        let run = trajectory(case.case())?;
        let resolution = resolution(case)?;
        require_recorded(case.case(), run)?;
        Ok(evaluation(
            resolution.fitness(),
            Some(resolution.is_accepted()),
            ask,
            Layout::Flat,
            |writer| write(&resolution, writer),
            || explain(case.case(), run, &resolution),
        ))
    }
}
