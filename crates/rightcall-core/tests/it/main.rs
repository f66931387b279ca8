//! Checks the promises of the architecture against the source code.

mod expectations;
mod rules;
mod schemas;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap_or(Path::new("."))
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source file is text");
            found.push((path, text));
        }
    }
    found
}

/// The code of a file without its tests.
fn code(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or(text)
}

#[test]
fn no_preset_compares_calls_itself() {
    let presets = sources(&root().join("crates/rightcall-core/src/presets"));
    assert!(presets.len() > 12);
    for (path, text) in presets {
        // Explanations pair leftover calls by name, for display only.
        if path.ends_with("explain.rs") {
            continue;
        }
        for call in [".grade(", ".same(", ".equal("] {
            assert!(!code(&text).contains(call), "{}: {call}", path.display());
        }
    }
}

#[test]
fn the_core_opens_no_file_reads_no_clock_and_draws_no_number() {
    for (path, text) in sources(&root().join("crates/rightcall-core/src")) {
        for word in [
            "std::fs",
            "std::net",
            "std::time",
            "std::env",
            "std::process",
            "std::collections::HashMap",
            "RandomState",
        ] {
            assert!(!code(&text).contains(word), "{}: {word}", path.display());
        }
    }
}

#[test]
fn every_path_that_the_architecture_names_exists() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let paths: Vec<_> = text
        .split('`')
        .filter(|part| part.starts_with("crates/") || part.starts_with("conformance"))
        .collect();
    assert!(paths.len() > 10, "{paths:?}");
    for path in paths {
        assert!(root().join(path).exists(), "{path}");
    }
}
