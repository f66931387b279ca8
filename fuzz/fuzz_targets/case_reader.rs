//! Reads any text as a case in every format, and runs every evaluator with default settings on the result. Nothing may panic, and results
//! must be JSON.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use rightcall_core::value::Syntax;
use rightcall_core::{Ask, EVALUATORS, Edition, Evaluator};
use rightcall_formats::{FORMATS, ReadOptions, read_case};
use rightcall_reference::decoder;

static ALL: LazyLock<Vec<Evaluator>> = LazyLock::new(|| {
    let editions = [Edition::Package, Edition::Documented];
    let pairs = EVALUATORS
        .iter()
        .flat_map(|entry| editions.map(|edition| (entry, edition)));
    let known = pairs.filter(|(entry, edition)| entry.editions.contains(edition));
    // ADK has a setting without a default.
    known
        .map(|(entry, edition)| {
            let settings = if entry.id.starts_with("adk/") {
                "{\"threshold\":0.5}"
            } else {
                "{}"
            };
            Evaluator::new(entry.id, settings, Some(edition)).expect("default settings are good")
        })
        .collect()
});

fuzz_target!(|text: &str| {
    let formats = std::iter::once(None).chain(FORMATS.iter().copied().map(Some));
    for format in formats {
        let case = match read_case(
            text,
            &ReadOptions {
                format,
                ..ReadOptions::default()
            },
        ) {
            Ok(case) => case,
            Err(error) => {
                _ = error.to_string();
                continue;
            }
        };
        for evaluator in ALL.iter() {
            let full = evaluator.evaluate(&case, Ask::ALL);
            let bare = evaluator.evaluate(&case, Ask::OUTCOME);
            assert_eq!(
                full.outcome,
                bare.outcome,
                "{}: what is asked changes the outcome",
                evaluator.id()
            );
            for text in [&full.details, &full.result].into_iter().flatten() {
                assert!(
                    decoder::decode(text.as_str(), Syntax::PYTHON).is_some(),
                    "{}: no JSON: {text}",
                    evaluator.id()
                );
            }
        }
    }
});
