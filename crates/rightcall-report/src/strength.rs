//! Texts about the strength of a suite, shared by the terminal and the viewer.

use rightcall_quality::strength::{
    JudgeName, OperatorGroup, Proposal, ProposedSetting, RunStrength, StrengthReport, proposals,
};
use rightcall_results::case_name;

use crate::{count, percent};

/// The survivors of one operator.
#[derive(Clone, Debug, PartialEq)]
pub struct SurvivorText {
    /// The strength lost to them, 0 to 100 points, with one decimal.
    pub points: String,
    /// The operator, in a few words.
    pub way: &'static str,
    /// The number of survivors: `47 of 47 survive, 3 left open by the expectation`.
    pub survival: String,
    /// The name of a case with one of them, and a description of the change.
    pub example: Option<(String, String)>,
    /// The evaluator to add; `None` if no candidate helps.
    pub setting: Option<SettingText>,
}

/// An evaluator to add.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingText {
    /// Its entry in a suite: `- {evaluator: fitness}`.
    pub entry: String,
    /// The number of survivors that it notices: `47 of 47 noticed`.
    pub noticed: String,
    /// The passing runs that it fails: `, and it fails 1 passing run too`; empty if none.
    pub fails: String,
    /// The strength with it: `which makes single calls 46.7 % → 100.0 %, …`; with `about` if it fails a
    /// passing run. Empty if an earlier operator proposes the same entry.
    pub effect: String,
}

/// The advice if no candidate helps.
pub const NO_SETTING: &str = "no evaluator that was tried notices one and passes most passing runs: say it in the expectation, or in a rule";

/// Explains the second figure for a suite with gates.
pub const GATES_DECIDE: &str =
    "gates alone decide the exit code, so they alone notice; evaluators are shown beside them";

/// `9 passing runs broken, 1 failing unbroken · at most 10 times in each way · seed 1`.
pub fn strength_summary(report: &StrengthReport) -> String {
    let runs = &report.runs;
    let mut parts = vec![format!("{} broken", count(runs.passing, "passing run"))];
    for (number, words) in [
        (runs.failing, "failing unbroken"),
        (runs.unjudged, "without a verdict"),
        (runs.without_run, "without a run"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {words}"));
        }
    }
    format!(
        "{} · at most {} times in each way · seed {}",
        parts.join(", "),
        report.mutants,
        report.seed
    )
}

/// A judge with its kind: `gate: passed >= 60 %`.
pub fn judge_told(judge: &JudgeName) -> String {
    let kind = if judge.is_gate { "gate: " } else { "" };
    format!("{kind}{}", judge.label)
}

/// The number of noticed runs that no judge fails; `None` if there are none.
pub fn silenced_told(report: &StrengthReport) -> Option<String> {
    let silenced: u64 = report.tallies.iter().map(|it| it.silenced).sum();
    (silenced > 0).then(|| {
        let runs = count(silenced, "noticed run");
        format!("{runs} not failed but no longer judged: a gate or threshold that judges no case ends `rightcall run` with exit code 2")
    })
}

/// The broken runs, the weakest first; equal runs stay in input order.
pub fn weakest_runs(report: &StrengthReport) -> Vec<&RunStrength> {
    let mut runs: Vec<_> = report.by_run.iter().collect();
    let strength = |it: &RunStrength| it.mean().unwrap_or(f64::INFINITY);
    runs.sort_by(|one, other| strength(one).total_cmp(&strength(other)));
    runs
}

/// The survivors of each operator, most points first.
pub fn survivors(report: &StrengthReport, with_values: bool) -> Vec<SurvivorText> {
    let proposals = proposals(report);
    let mut shown = Vec::new();
    let texts = proposals.iter().map(|it| SurvivorText {
        points: format!("{:.1}", it.points),
        way: it.operator.summary,
        survival: survival(it),
        example: it.example.map(|example| {
            let name = case_name(&example.label, example.trial.as_deref());
            (name, example.change.to_text(with_values))
        }),
        setting: it.setting.as_ref().map(|setting| {
            let is_new = !shown.contains(&setting.entry);
            shown.push(setting.entry);
            SettingText {
                entry: format!("- {}", setting.entry),
                noticed: format!("{} of {} noticed", setting.caught, it.tally.survivors()),
                fails: match setting.rejected {
                    0 => String::new(),
                    runs => format!(", and it fails {} too", count(runs, "passing run")),
                },
                effect: if is_new {
                    effect(report, setting)
                } else {
                    String::new()
                },
            }
        }),
    });
    texts.collect()
}

fn survival(it: &Proposal<'_>) -> String {
    let (survive, open) = (it.tally.survivors(), it.tally.open);
    let open = match open {
        0 => String::new(),
        _ if open == survive => ", all left open by the expectation".to_owned(),
        _ => format!(", {open} left open by the expectation"),
    };
    format!("{survive} of {} survive{open}", it.tally.broken)
}

/// The strength with an evaluator.
fn effect(report: &StrengthReport, setting: &ProposedSetting<'_>) -> String {
    // With the evaluator, runs that it fails would no longer be broken, nor supply values for other broken runs.
    let about = if setting.rejected > 0 { "about " } else { "" };
    let groups = OperatorGroup::ALL.iter().zip(setting.strengths);
    let changes = groups.map(|(group, after)| {
        let before = percent(report.strength(*group));
        format!("{} {before} → {about}{}", group.name(), percent(after))
    });
    format!("which makes {}", changes.collect::<Vec<_>>().join(", "))
}
