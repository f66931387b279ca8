//! Tests the engine against the definition of rules with arguments.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rightcall_reference::rules::generate;

/// The number of rules and runs compared: fewer in a debug build.
const CASES: u32 = if cfg!(debug_assertions) { 300 } else { 20_000 };

#[test]
fn verdicts_match_the_definition() {
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(CASES)
    });
    let compared = Cell::new(0);
    let outcome = runner.run(&prop::collection::vec(any::<u8>(), 0..70), |bytes| {
        let is_compared = generate(&bytes).check().map_err(TestCaseError::fail)?;
        compared.set(compared.get() + u32::from(is_compared));
        Ok(())
    });
    if let Err(difference) = outcome {
        panic!("{difference}");
    }
    assert!(compared.get() * 10 > CASES * 7, "{}", compared.get());
}
