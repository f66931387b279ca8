//! Byte ranges of the parts of an expectation in the text of a case.

use std::ops::Range;

use rightcall_core::value::{Reader, Syntax, SyntaxError, Text};

/// Byte ranges of the parts of an expectation in the text of a case.
#[derive(Debug, Default)]
pub(super) struct ExpectationPlaces {
    pub(super) expected: Range<usize>,
    /// One range for each call.
    pub(super) calls: Vec<Range<usize>>,
    /// The list of calls.
    pub(super) list: Option<Range<usize>>,
    pub(super) order: Option<Range<usize>>,
    pub(super) counts: Option<Range<usize>>,
}

impl ExpectationPlaces {
    pub(super) fn new(text: &str) -> Result<Self, SyntaxError> {
        let mut places = Self::default();
        let all = members(text, 0..text.len())?;
        let Some((_, expected)) = all.into_iter().rfind(|(key, _)| *key == *"expected") else {
            return Ok(places);
        };
        match text.as_bytes()[expected.start] {
            b'[' => places.list = Some(expected.clone()),
            b'{' => {
                for (key, place) in members(text, expected.clone())? {
                    let place = Some(place).filter(|place| &text[place.clone()] != "null");
                    match key.as_str() {
                        Some("calls") => places.list = place,
                        Some("order") => places.order = place,
                        Some("counts") => places.counts = place,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        if let Some(list) = places
            .list
            .clone()
            .filter(|list| text[list.clone()].starts_with('['))
        {
            places.calls = items(text, list)?;
        }
        places.expected = expected;
        Ok(places)
    }
}

/// The keys of the object at this range, each with the range of its value.
pub(super) fn members(
    text: &str,
    object: Range<usize>,
) -> Result<Vec<(Text<'_>, Range<usize>)>, SyntaxError> {
    let mut reader = Reader::new(&text[object.clone()], Syntax::PYTHON);
    let (mut members, mut first) = (Vec::new(), reader.enter_object()?);
    while let Some(key) = reader.next_key(&mut first)? {
        members.push((key, value_place(&mut reader, object.start)?));
    }
    Ok(members)
}

/// The ranges of the items of the list at this range.
fn items(text: &str, list: Range<usize>) -> Result<Vec<Range<usize>>, SyntaxError> {
    let mut reader = Reader::new(&text[list.clone()], Syntax::PYTHON);
    let (mut items, mut first) = (Vec::new(), reader.enter_list()?);
    while reader.next_item(&mut first)? {
        items.push(value_place(&mut reader, list.start)?);
    }
    Ok(items)
}

/// The range of the next value. `before` is the number of bytes before the start of the reader's text.
fn value_place(reader: &mut Reader<'_>, before: usize) -> Result<Range<usize>, SyntaxError> {
    reader.peek()?;
    let from = before + reader.offset();
    reader.raw()?;
    Ok(from..before + reader.offset())
}
