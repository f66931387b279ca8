//! Drafts for documents that wrap their records in lists.

use super::{runs, values};
use crate::draft::draft;
use crate::format::Format;

/// The draft for a document, and the names of the calls that it reads in each run.
fn drafted(document: &str) -> (String, Vec<Vec<String>>) {
    let text = draft("draft", &values("log.json", document)).unwrap();
    let format = Format::from_map("draft.yaml", &text).unwrap();
    let runs = runs(format, "log.json", document).unwrap_or_else(|| panic!("{text}"));
    let names = runs.iter().map(|trace| {
        let names = trace.calls.iter().map(|call| call.name.to_string());
        names.collect()
    });
    (text, names.collect())
}

/// Two runs of two calls; `run` is the key of their id, and `wrap` puts a record into an item of a list.
fn items(run: &str, wrap: impl Fn(String, usize) -> String) -> String {
    let records = [("a", "f1"), ("a", "f2"), ("b", "f1"), ("b", "f2")];
    let items = records.iter().enumerate().map(|(number, (id, tool))| {
        let record = format!(r#"{{"{run}":"{id}","tool":"{tool}","args":{{"k":1}},"result":"o"}}"#);
        wrap(record, number)
    });
    items.collect::<Vec<_>>().join(",")
}

#[test]
fn the_items_of_a_list_that_have_the_id_of_a_run_are_records() {
    let two_runs = [["f1", "f2"], ["f1", "f2"]];
    for run in ["session_id", "thread", "ticket"] {
        let attributes = items(run, |record, number| {
            format!(r#"{{"id":"x{number}","type":"log","attributes":{record}}}"#)
        });
        let node = items(run, |record, _| format!(r#"{{"node":{record}}}"#));
        let text = items(run, |record, number| {
            let body = serde_json::to_string(&record).unwrap();
            format!(r#"{{"mid":"m{number}","body":{body}}}"#)
        });
        let plain = items(run, |record, _| record);
        for (document, records, inside) in [
            (
                format!(r#"{{"data":[{attributes}]}}"#),
                "data",
                "attributes.",
            ),
            (
                format!(r#"{{"took":3,"data":{{"log":{{"edges":[{node}]}}}}}}"#),
                "data.log.edges",
                "node.",
            ),
            (format!(r#"{{"messages":[{text}]}}"#), "messages", "body."),
            (
                format!(r#"{{"batches":[{{"no":1,"events":[{plain}]}}]}}"#),
                "batches.events",
                "",
            ),
        ] {
            let (text, names) = drafted(&document);
            assert_eq!(names, two_runs, "{text}");
            assert!(text.contains(&format!("records: {records}\n")), "{text}");
            assert!(text.contains(&format!("run: {inside}{run}")), "{text}");
        }
    }
}

#[test]
fn the_items_of_a_list_may_be_runs() {
    let calls = r#"[{"macro":"find","inputs":{"k":1}},{"macro":"pay","inputs":{"k":1}}]"#;
    let document = |list: &str, id: &str| {
        format!(
            r#"{{"{list}":[{{"{id}":"a1","jobs":[{{"steps":{calls}}}]}},{{"{id}":"b1","jobs":[{{"steps":{calls}}}]}}]}}"#
        )
    };
    for (list, id) in [("tickets", "ticket_id"), ("workflow_runs", "id")] {
        let (text, names) = drafted(&document(list, id));
        assert_eq!(names, [["find", "pay"], ["find", "pay"]], "{text}");
    }
}

#[test]
fn a_document_without_the_id_of_a_run_is_marked() {
    let calls = items("nr", |record, number| {
        record.replace(r#""b""#, &format!("\"{number}\""))
    });
    let comment = "# check: all 4 calls are one run";
    let (text, names) = drafted(&format!(r#"{{"log":[{calls}]}}"#));
    assert_eq!(names.len(), 1, "{text}");
    assert!(text.contains(comment), "{text}");
    let (text, _) = drafted(&format!(r#"{{"session_id":"s","log":[{calls}]}}"#));
    assert!(!text.contains(comment), "{text}");
}
