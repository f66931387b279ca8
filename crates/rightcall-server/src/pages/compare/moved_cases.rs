//! The cases that changed between two runs, filtered, and grouped by cause.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rightcall_report::{
    CaseChanges, CauseChange, ComparedEvaluator, ListLength, Scatter, ScorePlace, changes_listed,
    printable, signed,
};
use rightcall_stats::{MovedCase, PairedComparison, ScoreColumn, TrialCounts};
use rightcall_store::{History, StoreError};

use super::side::Side;
use crate::link::Query;
use crate::pages::choice::{Choice, choices, short};
use crate::pages::{Missing, score};
use crate::viewed::Viewed;

/// Maximum number of cases listed for a cause. For runs without stored causes, also the number of cases compared in each direction.
const LISTED: usize = 200;

/// Number of cases of a group that are shown at first.
const SHOWN: usize = 12;

/// Number of further causes shown for a case.
const FURTHER_CAUSES: usize = 3;

/// The choices for the direction of a change.
const MOVEMENTS: [Movement; 4] = [
    Movement::new("worse", "worse", MovedCase::is_worse),
    Movement::new("better", "better", |case| !case.is_worse()),
    Movement::new(
        "newly-failing",
        "newly failing",
        MovedCase::is_newly_failing,
    ),
    Movement::new("fixed", "fixed", MovedCase::is_fixed),
];

/// A direction of change.
struct Movement {
    /// Its value in an address.
    value: &'static str,
    name: &'static str,
    holds: fn(&MovedCase) -> bool,
}

impl Movement {
    const fn new(value: &'static str, name: &'static str, holds: fn(&MovedCase) -> bool) -> Self {
        Self { value, name, holds }
    }

    fn is_chosen(&self, query: &Query) -> bool {
        query.get("show") == Some(self.value)
    }

    /// The link that toggles this filter, its name, its number of cases, and whether it is active.
    fn choice(&self, moved: &[&MovedCase], query: &Query) -> (String, &'static str, usize, bool) {
        let is_chosen = self.is_chosen(query);
        let link = query
            .without(&["cause"])
            .with("show", (!is_chosen).then_some(self.value));
        let number = moved.iter().filter(|case| (self.holds)(case)).count();
        let link = format!("{}#moved", link.of("/compare"));
        (link, self.name, number, is_chosen)
    }
}

/// The part of the page that lists changed cases.
pub(super) struct MovedCases {
    /// The choices for the direction: link, name, number of cases, and whether it is active.
    pub(super) movements: Vec<(String, &'static str, usize, bool)>,
    pub(super) evaluators: Vec<Choice>,
    pub(super) tools: Vec<Choice>,
    /// Parameters of the address that the form preserves.
    pub(super) kept: Vec<(&'static str, String)>,
    /// The active filters for a cause and a point of the plot: text, and the link that removes it.
    pub(super) chips: Vec<(String, String)>,
    /// A scatter plot of the scores before and after, if it is useful.
    pub(super) scatter: Option<Scatter>,
    pub(super) groups: Vec<CauseGroup>,
    /// The keys in list order.
    keys: Vec<String>,
}

/// Cases that changed for the same cause.
pub(super) struct CauseGroup {
    pub(super) is_worse: bool,
    /// `now` for a new cause, `no longer` for one that is gone, `more often`, `less often`; empty without a cause.
    pub(super) turn: &'static str,
    pub(super) cause: String,
    pub(super) number: usize,
    pub(super) cases: Vec<MovedView>,
    /// Link to the cases that are left out; empty on the page with the longest list.
    pub(super) link: String,
}

pub(super) struct MovedView {
    pub(super) key: String,
    pub(super) before: String,
    pub(super) after: String,
    pub(super) change: String,
    pub(super) verdict: String,
    /// Other changes.
    pub(super) more: String,
    pub(super) link: String,
}

/// The cause and how it changed, as texts. Cases with equal texts form a group.
type ChangeWords = (&'static str, String);

/// A changed case with the changes in its alignments; those in the direction of the case come first.
struct Explained<'m> {
    case: &'m MovedCase,
    changes: Vec<CauseChange>,
    /// The number of changes in the direction of the case.
    fitting: usize,
}

impl MovedCases {
    pub(super) fn new(
        (history, viewed): (&History, &Viewed),
        sides: &[Side; 2],
        comparison: &PairedComparison,
        evaluators: &[ComparedEvaluator],
        query: &Query,
    ) -> Result<Self, Missing> {
        let evaluator_index = query.number("of").map(|position| position as usize);
        let of_evaluator = evaluator_index.and_then(|position| evaluators.get(position));
        let by_evaluator = of_evaluator.map(|it| {
            let [before, after] = it.positions.map(ScoreColumn::Measure);
            PairedComparison::moved_by(&sides[0].run.scores, &sides[1].run.scores, (before, after))
        });
        let mut moved: Vec<&MovedCase> = by_evaluator
            .as_ref()
            .unwrap_or(&comparison.moved)
            .iter()
            .collect();
        if let Some(tool) = query.get("tool") {
            let [before, after] = sides;
            let (before, after) = (
                before.with_tool(history, viewed, tool)?,
                after.with_tool(history, viewed, tool)?,
            );
            moved.retain(|it| before.contains(&*it.key) || after.contains(&*it.key));
        }
        // Count the choices before applying one, so that each shows its own number.
        let movements = MOVEMENTS.iter().map(|it| it.choice(&moved, query));
        let movements = movements.collect();
        if let Some(movement) = MOVEMENTS.iter().find(|it| it.is_chosen(query)) {
            moved.retain(|case| (movement.holds)(case));
        }
        let at = |place: ScorePlace| {
            let query = query
                .without(&["cause"])
                .with("point", Some(&place.to_string()));
            Some(format!("{}#moved", query.of("/compare")))
        };
        // Plot before filtering by point, so that the other points stay visible.
        let scatter = Scatter::new(moved.iter().copied(), at);
        let place = query.get("point").and_then(ScorePlace::parse);
        if let Some(place) = place {
            moved.retain(|case| ScorePlace::of(case) == place);
        }
        let (groups, keys) = grouped(sides, &moved, query)?;
        let chosen = evaluator_index.map(|position| position.to_string());
        let evaluator = |(position, it): (usize, &ComparedEvaluator)| {
            Choice::new(position.to_string(), short(&it.label), chosen.as_deref())
        };
        let kept = ["show", "cause", "point"].into_iter();
        let chip = |key: &str, text: String| {
            let link = query.without(&[key]).of("/compare");
            (text, format!("{link}#moved"))
        };
        let cause = query.get("cause").map(|it| chip("cause", printable(it)));
        let place = place.map(|it| chip("point", it.scores()));
        Ok(Self {
            movements,
            evaluators: evaluators.iter().enumerate().map(evaluator).collect(),
            tools: tools(history, sides, query)?,
            kept: kept
                .filter_map(|key| Some((key, query.owned(key)?)))
                .collect(),
            chips: cause.into_iter().chain(place).collect(),
            scatter,
            groups,
            keys,
        })
    }

    /// The previous and the next key in the list.
    pub(super) fn around(&self, key: &str) -> [Option<&str>; 2] {
        let Some(place) = self.keys.iter().position(|it| it == key) else {
            return [None, None];
        };
        let at = |place: usize| self.keys.get(place).map(String::as_str);
        [place.checked_sub(1).and_then(at), at(place + 1)]
    }
}

/// The tools of both runs.
fn tools(history: &History, sides: &[Side; 2], query: &Query) -> Result<Vec<Choice>, Missing> {
    let mut numbers: BTreeMap<String, u64> = BTreeMap::new();
    for side in sides {
        for pair in history.tools(side.row.number)? {
            let names: BTreeSet<String> = pair.expected.into_iter().chain(pair.called).collect();
            for name in names {
                *numbers.entry(name).or_default() += pair.times;
            }
        }
    }
    let mut tools: Vec<_> = numbers.into_iter().collect();
    tools.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    Ok(choices(tools, query.get("tool")))
}

/// The changed cases by cause, worse cases first, and the keys in list order.
fn grouped(
    sides: &[Side; 2],
    moved: &[&MovedCase],
    query: &Query,
) -> Result<(Vec<CauseGroup>, Vec<String>), StoreError> {
    let directions = MovedCase::by_direction(moved.iter().copied());
    let wanted = query.get("cause");
    let (mut groups, mut keys) = (Vec::new(), Vec::new());
    for cases in directions {
        let explained = cases.into_iter().map(|case| Explained::new(sides, case));
        for (change, cases) in by_cause(explained.collect::<Result<_, _>>()?) {
            let group = change.unwrap_or_default();
            let (turn, cause) = &group;
            let name = match *turn {
                "" => "the same alignment".to_owned(),
                turn => format!("{turn} {cause}"),
            };
            if wanted.is_some_and(|wanted| wanted != name) {
                continue;
            }
            let shown = if wanted.is_some() { LISTED } else { SHOWN };
            keys.extend(cases.iter().map(|it| it.case.key.clone()));
            let only = query.with("cause", Some(&name));
            groups.push(CauseGroup {
                is_worse: cases[0].case.is_worse(),
                number: cases.len(),
                link: match wanted {
                    Some(_) => String::new(),
                    None => format!("{}#moved", only.of("/compare")),
                },
                cases: cases
                    .iter()
                    .take(shown)
                    .map(|it| it.view(&group, query))
                    .collect(),
                turn,
                cause: cause.clone(),
            });
        }
    }
    Ok((groups, keys))
}

/// Groups cases, the largest group first. A case is in the group of the cause that most cases share.
fn by_cause(cases: Vec<Explained<'_>>) -> Vec<(Option<ChangeWords>, Vec<Explained<'_>>)> {
    // Many cases share few causes, so count by reference and format each cause only once.
    let mut numbers: HashMap<(&'static str, &str), usize> = HashMap::new();
    let name = |change: &'_ CauseChange| (change.turn.words(), change.cause.clone());
    for change in cases.iter().flat_map(Explained::candidates) {
        let key = (change.turn.words(), change.cause.as_str());
        *numbers.entry(key).or_default() += 1;
    }
    let most_shared = |case: &Explained<'_>| {
        let candidates = case.candidates().iter().rev();
        candidates
            .max_by_key(|it| numbers.get(&(it.turn.words(), it.cause.as_str())))
            .map(name)
    };
    let chosen: Vec<_> = cases.iter().map(most_shared).collect();
    let mut groups: BTreeMap<Option<ChangeWords>, Vec<Explained<'_>>> = BTreeMap::new();
    for (change, case) in chosen.into_iter().zip(cases) {
        groups.entry(change).or_default().push(case);
    }
    let printed = |(turn, cause): ChangeWords| (turn, printable(&cause));
    let mut groups: Vec<_> = groups
        .into_iter()
        .map(|(change, cases)| (change.map(printed), cases))
        .collect();
    // Cases without a cause come last.
    groups.sort_by_key(|(cause, cases)| (cause.is_none(), std::cmp::Reverse(cases.len())));
    groups
}

fn words_of(change: &CauseChange) -> ChangeWords {
    (change.turn.words(), printable(&change.cause))
}

impl<'m> Explained<'m> {
    fn new(sides: &[Side; 2], case: &'m MovedCase) -> Result<Self, StoreError> {
        let runs = sides.each_ref().map(|it| &it.run);
        let found = CaseChanges::between(runs, &case.key, case.is_worse())?;
        Ok(Self {
            case,
            fitting: found.fitting().len(),
            changes: found.changes,
        })
    }

    /// The changes that may name the group: those in the direction of the case, else all.
    fn candidates(&self) -> &[CauseChange] {
        match self.fitting {
            0 => &self.changes,
            fitting => &self.changes[..fitting],
        }
    }

    fn view(&self, group: &ChangeWords, query: &Query) -> MovedView {
        let case = self.case;
        // The group's heading shows the cause without the numbers of trials.
        let is_shown = |it: &&CauseChange| it.has_trials() || words_of(it) != *group;
        let others = self.changes.iter().filter(is_shown);
        let more: Vec<_> = others.map(|it| printable(&it.to_string())).collect();
        let link = query.without(&["by"]).with("case", Some(&case.key));
        MovedView {
            key: printable(&case.key),
            before: score(case.score_before()),
            after: score(Some(case.after)),
            change: case
                .score_before()
                .map_or_else(String::new, |before| signed(case.after - before)),
            verdict: verdicts(case.trials_before, case.trials_after),
            more: changes_listed(&more, ListLength(Some(FURTHER_CAUSES))),
            link: format!("{}#case", link.of("/compare")),
        }
    }
}

/// The verdicts before and after, if present.
fn verdicts(before: TrialCounts, after: TrialCounts) -> String {
    let of = |it: TrialCounts| match (it.trials, it.passed) {
        (0, _) => "–".to_owned(),
        (1, 0) => "failed".to_owned(),
        (1, _) => "passed".to_owned(),
        (trials, passed) => format!("{passed} of {trials} passed"),
    };
    match (of(before), of(after)) {
        (before, after) if before == after => before,
        (before, after) => format!("{before} → {after}"),
    }
}

#[cfg(test)]
mod tests {
    use rightcall_report::{CauseTrials, CauseTurn};

    use super::*;

    #[test]
    fn cases_are_grouped_by_the_most_shared_cause() {
        let moved = |key: &str| MovedCase::new(key, [1.0, 0.0], [TrialCounts::default(); 2]);
        let cases = ["a", "b", "c", "d"].map(moved);
        let causes: [&[&str]; 4] = [&["x", "z"], &["y", "z"], &["y"], &[]];
        let explained = cases.iter().zip(causes).map(|(case, causes)| Explained {
            case,
            changes: causes
                .iter()
                .map(|cause| CauseChange {
                    turn: CauseTurn::New,
                    cause: format!("{cause} was not called"),
                    trials: [CauseTrials::default(); 2],
                })
                .collect(),
            fitting: causes.len(),
        });
        let groups = by_cause(explained.collect());
        let found_groups: Vec<(Option<&str>, Vec<&str>)> = groups
            .iter()
            .map(|(change, cases)| {
                let keys = cases.iter().map(|it| it.case.key.as_str());
                let cause = change.as_ref().map(|(_, cause)| cause.as_str());
                let name = cause.and_then(|it| it.strip_suffix(" was not called"));
                (name, keys.collect())
            })
            .collect();
        let wanted = [
            (Some("y"), vec!["b", "c"]),
            (Some("z"), vec!["a"]),
            (None, vec!["d"]),
        ];
        assert_eq!(found_groups, wanted);
    }
}
