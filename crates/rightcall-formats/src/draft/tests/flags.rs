//! Drafts for logs in which a flag or a level says how calls ended.

use super::{Shown, runs, shown, values};
use crate::draft::draft;
use crate::format::Format;

/// The draft for a log of JSON Lines, and the calls that it reads.
fn drafted(log: &str) -> (String, Vec<Shown>) {
    let text = draft("draft", &values("log.jsonl", log)).unwrap();
    let format = Format::from_map("draft.yaml", &text).unwrap();
    let runs = runs(format, "log.jsonl", log).unwrap_or_else(|| panic!("{text}"));
    let calls = runs.iter().flat_map(shown).collect();
    (text, calls)
}

/// Three calls with results, the second failed.
fn log(flag: &str, [ok, failed]: [&str; 2]) -> String {
    let pair = |(number, value): (usize, &str)| {
        format!(
            "{{\"run\":\"r\",\"what\":\"call\",\"id\":\"c{number}\",\"tool\":\"f\",\"args\":{{\"k\":1}}}}\n\
             {{\"run\":\"r\",\"what\":\"return\",\"id\":\"c{number}\",\"{flag}\":{value},\"value\":\"o{number}\"}}\n"
        )
    };
    let values = [ok, failed, ok].into_iter().enumerate();
    values.map(pair).collect()
}

#[test]
fn a_flag_next_to_an_output_says_how_calls_ended() {
    for (flag, values, condition) in [
        ("outcome", ["1", "0"], "{outcome: 0}"),
        ("outcome", ["0", "1"], "{outcome: 1}"),
        ("outcome", ["true", "false"], "{outcome: false}"),
        (
            "outcome",
            [r#""info""#, r#""warning""#],
            "{outcome: warning}",
        ),
        ("severity", [r#""INFO""#, r#""ERROR""#], "{severity: ERROR}"),
        (
            "log_level",
            [r#""success""#, r#""failure""#],
            "{log_level: failure}",
        ),
        ("status", ["true", "false"], "{status: false}"),
        ("state", ["0", "1"], "{state: 1}"),
    ] {
        let (text, calls) = drafted(&log(flag, values));
        let failed = calls.iter().map(|call| call.3).collect::<Vec<_>>();
        assert_eq!(failed, [false, true, false], "{text}");
        let outputs = calls.iter().filter_map(|call| call.2.as_deref());
        let outputs = outputs.collect::<Vec<_>>();
        assert_eq!(outputs, [r#""o0""#, r#""o1""#, r#""o2""#], "{text}");
        let line = format!("failed: {condition}  # check");
        assert!(text.contains(&line), "{text}");
    }
}

#[test]
fn numbers_of_two_values_are_no_flag_under_other_keys() {
    let (text, _) = drafted(&log("attempt", ["1", "0"]));
    assert!(!text.contains("failed:"), "{text}");
    assert!(text.contains("output: value\n"), "{text}");
    // Nothing else can be the output.
    let (text, _) = drafted(
        &log("attempt", ["1", "0"])
            .replace("\"o2\"", "1")
            .replace("\"o1\"", "0")
            .replace("\"o0\"", "1"),
    );
    assert!(text.contains("output: value\n"), "{text}");
}

#[test]
fn calls_in_debug_output_are_calls_unless_they_repeat_others() {
    let call = |level: &str, tool: &str| {
        format!(
            "{{\"level\":\"{level}\",\"run\":\"r\",\"tool\":\"{tool}\",\"args\":{{\"k\":1}},\"result\":\"o\"}}\n"
        )
    };
    for (levels, names, is_skipped) in [
        (
            &[("debug", "f"), ("debug", "g")][..],
            &["f", "g"][..],
            false,
        ),
        (
            &[("debug", "f"), ("info", "g"), ("debug", "h")],
            &["f", "g", "h"],
            false,
        ),
        (
            &[("debug", "f"), ("info", "f"), ("debug", "g"), ("info", "g")],
            &["f", "g"],
            true,
        ),
    ] {
        let lines = levels.iter().map(|(level, tool)| call(level, tool));
        let (text, calls) = drafted(&lines.collect::<String>());
        let found: Vec<_> = calls.iter().map(|call| call.0.as_str()).collect();
        assert_eq!(found, names, "{text}");
        let skip = "skip: [{level: debug}]  # check: this is ignored";
        assert_eq!(text.contains(skip), is_skipped, "{text}");
    }
}
