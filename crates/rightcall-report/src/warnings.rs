//! Warnings of a run, the same for the command line and for callers of the bindings.

use rightcall_formats::{Report, join::LeftOutRun};
use rightcall_results::{EvaluatorSummary, Findings, NearKeys, NearName, RunSummary, UnsharedKey};
use rightcall_run::{FinishedRun, Plan, is_without_values};

use crate::text::count;

/// A reason to distrust the results of a run that did not fail for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The message, on one line.
    pub message: String,
    /// Suggests what to do.
    pub help: Option<String>,
}

impl Warning {
    fn new(message: String, help: &str) -> Self {
        Self {
            message,
            help: Some(help.to_owned()),
        }
    }

    /// The warning for a run without the key that matches runs to cases; `None` for other reasons.
    pub fn of_left_out(left: &LeftOutRun) -> Option<Self> {
        matches!(left, LeftOutRun::WithoutId { .. }).then(|| Self {
            message: left.to_string(),
            help: left.help(),
        })
    }

    /// The warning with its suggestion, on one line.
    pub fn in_a_line(&self) -> String {
        match &self.help {
            Some(help) => format!("{} ({help})", self.message),
            None => self.message.clone(),
        }
    }
}

/// Maximum number of runs without a case that are named.
const UNUSED_SHOWN: usize = 5;

/// Advice for runs without a case.
pub const UNUSED_HELP: &str = "a run belongs to the case with its `id`; if ids are new each time, use `--join input` or `--join order`; `expect:` in a suite scores runs without a case";

/// At most this many rules with misspelled names are listed.
const RULES_SHOWN: usize = 10;

/// All warnings of a run.
pub fn warnings(plan: &Plan, finished: &FinishedRun) -> Vec<Warning> {
    let summary = &finished.summary;
    let mut warnings = unread("the inputs", &finished.reading);
    if let Some(traces) = &plan.traces {
        warnings.extend(unread("the traces", traces.index.report()));
    }
    warnings.extend(misspelt(summary));
    warnings.extend(unused(plan, summary));
    warnings.extend(ungrouped(plan, summary));
    warnings.extend(found(summary));
    warnings
}

/// The warnings for cases in memory.
pub fn of_cases(summary: &RunSummary) -> Vec<Warning> {
    let mut warnings = misspelt(summary);
    warnings.extend(found(summary));
    warnings
}

fn found(summary: &RunSummary) -> impl Iterator<Item = Warning> {
    let found = findings(summary).into_iter();
    found.map(|message| Warning {
        message,
        help: None,
    })
}

/// Warnings about unparsed call-like data in a file of traces, and about calls without an agent, node or turn.
pub fn unread(of: &str, report: &Report) -> Vec<Warning> {
    let help = "evaluators that need all calls do not apply to a run that may lack some; `rightcall formats` lists what is read, --input-format chooses the format";
    let unread = report
        .warnings()
        .map(|what| Warning::new(format!("{of}: {what}"), help));
    let unplaced = (report.unplaced > 0).then(|| {
        let calls = count(report.unplaced, "call");
        Warning::new(
            format!(
                "{of}: {calls} of no known agent, node or turn: a case goes by the id of the run alone"
            ),
            "`rightcall inspect` with the same --read shows them",
        )
    });
    unread.chain(unplaced).collect()
}

/// The warning for a run in which no evaluator applied to any case, and none was required to.
pub fn nothing_judged(summary: &RunSummary) -> Option<Warning> {
    let is_idle = |it: &EvaluatorSummary| it.totals.not_applicable == summary.cases;
    if summary.cases == 0 || !summary.evaluators.iter().all(is_idle) {
        return None;
    }
    if summary.nothing_joined || !summary.unjudged().is_empty() {
        // These are errors with their own messages.
        return None;
    }
    let keys = summary.near_keys.iter();
    let keys = keys
        .map(|(key, (meant, _))| format!("`{key}` is no key of a case: did you mean `{meant}`?"));
    let help = if summary.near_keys.is_empty() {
        let reason = summary.evaluators.iter().find_map(|it| it.reasons.first());
        reason.map(|(why, cases)| format!("{}: {why}", count(*cases, "case")))
    } else {
        Some(keys.collect::<Vec<_>>().join("; "))
    };
    let message = "nothing was judged: no evaluator applies to any case".to_owned();
    Some(Warning { message, help })
}

/// Warnings about possibly misspelled keys of cases, tools in rules, and keys in settings.
pub fn misspelt(summary: &RunSummary) -> Vec<Warning> {
    let mut warnings: Vec<_> = nothing_judged(summary).into_iter().collect();
    if warnings.is_empty() {
        warnings = near_keys(&summary.near_keys);
    }
    let matchers = summary.matcher_texts.iter();
    warnings.extend(matchers.map(|(name, cases)| Warning {
        message: format!(
            "an expected value is the text \"{name}\", which is the name of a matcher ({})",
            count(*cases, "case")
        ),
        help: Some(format!(
            "a matcher is an object: {{\"{name}\": …}}; `rightcall lint` names the places"
        )),
    }));
    let outcomes = summary.stated_outcomes.iter();
    warnings.extend(outcomes.map(|(key, cases)| {
        Warning {
            message: format!(
                "an expected call has `{key}` ({}): whether a call fails is not compared",
                count(*cases, "case")
            ),
            help: Some(
                "leave it out; the evaluator `constraints` with `max_errors` judges failed calls"
                    .to_owned(),
            ),
        }
    }));
    warnings.extend(near_rules(&summary.near_rules, &summary.unshared_keys));
    for evaluator in &summary.evaluators {
        if let Some(idle) = &evaluator.idle_paths {
            let (label, paths) = (&evaluator.label, &idle.paths);
            let cases = count(idle.cases, "case");
            warnings.push(Warning {
                message: format!(
                    "{label}: `match.keys` names no argument on either side of {cases}: {paths}"
                ),
                help: Some(format!("the arguments are {}", idle.arguments)),
            });
        }
    }
    warnings
}

/// Warnings about rules that name unknown tools, or keys that no call has.
pub fn near_rules(names: &[NearName], keys: &[UnsharedKey]) -> Vec<Warning> {
    let of_name = |NearName {
                       expected, called, ..
                   }: &NearName| {
        Warning::new(
            format!("a rule names `{expected}`, which no run calls and no case expects"),
            &format!("did you mean `{called}`?"),
        )
    };
    let of_key = |UnsharedKey {
                      calls,
                      key,
                      near,
                      others,
                  }: &UnsharedKey| {
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its arguments are {}", others.join(", ")),
        };
        Warning {
            message: format!(
                "a rule compares `{key}` of `{calls}` (`same`), which no call has, so it compares nothing"
            ),
            help: Some(help).filter(|_| near.is_some() || !others.is_empty()),
        }
    };
    let names = names.iter().take(RULES_SHOWN).map(of_name);
    names
        .chain(keys.iter().take(RULES_SHOWN).map(of_key))
        .collect()
}

/// The number of rules that are not listed.
pub fn more_rules(summary: &RunSummary) -> usize {
    let more = |listed: usize| listed.saturating_sub(RULES_SHOWN);
    more(summary.near_rules.len()) + more(summary.unshared_keys.len())
}

/// A warning for each possibly misspelled key of cases.
pub fn near_keys(keys: &NearKeys) -> Vec<Warning> {
    let warning = |(key, (meant, cases)): (&String, &(&'static str, u64))| Warning {
        message: format!(
            "`{key}` is not a key of a case ({}): its value is not judged",
            count(*cases, "case")
        ),
        help: Some(format!("did you mean `{meant}`?")),
    };
    keys.iter().map(warning).collect()
}

/// A warning about runs without a case. If runs are matched by order, they are an error instead.
pub fn unused(plan: &Plan, summary: &RunSummary) -> Option<Warning> {
    (summary.unused_runs > 0 && !plan.joins_by_order()).then(|| {
        Warning::new(
            unused_runs(summary.unused_runs, &summary.first_unused_runs),
            UNUSED_HELP,
        )
    })
}

/// `2 runs without a case: a, b`.
pub fn unused_runs(number: u64, first: &[String]) -> String {
    let named = &first[..first.len().min(UNUSED_SHOWN)];
    let more = if number > named.len() as u64 {
        ", …"
    } else {
        ""
    };
    let runs = count(number, "run");
    format!("{runs} without a case: {}{more}", named.join(", "))
}

/// A warning if no case has the key that the summary is grouped by.
pub fn ungrouped(plan: &Plan, summary: &RunSummary) -> Option<Warning> {
    let (Some(by), [group]) = (&plan.by, &summary.groups[..]) else {
        return None;
    };
    is_without_values(group).then(|| {
        Warning::new(
            format!("no case has {by} to group by"),
            "--by takes keys of the cases' meta values, and `tag`",
        )
    })
}

/// An evaluator gets a warning if it applies to less than this share of the cases.
const MIN_APPLICABLE_SHARE: f64 = 0.5;

/// Possibly misspelled names, evaluators that apply to few cases, and differing editions.
pub fn findings(summary: &RunSummary) -> Vec<String> {
    let found = summary.findings.as_ref();
    let near_names = found.map_or(&summary.near_names, |found| &found.near_names);
    let mut warnings: Vec<_> = near_names.iter().map(near_name).collect();
    for evaluator in &summary.evaluators {
        let applied = summary
            .cases
            .saturating_sub(evaluator.totals.not_applicable);
        if (applied as f64) < MIN_APPLICABLE_SHARE * summary.cases as f64 {
            let label = &evaluator.label;
            warnings.push(if applied == 0 {
                format!("{label} applies to no case")
            } else {
                let cases = count(summary.cases, "case");
                format!("{label} applies to only {applied} of {cases}")
            });
        }
    }
    warnings.extend(found.into_iter().flat_map(|found| editions(summary, found)));
    warnings
}

fn near_name(name: &NearName) -> String {
    let (expected, called, calls) = (&name.expected, &name.called, name.calls);
    format!(
        "{expected}: expected, but 0 calls; {called}: {} (is a name misspelled?)",
        count(calls, "call")
    )
}

fn editions(summary: &RunSummary, found: &Findings) -> Vec<String> {
    let differs = |differ: &rightcall_results::EditionsDiffer| {
        let label = &summary.evaluators[differ.evaluator].label;
        let hint = if differ.first.len() > 1 || differ.cases == 1 {
            ""
        } else {
            " (--editions lists them)"
        };
        format!(
            "the editions of {label} differ on {} of {}{hint}",
            differ.cases,
            count(summary.cases, "case")
        )
    };
    found.editions.iter().map(differs).collect()
}
