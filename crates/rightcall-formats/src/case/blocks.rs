//! Expected calls written as blocks or with matchers: an expectation with several correct answers.

use std::sync::Arc;

use rightcall_core::call::Call;
use rightcall_core::expectation::{BLOCKS, ProcessTree, has_matcher_key};
use rightcall_core::value::{Kind, Reader};

use super::call::{CallReading, calls};
use super::fault::{Fault, Result};
use super::spelling::{CallField, near};

/// The result of reading a list of expected calls.
pub(super) enum StatedCalls<'a> {
    Calls(Vec<Call<'a>>),
    Tree(Arc<ProcessTree>),
}

/// Reads a list of expected calls. Canonical cases may contain blocks and matchers; in other shapes every value is literal.
pub(super) fn stated_calls<'a>(
    reader: &mut Reader<'a>,
    reading: CallReading,
) -> Result<StatedCalls<'a>> {
    let start = reader.clone();
    let found = calls(reader, reading);
    if reading.any_name {
        return found.map(StatedCalls::Calls);
    }
    match found {
        Ok(calls) if !has_matcher_key(reader.since(&start)) => Ok(StatedCalls::Calls(calls)),
        Ok(calls) => {
            let tree = tree(reader.since(&start))?;
            Ok(if tree.is_plain() {
                StatedCalls::Calls(calls)
            } else {
                StatedCalls::Tree(tree)
            })
        }
        Err(fault) if fault.is_syntax() => Err(fault),
        Err(fault) => {
            let mut again = start.clone();
            let raw = again.raw()?;
            if !has_blocks(&mut start.clone())? {
                return Err(fault);
            }
            *reader = again;
            tree(raw).map(StatedCalls::Tree)
        }
    }
}

#[cold]
fn tree(raw: &str) -> Result<Arc<ProcessTree>> {
    ProcessTree::read(raw).map(Arc::new).map_err(Fault::from)
}

/// True if an element of the list can only be a block: an object with a block's key, or a near miss, and no key of a call.
#[cold]
fn has_blocks(reader: &mut Reader<'_>) -> Result<bool> {
    if reader.peek()? != Kind::List {
        return Ok(false);
    }
    let mut first = reader.enter_list()?;
    while reader.next_item(&mut first)? {
        if reader.peek()? != Kind::Object {
            reader.raw()?;
            continue;
        }
        let (mut is_block, mut is_call) = (false, false);
        let mut first = reader.enter_object()?;
        while let Some(key) = reader.next_key(&mut first)? {
            let key = key.to_display();
            is_block |= BLOCKS.contains(&&*key) || near(&key, &BLOCKS).is_some();
            // A message is not a block, even if its other keys resemble one.
            is_call |= CallField::of(&key).is_some() || key == "role";
            reader.raw()?;
        }
        if is_block && !is_call {
            return Ok(true);
        }
    }
    Ok(false)
}
