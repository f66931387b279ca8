//! Expectations in blocks: no text may cause a panic, and small ones must resolve as in the slow reference implementation.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rightcall_core::expectation::ProcessTree;
use rightcall_reference::expectation::generate;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Err(error) = ProcessTree::read(text)
    {
        _ = error.to_string();
    }
    if let Err(difference) = generate(bytes).check() {
        panic!("{difference}");
    }
});
