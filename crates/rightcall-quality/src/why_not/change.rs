//! Changes of a run: edits of single calls, and the run that they result in.

use std::fmt;

use rightcall_core::call::{Arguments, Call};
use rightcall_core::value::{JsonText, Object, Text, Value, decode};

/// One edit of a run. Positions are in the run before all edits, from 0.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEdit {
    /// A call gets another name.
    Rename {
        /// The call.
        call: usize,
        /// Its name before.
        from: Text<'static>,
        /// Its name after.
        to: Text<'static>,
    },
    /// An argument is added or replaced.
    SetArgument {
        /// The call.
        call: usize,
        /// The argument.
        key: Text<'static>,
        /// Its value after, as JSON text.
        value: String,
        /// Its value before, as JSON text; `None` if there was none.
        before: Option<String>,
    },
    /// An argument is removed.
    RemoveArgument {
        /// The call.
        call: usize,
        /// The argument.
        key: Text<'static>,
        /// Its value before, as JSON text.
        before: String,
    },
    /// A call is removed.
    Remove {
        /// The call.
        call: usize,
        /// Its name.
        name: Text<'static>,
    },
    /// A call is moved.
    Move {
        /// The call.
        call: usize,
        /// The call that it is moved in front of; the number of calls for the end.
        before: usize,
        /// Its turn there, if calls have turns.
        turn: Option<u64>,
    },
    /// A call is added.
    Add {
        /// The call.
        call: AddedCall,
        /// The call that it is added in front of; the number of calls for the end.
        before: usize,
    },
}

/// A call that a change adds to a run.
#[derive(Clone, Debug, PartialEq)]
pub struct AddedCall {
    /// The tool.
    pub name: Text<'static>,
    /// The arguments, as JSON text; `None` in runs without arguments.
    pub arguments: Option<String>,
    /// The output, as JSON text, if the expectation states one.
    pub output: Option<String>,
    /// The tool's id, if the expectation states one.
    pub tool_id: Option<Text<'static>>,
    /// Its turn, if calls have turns.
    pub turn: Option<u64>,
}

impl AddedCall {
    /// Converts it to a call of a run.
    pub(super) fn to_call(&self) -> Call<'static> {
        let arguments = self.arguments.as_deref();
        let mut call = Call {
            name: self.name.clone(),
            arguments: arguments.map_or_else(Arguments::default, Arguments::owned_json),
            metadata: None,
        };
        if self.output.is_some() || self.tool_id.is_some() || self.turn.is_some() {
            let metadata = call.metadata_mut();
            metadata.output = self.output.clone().map(Into::into);
            metadata.tool_id.clone_from(&self.tool_id);
            metadata.turn = self.turn;
        }
        call
    }

    /// The arguments, if they are an object.
    pub(super) fn object(&self) -> Option<Object<'_>> {
        match decode(self.arguments.as_deref()?) {
            Ok(Value::Object(object)) => Some(object),
            _ => None,
        }
    }
}

/// Formats the call for people: `refund(id=7)`.
impl fmt::Display for AddedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name.to_display())?;
        let Some(object) = self.object() else {
            return Ok(());
        };
        let argument = |(key, value): &(Text<'_>, Value<'_>)| {
            let value = JsonText::from_value(value);
            format!("{}={}", key.to_display(), value.as_str())
        };
        let arguments: Vec<_> = object.iter().map(argument).collect();
        write!(f, "({})", arguments.join(", "))
    }
}

impl RunEdit {
    /// The kind of edit, for machines.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Rename { .. } => "rename",
            Self::SetArgument { before: None, .. } => "add_argument",
            Self::SetArgument { .. } => "replace_argument",
            Self::RemoveArgument { .. } => "remove_argument",
            Self::Remove { .. } => "remove",
            Self::Move { .. } => "move",
            Self::Add { .. } => "add",
        }
    }
}

/// Describes the edit, with calls and turns counted from 1.
impl fmt::Display for RunEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |before: usize| match before {
            0 => "before call 1".to_owned(),
            after => format!("after call {after}"),
        };
        match self {
            Self::Rename { call, from, to } => {
                let (from, to) = (from.to_display(), to.to_display());
                write!(f, "call {}: rename `{from}` to `{to}`", call + 1)
            }
            Self::SetArgument {
                call,
                key,
                value,
                before,
            } => {
                let (call, key) = (call + 1, key.to_display());
                match before {
                    Some(before) => write!(f, "call {call}: set `{key}` to {value} (was {before})"),
                    None => write!(f, "call {call}: add `{key}`: {value}"),
                }
            }
            Self::RemoveArgument { call, key, before } => {
                let key = key.to_display();
                write!(f, "call {}: remove `{key}` (was {before})", call + 1)
            }
            Self::Remove { call, name } => {
                write!(
                    f,
                    "call {}: remove the call of `{}`",
                    call + 1,
                    name.to_display()
                )
            }
            Self::Move { call, before, turn } => {
                write!(f, "call {}: move {}", call + 1, place(*before))?;
                turn.map_or(Ok(()), |turn| write!(f, ", in turn {}", turn + 1))
            }
            Self::Add { call, before } => {
                let place = match before {
                    // The run may have no call 1.
                    0 => "at the start".to_owned(),
                    before => place(*before),
                };
                write!(f, "add `{call}` {place}")?;
                call.turn
                    .map_or(Ok(()), |turn| write!(f, ", in turn {}", turn + 1))
            }
        }
    }
}

/// Describes the edits. A call that is added after another one at the same place refers to it,
/// because their order matters.
pub fn edits_told(edits: &[RunEdit]) -> Vec<String> {
    let told = |(at, edit): (usize, &RunEdit)| {
        let RunEdit::Add { call, before } = edit else {
            return edit.to_string();
        };
        let last = edits[..at].iter().rev().find_map(|it| match it {
            RunEdit::Add { call, before: at } if at == before => Some(call.name.to_display()),
            _ => None,
        });
        let Some(last) = last else {
            return edit.to_string();
        };
        let turn = call.turn.map(|turn| format!(", in turn {}", turn + 1));
        format!(
            "add `{call}` after the added `{last}`{}",
            turn.unwrap_or_default()
        )
    };
    edits.iter().enumerate().map(told).collect()
}

/// The run after these edits. Calls that are moved or added to the same place keep the order of the
/// edits.
pub(super) fn changed<'j>(run: &[Call<'j>], edits: &[RunEdit]) -> Vec<Call<'j>> {
    let mut calls: Vec<Option<Call<'j>>> = run.iter().cloned().map(Some).collect();
    for edit in edits {
        match edit {
            RunEdit::Rename { call, .. }
            | RunEdit::SetArgument { call, .. }
            | RunEdit::RemoveArgument { call, .. } => {
                if let Some(call) = &mut calls[*call] {
                    edit_call(call, edit);
                }
            }
            RunEdit::Remove { call, .. } => calls[*call] = None,
            RunEdit::Move { .. } | RunEdit::Add { .. } => {}
        }
    }
    let mut placed: Vec<Vec<Call<'j>>> = vec![Vec::new(); run.len() + 1];
    for edit in edits {
        match edit {
            RunEdit::Move { call, before, turn } => {
                let moved = calls[*call].take().map(|call| in_turn(call, *turn));
                placed[*before].extend(moved);
            }
            RunEdit::Add { call, before } => placed[*before].push(call.to_call()),
            _ => {}
        }
    }
    let calls = calls.into_iter().chain([None]);
    let after = placed.into_iter().zip(calls);
    after
        .flat_map(|(placed, call)| placed.into_iter().chain(call))
        .collect()
}

/// The call in this turn, or unchanged if `None`.
pub(super) fn in_turn(mut call: Call<'_>, turn: Option<u64>) -> Call<'_> {
    if turn.is_some() {
        call.metadata_mut().turn = turn;
    }
    call
}

/// Renames a call, or changes one of its arguments.
pub(super) fn edit_call(call: &mut Call<'_>, edit: &RunEdit) {
    if let RunEdit::Rename { to, .. } = edit {
        call.name = to.clone();
        return;
    }
    let mut members: Vec<(Text<'static>, Value<'static>)> = match call.arguments.to_value() {
        Some(Value::Object(object)) => object.into_owned().iter().cloned().collect(),
        _ => Vec::new(),
    };
    match edit {
        RunEdit::SetArgument { key, value, .. } => {
            let value = decode(value).map_or(Value::Null, Value::into_owned);
            match members.iter_mut().find(|(known, _)| known == key) {
                Some((_, known)) => *known = value,
                None => members.push((key.clone(), value)),
            }
        }
        RunEdit::RemoveArgument { key, .. } => members.retain(|(known, _)| known != key),
        _ => return,
    }
    let object = Value::Object(Object::new(members));
    call.arguments = Arguments::owned_json(JsonText::from_value(&object).into_string());
}
