//! Checks that no published preset contradicts itself or its reimplementation: the first byte selects the evaluator, the rest is the case.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rightcall_reference::cases::evaluators;
use rightcall_reference::differential::Case;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let evaluators: Vec<_> = evaluators().collect();
    let evaluator = evaluators[usize::from(*first) % evaluators.len()];
    if let Err(difference) = Case::from_bytes(evaluator, rest).check() {
        panic!("{difference}");
    }
});
