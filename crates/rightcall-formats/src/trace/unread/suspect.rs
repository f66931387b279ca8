//! A call-like value, and all those of a run.

use std::collections::BTreeMap;

use rightcall_core::value::{Text, ValueEquality};
use serde::{Deserialize, Serialize};

use crate::trace::report::Report;
use crate::trace::{TraceArguments, TraceCall};

/// A call-like value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Suspect {
    /// The sign, such as `type: tool_use_block`.
    pub(crate) looks: String,
    /// The name of the tool, if given.
    pub(crate) name: Option<Text<'static>>,
    /// The id of the call, if given.
    pub(crate) id: Option<Text<'static>>,
    /// Its arguments as JSON text, if they are a separate member.
    pub(crate) arguments: Option<String>,
    /// Its place.
    pub(crate) place: String,
    pub(crate) doubt: Doubt,
}

/// The chance that a call-like value is a call read elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Doubt {
    /// It isn't.
    None,
    /// It is, if a call with its id was read, or with its name if either has no id.
    SameName,
    /// It is a result: of a call with its id, or of any call if it has no id.
    Result,
    /// It is a piece of a call, if any call was read.
    Piece,
    /// It is the number of calls, if as many were read.
    Number(u64),
}

impl Doubt {
    /// True for a value that may be a call, and not only a sign of one.
    pub(crate) fn is_of_call(self) -> bool {
        matches!(self, Self::None | Self::SameName)
    }
}

/// Calls that were read.
pub(crate) trait ReadCalls {
    /// True if a call has this id.
    fn have_id(&self, id: &Text<'static>) -> bool;

    /// True if a call has this name; with `without_id`, only calls without an id count.
    fn have_name(&self, name: &Text<'static>, without_id: bool) -> bool;
}

impl ReadCalls for [TraceCall] {
    fn have_id(&self, id: &Text<'static>) -> bool {
        self.iter().any(|call| call.id.as_ref() == Some(id))
    }

    fn have_name(&self, name: &Text<'static>, without_id: bool) -> bool {
        let counts = |call: &TraceCall| !without_id || call.id.is_none();
        self.iter().any(|call| call.name == *name && counts(call))
    }
}

impl Suspect {
    /// A call-like value that is a complete part.
    pub(crate) fn new(looks: impl Into<String>, doubt: Doubt) -> Self {
        Self {
            looks: looks.into(),
            name: None,
            id: None,
            arguments: None,
            place: String::new(),
            doubt,
        }
    }

    /// True if it may repeat one of these calls: a call with its id, or with its name if either has no id.
    pub(crate) fn may_repeat(&self, calls: &(impl ReadCalls + ?Sized)) -> bool {
        match (&self.id, &self.name) {
            (Some(id), _) if calls.have_id(id) => true,
            (id, Some(name)) => calls.have_name(name, id.is_some()),
            (_, None) => false,
        }
    }

    /// True for a call in a text of the model that is not parsed.
    pub(crate) fn is_unparsed_text(&self) -> bool {
        self.name.is_none() && self.looks.starts_with(IN_TEXT)
    }

    /// Its name, if calls of that name were read, and none of them has its arguments.
    pub(crate) fn other_call<'c>(
        &self,
        calls: impl Iterator<Item = &'c TraceCall>,
    ) -> Option<&Text<'static>> {
        let name = self.name.as_ref()?;
        let arguments = TraceArguments::Json(self.arguments.clone()?).value()?;
        let has_others = |call: &TraceCall| {
            let known = call.arguments.value();
            known.is_some_and(|known| !ValueEquality::Json.equal(&known, &arguments))
        };
        let mut named = calls.filter(|call| call.name == *name).peekable();
        let is_other = named.peek().is_some() && named.all(has_others);
        is_other.then_some(name)
    }

    /// Adds the place of the enclosing value.
    pub(crate) fn within(mut self, place: &str) -> Self {
        self.place = match self.place.as_str() {
            "" => place.to_owned(),
            pointer if pointer.starts_with('/') => format!("at {pointer} {place}"),
            inner => format!("{inner} {place}"),
        };
        self
    }
}

const IN_TEXT: &str = "a call in the text of the model";

/// The sign of a call that a model wrote as text.
pub(crate) fn in_text_of_model(notation: &str) -> String {
    format!("{IN_TEXT} ({notation})")
}

/// The call-like values of a run, by kind and by id, each with its number.
#[derive(Debug, Default)]
pub(crate) struct Suspects(BTreeMap<Kind, BTreeMap<Option<Text<'static>>, (Suspect, u64)>>);

/// The sign and the name of call-like values.
type Kind = (String, Option<Text<'static>>);

/// The maximum number of different kinds.
const MAX_KINDS: usize = 200;

impl Suspects {
    pub(crate) fn add(&mut self, suspect: Suspect) {
        let key = (suspect.looks.clone(), suspect.name.clone());
        if self.0.len() < MAX_KINDS || self.0.contains_key(&key) {
            let doubt = suspect.doubt;
            let of_kind = self.0.entry(key).or_default();
            let id = suspect.id.clone();
            let (known, count) = of_kind.entry(id).or_insert((suspect, 0));
            known.doubt = known.doubt.min(doubt);
            *count += 1;
        }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Suspect> {
        let kinds = self.0.values();
        kinds.flat_map(BTreeMap::values).map(|(suspect, _)| suspect)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reports those that cannot be calls already read.
    pub(crate) fn tell(
        self,
        report: &mut Report,
        calls: usize,
        is_read: impl Fn(&Suspect) -> bool,
    ) {
        for (suspect, count) in self.0.into_values().flat_map(BTreeMap::into_values) {
            let may_be_read = match suspect.doubt {
                Doubt::None => false,
                Doubt::SameName => is_read(&suspect),
                Doubt::Result => is_read(&suspect) || suspect.id.is_none() && calls > 0,
                Doubt::Piece => calls > 0,
                Doubt::Number(number) => calls as u64 >= number,
            };
            // A reader may have reported the same sign.
            if !may_be_read && !report.has_left_over(&suspect.looks) {
                report.unread(suspect.looks, count, &suspect.place);
            }
        }
    }
}
