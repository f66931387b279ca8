//! What a run shows beside its scores: why cases fell short, names that are nearly right, editions that differ.
//!
//! All of it is counted in memory that does not grow with the run, and only where somebody will read it: a case that falls short
//! is explained, and each case is judged once more by the other edition of its evaluators.

use std::collections::BTreeMap;

use rightcall::call::Case;
use rightcall::value::JsonWriter;
use rightcall::{Ask, Evaluation, Evaluator, Outcome};

use crate::cause::{Cause, causes};
use crate::scored::{ScoredBlock, ScoredCase};
use crate::{Configured, is_same_outcome};

/// Different causes and names that are counted; more than these are no longer told apart.
const KEPT: usize = 4096;

/// Names are near from this likeness on.
const NEAR: f64 = 0.8;

/// How to look for findings.
#[derive(Debug)]
pub struct Investigation {
    /// The other edition of each evaluator.
    others: Vec<Option<Evaluator>>,
    /// How many cases are kept on which editions differ.
    listed: usize,
}

impl Investigation {
    /// Looks for findings beside these evaluators; at most `listed` cases are kept on which the editions of one differ.
    pub fn new(evaluators: &[Configured], listed: usize) -> Self {
        Self {
            others: evaluators
                .iter()
                .map(Configured::in_other_edition)
                .collect(),
            listed,
        }
    }

    /// What one evaluator's evaluation of a case shows, added to what others have shown.
    pub(crate) fn look(
        &self,
        shown: &mut CaseFindings,
        index: usize,
        configured: &Configured,
        case: &Case<'_>,
        found: &Evaluation,
    ) {
        if falls_short(found) {
            shown.fell_short = true;
            let ask = Ask {
                explanation: true,
                ..Ask::OUTCOME
            };
            let explanation = configured.evaluator.evaluate(case, ask).explanation;
            for cause in explanation
                .iter()
                .flat_map(|explanation| causes(case, explanation))
            {
                if !shown.causes.contains(&cause) {
                    shown.causes.push(cause);
                }
            }
        }
        if let Some(Some(other)) = self.others.get(index) {
            let outcome = other.evaluate(case, Ask::OUTCOME).outcome;
            if !is_same_outcome(&outcome, &found.outcome) {
                shown
                    .differing
                    .push((index, found.outcome.clone(), outcome));
            }
        }
    }
}

/// By the verdict where there is one, else by a score below 1.
fn falls_short(evaluation: &Evaluation) -> bool {
    evaluation
        .score()
        .is_some_and(|score| evaluation.passed.map_or(score < 1.0, |passed| !passed))
}

/// What one case shows.
#[derive(Debug, Default)]
pub(crate) struct CaseFindings {
    fell_short: bool,
    causes: Vec<Cause>,
    /// Evaluators whose editions differ, with the outcome of either.
    differing: Vec<(usize, Outcome, Outcome)>,
    expected: Vec<String>,
    called: Vec<String>,
}

impl CaseFindings {
    /// What a case shows before it is judged.
    pub(crate) fn of(case: &Case<'_>) -> Self {
        let stated = &case.expected;
        let calls = stated.calls.iter().flatten().map(|call| &call.name);
        let outputs = stated.outputs.iter().flatten().map(|output| &output.name);
        let counts = stated
            .counts
            .iter()
            .flatten()
            .filter(|count| !count.count.is_zero())
            .map(|count| &count.name);
        let expected = calls
            .chain(stated.order.iter().flatten())
            .chain(outputs)
            .chain(counts);
        let called = case
            .actual
            .iter()
            .flat_map(|run| &run.calls)
            .map(|call| &call.name);
        let texts = |names: &mut dyn Iterator<Item = &rightcall::value::Text<'_>>| {
            names.map(ToString::to_string).collect()
        };
        Self {
            expected: texts(&mut { expected }),
            called: texts(&mut { called }),
            ..Self::default()
        }
    }
}

/// What a run shows beside its scores.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Cases that fell short for any evaluator: by its verdict where it has one, else by a score below 1.
    pub fell_short: u64,
    /// Why, most frequent first, then in order of first appearance; a case may have several causes.
    pub causes: Vec<CauseCount>,
    /// Whether there were more different causes than are told apart.
    pub more_causes: bool,
    /// Names that were expected and never called beside a near one that was.
    pub near_names: Vec<NearName>,
    /// Evaluators whose editions differ on some cases, in the plan's order.
    pub editions: Vec<EditionsDiffer>,
}

/// Causes and names that are written down; the others are counted.
const WRITTEN: usize = 100;

impl Findings {
    /// Writes the members of an object.
    pub(crate) fn write(&self, writer: &mut JsonWriter) {
        writer
            .key("fell_short")
            .count(self.fell_short as usize)
            .key("causes")
            .begin_list();
        for cause in self.causes.iter().take(WRITTEN) {
            writer
                .begin_object()
                .key("why")
                .str(&cause.cause.to_string())
                .key("cases")
                .count(cause.cases as usize);
            writer.key("first").str(&cause.first).end_object();
        }
        writer.end_list();
        write_rest(writer, "more_causes", self.causes.len());
        if self.more_causes {
            writer.key("uncounted_causes").bool(true);
        }
        writer.key("near_names").begin_list();
        for name in self.near_names.iter().take(WRITTEN) {
            writer
                .begin_object()
                .key("expected")
                .str(&name.expected)
                .key("called")
                .str(&name.called);
            writer.key("calls").count(name.calls as usize).end_object();
        }
        writer.end_list();
        write_rest(writer, "more_near_names", self.near_names.len());
    }
}

/// How many of a list are not written down, where it is cut.
fn write_rest(writer: &mut JsonWriter, key: &str, all: usize) {
    if all > WRITTEN {
        writer.key(key).count(all - WRITTEN);
    }
}

/// How many cases have a cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseCount {
    /// The cause.
    pub cause: Cause,
    /// Number of cases.
    pub cases: u64,
    /// The first of them.
    pub first: String,
}

/// A name that was expected and never called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearName {
    /// The name.
    pub expected: String,
    /// The name nearest to it that was called.
    pub called: String,
    /// How often that was called.
    pub calls: u64,
}

/// An evaluator whose editions differ on some cases.
#[derive(Clone, Debug)]
pub struct EditionsDiffer {
    /// The evaluator's place in the plan.
    pub evaluator: usize,
    /// Number of cases.
    pub cases: u64,
    /// The first of them, with the outcome of the edition in use and that of the other.
    pub first: Vec<(String, Outcome, Outcome)>,
}

/// Findings in the making.
#[derive(Debug, Default)]
pub(crate) struct Collecting {
    listed: usize,
    fell_short: u64,
    causes: BTreeMap<Cause, (u64, usize, String)>,
    more_causes: bool,
    expected: BTreeMap<String, u64>,
    called: BTreeMap<String, u64>,
    editions: BTreeMap<usize, EditionsDiffer>,
}

impl Collecting {
    pub(crate) fn new(investigation: &Investigation) -> Self {
        Self {
            listed: investigation.listed,
            ..Self::default()
        }
    }

    /// Adds what a case shows; cases come in input order.
    pub(crate) fn add(&mut self, scored: &ScoredBlock, case: &ScoredCase, shown: &CaseFindings) {
        let label = || scored.label_with_trial(case);
        self.fell_short += u64::from(shown.fell_short);
        for cause in &shown.causes {
            let seen = self.causes.len();
            if let Some((cases, ..)) = self.causes.get_mut(cause) {
                *cases += 1;
            } else if seen < KEPT {
                self.causes.insert(cause.clone(), (1, seen, label()));
            } else {
                self.more_causes = true;
            }
        }
        for (names, counts) in [
            (&shown.expected, &mut self.expected),
            (&shown.called, &mut self.called),
        ] {
            for name in names {
                if let Some(count) = counts.get_mut(name) {
                    *count += 1;
                } else if counts.len() < KEPT {
                    counts.insert(name.clone(), 1);
                }
            }
        }
        for (evaluator, own, other) in &shown.differing {
            let empty = || EditionsDiffer {
                evaluator: *evaluator,
                cases: 0,
                first: Vec::new(),
            };
            let differ = self.editions.entry(*evaluator).or_insert_with(empty);
            differ.cases += 1;
            if differ.first.len() < self.listed {
                differ.first.push((label(), own.clone(), other.clone()));
            }
        }
    }

    pub(crate) fn finish(self) -> Findings {
        let near_names = self.near_names();
        let mut causes: Vec<_> = self.causes.into_iter().collect();
        causes.sort_by_key(|(_, (cases, seen, _))| (std::cmp::Reverse(*cases), *seen));
        let count = |(cause, (cases, _, first))| CauseCount {
            cause,
            cases,
            first,
        };
        Findings {
            fell_short: self.fell_short,
            causes: causes.into_iter().map(count).collect(),
            more_causes: self.more_causes,
            near_names,
            editions: self.editions.into_values().collect(),
        }
    }

    /// A name that was called is no slip, and neither is one if the table of calls is not whole.
    fn near_names(&self) -> Vec<NearName> {
        let never_called = self
            .expected
            .keys()
            .filter(|name| !self.called.contains_key(*name));
        let near = |expected: &String| {
            let likeness = |called: &str| {
                strsim::normalized_damerau_levenshtein(&folded(expected), &folded(called))
            };
            let all = self
                .called
                .iter()
                .map(|(called, calls)| (likeness(called), called, *calls));
            let nearest = all
                .filter(|(likeness, ..)| *likeness >= NEAR)
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)));
            nearest.map(|(_, called, calls)| NearName {
                expected: expected.clone(),
                called: called.clone(),
                calls,
            })
        };
        if self.called.len() < KEPT {
            never_called.filter_map(near).collect()
        } else {
            Vec::new()
        }
    }
}

/// The last part of a name, in small letters: `shop.findOrder` and `find_order` are the same but for spelling.
fn folded(name: &str) -> String {
    let last = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
    last.chars()
        .filter(|character| !matches!(character, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collecting(expected: &[(&str, u64)], called: &[(&str, u64)]) -> Collecting {
        let counts = |of: &[(&str, u64)]| {
            of.iter()
                .map(|(name, count)| ((*name).to_owned(), *count))
                .collect()
        };
        Collecting {
            expected: counts(expected),
            called: counts(called),
            ..Collecting::default()
        }
    }

    #[test]
    fn a_name_that_was_never_called_is_near_to_the_one_most_like_it() {
        let of = |expected: &[(&str, u64)], called: &[(&str, u64)]| {
            let near = collecting(expected, called).finish().near_names;
            near.into_iter()
                .map(|it| (it.expected, it.called, it.calls))
                .collect::<Vec<_>>()
        };
        let near = |expected: &str, called: &str, calls| {
            vec![(expected.to_owned(), called.to_owned(), calls)]
        };
        let called = [("find_order", 38), ("find_orders_all", 2), ("refund", 1)];
        assert_eq!(
            of(&[("find_orders", 3), ("refund", 9)], &called),
            near("find_orders", "find_order", 38)
        );
        assert_eq!(
            of(&[("shop.findOrder", 1)], &called),
            near("shop.findOrder", "find_order", 38)
        );
        assert_eq!(of(&[("send_mail", 1)], &called), []);
        assert_eq!(of(&[("find_order", 1)], &[]), []);
    }

    #[test]
    fn a_list_that_is_cut_says_how_much_is_left_out() {
        let mut collecting = Collecting {
            more_causes: true,
            ..Collecting::default()
        };
        for number in 0..WRITTEN + 7 {
            collecting.causes.insert(
                Cause::NotCalled(format!("{number:03}")),
                (1, number, String::new()),
            );
        }
        let mut writer = JsonWriter::new();
        collecting.finish().write(writer.begin_object());
        writer.end_object();
        let json = writer.finish();
        assert_eq!(json.as_str().matches("\"why\"").count(), WRITTEN);
        assert!(
            json.as_str()
                .contains(r#"],"more_causes":7,"uncounted_causes":true,"near_names":[]}"#),
            "{json}"
        );
    }

    #[test]
    fn causes_are_sorted_by_their_cases_and_then_by_their_first() {
        let mut collecting = Collecting::default();
        for (name, cases, seen) in [("a", 2, 1), ("b", 5, 2), ("c", 2, 0)] {
            collecting
                .causes
                .insert(Cause::NotCalled(name.into()), (cases, seen, name.into()));
        }
        let found: Vec<_> = collecting
            .finish()
            .causes
            .into_iter()
            .map(|count| (count.first, count.cases))
            .collect();
        assert_eq!(found, [("b".into(), 5), ("c".into(), 2), ("a".into(), 2)]);
    }
}
