//! Fixes: edits to the text of a record that keep all other bytes.

use std::ops::Range;

use rightcall_core::value::pointer::steps;
use rightcall_core::value::{Reader, Syntax};

use crate::{Finding, Fix};

/// The text of a record after these findings' fixes. `None` if none of the fixes can be applied.
pub fn fixed(text: &str, findings: &[&Finding]) -> Option<String> {
    let removed = findings.iter().filter_map(|it| match it.fix.as_ref()? {
        Fix::RemoveItem(pointer) => item(text, pointer),
    });
    let mut removed: Vec<_> = removed.collect();
    removed.sort_by_key(|it| it.start);
    let mut out = String::new();
    let mut at = 0;
    for range in &removed {
        // Two adjacent items may share a comma. The second one is removed in the next run.
        if let Some(kept) = text.get(at..range.start) {
            out.push_str(kept);
            at = range.end;
        }
    }
    out.push_str(&text[at..]);
    (at > 0).then_some(out)
}

/// The byte range of a list item with the comma before it. `None` for the first item.
fn item(text: &str, pointer: &str) -> Option<Range<usize>> {
    let (list, index) = pointer.rsplit_once('/')?;
    let index: usize = index.parse().ok()?;
    let mut reader = Reader::new(text, Syntax::PYTHON);
    for step in steps(list) {
        reader.step_into(&step).ok().filter(|it| *it)?;
    }
    let mut first = reader.enter_list().ok()?;
    let mut end_before = None;
    for _ in 0..index {
        reader.next_item(&mut first).ok().filter(|it| *it)?;
        reader.raw().ok()?;
        end_before = Some(reader.offset());
    }
    reader.next_item(&mut first).ok().filter(|it| *it)?;
    reader.raw().ok()?;
    Some(end_before?..reader.offset())
}

#[cfg(test)]
mod tests {
    use crate::Linter;

    use super::*;

    #[test]
    fn equal_alternatives_are_removed_and_nothing_else_changes() {
        let text =
            r#"{"id" : "a","ground_truth":[ {"f":{"n":[1,  2, 1 ,1.0],"s":["", "x", ""]}}]}"#;
        let mut linter = Linter::default();
        linter.add_record("f", 1, text).unwrap();
        let findings = linter.findings();
        let all: Vec<_> = findings.iter().collect();
        assert_eq!(
            fixed(text, &all).unwrap(),
            r#"{"id" : "a","ground_truth":[ {"f":{"n":[1,  2 ,1.0],"s":["", "x"]}}]}"#
        );
        assert_eq!(fixed(text, &[]), None);
    }
}
