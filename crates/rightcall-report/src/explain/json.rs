//! `explain` as JSON, for programs.

use rightcall_core::Outcome;
use rightcall_core::call::{ArgumentSource, Call};
use rightcall_core::expectation::ResolutionPart;
use rightcall_core::value::{JsonText, JsonWriter};

use super::{Explained, ExplainedResult};

/// The case as a JSON object.
pub fn explain_json(explained: &Explained<'_>) -> JsonText {
    let case = explained.case;
    let mut writer = JsonWriter::new();
    writer.begin_object().key("case").str(explained.label);
    if let Some(trial) = case.trial {
        writer.key("trial").raw(trial);
    }
    writer.key("place").str(explained.place);
    if let Some(description) = &case.description {
        writer.key("description").text(description);
    }
    for (key, json) in [("input", case.input), ("output", case.output)] {
        if let Some(json) = json {
            writer.key(key).raw(json);
        }
    }
    let expected = &case.expected;
    writer.key("expected").begin_object();
    if let Some(expected) = &expected.calls {
        calls(writer.key("calls"), expected);
    }
    if let Some(order) = &expected.order {
        writer.key("order").begin_list();
        order.iter().for_each(|name| _ = writer.text(name));
        writer.end_list();
    }
    if let Some(counts) = &expected.counts {
        writer.key("counts").begin_object();
        for count in counts {
            writer
                .key_text(&count.name)
                .begin_list()
                .text(count.operator.text())
                .raw(&count.count.to_string())
                .end_list();
        }
        writer.end_object();
    }
    if let Some(outputs) = &expected.outputs {
        writer.key("outputs").begin_list();
        for output in outputs {
            writer
                .begin_object()
                .key("name")
                .text(&output.name)
                .key("output")
                .text(&output.output)
                .end_object();
        }
        writer.end_list();
    }
    if let Some(constraints) = expected.constraints {
        writer.key("constraints").raw(constraints);
    }
    writer.end_object();
    if let (Some(tree), Some(Ok(resolution))) = (&expected.tree, expected.resolution) {
        writer.key("stated").raw(tree.text());
        let resolved = resolution.to_json(ResolutionPart::Whole);
        writer.key("expectation").raw(resolved.as_str());
    }
    if let Some(actual) = &case.actual {
        calls(writer.key("actual"), &actual.calls);
    }
    writer.key("evaluators").begin_list();
    explained
        .results
        .iter()
        .for_each(|it| result(&mut writer, it));
    writer.end_list().end_object();
    writer.finish()
}

fn calls(writer: &mut JsonWriter, calls: &[Call<'_>]) {
    writer.begin_list();
    for call in calls {
        writer.begin_object().key("name").text(&call.name);
        match call.arguments.source() {
            ArgumentSource::Absent => {}
            ArgumentSource::Json(json) | ArgumentSource::Text { json, .. } => {
                _ = writer.key("args").raw(json);
            }
        }
        if let Some(output) = &call.metadata().output {
            writer.key("output").raw(output);
        }
        writer.end_object();
    }
    writer.end_list();
}

fn result(writer: &mut JsonWriter, result: &ExplainedResult) {
    writer.begin_object().key("evaluator").str(result.id);
    if let Some(name) = &result.name {
        writer.key("name").str(name);
    }
    if let Some(edition) = result.edition {
        writer.key("edition").str(edition.as_str());
    }
    outcome(writer, &result.evaluation.outcome);
    if let Some(passed) = result.evaluation.passed {
        writer.key("passed").bool(passed);
    }
    if let Some(threshold) = result.threshold {
        writer.key("threshold").float(threshold);
    }
    if let Some(explanation) = &result.evaluation.explanation {
        writer.key("alignment").raw(explanation.to_json().as_str());
    }
    if let Some((edition, other)) = &result.other_edition {
        writer
            .key("other_edition")
            .begin_object()
            .key("edition")
            .str(edition.as_str());
        outcome(writer, other);
        writer.end_object();
    }
    if let Some(view) = &result.why_not {
        writer.key("why_not").raw(view.json.as_str());
    }
    writer.end_object();
}

fn outcome(writer: &mut JsonWriter, outcome: &Outcome) {
    if let Some(score) = outcome.score() {
        writer.key("score").float(score);
        return;
    }
    let reason = outcome.reason().unwrap_or_default();
    writer
        .key("outcome")
        .str(outcome.name())
        .key("reason")
        .str(&reason);
}
