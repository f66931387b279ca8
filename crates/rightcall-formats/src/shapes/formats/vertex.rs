//! Trajectories of Vertex AI's Gen AI evaluation service.

use rightcall_core::call::Shape;

use crate::format::{CallDialect, Carrier, Format, Priority, Reading, RecognizedBy, ShapeSides};

static SIDES: ShapeSides = ShapeSides {
    shape: Shape::Vertex,
    expected: &["reference_trajectory"],
    actual: &["predicted_trajectory"],
    recognized_by: RecognizedBy::EitherSide,
    settings: &[],
    carriers: Carrier::both(CallDialect::Vertex),
};

pub(super) static ENTRY: Format = Format {
    name: "vertex",
    title: "Vertex AI evaluation rows",
    summary: "`reference_trajectory` and `predicted_trajectory`, calls `{tool_name, tool_input}`",
    reads: &[
        ("calls", "`predicted_trajectory`"),
        ("names", "`tool_name`"),
        ("arguments", "`tool_input`, an object or its JSON text"),
        ("expectations", "`reference_trajectory`"),
    ],
    lacks: &["results", "times", "ids of calls", "parallel groups"],
    notes: "Rows of the data sets that the Gen AI evaluation service takes, and of the tables that it returns.",
    extensions: &["jsonl", "json"],
    example: r#"{"prompt":"q","reference_trajectory":[{"tool_name":"find_order","tool_input":{"id":7}}],"predicted_trajectory":[{"tool_name":"find_order","tool_input":{"id":7}}]}"#,
    priority: Priority::Shape,
    reading: Reading::Shape(&SIDES),
};

#[cfg(test)]
mod tests {
    use rightcall_core::call::Shape;
    use rightcall_core::value::Text;
    use rightcall_core::{Ask, Evaluator};

    use crate::{ReadOptions, read_case};

    #[test]
    fn rows_are_cases_and_other_evaluators_judge_them_too() {
        let row = r#"{"prompt":"q","reference_trajectory":[{"tool_name":"a","tool_input":{"id":7}}],"predicted_trajectory":[{"tool_name":"a","tool_input":"{\"id\": 7}"},{"tool_name":"b","tool_input":{}}]}"#;
        let case = read_case(row, &ReadOptions::default()).expect("a case");
        assert!(
            case.native
                .as_ref()
                .is_some_and(|it| it.shape == Shape::Vertex)
        );
        let calls = &case.actual.as_ref().expect("a run").calls;
        let names: Vec<_> = calls.iter().map(|call| call.name.clone()).collect();
        assert_eq!(names, [Text::new("a"), Text::new("b")]);
        for (id, wanted) in [
            ("vertex/trajectory-precision", 0.5),
            ("vertex/trajectory-in-order-match", 1.0),
            ("vertex/trajectory-single-tool-use", 1.0),
            ("uipath/tool-call-args", 1.0),
        ] {
            let evaluator = Evaluator::new(id, "{}", None).expect("it needs no settings");
            let score = evaluator.evaluate(&case, Ask::OUTCOME).score();
            assert_eq!(score, Some(wanted), "{id}");
        }
    }
}
