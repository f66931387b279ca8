//! Reads any text as model output: nothing may panic, and arguments must be JSON objects.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use rightcall_core::value::decode;
use rightcall_formats::{TextArguments, ToolCatalogue, read_notations};

static TOOLS: LazyLock<[ToolCatalogue; 2]> = LazyLock::new(|| {
    let tools = r#"[{"type":"function","function":{"name":"f","parameters":{"properties":{
        "a":{"type":"integer"},"b":{"type":["object","null"]},"c":{}},"required":["a"]}}}]"#;
    let tools = ToolCatalogue::from_json(tools).expect("it is a list of tools");
    [ToolCatalogue::default(), tools]
});

fuzz_target!(|text: &str| {
    for tools in TOOLS.iter() {
        let found = read_notations(text, tools);
        assert!(found.unread || !found.quoted);
        for call in &found.calls {
            assert!(!call.name.is_empty());
            if let TextArguments::Json(json) = &call.arguments {
                let value = decode(json).expect("arguments are JSON");
                assert!(value.as_object().is_some(), "no object: {json}");
            }
        }
    }
});
