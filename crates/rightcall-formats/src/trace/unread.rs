//! What looks like a call and was not read as one: a run must not pass for one without calls because it is written in a way that
//! no reader knows.
//!
//! A reader says which part of a value it reads; where the part told of fewer calls than there seem to be in it, those whose
//! names no call of the run has are kept in mind. A run of which no call was read, although something in it looks like one, is
//! an error; in any other run such things are counted. Nothing is parsed again: the tree of the part is there already.
//! What looks like a call is told in [`looks`].

mod looks;

use std::collections::BTreeMap;

pub(crate) use looks::{each_suspect, number_of_suspects};
use rightcall::value::Text;
use serde::{Deserialize, Serialize};

use super::{LeftOut, Report, Trace, UnreadCalls};
use crate::CaseError;
use crate::node::Node;

/// Something that looks like a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Suspect {
    /// By what it looks like one, such as `type: tool_use_block`.
    pub(crate) looks: String,
    /// The name of the tool, where it is told.
    #[serde(with = "super::stored::optional_text")]
    pub(crate) name: Option<Text<'static>>,
    /// Where it stands.
    pub(crate) place: String,
    pub(crate) doubt: Doubt,
}

/// Whether what looks like a call may be one that has been read from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Doubt {
    /// It is none of them.
    None,
    /// It is one of them if one has its name.
    SameName,
    /// It is a piece of one, if any was read.
    Piece,
}

impl Suspect {
    /// Something that looks like a call, as a whole.
    pub(crate) fn new(looks: impl Into<String>, doubt: Doubt) -> Self {
        Self {
            looks: looks.into(),
            name: None,
            place: String::new(),
            doubt,
        }
    }

    /// The same within something else.
    pub(crate) fn within(mut self, place: &str) -> Self {
        self.place = if self.place.is_empty() {
            place.to_owned()
        } else {
            format!("at {} {place}", self.place)
        };
        self
    }
}

/// What looks like a call in a run that is being read.
#[derive(Debug, Default)]
pub(crate) struct Suspects(BTreeMap<(String, Option<Text<'static>>), (Suspect, u64)>);

/// More kinds of suspects are not told apart.
const MAX_KINDS: usize = 200;

impl Suspects {
    pub(crate) fn add(&mut self, suspect: Suspect) {
        let key = (suspect.looks.clone(), suspect.name.clone());
        if self.0.len() < MAX_KINDS || self.0.contains_key(&key) {
            let doubt = suspect.doubt;
            let (known, count) = self.0.entry(key).or_insert((suspect, 0));
            known.doubt = known.doubt.min(doubt);
            *count += 1;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Tells the report of those that no call of the run can stand for.
    pub(crate) fn tell(
        self,
        report: &mut Report,
        has_calls: bool,
        is_read: impl Fn(&Text<'static>) -> bool,
    ) {
        for (suspect, count) in self.0.into_values() {
            let may_be_read = match suspect.doubt {
                Doubt::None => false,
                Doubt::SameName => suspect.name.as_ref().is_some_and(&is_read),
                Doubt::Piece => has_calls,
            };
            if !may_be_read {
                report.unread(suspect.looks, count, &suspect.place);
            }
        }
    }
}

/// Looks for calls under the keys of a run that its reader does not know.
pub(crate) fn look_over(run: &Node<'_>, known: &[&str], trace: &mut Trace) {
    let mut suspects = Suspects::default();
    for suspect in in_members(run, known) {
        suspects.add(suspect);
    }
    let Trace { calls, report, .. } = trace;
    suspects.tell(report, !calls.is_empty(), |name| {
        calls.iter().any(|call| call.name == *name)
    });
}

/// What looks like a call under other keys than these, in words too.
pub(crate) fn in_members(node: &Node<'_>, known: &[&str]) -> Vec<Suspect> {
    let mut found = Vec::new();
    for (key, value) in node.entries() {
        if looks::is_passed_over(key) || known.iter().any(|known| *key == **known) {
            continue;
        }
        let place = format!("under `{}`", key.to_display());
        each_suspect(value, &mut |it| found.push(it.within(&place)));
    }
    found
}

/// The trace, unless it holds a call without a name, or no call although something in it looks like one.
pub(crate) fn checked(trace: Trace, choice: UnreadCalls) -> Result<Trace, CaseError> {
    if let Some(place) = trace
        .calls
        .iter()
        .position(|call| call.name.to_display().trim().is_empty())
    {
        return Err(nameless(&trace, place));
    }
    let left_out = || {
        trace
            .report
            .dropped()
            .any(|(reason, _)| reason != LeftOut::RepeatedAttribute)
    };
    let is_empty = trace.calls.is_empty() && !left_out();
    let error = trace
        .report
        .unread_kinds()
        .next()
        .map(|first| unread(&trace, first));
    match error {
        Some(error) if is_empty && choice == UnreadCalls::Error => Err(error),
        _ => Ok(trace),
    }
}

#[cold]
fn nameless(trace: &Trace, place: usize) -> CaseError {
    let call = &trace.calls[place];
    let about = match (&call.id, call.turn) {
        (Some(id), _) => format!(", with the id `{id}`,"),
        (None, Some(turn)) => format!(", of turn {},", turn + 1),
        (None, None) => String::new(),
    };
    CaseError {
        pointer: String::new(),
        expected: "the name of a tool in each call".into(),
        found: format!("none in call {} of {}{about} of this trajectory", place + 1, trace.calls.len()),
        help: Some(
            "the name is empty, or stands under a key that is not read; --input-format names another format if this is not the one"
                .into(),
        ),
    }
}

#[cold]
fn unread(trace: &Trace, (looks, count, place): (&str, u64, &str)) -> CaseError {
    let kinds = trace.report.unread_kinds().count();
    let all: u64 = trace.report.unread_kinds().map(|(_, count, _)| count).sum();
    let more = if kinds > 1 {
        format!(", one of {all} such things")
    } else if count > 1 {
        format!(", {count} times")
    } else {
        String::new()
    };
    CaseError {
        pointer: String::new(),
        expected: "calls in a form that is read".into(),
        found: format!("no call, but {looks} {place}{more}"),
        help: Some(
            "this looks like a call and is not read as one, so the run cannot be scored; `rightcall formats` says what is read, \
--input-format names the format, and `--read unread=note` takes it for a run without calls"
                .into(),
        ),
    }
}
