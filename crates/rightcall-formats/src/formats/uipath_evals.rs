//! Eval sets of `UiPath`, and its evaluator files.

use rightcall_core::value::Text;

use crate::format::{EachValue, Format, FoundTraces, Priority, Reading, Recognition, ValuePlace};
use crate::json;
use crate::node::Node;
use crate::trace::{Report, Scope, Trace};

pub(super) static ENTRY: Format = Format {
    name: "uipath-evals",
    title: "UiPath eval sets and evaluators",
    summary: "`evaluations` with `evaluatorRefs`; files with `evaluatorTypeId` are recognized and hold no cases",
    reads: &[
        (
            "expectations",
            "`toolCallsOrder`, `toolCallsCount`, `toolCalls`, `toolOutputs` of `evaluationCriterias`; snake_case too",
        ),
        ("calls", "none: they come from the traces that the cases are joined with"),
        ("ids", "`evaluations[].id`"),
    ],
    lacks: &["runs", "the criteria of evaluators that fall back on a default in their own file"],
    notes: "A folder `evaluations` of a UiPath project holds sets under `eval-sets` and evaluators beside it. A set gives cases
without a run, each with the criteria of its evaluators: `rightcall score orders.json --traces traces.jsonl` joins them with what was
done, by id.",
    extensions: &["json"],
    example: r#"{"version":"1.0","id":"Set1","name":"Orders","evaluatorRefs":["Order"],"evaluations":[{"id":"e1","name":"basic","inputs":{"q":"where is order 7"},"evaluationCriterias":{"Order":{"toolCallsOrder":["find_order"]}}}]}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            if evaluator(value).is_some() {
                return Recognition::Certain;
            }
            if !value.get("evaluations").is_some_and(Node::is_list) {
                return Recognition::No;
            }
            Recognition::by_marks(&[("evaluations", true), ("evaluatorRefs", value.any(REFS).is_some())])
        },
        |scope| Box::new(EachValue(scope, read)),
    ),
};

const REFS: &[&str] = &["evaluatorRefs", "evaluator_refs"];

/// The members of an expectation, each with its keys in the criteria.
const MEMBERS: [(&str, &[&str]); 4] = [
    ("order", &["toolCallsOrder", "tool_calls_order"]),
    ("counts", &["toolCallsCount", "tool_calls_count"]),
    ("calls", &["toolCalls", "tool_calls"]),
    ("outputs", &["toolOutputs", "tool_outputs"]),
];

/// The kind of evaluator in an evaluator file: current, project-specific or legacy.
fn evaluator<'n>(value: &'n Node<'_>) -> Option<&'n Node<'n>> {
    let own = value
        .get("evaluatorSchema")
        .filter(|_| value.has("evaluatorConfig"));
    let older = value
        .get("type")
        .filter(|kind| kind.whole().is_some() && value.has("category") && value.has("fileName"));
    value
        .any(&["evaluatorTypeId", "evaluator_type_id"])
        .or(own)
        .or(older)
}

fn read(value: &Node<'_>, _: Scope, place: ValuePlace, found: &mut FoundTraces) {
    for evaluation in value.list("evaluations") {
        let mut trace = Trace {
            id: evaluation.label_at(&["id"]),
            lacks_run: true,
            ..Trace::default()
        };
        trace.input = evaluation.raw_at("inputs");
        let criteria = evaluation.any(&["evaluationCriterias", "evaluation_criterias"]);
        trace.add_facts([("evaluationCriterias", criteria)]);
        trace.expected = Some(expectation(
            criteria.map_or(&[][..], Node::entries),
            &mut trace.report,
        ));
        found.trace(place.line, trace);
    }
}

/// The combined expectation of an item's evaluators.
fn expectation(criteria: &[(Text<'_>, Node<'_>)], report: &mut Report) -> String {
    let expectation = json::object(|writer| {
        for (member, keys) in MEMBERS {
            let mut stated = criteria.iter().filter_map(|(_, it)| it.any(keys));
            if let Some(first) = stated.next() {
                writer.key(member).raw(first.raw());
            }
            if stated.next().is_some() {
                report.note(format!(
                    "several evaluators state `{}`: the first counts",
                    keys[0]
                ));
            }
        }
    });
    if criteria.iter().any(|(_, it)| it.is_null()) {
        report.note("evaluators without criteria fall back on the default in their own file, which is not read here");
    }
    expectation
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use crate::{Input, Limits, ReadOptions};

    #[test]
    fn criteria_of_all_evaluators_are_one_expectation() {
        let text = r#"{"version":"1.0","id":"s","evaluatorRefs":[],"evaluations":[{"id":"e1","inputs":{},"evaluationCriterias":{
            "Order":{"toolCallsOrder":["find","reply"]},"Count":{"toolCallsCount":{"find":["=",1],"reply":[">=",1]}},
            "Args":{"toolCalls":[{"name":"find","args":{"id":7}}]},"Out":{"toolOutputs":[{"name":"find","output":"x"}]},"Judge":{"expectedAgentBehavior":"b"},"Other":null}},
            {"id":"e2","inputs":{},"evaluationCriterias":{}}]}"#;
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let options = ReadOptions::default();
        let mut input = Input::open(file.path(), Limits::default(), &options).unwrap();
        let block = input.next_block(1 << 20).unwrap().unwrap();
        let cases: Vec<_> = block
            .records()
            .map(|record| record.content.unwrap().case(&options).unwrap())
            .collect();
        let expected = &cases[0].expected;
        assert_eq!(expected.order.as_ref().map(Vec::len), Some(2));
        assert_eq!(expected.counts.as_ref().map(Vec::len), Some(2));
        assert_eq!(expected.calls.as_ref().map(Vec::len), Some(1));
        assert_eq!(expected.outputs.as_ref().map(Vec::len), Some(1));
        assert_eq!(
            cases
                .iter()
                .map(|case| case.actual.is_none())
                .collect::<Vec<_>>(),
            [true, true]
        );
        assert!(cases[1].expected.calls.is_none());
        // The criteria are read; no other key is meant.
        assert!(cases.iter().all(|case| case.near_keys.is_empty()));
    }
}
