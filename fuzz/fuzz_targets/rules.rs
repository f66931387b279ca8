//! Rules with arguments: no text may cause a panic, and small runs must be judged as in the slow reference implementation.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rightcall_core::monitor::Monitor;
use rightcall_reference::rules::generate;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        for settings in [text.to_owned(), format!("[{text:?}]")] {
            if let Err(error) = Monitor::new(&settings) {
                _ = error.to_string();
            }
        }
        _ = Monitor::restore(text);
    }
    if let Err(difference) = generate(bytes).check() {
        panic!("{difference}");
    }
});
