//! Every published preset against the reference: the first byte chooses the evaluator, the others the case.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rightcall_reference::differential::{Case, EVALUATORS};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let evaluator = EVALUATORS[usize::from(*first) % EVALUATORS.len()];
    if let Err(difference) = Case::from_bytes(evaluator, rest).check() {
        panic!("{difference}");
    }
});
