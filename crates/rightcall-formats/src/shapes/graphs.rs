//! Graph trajectories of agentevals: `steps` lists the nodes visited by each run of a graph.
//!
//! Each node is a call without arguments in a separate turn, because nodes are ordered. A run begins with `__start__`, or after
//! `__interrupt__`.

use rightcall_core::call::{Arguments, Call};
use rightcall_core::value::{Kind, Reader, Syntax};

use super::calls::members;
use crate::case::{Fault, Result, Within, items};

/// True for an object with lists of nodes under `steps`, one per run.
pub(super) fn is_graph(raw: &str) -> bool {
    let (mut has_steps, mut is_result) = (false, false);
    let (mut is_empty, mut has_others) = (true, false);
    let reader = &mut Reader::new(raw, Syntax::PYTHON);
    let read = members(reader, |key, reader| {
        if key == b"steps" && reader.peek()? == Kind::List {
            has_steps = true;
            return items(reader, |reader| {
                is_empty = false;
                has_steps &= reader.peek()? == Kind::List;
                Ok(reader.raw().map(drop)?)
            });
        }
        // A result of the AI SDK has steps too.
        is_result |= key == b"finishReason" || key == b"toolCalls";
        has_others |= !matches!(key, b"results" | b"inputs" | b"steps");
        Ok(reader.raw().map(drop)?)
    });
    // Without a step only the keys show what it is.
    has_steps && !is_result && !(is_empty && has_others) && read.is_ok()
}

/// The nodes of all runs, as calls.
pub(super) fn calls(raw: &str) -> Result<Vec<Call<'_>>> {
    let mut calls = Vec::new();
    members(&mut Reader::new(raw, Syntax::PYTHON), |key, reader| {
        if key == b"steps" && reader.peek()? == Kind::List {
            steps(reader, &mut calls).within("steps")
        } else {
            Ok(reader.raw().map(drop)?)
        }
    })?;
    Ok(calls)
}

fn steps<'a>(reader: &mut Reader<'a>, calls: &mut Vec<Call<'a>>) -> Result<()> {
    items(reader, |reader| {
        if reader.peek()? != Kind::List {
            return Err(Fault::unexpected("a list of the nodes of a run", reader));
        }
        items(reader, |reader| {
            if reader.peek()? != Kind::String {
                return Err(Fault::unexpected("the name of a node", reader));
            }
            let mut call = Call {
                name: reader.string()?,
                arguments: Arguments::json("{}"),
                ..Call::default()
            };
            call.metadata_mut().turn = Some(calls.len() as u64);
            calls.push(call);
            Ok(())
        })
    })
}
