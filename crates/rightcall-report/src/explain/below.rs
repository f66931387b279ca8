//! Lines below a row with further details.

use rightcall_core::Difference;
use rightcall_core::expectation::Resolution;
use rightcall_core::value::JsonText;

use super::columns::BELOW_INDENT;
use crate::difference::{lines, marked};
use crate::text::{cut_around, cut_middle, printable, push_wrapped, screen_columns, width};
use crate::variable::with_value;

/// The default number of listed lines of a text.
const LINES: usize = 8;

/// Adds text below a row.
pub(super) fn below(out: &mut String, text: &str) {
    push_wrapped(out, BELOW_INDENT, text);
}

/// `/id   expected 7   found 1`, or two lines if the values are too long. For multi-line texts, shows each differing line.
pub(super) fn difference_below(
    out: &mut String,
    difference: &Difference,
    resolution: Option<&Resolution>,
    full: bool,
) {
    let pointer = printable(if difference.pointer.is_empty() {
        "(all)"
    } else {
        &difference.pointer
    });
    let pointer = if full {
        pointer
    } else {
        cut_middle(&pointer, 40)
    };
    let lines = if full { Vec::new() } else { lines(difference) };
    if lines.iter().all(|(place, _)| place.is_empty()) {
        let text = |value: &Option<JsonText>| {
            let text = value.as_ref().map(|json| printable(json.as_str()));
            text.unwrap_or_else(|| "nothing".to_owned())
        };
        let sides = [text(&difference.expected), text(&difference.found)];
        let code_points = hidden(difference);
        sides_below(out, &pointer, sides, resolution, full);
        if let Some(code_points) = code_points {
            below(
                out,
                &format!("{}   {code_points}", " ".repeat(width(&pointer))),
            );
        }
        return;
    }
    for (place, (expected, found)) in lines.iter().take(LINES) {
        let sides = [expected.whole(), found.whole()];
        sides_below(out, &format!("{pointer}{place}"), sides, None, full);
    }
    let more = lines.len().saturating_sub(LINES);
    if more > 0 {
        let more = format!("{pointer}   … and {more} more lines (--full shows the texts)");
        below(out, &more);
    }
}

/// The differing code points of two values that look the same; `None` for others.
fn hidden(difference: &Difference) -> Option<String> {
    let (expected, found) = marked(difference);
    let is_hidden = |it: &str| it.contains("\\u{");
    let is_escaped = |json: &Option<JsonText>| {
        json.as_ref()
            .is_some_and(|it| is_hidden(&printable(it.as_str())))
    };
    let is_written = is_escaped(&difference.expected) || is_escaped(&difference.found);
    let differs = is_hidden(&expected.marked) || is_hidden(&found.marked);
    (differs && !is_written).then(|| {
        let side = |it: &str| {
            if it.is_empty() {
                "nothing".to_owned()
            } else {
                it.to_owned()
            }
        };
        format!(
            "they look alike: {} against {}",
            side(&expected.marked),
            side(&found.marked)
        )
    })
}

fn sides_below(
    out: &mut String,
    pointer: &str,
    [mut expected, found]: [String; 2],
    resolution: Option<&Resolution>,
    full: bool,
) {
    if let Some(resolution) = resolution {
        expected = with_value(&expected, resolution);
    }
    let one_line = format!("{pointer}   expected {expected}   found {found}");
    let blank = " ".repeat(width(pointer));
    let [expected, found] = if width(&one_line) <= screen_columns() - BELOW_INDENT {
        return below(out, &one_line);
    } else if full {
        [expected, found]
    } else {
        let room = (screen_columns() - BELOW_INDENT).saturating_sub(width(pointer) + 12);
        let pairs = expected.chars().zip(found.chars());
        let same = pairs.take_while(|(one, other)| one == other).count();
        [expected, found].map(|text| cut_around(&text, same, room))
    };
    below(out, &format!("{pointer}   expected {expected}"));
    below(out, &format!("{blank}   found    {found}"));
}
