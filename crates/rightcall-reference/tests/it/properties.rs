//! Tests the engine against itself and, where there is one, the reimplementation, on small cases with all settings.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rightcall_reference::Reference;
use rightcall_reference::cases::evaluators;
use rightcall_reference::differential::Case;

/// Scores many cases, and requires that enough of them have a score and that not all scores are 0.
fn agrees(evaluator: &'static str) {
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(3000)
    });
    let (scored, above_zero) = (Cell::new(0), Cell::new(0));
    let outcome = runner.run(&prop::collection::vec(any::<u8>(), 0..160), |bytes| {
        let judged = Case::from_bytes(evaluator, &bytes)
            .check()
            .map_err(TestCaseError::fail)?;
        if let Reference::Score(score) = judged {
            scored.set(scored.get() + 1);
            above_zero.set(above_zero.get() + usize::from(score > 0.0));
        }
        Ok(())
    });
    if let Err(difference) = outcome {
        panic!("{evaluator}: {difference}");
    }
    let counts = (scored.get(), above_zero.get());
    assert!(
        counts.0 > 1000 && counts.1 > 100,
        "{evaluator}: of 3000 cases {} have a score, {} above 0",
        counts.0,
        counts.1
    );
}

#[test]
fn every_evaluator_is_consistent_and_matches_its_reimplementation() {
    std::thread::scope(|scope| {
        for evaluator in evaluators() {
            scope.spawn(move || agrees(evaluator));
        }
    });
}
