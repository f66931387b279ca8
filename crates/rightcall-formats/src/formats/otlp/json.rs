//! Reads lists of a JSON text without building a tree.

use rightcall_core::value::{Kind, MAX_DEPTH, Reader, SyntaxError};

use crate::node::Node;

pub(super) type Reads<T> = Result<T, SyntaxError>;

pub(super) type ReadOne<'r, 'a> = &'r mut dyn FnMut(&mut Reader<'a>) -> Reads<()>;

/// The items of a list, including nested lists; any other value is a single item.
pub(super) fn items<'a>(reader: &mut Reader<'a>, each: ReadOne<'_, 'a>) -> Reads<()> {
    if reader.peek()? != Kind::List {
        return each(reader);
    }
    let mut first = reader.enter_list()?;
    while reader.next_item(&mut first)? {
        items(reader, each)?;
    }
    Ok(())
}

/// Parses a value to a tree, for small or rare values.
pub(super) fn node<'a>(reader: &mut Reader<'a>) -> Reads<Node<'a>> {
    Node::parse(reader.raw()?, MAX_DEPTH)
}
