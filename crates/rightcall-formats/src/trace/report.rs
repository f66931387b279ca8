//! Reports values that a reader left out or could not place: they are counted, never dropped silently.

use std::collections::BTreeMap;
use std::fmt;

use rightcall_core::value::Text;

/// Why something in a trace doesn't count as a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LeftOut {
    /// A span with a repeated id: a retried export.
    ExportedAgain,
    /// A span inside another one of the same call, from two instrumentations; or a record that came before, id and all.
    RecordedTwice,
    /// A call repeated in the history of a later message.
    RepeatedInHistory,
    /// A span for several calls that also have their own spans.
    MergedSpan,
    /// A span that names a tool but isn't marked as a tool span, in a trace with marked ones.
    Unmarked,
    /// A call by the framework itself, not by the agent.
    Internal,
    /// A call by a sub-agent, left out on request.
    SubAgent,
    /// A call executed by the provider, left out on request.
    ProviderExecuted,
    /// A call that was requested but not run, or run but not requested; left out on request.
    OtherEvidence,
    /// A call by another actor than the agent.
    OtherActor,
    /// A call with incomplete arguments, or one that was repeated with the missing input.
    Unfinished,
    /// A call in a demonstration shown to the agent.
    Demonstration,
    /// A repeated key in a list of attributes; the last counts.
    RepeatedAttribute,
    /// A record that the format's map skips.
    Skipped,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ExportedAgain => "exported again",
            Self::RecordedTwice => "recorded twice",
            Self::RepeatedInHistory => "repeated in a history",
            Self::MergedSpan => "merged from others",
            Self::Unmarked => "not marked as a tool's, where others are",
            Self::Internal => "internal to the framework",
            Self::SubAgent => "of sub-agents",
            Self::ProviderExecuted => "run by the provider",
            Self::OtherEvidence => "not in the chosen evidence",
            Self::OtherActor => "of other actors",
            Self::Unfinished => "unfinished",
            Self::Demonstration => "of demonstrations",
            Self::RepeatedAttribute => "attributes given twice",
            Self::Skipped => "skipped by the map",
        })
    }
}

/// The omissions and errors of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    dropped: BTreeMap<LeftOut, u64>,
    kept: BTreeMap<String, u64>,
    /// Results without a call.
    pub orphans: u64,
    /// Calls of no known agent, node or turn, in a run that is divided by it.
    pub unplaced: u64,
    /// Remarks of a reader.
    pub notes: Vec<String>,
    /// Those of them about the map of a user.
    pub notes_of_map: Vec<String>,
    /// Call-like values that were not read, by kind: their number, and the place of the first.
    unread: BTreeMap<String, (u64, String)>,
    /// Agent output that was not read, by kind: the number, and the place of the first.
    left_over: BTreeMap<String, (u64, String)>,
    /// Ignored YAML tags, each with the number of values.
    ignored_tags: BTreeMap<String, u64>,
}

fn results_without_a_call(count: u64) -> String {
    match count {
        1 => "1 result without a call".to_owned(),
        _ => format!("{count} results without a call"),
    }
}

fn times(count: u64, what: &str) -> String {
    match count {
        1 => what.to_owned(),
        _ => format!("{what}, {count} times"),
    }
}

impl Report {
    pub(crate) fn drop(&mut self, reason: LeftOut) {
        *self.dropped.entry(reason).or_default() += 1;
    }

    pub(crate) fn note_of_map(&mut self, note: String) {
        if !self.notes_of_map.contains(&note) {
            self.notes_of_map.push(note.clone());
        }
        self.note(note);
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    pub(crate) fn unread(&mut self, looks: String, count: u64, place: &str) {
        self.unread
            .entry(looks)
            .or_insert_with(|| (0, place.to_owned()))
            .0 += count;
    }

    /// Counts agent output that was not read, so calls may be missing.
    pub(crate) fn left_over(&mut self, kind: String, place: &str) {
        self.left_over
            .entry(kind)
            .or_insert_with(|| (0, place.to_owned()))
            .0 += 1;
    }

    /// True if agent output of this kind was not read.
    pub(crate) fn has_left_over(&self, kind: &str) -> bool {
        self.left_over.contains_key(kind)
    }

    /// Agent output that was not read, by kind: the number, and the place of the first.
    pub fn left_over_kinds(&self) -> impl Iterator<Item = (&str, u64, &str)> {
        self.left_over
            .iter()
            .map(|(kind, (count, place))| (kind.as_str(), *count, place.as_str()))
    }

    /// Adds the line of the run to the places.
    pub(crate) fn at_line(&mut self, line: u64) {
        self.unread
            .values_mut()
            .for_each(|(_, place)| *place = format!("{place}, which begins on line {line}"));
    }

    /// Call-like values that were not read: kind, number, and the place of the first.
    pub fn unread_kinds(&self) -> impl Iterator<Item = (&str, u64, &str)> {
        self.unread
            .iter()
            .map(|(looks, (count, place))| (looks.as_str(), *count, place.as_str()))
    }

    /// The number of call-like values that were not read.
    pub fn unread_count(&self) -> u64 {
        self.unread.values().map(|(count, _)| count).sum()
    }

    /// Counts values with an ignored YAML tag.
    pub(crate) fn ignore_tag(&mut self, tag: &str, count: u64) {
        *self.ignored_tags.entry(tag.to_owned()).or_default() += count;
    }

    /// A sentence on the ignored YAML tags; `None` if there were none.
    pub fn ignored_tags(&self) -> Option<String> {
        /// The maximum number of tags named.
        const NAMED: usize = 3;
        let total: u64 = self.ignored_tags.values().sum();
        let values = if total == 1 { "value" } else { "values" };
        let mut tags = self.ignored_tags.iter();
        let (first, _) = tags.next()?;
        if self.ignored_tags.len() == 1 {
            return Some(format!(
                "{total} {values} with the YAML tag `{first}` read without it"
            ));
        }
        let named = self.ignored_tags.iter().take(NAMED);
        let named: Vec<_> = named
            .map(|(tag, count)| format!("`{tag}` {count}"))
            .collect();
        let others = self.ignored_tags.len() - named.len();
        let others = if others > 0 {
            format!(", {others} more")
        } else {
            String::new()
        };
        Some(format!(
            "{total} {values} with YAML tags read without them: {}{others}",
            named.join(", ")
        ))
    }

    /// Warnings about everything that was not read.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let unread = self.unread_kinds().map(|(looks, count, place)| {
            let what = if count == 1 {
                "1 thing looks like a call and was".to_owned()
            } else {
                format!("{count} things look like calls and were")
            };
            format!("{what} not read: {looks}, first {place}")
        });
        let orphans = (self.orphans > 0).then(|| results_without_a_call(self.orphans));
        let left_over = self
            .left_over_kinds()
            .map(|(kind, count, place)| match count {
                1 => format!("not read: {kind}, {place}"),
                _ => format!("not read: {kind}, {count} times, first {place}"),
            });
        unread.chain(orphans).chain(left_over)
    }

    /// A short reason why calls may be missing; `None` if there are no leftovers.
    pub fn gaps(&self) -> Option<String> {
        let unread = self
            .unread_kinds()
            .map(|(looks, count, _)| times(count, &format!("{looks}, which looks like a call")));
        let orphans = (self.orphans > 0).then(|| results_without_a_call(self.orphans));
        let left_over = self
            .left_over_kinds()
            .map(|(kind, count, _)| times(count, kind));
        let gaps: Vec<_> = orphans.into_iter().chain(left_over).chain(unread).collect();
        (!gaps.is_empty()).then(|| gaps.join("; "))
    }

    /// Counts a kept call by another actor than the agent.
    pub(crate) fn keep(&mut self, actor: &Text<'_>) {
        *self
            .kept
            .entry(actor.to_display().into_owned())
            .or_default() += 1;
    }

    /// Kept calls by other actors than the agent, per actor.
    pub fn kept(&self) -> impl Iterator<Item = (&str, u64)> + '_ {
        self.kept.iter().map(|(actor, count)| (&**actor, *count))
    }

    /// The number of values left out, by reason.
    pub fn dropped(&self) -> impl Iterator<Item = (LeftOut, u64)> + '_ {
        self.dropped.iter().map(|(reason, count)| (*reason, *count))
    }

    /// The total number of values left out.
    pub fn dropped_count(&self) -> u64 {
        self.dropped.values().sum()
    }

    /// Adds the counts of another report.
    pub fn add(&mut self, other: &Self) {
        for (reason, count) in other.dropped() {
            *self.dropped.entry(reason).or_default() += count;
        }
        for (actor, count) in &other.kept {
            *self.kept.entry(actor.clone()).or_default() += count;
        }
        self.orphans += other.orphans;
        self.unplaced += other.unplaced;
        let of_map = other.notes_of_map.iter();
        of_map.for_each(|note| self.note_of_map(note.clone()));
        other.notes.iter().for_each(|note| self.note(note.clone()));
        for (tag, count) in &other.ignored_tags {
            self.ignore_tag(tag, *count);
        }
        self.add_unread(other);
    }

    /// Adds what another report says was not read.
    pub(crate) fn add_unread(&mut self, other: &Self) {
        other
            .unread_kinds()
            .for_each(|(looks, count, place)| self.unread(looks.to_owned(), count, place));
        for (kind, count, place) in other.left_over_kinds() {
            self.left_over
                .entry(kind.to_owned())
                .or_insert_with(|| (0, place.to_owned()))
                .0 += count;
        }
    }
}
