//! Reports of results that are kept: of a run in the history, or in a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use rightcall::value::{Value, decode};
use rightcall_formats::{ReadOptions, read_case};
use rightcall_run::{
    CaseKey, CaseRecord, RecordedOutcome, RecordedResults, ResultRecord, Scores, ToolUse, tools_of,
};
use rightcall_stats::{PassAtK, TrialCounts, TrialStatistics};
use rightcall_store::{
    AlikeRuns, CaseFilter, CaseOrder, CaseScore, EvaluatorRow, History, Page, RunRow, StoreError,
    StoredCase,
};

use super::overview::{
    CauseLine, EvaluatorHead, GateLine, Head, Overview, Totals, number, percent, slip_of,
};
use crate::PassRate;
use crate::runs::minute;
use crate::text::{count, printable};

/// Cases that are read at once.
const AT_ONCE: u64 = 500;

impl Overview {
    /// The overview of a run in the history.
    ///
    /// # Errors
    /// Where the history cannot be read.
    pub fn of_run(history: &History, run: &RunRow) -> Result<Self, StoreError> {
        let rows = history.evaluators(run.number)?;
        let totals = rows.iter().map(Totals::of_row).collect();
        let mut overview =
            Self::of_json(head(history, run, &rows)?, run.cases, totals, &run.summary);
        if run.kept < run.cases {
            let hint = "`history: {max_cases: N}` in the suite keeps more";
            overview.notes.push(format!(
                "Of {} cases {} are kept: failures and a sample. {hint}.",
                run.cases, run.kept
            ));
        }
        Ok(overview)
    }

    /// The overview of results in a file, which goes by a title.
    pub fn of_results(title: &str, results: &RecordedResults) -> Self {
        let evaluator = |(id, name): &(String, Option<String>)| EvaluatorHead {
            id: id.clone(),
            name: name.clone(),
            label: name.clone().unwrap_or_else(|| id.clone()),
        };
        let head = Head {
            title: title.to_owned(),
            evaluators: results.evaluators.iter().map(evaluator).collect(),
            ..Head::default()
        };
        let totals = |of: &dyn Fn(&CaseRecord) -> &ResultRecord| {
            let mut scores = Scores::default();
            results
                .cases
                .iter()
                .map(of)
                .for_each(|it| scores.add_record(it));
            Totals::from(&scores)
        };
        let evaluators = (0..results.evaluators.len())
            .map(|position| totals(&|case| &case.evaluations[position]))
            .collect();
        let summary = results.summary.as_deref().unwrap_or("{}");
        let mut overview = Self::of_json(head, results.cases.len() as u64, evaluators, summary);
        overview.together = results
            .has_whole_cases
            .then(|| totals(&|case| &case.result));
        overview.trials = overview.trials.or_else(|| {
            let mut trials: BTreeMap<String, TrialCounts> = BTreeMap::new();
            for case in results.cases.iter().filter(|case| case.trial.is_some()) {
                let passed = if let RecordedOutcome::Error(_) = case.result.outcome {
                    Some(false)
                } else {
                    case.result.passed
                };
                let key = CaseKey::default().of(&case.label, case.trial.as_deref(), None);
                let of = trials
                    .entry(key.unwrap_or_else(|| case.label.clone()))
                    .or_default();
                of.trials += u64::from(passed.is_some());
                of.passed += u64::from(passed == Some(true));
            }
            TrialStatistics::from_cases(&trials.into_iter().collect::<Vec<_>>())
                .filter(|found| found.most_trials > 1)
        });
        let note = "These results were read from a file of result lines, which holds no calls: what was called is not drawn.";
        overview.notes.push(note.to_owned());
        overview
    }

    /// The overview of a run whose summary has been written down.
    fn of_json(head: Head, cases: u64, evaluators: Vec<Totals>, summary: &str) -> Self {
        let summary = decode(summary).unwrap_or(Value::Null);
        let findings = member(&summary, "findings");
        let cause = |cause: &Value<'_>| CauseLine {
            why: printable(&text(cause, "why")),
            cases: whole(cause, "cases"),
            first: printable(&text(cause, "first")),
        };
        let slip = |name: &Value<'_>| {
            slip_of(
                &text(name, "expected"),
                &text(name, "called"),
                whole(name, "calls"),
            )
        };
        let mut troubles = Vec::new();
        for (key, noun, what) in [
            ("unreadable", "record", "could not be read"),
            ("duplicates", "case", "came a second time and counted once"),
            ("no_run", "case", "had no run, and counts as failed"),
        ] {
            let number = whole(&summary, key);
            troubles.extend((number > 0).then(|| format!("{}: {what}", count(number, noun))));
        }
        let errors = evaluators.iter().map(|totals| totals.errors).sum();
        troubles.extend(
            (errors > 0).then(|| format!("{} ended in an error", count(errors, "evaluation"))),
        );
        Self {
            head,
            cases,
            together: member(&summary, "score").map(totals_of),
            evaluators,
            trials: member(&summary, "trials").map(repeated),
            gates: list(member(&summary, "gates")).iter().map(gate).collect(),
            fell_short: findings.map(|findings| whole(findings, "fell_short")),
            causes: list(findings.and_then(|it| member(it, "causes")))
                .iter()
                .map(cause)
                .collect(),
            more_causes: (
                findings.map_or(0, |findings| whole(findings, "more_causes")),
                findings
                    .and_then(|it| member(it, "uncounted_causes"))
                    .is_some(),
            ),
            slips: list(findings.and_then(|it| member(it, "near_names")))
                .iter()
                .map(slip)
                .collect(),
            troubles,
            notes: Vec::new(),
        }
    }
}

fn totals_of(scores: &Value<'_>) -> Totals {
    let share = |key: &str| member(scores, key).and_then(Value::as_f64);
    Totals {
        mean: share("mean"),
        pass_rate: share("pass_rate"),
        scored: whole(scores, "scored"),
        not_applicable: whole(scores, "not_applicable"),
        errors: whole(scores, "errors"),
        histogram: steps(
            list(member(scores, "histogram"))
                .iter()
                .filter_map(Value::as_f64)
                .map(|it| it as u64),
        ),
    }
}

impl Totals {
    /// What an evaluator made of a run in the history.
    pub fn of_row(row: &EvaluatorRow) -> Self {
        Self {
            mean: row.mean,
            pass_rate: row.pass_rate,
            scored: row.scored,
            not_applicable: row.not_applicable,
            errors: row.errors,
            histogram: steps(row.histogram.iter().copied()),
        }
    }
}

fn steps(numbers: impl Iterator<Item = u64>) -> [u64; rightcall_run::STEPS] {
    let mut steps = [0; rightcall_run::STEPS];
    steps
        .iter_mut()
        .zip(numbers)
        .for_each(|(step, number)| *step = number);
    steps
}

/// What the trials of a run came to, from its summary.
fn repeated(trials: &Value<'_>) -> TrialStatistics {
    let share = |value: &Value<'_>, key: &str| member(value, key).and_then(Value::as_f64);
    let of_k = |of: &Value<'_>| PassAtK {
        k: whole(of, "k"),
        cases: whole(of, "cases") as usize,
        any: share(of, "pass_at_k").unwrap_or_default(),
        all: share(of, "pass_hat_k").unwrap_or_default(),
    };
    let flaky = |case: &Value<'_>| {
        (
            text(case, "case"),
            TrialCounts {
                trials: whole(case, "trials"),
                passed: whole(case, "passed"),
            },
        )
    };
    TrialStatistics {
        cases: whole(trials, "cases") as usize,
        fewest_trials: whole(trials, "fewest_trials"),
        most_trials: whole(trials, "most_trials"),
        by_k: list(member(trials, "by_k")).iter().map(of_k).collect(),
        agreement: share(trials, "agreement"),
        flaky_cases: whole(trials, "flaky_cases") as usize,
        flaky: list(member(trials, "flaky")).iter().map(flaky).collect(),
    }
}

fn head(history: &History, run: &RunRow, evaluators: &[EvaluatorRow]) -> Result<Head, StoreError> {
    let mut facts = vec![
        ("run".to_owned(), run.number.to_string()),
        (
            "at".to_owned(),
            format!("{} UTC", minute(run.about.started)),
        ),
    ];
    let mut add = |label: &str, fact: Option<String>| {
        facts.extend(fact.map(|fact| (label.to_owned(), printable(&fact))))
    };
    add("profile", run.about.profile.clone());
    add("branch", run.about.git_branch.clone());
    let dirty = if run.about.git_dirty {
        " with changes"
    } else {
        ""
    };
    add(
        "commit",
        run.about
            .git_commit
            .as_ref()
            .map(|commit| format!("{}{dirty}", commit.chars().take(7).collect::<String>())),
    );
    add("chosen by", run.about.selection.clone());
    let evaluator = |row: &EvaluatorRow| EvaluatorHead {
        id: row.evaluator.clone(),
        name: row.name.clone(),
        label: row.label.clone(),
    };
    let earlier = earlier_runs(history, &AlikeRuns::before(run))?;
    Ok(Head {
        title: run.about.suite.clone(),
        facts,
        evaluators: evaluators.iter().map(evaluator).collect(),
        earlier,
        ..Head::default()
    })
}

/// Runs that a line over runs shows before the last.
const EARLIER: u64 = 59;

/// What the runs that another can be seen beside came to, the oldest first.
///
/// # Errors
/// Where the history cannot be read.
pub fn earlier_runs(history: &History, which: &AlikeRuns) -> Result<Vec<PassRate>, StoreError> {
    let runs = history.alike(which, EARLIER)?;
    Ok(runs.iter().rev().map(PassRate::of_run).collect())
}

impl PassRate {
    /// The result of a run in the history.
    pub fn of_run(run: &RunRow) -> Self {
        Self {
            label: run.number.to_string(),
            mean: run.mean,
            pass_rate: run.pass_rate,
        }
    }
}

/// Gives each case of a run that is kept to `each`, in input order.
///
/// # Errors
/// Where the history cannot be read, or `each` fails.
pub fn stored_cases<E: From<StoreError>>(
    history: &History,
    run: &RunRow,
    mut each: impl FnMut(&Arc<CaseRecord>) -> Result<(), E>,
) -> Result<(), E> {
    let mut offset = 0;
    loop {
        let page = history.cases(
            run.number,
            &CaseFilter::default(),
            CaseOrder::Input,
            Page {
                offset,
                limit: AT_ONCE,
            },
        )?;
        for row in &page.cases {
            if let Some(case) = history.case(run.number, row.number)? {
                each(&Arc::new(record_of(case)))?;
            }
        }
        offset += AT_ONCE;
        if page.cases.is_empty() || offset >= page.total {
            return Ok(());
        }
    }
}

/// A case of the history as it was recorded.
pub fn record_of(case: StoredCase) -> CaseRecord {
    let StoredCase {
        row,
        json,
        tags,
        evaluations,
    } = case;
    let tools: Vec<ToolUse> = read_case(&json, &ReadOptions::default())
        .map(|case| tools_of(&case))
        .unwrap_or_default();
    let whole = CaseScore {
        score: row.score,
        passed: row.passed,
        reason: row.reason.clone(),
        is_error: false,
    };
    let result = |score: CaseScore, alignment| ResultRecord {
        outcome: outcome(&score),
        passed: score.passed,
        alignment,
    };
    CaseRecord {
        label: row.label,
        trial: row.trial,
        file: row.file,
        line: row.line,
        tags,
        meta: None,
        tools,
        result: result(whole, None),
        evaluations: evaluations
            .into_iter()
            .map(|it| result(it.score, it.alignment))
            .collect(),
        failed: row.failed,
        rank: 0,
        case: json,
    }
}

fn outcome(score: &CaseScore) -> RecordedOutcome {
    let reason = || score.reason.clone().unwrap_or_default();
    match score.score {
        Some(score) => RecordedOutcome::Scored(score),
        None if score.is_error => RecordedOutcome::Error(reason()),
        None => RecordedOutcome::NotApplicable(reason()),
    }
}

/// A gate from the summary of a run.
fn gate(gate: &Value<'_>) -> GateLine {
    let statistic = text(gate, "statistic");
    let wanted = list(member(gate, "wanted"));
    let is_share = matches!(statistic.as_str(), "pass_rate" | "applicable");
    let is_count = matches!(statistic.as_str(), "errors" | "not_applicable");
    let shown = |value: Option<f64>| match value {
        Some(count) if is_count => count.to_string(),
        value if is_share => percent(value),
        value => number(value),
    };
    let found = shown(member(gate, "found").and_then(Value::as_f64));
    let operator = wanted
        .first()
        .and_then(Value::as_text)
        .map(|it| it.to_display().into_owned())
        .unwrap_or_default();
    let wanted = format!(
        "{operator} {}",
        shown(wanted.get(1).and_then(Value::as_f64))
    );
    let held = matches!(member(gate, "held"), Some(Value::Bool(true)));
    let cases: Vec<_> = ["only", "group"]
        .into_iter()
        .map(|key| text(gate, key))
        .filter(|it| !it.is_empty())
        .collect();
    let subject = [text(gate, "evaluator"), text(gate, "of")].concat();
    GateLine {
        label: printable(&if cases.is_empty() {
            subject
        } else {
            format!("{subject} [{}]", cases.join("; "))
        }),
        statistic,
        missed_by: if held {
            String::new()
        } else {
            format!("{found}, wanted {wanted}")
        },
        found,
        wanted,
        held,
    }
}

fn member<'v, 'a>(value: &'v Value<'a>, key: &str) -> Option<&'v Value<'a>> {
    value.as_object()?.get_str(key)
}

fn list<'v, 'a>(value: Option<&'v Value<'a>>) -> &'v [Value<'a>] {
    value.and_then(Value::as_list).unwrap_or_default()
}

fn text(value: &Value<'_>, key: &str) -> String {
    member(value, key)
        .and_then(Value::as_text)
        .map(|text| text.to_display().into_owned())
        .unwrap_or_default()
}

fn whole(value: &Value<'_>, key: &str) -> u64 {
    member(value, key).and_then(Value::as_f64).unwrap_or(0.0) as u64
}
