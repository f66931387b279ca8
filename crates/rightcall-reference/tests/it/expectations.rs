//! Expectations in blocks: the search against the listed language.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rightcall_reference::expectation::generate;

/// The number of trees and runs compared: fewer in a debug build.
const CASES: u32 = if cfg!(debug_assertions) {
    2_000
} else {
    20_000
};

#[test]
fn the_nearest_run_matches_an_exhaustive_search() {
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(CASES)
    });
    let (compared, large) = (Cell::new(0), Cell::new(0));
    let outcome = runner.run(&prop::collection::vec(any::<u8>(), 0..120), |bytes| {
        let is_compared = generate(&bytes).check().map_err(TestCaseError::fail)?;
        let count = if is_compared { &compared } else { &large };
        count.set(count.get() + 1);
        Ok(())
    });
    if let Err(difference) = outcome {
        panic!("{difference}");
    }
    assert!(
        compared.get() * 10 > CASES * 8,
        "{} compared, {} too large",
        compared.get(),
        large.get()
    );
}
