//! The cases that moved between two runs, filtered, and grouped by what caused it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rightcall_report::{
    CaseChanges, CauseChange, ComparedEvaluator, ListLength, Scatter, ScorePlace, changes_listed,
    printable,
};
use rightcall_stats::{MovedCase, PairedComparison, ScoreColumn, TrialCounts};
use rightcall_store::{History, StoreError};

use super::side::Side;
use crate::link::Query;
use crate::pages::choice::{Choice, choices, short};
use crate::pages::{Missing, score};
use crate::viewed::Viewed;

/// Cases of a cause that are listed; of runs that recorded no causes also the cases of each direction that are compared.
const LISTED: usize = 200;

/// Cases of a group that are shown before the others are asked for.
const SHOWN: usize = 12;

/// Causes of a case that are told beside that of its group.
const TOLD: usize = 3;

/// Which cases that moved can be asked for.
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

/// A way in which cases move.
struct Movement {
    /// What stands in an address.
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

    /// The address that asks for it, or no longer, its name, how many of these cases move so, and whether it is asked for.
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

/// The part of the page that lists the cases that moved.
pub(super) struct MovedCases {
    /// The cases that moved in some way: address, name, number, and whether they are shown.
    pub(super) movements: Vec<(String, &'static str, usize, bool)>,
    pub(super) evaluators: Vec<Choice>,
    pub(super) tools: Vec<Choice>,
    /// What the form keeps of the address.
    pub(super) kept: Vec<(&'static str, String)>,
    /// The filters of one cause and of one place of the picture, each with the address without it.
    pub(super) chips: Vec<(String, String)>,
    /// Where these cases stand before and after, if a picture tells something.
    pub(super) scatter: Option<Scatter>,
    pub(super) groups: Vec<CauseGroup>,
    /// The keys in the order in which they are listed.
    keys: Vec<String>,
}

/// Cases that moved for the same cause.
pub(super) struct CauseGroup {
    pub(super) is_worse: bool,
    /// `now` where the cause is new, `no longer` where it is gone, `more often`, `less often`; nothing where there is none.
    pub(super) turn: &'static str,
    pub(super) cause: String,
    pub(super) number: usize,
    pub(super) cases: Vec<MovedView>,
    /// The address that shows those that are left out; empty where this is the page with the most.
    pub(super) link: String,
}

pub(super) struct MovedView {
    pub(super) key: String,
    pub(super) before: String,
    pub(super) after: String,
    pub(super) change: String,
    pub(super) verdict: String,
    /// What else changed.
    pub(super) more: String,
    pub(super) link: String,
}

/// How a cause changed, and the cause, in plain words: cases with the same are a group.
type ChangeWords = (&'static str, String);

/// A case that moved, with what changed in its alignments, that in its own direction first.
struct Explained<'m> {
    case: &'m MovedCase,
    changes: Vec<CauseChange>,
    /// How many of the changes have the direction of the case.
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
        let of = query.number("of").map(|position| position as usize);
        let of_evaluator = of.and_then(|position| evaluators.get(position));
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
        let scatter = Scatter::new(moved.iter().copied(), at);
        let place = query.get("point").and_then(ScorePlace::parse);
        if let Some(place) = place {
            moved.retain(|case| ScorePlace::of(case) == place);
        }
        let (groups, keys) = grouped(sides, &moved, query)?;
        let chosen = of.map(|position| position.to_string());
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

    /// The keys before and behind one in the list.
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

/// The cases that moved by cause, those that got worse first, and their keys in that order.
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

/// Cases in groups, the largest first: each case belongs to the cause that most cases share.
fn by_cause(cases: Vec<Explained<'_>>) -> Vec<(Option<ChangeWords>, Vec<Explained<'_>>)> {
    // Many cases share few causes, so a cause is put into words once.
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
    // What no cause explains comes last.
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

    /// The changes that may name the group: those in the direction of the case, if there are any.
    fn candidates(&self) -> &[CauseChange] {
        match self.fitting {
            0 => &self.changes,
            fitting => &self.changes[..fitting],
        }
    }

    fn view(&self, group: &ChangeWords, query: &Query) -> MovedView {
        let case = self.case;
        // The head of the group names the cause without the numbers of trials.
        let is_shown = |it: &&CauseChange| it.has_trials() || words_of(it) != *group;
        let others = self.changes.iter().filter(is_shown);
        let more: Vec<_> = others.map(|it| printable(&it.to_string())).collect();
        let link = query.without(&["by"]).with("case", Some(&case.key));
        MovedView {
            key: printable(&case.key),
            before: score(Some(case.before)),
            after: score(Some(case.after)),
            change: format!("{:+.3}", case.after - case.before),
            verdict: verdicts(case.trials_before, case.trials_after),
            more: changes_listed(&more, ListLength(Some(TOLD))),
            link: format!("{}#case", link.of("/compare")),
        }
    }
}

/// The verdicts before and after, where there are any.
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
    fn a_case_stands_with_the_cause_that_most_cases_share() {
        let moved = |key: &str| MovedCase {
            key: key.to_owned(),
            before: 1.0,
            after: 0.0,
            trials_before: TrialCounts::default(),
            trials_after: TrialCounts::default(),
        };
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
        let told: Vec<(Option<&str>, Vec<&str>)> = groups
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
        assert_eq!(told, wanted);
    }
}
