//! Small values of a record. `null` always means "not recorded".

use rightcall_core::value::{Kind, Reader, Syntax, Text};

use super::fault::{Fault, Result, Within};

/// A text.
pub(crate) fn text<'a>(reader: &mut Reader<'a>) -> Result<Option<Text<'a>>> {
    match reader.peek()? {
        Kind::String => Ok(Some(reader.string()?)),
        Kind::Null => Ok(reader.null().map(|()| None)?),
        _ => Err(Fault::unexpected("a text", reader)),
    }
}

/// A text, or a number used as a label.
pub(crate) fn label<'a>(reader: &mut Reader<'a>) -> Result<Option<Text<'a>>> {
    match reader.peek()? {
        Kind::String => Ok(Some(reader.string()?)),
        Kind::Number => Ok(Some(Text::new(reader.raw()?))),
        Kind::Null => Ok(reader.null().map(|()| None)?),
        _ => Err(Fault::unexpected("a text or a number", reader)),
    }
}

/// A whole number of 0 or more.
pub(crate) fn whole(reader: &mut Reader<'_>) -> Result<Option<u64>> {
    match reader.peek()? {
        Kind::Number => {
            let raw = reader.raw()?;
            let found = || Fault::new("a whole number of 0 or more", format!("the number {raw}"));
            raw.parse().map(Some).map_err(|_| found())
        }
        Kind::Null => Ok(reader.null().map(|()| None)?),
        _ => Err(Fault::unexpected("a whole number of 0 or more", reader)),
    }
}

/// Any value, as JSON text.
pub(crate) fn recorded<'a>(reader: &mut Reader<'a>) -> Result<Option<&'a str>> {
    Ok(Some(reader.raw()?).filter(|&raw| raw != "null"))
}

/// Decodes a JSON string that was already validated.
pub(crate) fn string_of(json: &str) -> Result<Text<'_>> {
    match json.get(1..json.len() - 1) {
        Some(plain) if !plain.contains('\\') => Ok(Text::new(plain)),
        _ => Ok(Reader::new(json, Syntax::PYTHON).string()?),
    }
}

/// Reads the items of a list; errors point to the item.
pub(crate) fn items<'a>(
    reader: &mut Reader<'a>,
    mut item: impl FnMut(&mut Reader<'a>) -> Result<()>,
) -> Result<()> {
    let (mut first, mut index) = (reader.enter_list()?, 0);
    while reader.next_item(&mut first)? {
        item(reader).within_item(index)?;
        index += 1;
    }
    Ok(())
}
