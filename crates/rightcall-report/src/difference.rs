//! Two values that differ, each with the differing part marked.

use rightcall_core::Difference;
use rightcall_core::value::{JsonText, Value, decode};

use crate::text::{cut_page_text, printable, width};
use crate::variable::named;

/// The number of characters shown before and after the difference, and of the difference itself.
const CONTEXT: usize = 16;
const MARKED: usize = 60;

/// A value with its differing part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Differing {
    /// The common text before.
    pub(crate) before: String,
    /// The differing part.
    pub(crate) marked: String,
    /// The common text after.
    pub(crate) after: String,
}

/// Both sides of a difference.
pub(crate) fn marked(difference: &Difference) -> (Differing, Differing) {
    let expected = difference.expected.as_ref();
    let expected = expected.map(|json| printable(&named(json.as_str())));
    let found = difference.found.as_ref();
    let found = found.map(|json| printable(json.as_str()));
    between(expected, found)
}

/// Both sides of a difference, with a suffix for the pointer. Multi-line texts are compared by
/// line, with a pair per differing line.
pub(crate) fn lines(difference: &Difference) -> Vec<(String, (Differing, Differing))> {
    let text = |json: &Option<JsonText>| match decode(json.as_ref()?.as_str()) {
        Ok(Value::String(text)) => Some(text.to_display().into_owned()),
        _ => None,
    };
    let texts = text(&difference.expected).zip(text(&difference.found));
    let texts = texts.filter(|(expected, found)| expected.contains('\n') || found.contains('\n'));
    let Some((expected, found)) = texts else {
        return vec![(String::new(), marked(difference))];
    };
    let (expected, found): (Vec<&str>, Vec<&str>) =
        (expected.split('\n').collect(), found.split('\n').collect());
    let before = expected
        .iter()
        .zip(&found)
        .take_while(|(one, other)| one == other)
        .count();
    let rest = (&expected[before..], &found[before..]);
    let pairs = rest.0.iter().rev().zip(rest.1.iter().rev());
    let after = pairs.take_while(|(one, other)| one == other).count();
    let (expected, found) = (
        &rest.0[..rest.0.len() - after],
        &rest.1[..rest.1.len() - after],
    );
    let lines = 0..expected.len().max(found.len());
    lines
        .map(|line| {
            let side = |lines: &[&str]| lines.get(line).map(|it| format!("\"{}\"", printable(it)));
            let place = format!(" line {}", before + line + 1);
            (place, between(side(expected), side(found)))
        })
        .filter(|(_, (expected, found))| expected != found)
        .collect()
}

impl Differing {
    /// The shown part, on one line.
    pub(crate) fn whole(&self) -> String {
        format!("{}{}{}", self.before, self.marked, self.after)
    }
}

/// Compares two printable values; one of them may be missing.
pub(crate) fn between(expected: Option<String>, found: Option<String>) -> (Differing, Differing) {
    let (Some(expected), Some(found)) = (&expected, &found) else {
        let side = |value: Option<String>| Differing {
            before: String::new(),
            marked: value.map_or_else(|| "nothing".to_owned(), |it| cut_page_text(&it, MARKED)),
            after: String::new(),
        };
        return (side(expected), side(found));
    };
    let same_before = shared(expected.chars().zip(found.chars()));
    let rest = |text: &str| text.chars().count() - same_before;
    let same_after = shared(expected.chars().rev().zip(found.chars().rev()))
        .min(rest(expected))
        .min(rest(found));
    let side = |text: &str| {
        let length = text.chars().count();
        let part =
            |from: usize, to: usize| text.chars().skip(from).take(to - from).collect::<String>();
        Differing {
            before: end(&part(same_before.saturating_sub(CONTEXT + 1), same_before)),
            marked: cut_page_text(&part(same_before, length - same_after), MARKED),
            after: start(&part(
                length - same_after,
                (length - same_after + CONTEXT + 1).min(length),
            )),
        }
    };
    visible(side(expected), side(found))
}

/// The maximum length of a difference that is shown as code points.
const BY_CODE: usize = 8;

/// Shows the marked parts as code points if they may look alike: composed and decomposed letters,
/// and characters without a width.
fn visible(one: Differing, other: Differing) -> (Differing, Differing) {
    let has_hidden = |it: &Differing| {
        it.marked
            .chars()
            .any(|it| width(it.encode_utf8(&mut [0; 4])) == 0)
    };
    let is_short = |it: &Differing| it.marked.chars().count() <= BY_CODE;
    let both = [&one, &other];
    if !both.iter().any(|it| has_hidden(it)) || !both.iter().all(|it| is_short(it)) {
        return (one, other);
    }
    let by_code = |it: Differing| {
        let code = |it: char| match it {
            it if it.is_ascii() => it.to_string(),
            it => it.escape_unicode().to_string(),
        };
        Differing {
            marked: it.marked.chars().map(code).collect(),
            ..it
        }
    };
    (by_code(one), by_code(other))
}

fn shared(pairs: impl Iterator<Item = (char, char)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}

/// The end of a text, shortened.
fn end(text: &str) -> String {
    let length = text.chars().count();
    if length <= CONTEXT {
        text.to_owned()
    } else {
        format!(
            "…{}",
            text.chars().skip(length - CONTEXT).collect::<String>()
        )
    }
}

/// The start of a text, shortened.
fn start(text: &str) -> String {
    if text.chars().count() <= CONTEXT {
        text.to_owned()
    } else {
        format!("{}…", text.chars().take(CONTEXT).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use rightcall_core::value::JsonWriter;

    use super::*;

    fn check(expected: &str, found: &str, on_left: [&str; 3], on_right: [&str; 3]) {
        let json = |text: &str| {
            let mut writer = JsonWriter::new();
            writer.raw(text);
            Some(writer.finish())
        };
        let difference = Difference {
            pointer: "/a".into(),
            expected: json(expected),
            found: json(found),
        };
        let side = |[before, marked, after]: [&str; 3]| Differing {
            before: before.into(),
            marked: marked.into(),
            after: after.into(),
        };
        assert_eq!(marked(&difference), (side(on_left), side(on_right)));
    }

    #[test]
    fn only_differing_parts_are_marked() {
        check("1042", "1024", ["10", "42", ""], ["10", "24", ""]);
        check("20.0", "20.0", ["20.0", "", ""], ["20.0", "", ""]);
        check(
            r#""aXa""#,
            r#""aYYa""#,
            ["\"a", "X", "a\""],
            ["\"a", "YY", "a\""],
        );
        check("11", "1", ["1", "1", ""], ["1", "", ""]);
        check(
            "\"漢字\"",
            "\"漢\"",
            ["\"漢", "字", "\""],
            ["\"漢", "", "\""],
        );
    }

    #[test]
    fn invisible_differences_are_shown_as_code_points() {
        check(
            "\"e\u{301}\"",
            "\"\u{e9}\"",
            ["\"", "e\\u{301}", "\""],
            ["\"", "\\u{e9}", "\""],
        );
        check(
            "\"می\u{200c}خواهم\"",
            "\"میخواهم\"",
            ["\"می", "\\u{200c}", "خواهم\""],
            ["\"می", "", "خواهم\""],
        );
    }

    #[test]
    fn multi_line_texts_are_compared_by_line() {
        let difference = |expected: &str, found: &str| Difference {
            pointer: "/a".into(),
            expected: Some(JsonText::from_type(expected)),
            found: Some(JsonText::from_type(found)),
        };
        let shown = |expected: &str, found: &str| -> Vec<String> {
            let lines = lines(&difference(expected, found)).into_iter();
            lines
                .map(|(place, (one, other))| format!("{place}: {} {}", one.marked, other.marked))
                .collect()
        };
        assert_eq!(shown("a\nb\nc", "a\nx\nc"), [" line 2: b x"]);
        assert_eq!(shown("a\nb\nc", "a\nc"), [" line 2: \"b\" nothing"]);
        assert_eq!(shown("a\n  b", "a\n b"), [" line 2:   "]);
        let [(_, (one, other))] = &lines(&difference("a\nb ", "a\nb"))[..] else {
            panic!("one line");
        };
        assert_eq!(
            (one.whole(), other.whole()),
            ("\"b \"".into(), "\"b\"".into())
        );
        assert_eq!(shown("a", "b"), [": a b"]);
    }

    #[test]
    fn expected_variables_are_shown_by_name() {
        check(
            r#"{"$var":"total"}"#,
            "25",
            ["", "$total", ""],
            ["", "25", ""],
        );
        // Actual values are shown unchanged.
        let variable = r#"{"$var":"total"}"#;
        check("1", variable, ["", "1", ""], ["", variable, ""]);
    }

    #[test]
    fn long_values_are_cut_around_differences() {
        let long = format!("\"{}A{}\"", "x".repeat(1000), "y".repeat(1000));
        let other = long.replace('A', "B");
        let before = format!("…{}", "x".repeat(16));
        let after = format!("{}…", "y".repeat(16));
        check(
            &long,
            &other,
            [&before, "A", &after],
            [&before, "B", &after],
        );
    }
}
