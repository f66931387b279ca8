use super::*;

fn gate(statistic: &str, wanted: &str, found: f64) -> GateResult {
    let wanted = Bound::parse(wanted).unwrap();
    GateResult {
        subject: GateSubject::Score,
        statistic: Statistic::parse(statistic).unwrap(),
        only: String::new(),
        by: None,
        group: None,
        wanted,
        found: Some(found),
        held: wanted.holds(found),
        unjudged: false,
        no_longer_judged: 0,
    }
}

#[test]
fn a_failed_gate_on_a_count_is_described_in_words() {
    for (statistic, wanted, found, sentence) in [
        ("worse", "= 0", 1.0, "1 case got worse, 0 allowed"),
        ("worse", "<= 2", 3.0, "3 cases got worse, at most 2 allowed"),
        (
            "worse",
            "< 3",
            3.0,
            "3 cases got worse, fewer than 3 allowed",
        ),
        (
            "better",
            "> 1",
            0.0,
            "0 cases got better, more than 1 wanted",
        ),
        (
            "errors",
            "= 0",
            2.0,
            "score: 2 cases ended in an error, 0 allowed",
        ),
        (
            "not_applicable",
            "!= 1",
            1.0,
            "score: 1 case is not applicable, any other number allowed",
        ),
        ("change", ">= 0", -0.25, "score change -0.250 < +0.000"),
    ] {
        let gate = gate(statistic, wanted, found);
        assert!(!gate.held, "{sentence}");
        assert_eq!(gate.missed(&gate.label()), sentence);
    }
    let grouped = GateResult {
        by: Some("model".to_owned()),
        group: Some("big".to_owned()),
        ..gate("worse", "= 0", 2.0)
    };
    let sentence = "score [model: big]: 2 cases got worse, 0 allowed";
    assert_eq!(grouped.missed(&grouped.label()), sentence);
}

#[test]
fn an_unknown_end_of_an_interval_is_stored() {
    for (statistic, end, held) in [
        ("change_low", f64::NEG_INFINITY, false),
        ("change_high", f64::INFINITY, true),
    ] {
        let gate = gate(statistic, ">= 0", end);
        assert_eq!(gate.held, held);
        let json = serde_json::to_string(&gate).unwrap();
        assert!(json.contains(r#""found":null,"unknown":true"#), "{json}");
        assert_eq!(serde_json::from_str::<GateResult>(&json).unwrap(), gate);
    }
}

#[test]
fn a_mean_meets_its_bound_up_to_rounding() {
    // The true mean of these is 0.5.
    let scores = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
    let mean = scores.iter().rev().sum::<f64>() / scores.len() as f64;
    for found in [mean, 0.499_999_999_999_999_9, 0.500_000_000_000_000_1] {
        for (wanted, held) in [
            (">= 0.5", true),
            ("<= 0.5", true),
            ("= 0.5", true),
            ("> 0.5", false),
            ("< 0.5", false),
            ("!= 0.5", false),
        ] {
            assert_eq!(gate("mean", wanted, found).held, held, "{found} {wanted}");
        }
    }
    assert!(!gate("mean", ">= 0.5", 0.499_999).held);
}

#[test]
fn a_gate_on_changes_fails_if_cases_are_no_longer_judged() {
    let mut gate = gate("worse", "= 0", 0.0);
    gate.mark_lost(0);
    assert!(gate.held);
    gate.mark_lost(2);
    assert!(!gate.held);
    let sentence = "score worse: 2 cases are no longer judged";
    assert_eq!(gate.missed(&gate.label()), sentence);
    let json = serde_json::to_string(&gate).unwrap();
    assert_eq!(serde_json::from_str::<GateResult>(&json).unwrap(), gate);
}
