//! Screens, pages and proofs of a few rows.

use rightcall_run::WrittenScore;
use rightcall_stats::{Measurement, RunScores, TrialScores};

use super::rows::{RescoredRows, RowReason, ScoreGap};
use super::{DifferingRow, Proof, RescoringOptions, RescoringReport};
use crate::list_length::ListLength;

/// Two groups of three rows under two settings; the second does not apply to one row.
fn rows() -> RescoredRows {
    let scores = [
        ("refund", 1, Some(1.0), Some(1.0)),
        ("refund", 2, Some(0.0), Some(0.5)),
        ("refund", 3, Some(0.0), Some(0.75)),
        ("hours", 1, Some(1.0), None),
        ("hours", 2, Some(1.0), Some(1.0)),
        ("hours", 3, Some(1.0), Some(0.25)),
    ];
    let measured = |score| Measurement {
        score,
        passed: None,
    };
    let cases = scores
        .iter()
        .map(|(key, trial, first, second)| TrialScores {
            key: (*key).to_owned(),
            label: (*key).to_owned(),
            trial: Some(trial.to_string()),
            values: vec![measured(*first), measured(*second)],
            field: Some(f64::from(u8::from(*first == Some(1.0)))),
            ..TrialScores::default()
        });
    let reason = |score: &Option<f64>| match score {
        Some(score) if *score < 1.0 => RowReason {
            why: "refund(amount=7), called refund(amount=8)".to_owned(),
            cause: Some("refund: amount differs".to_owned()),
        },
        Some(_) => RowReason::default(),
        None => RowReason {
            why: "no calls are expected".to_owned(),
            cause: None,
        },
    };
    let reasons = scores.iter();
    let reasons = reasons.map(|(_, _, first, second)| vec![reason(first), reason(second)]);
    let gap = ScoreGap {
        is_error: false,
        reason: "no calls are expected".to_owned(),
        rows: 1,
        example: 3,
    };
    RescoredRows {
        scores: RunScores {
            measures: vec!["strict.yaml".into(), "lenient \u{1b}[31m".into()],
            cases: cases.collect(),
            ..RunScores::default()
        },
        reasons: reasons.collect(),
        gaps: vec![Vec::new(), vec![gap]],
        ..RescoredRows::default()
    }
}

fn options() -> RescoringOptions {
    RescoringOptions {
        confidence: 0.95,
        mark: None,
        against: Some("reward".to_owned()),
        positive: Some(0.5),
        listed: ListLength::default(),
    }
}

fn plain(screen: &str) -> String {
    anstream::adapter::strip_str(screen).to_string()
}

#[test]
fn screen_shows_where_settings_diverge() {
    let (rows, options) = (rows(), options());
    let report = RescoringReport::new("rollouts.jsonl", &rows, &options);
    insta::assert_snapshot!(plain(&report.screen()));
}

#[test]
fn document_and_page_agree() {
    let (rows, options) = (rows(), options());
    let report = RescoringReport::new("rollouts.jsonl", &rows, &options);
    let document: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
    assert_eq!(document["rows"], 6);
    assert_eq!(document["settings"][0]["equal_example"], "hours");
    assert_eq!(document["settings"][1]["not_applicable"], 1);
    assert_eq!(document["against"], "reward >= 0.5");
    let kinds = document["pairs"][0]["parted"].as_array().unwrap().iter();
    let kinds: Vec<_> = kinds.map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "first_lower",
            "second_lower",
            "first_passes_alone",
            "first_scores_alone"
        ]
    );
    let page = report.html().unwrap();
    assert!(page.contains("refund: amount differs") && page.contains("hours (trial 3)"));
    assert!(!page.contains('\u{1b}') && !page.contains("<script"));
}

fn written(id: &str, trial: Option<&str>, score: Option<f64>) -> WrittenScore {
    WrittenScore {
        id: id.to_owned(),
        trial: trial.map(ToOwned::to_owned),
        score,
        line: 1,
    }
}

#[test]
fn proof_lists_each_differing_row() {
    let results = [
        written("hours", None, Some(1.0)),
        written("hours", None, Some(1.0 - 1e-12)),
        written("refund", Some("2"), Some(0.5)),
        written("refund", Some("1"), None),
        written("refund", Some("4"), Some(1.0)),
    ];
    let proof = Proof::new(&rows(), "other.csv".to_owned(), &results, 1e-9);
    assert_eq!((proof.equal, proof.differing.len()), (2, 2));
    assert_eq!(
        proof.differing[1],
        DifferingRow {
            row: "refund (trial 1)".to_owned(),
            ours: Some(1.0),
            theirs: None,
            why: String::new(),
        }
    );
    assert!(!proof.holds() && !proof.is_complete());
    insta::assert_snapshot!(plain(&proof.screen(ListLength::default())));
}

#[test]
fn a_proof_of_equal_scores_holds() {
    let rows = rows();
    let cases = rows.scores.cases.iter();
    let results: Vec<_> = cases
        .map(|row| written(&row.label, row.trial.as_deref(), row.values[0].score))
        .collect();
    let proof = Proof::new(&rows, "other.csv".to_owned(), &results, 0.0);
    assert!(proof.holds() && proof.is_complete());
    assert_eq!(
        plain(&proof.screen(ListLength::default())),
        "strict.yaml: 6 of 6 rows have the score of other.csv: equal\n"
    );
    // No score is not a score of 0.
    let none = Proof::new(
        &rows,
        "other.csv".to_owned(),
        &[written("hours", Some("1"), None)],
        0.0,
    );
    assert!(!none.holds());
}
