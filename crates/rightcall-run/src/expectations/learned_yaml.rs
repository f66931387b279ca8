//! Learned cases as YAML.

use std::fmt::Write as _;

use rightcall_core::learn::{LearnedBlock, LearnedKind};
use rightcall_core::value::{Syntax, Value, decode_with};

use super::learning::LearnedCase;
use crate::yaml_text::{yaml_line, yaml_text};

/// The column where comments start.
const COMMENT: usize = 48;

/// A case as a list item in YAML.
pub fn learned_yaml(case: &LearnedCase) -> String {
    let mut text = format!("- id: {}\n", yaml_text(&case.id));
    if let Some(input) = &case.input {
        let input = decode_with(input, Syntax::PYTHON).unwrap_or(Value::Null);
        _ = writeln!(text, "  input: {}", yaml_line(&input));
    }
    if let Some(left_out) = case.left_out() {
        _ = writeln!(text, "  # {left_out}.");
    }
    let elements = &case.learned.elements;
    if elements.is_empty() {
        text += "  expected: []\n";
        return text;
    }
    text += "  expected:\n";
    let mut lines = Lines {
        text,
        runs: case.learned.runs,
    };
    lines.list(elements, 4);
    lines.text
}

struct Lines {
    text: String,
    runs: u64,
}

impl Lines {
    fn list(&mut self, elements: &[LearnedBlock], depth: usize) {
        for element in elements {
            self.element(element, depth);
        }
        if elements.is_empty() {
            self.line("[]", depth, None);
        }
    }

    fn element(&mut self, element: &LearnedBlock, depth: usize) {
        if let LearnedKind::Call { json, is_open, .. } = &element.kind {
            let value = decode_with(json.as_str(), Syntax::PYTHON).unwrap_or(Value::Null);
            let open = is_open.then(|| "open: any value".to_owned());
            self.line(&format!("- {}", yaml_line(&value)), depth, open);
        }
        let Some(key) = element.kind.key() else {
            return;
        };
        self.line(&format!("- {key}:"), depth, None);
        self.list(element.kind.elements(), depth + 4);
        if let LearnedKind::Repeat { min, max, .. } = &element.kind {
            self.line(&format!("min: {min}"), depth + 2, None);
            if let Some(max) = max {
                self.line(&format!("max: {max}"), depth + 2, None);
            }
        }
        self.line(
            &format!("note: {}", element.note(self.runs)),
            depth + 2,
            None,
        );
    }

    fn line(&mut self, line: &str, depth: usize, comment: Option<String>) {
        let line = format!("{:depth$}{line}", "");
        match comment {
            Some(comment) => _ = writeln!(self.text, "{line:<COMMENT$}  # {comment}"),
            None => _ = writeln!(self.text, "{line}"),
        }
    }
}
