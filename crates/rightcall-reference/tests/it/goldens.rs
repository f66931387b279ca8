//! Checks the reference against recorded results of the originals.

use std::collections::BTreeMap;
use std::fs;

use rightcall_core::value::{Syntax, Value, decode_with};
use rightcall_reference::{Reference, is_reimplemented, score};

#[test]
fn the_reference_matches_every_golden_case_it_supports() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance");
    let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    let mut differences = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path
            .extension()
            .is_none_or(|extension| extension != "jsonl")
        {
            continue;
        }
        let lines = fs::read_to_string(&path).unwrap();
        for line in lines.split('\n').filter(|line| !line.trim().is_empty()) {
            let golden = decode_with(line, Syntax::PYTHON).unwrap();
            let member = |key: &str| golden.as_object().unwrap().get_str(key);
            let text = |key: &str| {
                member(key)
                    .and_then(Value::as_text)
                    .map(ToString::to_string)
            };
            // Our own evaluators have no original, and neither do expectations in blocks.
            if member("system").is_none()
                || text("edition").is_some_and(|edition| edition != "package")
                || matches!(text("system").as_deref(), Some("python" | "rightcall"))
            {
                continue;
            }
            let evaluator = format!("{}/{}", text("system").unwrap(), text("evaluator").unwrap());
            if !is_reimplemented(&evaluator) {
                continue;
            }
            let null = &Value::Null;
            let side = |key: &str| member(key).unwrap_or(null);
            let found = score(&evaluator, side("config"), side("expected"), side("actual"));
            let [agreed, unknown, differ] = counts.entry(evaluator.clone()).or_default();
            let agrees = match (found, member("result")) {
                (Reference::Unknown, _) => {
                    *unknown += 1;
                    continue;
                }
                (Reference::Score(found), Some(result)) => {
                    wanted(result) == Some(found) || found.is_nan()
                }
                (Reference::ErrorResult, Some(result)) => {
                    result
                        .as_object()
                        .unwrap()
                        .get_str("score_type")
                        .and_then(Value::as_f64)
                        == Some(2.0)
                }
                (Reference::Raised, None) => true,
                _ => false,
            };
            if agrees {
                *agreed += 1;
            } else {
                *differ += 1;
                differences.push(format!(
                    "{evaluator} {}: {found:?}, {:?}",
                    text("id").unwrap(),
                    member("result").and_then(wanted)
                ));
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{} differ:\n{}",
        differences.len(),
        differences[..differences.len().min(30)].join("\n")
    );
    let of = |which: usize| counts.values().map(|count| count[which]).sum::<usize>();
    // Unknown: collections of Java and JavaScript.
    assert_eq!(
        (of(0), of(1)),
        (2_468, 417),
        "agreed and unknown: {counts:?}"
    );
}

/// The score of a result, with booleans as 0 or 1; `None` if the original has none.
fn wanted(result: &Value<'_>) -> Option<f64> {
    match result.as_object()?.get_str("score")? {
        Value::Bool(score) => Some(f64::from(u8::from(*score))),
        score => score.as_f64(),
    }
}
