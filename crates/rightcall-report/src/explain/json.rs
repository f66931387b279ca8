//! `explain` as JSON, for programs.

use rightcall_core::call::{ArgumentSource, Call};
use rightcall_core::expectation::ResolutionPart;
use rightcall_core::value::{JsonText, JsonWriter, RawJson};
use rightcall_core::{Edition, Outcome};

use super::{Explained, ExplainedResult};

/// The case as a JSON object.
pub fn explain_json(explained: &Explained<'_>) -> JsonText {
    let case = explained.case;
    let mut writer = JsonWriter::new();
    writer.begin_object().key("case").str(explained.label);
    writer.optional("trial", case.trial.map(RawJson));
    writer.key("place").str(explained.place);
    writer.optional("description", case.description.as_ref());
    writer.optional("input", case.input.map(RawJson));
    writer.optional("output", case.output.map(RawJson));
    let expected = &case.expected;
    writer.key("expected").begin_object();
    if let Some(expected) = &expected.calls {
        calls(writer.key("calls"), expected);
    }
    writer.optional("order", expected.order.as_ref());
    if let Some(counts) = &expected.counts {
        writer.key("counts").begin_object();
        for count in counts {
            let pair = writer.key_text(&count.name).begin_list();
            pair.text(count.operator.text());
            pair.raw(&count.count.to_string()).end_list();
        }
        writer.end_object();
    }
    if let Some(outputs) = &expected.outputs {
        writer.key("outputs").list(outputs, |writer, output| {
            writer.begin_object().key("name").text(&output.name);
            writer.key("output").text(&output.output).end_object();
        });
    }
    writer.optional("constraints", expected.constraints.map(RawJson));
    writer.end_object();
    if let (Some(tree), Some(Ok(resolution))) = (&expected.tree, expected.resolution) {
        writer.key("stated").raw(tree.text());
        let resolved = resolution.to_json(ResolutionPart::Whole);
        writer.key("expectation").raw(resolved.as_str());
    }
    if let Some(actual) = &case.actual {
        calls(writer.key("actual"), &actual.calls);
    }
    writer.key("evaluators").list(explained.results, result);
    writer.end_object();
    writer.finish()
}

fn calls(writer: &mut JsonWriter, calls: &[Call<'_>]) {
    writer.list(calls, |writer, call| {
        writer.begin_object().key("name").text(&call.name);
        match call.arguments.source() {
            ArgumentSource::Absent => {}
            ArgumentSource::Json(json) | ArgumentSource::Text { json, .. } => {
                _ = writer.key("args").raw(json);
            }
        }
        let output = call.metadata().output.as_deref();
        writer.optional("output", output.map(RawJson)).end_object();
    });
}

fn result(writer: &mut JsonWriter, result: &ExplainedResult) {
    writer.begin_object().key("evaluator").str(result.id);
    writer.optional("name", result.name.as_ref());
    writer.optional("edition", result.edition.map(Edition::as_str));
    outcome(writer, &result.evaluation.outcome);
    writer.optional("passed", result.evaluation.passed);
    writer.optional("threshold", result.threshold);
    let explanation = result.evaluation.explanation.as_ref();
    writer.optional("alignment", explanation.map(|it| it.to_json()));
    if let Some((edition, other)) = &result.other_edition {
        writer.key("other_edition").begin_object();
        writer.key("edition").str(edition.as_str());
        outcome(writer, other);
        writer.end_object();
    }
    let why_not = result.why_not.as_ref();
    writer.optional("why_not", why_not.map(|view| &view.json));
    writer.end_object();
}

fn outcome(writer: &mut JsonWriter, outcome: &Outcome) {
    if let Some(score) = outcome.score() {
        writer.key("score").float(score);
        return;
    }
    let reason = outcome.reason().unwrap_or_default();
    writer.key("outcome").str(outcome.name());
    writer.key("reason").str(&reason);
}
