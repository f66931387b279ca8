//! Compares two runs: changes of each evaluator with intervals, and changed cases by cause. For more runs, compares their means.

mod alone;
mod compared_case;
mod moved_cases;
mod several;
mod side;

use std::rc::Rc;
use std::sync::Arc;

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query as Parameters, State};
use axum::response::IntoResponse;
use rightcall_report::{
    ChangeRow, ComparedCause, ComparedEvaluator, OtherTasks, capitalized, counted_noun,
    left_out_told, moved_told, needed_told, printable, run_name, run_told,
};
use rightcall_stats::{ChangeVerdict, ComparisonSettings, PairedComparison};
use rightcall_store::{History, RunRow, StoreError};

use super::{Missing, Place, drawn, rendered};
use crate::link::Query;
use crate::viewed::Viewed;
use alone::CasesAlone;
use compared_case::ComparedCase;
use moved_cases::MovedCases;
use several::SeveralPage;
use side::{Side, SideName};

pub(crate) async fn compare(
    State(place): State<Place>,
    parameters: Result<Parameters<Vec<(String, String)>>, QueryRejection>,
) -> Result<impl IntoResponse, Missing> {
    let query = Query::new(parameters?.0);
    let viewed = Arc::clone(&place);
    drawn(place, move |history| {
        let mut picked: Vec<_> = query.all("run").filter_map(SideName::parse).collect();
        // The older run is the baseline, in any order of selection.
        picked.sort_by_key(|it| it.run);
        match picked.len() {
            3.. => rendered(&SeveralPage::new(history, &viewed, &picked)?),
            _ => rendered(&ComparePage::new(history, &viewed, &picked, &query)?),
        }
    })
    .await
}

#[derive(Template)]
#[template(path = "compare.html")]
struct ComparePage {
    before: RunRow,
    after: RunRow,
    /// The names of the sides in column heads.
    heads: [String; 2],
    /// Facts about the runs.
    told: [String; 2],
    /// The names of the sides.
    names: [String; 2],
    /// The runs, as written in the address.
    kept_runs: Vec<String>,
    /// The command for the same comparison in a terminal.
    command: String,
    /// Notes on runs with only a sample of their cases stored, and on trials left out.
    notes: Vec<String>,
    shared: usize,
    /// Removed cases, and new cases.
    alone: Vec<CasesAlone>,
    changes: Vec<ChangeRow>,
    /// A note if some evaluators have too few cases.
    needed: Option<String>,
    /// The numbers of worse and better cases, as a sentence.
    head: String,
    has_moved: bool,
    /// The number of cases with each cause, and links to the cases of both sides.
    causes: Vec<(ComparedCause, [String; 2])>,
    /// The unit of the causes: `Cases` or `Trials`.
    counted: String,
    /// True if any evaluator has a significant change.
    has_shown_change: bool,
    moved: MovedCases,
    /// A case that is shown in detail.
    case: Option<ComparedCase>,
}

impl ComparePage {
    fn new(
        history: &Rc<History>,
        viewed: &Viewed,
        picked: &[SideName],
        query: &Query,
    ) -> Result<Self, Missing> {
        let [before, after] = picked else {
            return Err(Missing::Unclear(
                "Pick two runs or more to compare, such as /compare?run=1&run=2.".to_owned(),
            ));
        };
        let sides = [
            Side::new(history, viewed, before)?,
            Side::new(history, viewed, after)?,
        ];
        let rules = ComparisonSettings::default();
        let [of_before, of_after] = sides.each_ref().map(|side| &side.run.scores);
        let compare = || Ok::<_, Missing>(PairedComparison::between(of_before, of_after, rules));
        let keys = sides.each_ref().map(|side| side.key.as_str());
        let comparison = viewed.comparisons.get_or_make(&keys.join("\n"), compare)?;
        let evaluators = evaluators_of_both(&sides);
        let moved = MovedCases::new((history, viewed), &sides, &comparison, &evaluators, query)?;
        let case = query.get("case").map(|key| {
            ComparedCase::new(
                history,
                &sides,
                &evaluators,
                (key, moved.around(key)),
                query,
            )
        });
        let (gone, new) = (&comparison.only.0, &comparison.only.1);
        let alone = [
            CasesAlone::new(0, &sides[0], gone, query),
            CasesAlone::new(1, &sides[1], new, query),
        ];
        Ok(Self {
            notes: {
                let samples = sides.iter().filter_map(|side| sample(&side.row));
                let found = || cautions(&sides);
                let cautions = viewed.cautions.get_or_make(&keys.join("\n"), found)?;
                let notes = samples.chain(left_out_told(&comparison));
                notes.chain(cautions.iter().cloned()).collect()
            },
            shared: comparison.shared,
            alone: alone.into_iter().flatten().collect(),
            changes: ChangeRow::all("", &comparison),
            needed: needed_told(&comparison, rules),
            head: capitalized(&moved_told(&comparison)),
            has_shown_change: shows_change(&comparison),
            has_moved: !comparison.moved.is_empty(),
            causes: causes(&sides, &comparison, picked)?,
            counted: capitalized(counted_noun([of_before, of_after])),
            case: case.transpose()?.flatten(),
            moved,
            heads: heads(&sides),
            told: sides.each_ref().map(|side| run_told(&side.row)),
            names: sides.each_ref().map(|side| side.name.clone()),
            command: side::command(picked, viewed),
            kept_runs: query.all("run").map(ToOwned::to_owned).collect(),
            before: sides[0].row.clone(),
            after: sides[1].row.clone(),
        })
    }
}

impl ComparePage {
    /// The CSS class for changed cases. It has no colour if the change between the runs may be
    /// chance.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "templates hand it so")]
    fn moved_class(&self, is_worse: &bool) -> &'static str {
        match (self.has_shown_change, is_worse) {
            (false, _) => "strong",
            (true, true) => "worse",
            (true, false) => "better",
        }
    }
}

/// The number of cases with each cause on both sides, with links to them.
fn causes(
    sides: &[Side; 2],
    comparison: &PairedComparison,
    picked: &[SideName],
) -> Result<Vec<(ComparedCause, [String; 2])>, Missing> {
    let causes = ComparedCause::between(sides.each_ref().map(|side| &side.run), comparison)?;
    let (only_before, only_after) = (&comparison.only.0, &comparison.only.1);
    let has_alone = !only_before.is_empty() || !only_after.is_empty();
    let link = |cause: &str, (side, name): (&Side, &SideName)| {
        // The list has cases that do not count here.
        let has_others = has_alone || side.row.kept < side.row.cases;
        let meta = match &name.values[..] {
            [] => None,
            [(key, value)] => Some(format!("{key}={value}")),
            // The filter for lists takes only one value.
            _ => return String::new(),
        };
        let query = Query::default().with("cause", Some(cause));
        let link = query.with("meta", meta.as_deref());
        let link = link.of(&format!("/runs/{}", side.row.number));
        if has_others {
            String::new()
        } else {
            format!("{link}#cases")
        }
    };
    let of = |it: ComparedCause| {
        let links = [0, 1].map(|at| link(&it.cause, (&sides[at], &picked[at])));
        (it, links)
    };
    Ok(causes.into_iter().map(of).collect())
}

/// True if any evaluator has a significant change.
fn shows_change(comparison: &PairedComparison) -> bool {
    let changes = comparison.rows();
    let mut changes = changes.flat_map(|it| it.score.iter().chain(&it.passed));
    changes.any(|it| matches!(it.verdict, ChangeVerdict::Better | ChangeVerdict::Worse))
}

/// `before` and `after` for two runs of one suite. Otherwise each side has its name.
fn heads(sides: &[Side; 2]) -> [String; 2] {
    if is_in_time(sides) {
        return ["before", "after"].map(ToOwned::to_owned);
    }
    sides.each_ref().map(|side| side.name.clone())
}

/// True if one side is the earlier one: two runs of one suite, with the same name if the suite has
/// several runs.
fn is_in_time([before, after]: &[Side; 2]) -> bool {
    let [was, is] = [&before.row, &after.row];
    was.number != is.number
        && was.about.suite == is.about.suite
        && run_name(&was.about) == run_name(&is.about)
}

/// The evaluators of both runs, in the order of the first.
fn evaluators_of_both([before, after]: &[Side; 2]) -> Vec<ComparedEvaluator> {
    let names = before.run.scores.measures.iter().enumerate();
    let evaluator = |(position, name): (usize, &String)| {
        Some(ComparedEvaluator {
            label: name.clone(),
            positions: [position, after.run.scores.measure(name)?],
        })
    };
    names.filter_map(evaluator).collect()
}

/// Notes on several models that count as trials, and on cases with another question.
fn cautions(sides: &[Side; 2]) -> Result<Vec<String>, StoreError> {
    let [before, after] = sides.each_ref().map(|side| &side.run);
    let models = [before, after].into_iter();
    let models = models.filter_map(|run| {
        let note = run.models_told()?;
        Some(format!("{note}. Compare the parts of the run instead."))
    });
    let tasks = OtherTasks::since(before, after)?;
    let questions = tasks.questions_told(&sides[1].name);
    let questions = questions.map(|note| format!("{note}. Different tasks need different ids."));
    Ok(models.chain(questions).map(|it| printable(&it)).collect())
}

/// A note that only a sample of a run's cases is compared.
fn sample(run: &RunRow) -> Option<String> {
    let (cases, kept, number) = (run.cases, run.kept, run.number);
    (kept < cases).then(|| {
        format!("Run {number} has {cases} cases and keeps {kept}; the sample is compared.")
    })
}
