//! Lists and objects of a JSON text, read without a tree.

use rightcall::value::{Kind, MAX_DEPTH, Reader, SyntaxError};

use crate::node::Node;

pub(super) type Reads<T> = Result<T, SyntaxError>;

pub(super) type ReadOne<'r, 'a> = &'r mut dyn FnMut(&mut Reader<'a>) -> Reads<()>;

/// The items of a list; any other value is skipped.
pub(super) fn items<'a>(reader: &mut Reader<'a>, each: ReadOne<'_, 'a>) -> Reads<()> {
    if reader.peek()? != Kind::List {
        return reader.raw().map(drop);
    }
    let mut first = reader.enter_list()?;
    while reader.next_item(&mut first)? {
        each(reader)?;
    }
    Ok(())
}

/// The members of an object; any other value is skipped.
pub(super) fn members<'a>(
    reader: &mut Reader<'a>,
    each: &mut dyn FnMut(&mut Reader<'a>, &str) -> Reads<()>,
) -> Reads<()> {
    if reader.peek()? != Kind::Object {
        return reader.raw().map(drop);
    }
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        each(reader, key.as_str().unwrap_or_default())?;
    }
    Ok(())
}

/// The items of the lists under these keys.
pub(super) fn inner_items<'a>(
    reader: &mut Reader<'a>,
    keys: &[&str],
    each: ReadOne<'_, 'a>,
) -> Reads<()> {
    members(reader, &mut |reader, key| {
        if keys.contains(&key) {
            items(reader, each)
        } else {
            reader.raw().map(drop)
        }
    })
}

/// The items of the lists under these keys in each item of a list.
pub(super) fn inner<'a>(
    reader: &mut Reader<'a>,
    keys: &[&str],
    each: ReadOne<'_, 'a>,
) -> Reads<()> {
    items(reader, &mut |reader| inner_items(reader, keys, each))
}

/// A value as a tree: for what is small or rare.
pub(super) fn node<'a>(reader: &mut Reader<'a>) -> Reads<Node<'a>> {
    Node::parse(reader.raw()?, MAX_DEPTH)
}
