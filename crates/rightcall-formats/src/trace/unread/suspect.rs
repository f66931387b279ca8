//! Something that looks like a call, and those of a run.

use std::collections::BTreeMap;

use rightcall::value::Text;
use serde::{Deserialize, Serialize};

use crate::trace::report::Report;

/// Something that looks like a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Suspect {
    /// What makes it look like one, such as `type: tool_use_block`.
    pub(crate) looks: String,
    /// The name of the tool, where it is told.
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
