//! Lone surrogates in texts that are converted and compared as UTF-8.
//!
//! In Python they are characters without properties: no letters, digits or white space. Here, characters for private use replace them,
//! from a block that the text does not use, and the result gets them back.

use std::borrow::Cow;

use crate::value::{Object, Text, TextBuilder, Value};

/// The first surrogate, and the number of surrogates.
const FIRST: u32 = 0xD800;
const NUMBER: usize = 0x800;

/// The two planes for private use.
const PRIVATE: std::ops::RangeInclusive<u32> = 0xF_0000..=0x10_F000;

/// A text as UTF-8.
pub(super) struct Utf8Text<'t> {
    text: Cow<'t, str>,
    /// The first character of the block that replaces surrogates, if there are any.
    block: Option<u32>,
}

impl<'t> Utf8Text<'t> {
    /// A text that uses all blocks gets escapes such as `\ud800`.
    pub(super) fn of(text: &'t Text<'_>) -> Self {
        let is_used = |block: u32| {
            let mut points = text.code_points();
            points.any(|point| (block..block + NUMBER as u32).contains(&point))
        };
        let block = match text.as_str() {
            Some(_) => None,
            None => PRIVATE.step_by(NUMBER).find(|block| !is_used(*block)),
        };
        let text = match block {
            None => text.to_display(),
            Some(block) => text
                .code_points()
                .filter_map(|point| {
                    char::from_u32(point).or_else(|| char::from_u32(point - FIRST + block))
                })
                .collect(),
        };
        Self { text, block }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// A text made from this one, with its surrogates.
    pub(super) fn restore_text(&self, made: String) -> Text<'static> {
        let Some(block) = self.block else {
            return Text::from(made);
        };
        let mut builder = TextBuilder::default();
        for letter in made.chars() {
            let point = u32::from(letter);
            let surrogate = point.checked_sub(block).filter(|it| *it < NUMBER as u32);
            builder.push(surrogate.map_or(point, |it| FIRST + it));
        }
        builder.finish()
    }

    /// A value made from this text, with its surrogates.
    pub(super) fn restore(&self, made: Value<'static>) -> Value<'static> {
        if self.block.is_none() {
            return made;
        }
        match made {
            Value::String(text) => Value::String(self.restore_text(text.to_display().into_owned())),
            Value::List(items) => {
                Value::List(items.into_iter().map(|it| self.restore(it)).collect())
            }
            Value::Object(object) => {
                let member = |(key, value): &(Text<'static>, Value<'static>)| {
                    let key = self.restore_text(key.to_display().into_owned());
                    (key, self.restore(value.clone()))
                };
                Value::Object(Object::new(object.iter().map(member).collect()))
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(points: &[u32]) -> Text<'static> {
        let mut builder = TextBuilder::default();
        points.iter().for_each(|point| builder.push(*point));
        builder.finish()
    }

    #[test]
    fn surrogates_are_restored_next_to_private_use_characters() {
        for points in [
            &[0x61, 0xD800, 0xDFFF][..],
            &[0xF_0000, 0xD83D, 0xF_0800, 0x10_F800],
            &[0x61],
        ] {
            let text = text(points);
            let utf8 = Utf8Text::of(&text);
            let length = utf8.as_str().chars().count();
            assert_eq!(length, points.len());
            assert_eq!(utf8.restore_text(utf8.as_str().to_owned()), text);
        }
    }

    #[test]
    fn a_text_that_uses_all_blocks_gets_escapes() {
        let used = PRIVATE.step_by(NUMBER).chain([0xD800]);
        let text = text(&used.collect::<Vec<_>>());
        let utf8 = Utf8Text::of(&text);
        assert!(utf8.as_str().ends_with("\\ud800"));
    }
}
