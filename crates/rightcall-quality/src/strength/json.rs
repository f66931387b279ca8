//! The report as JSON.

use serde_json::{Value, json};

use super::proposal::proposals;
use super::{MutationTally, OperatorGroup, StrengthReport};

/// The report as one JSON document. Values of cases are left out if they must stay hidden.
pub fn strength_json(report: &StrengthReport, with_values: bool) -> String {
    let strengths = |of: &dyn Fn(OperatorGroup) -> Option<f64>| {
        let [single, whole] = OperatorGroup::ALL.map(of);
        json!({"single_calls": single, "whole_runs": whole})
    };
    let operators = report.operators().map(|(it, tally)| {
        let mut row = counts(tally);
        row["operator"] = json!(it.code);
        row["group"] = json!(it.group.name());
        row["weight"] = json!(it.weight);
        row["not_applicable"] = json!((tally.broken == 0).then_some(it.needs));
        row
    });
    let judges = report.judges.iter().enumerate().map(|(at, judge)| {
        json!({
            "judge": judge.label,
            "kind": if judge.is_gate { "gate" } else { "evaluator" },
            "decides": judge.decides,
            "strength": strengths(&|group| report.strength_of(at, group)),
            "noticed_alone": report.noticed_alone(at),
        })
    });
    let unused = report
        .unused
        .iter()
        .map(|(label, reason)| json!({"judge": label, "reason": reason}));
    let runs = report.by_run.iter().map(|run| {
        json!({
            "case": run.label,
            "trial": trial(run.trial.as_deref()),
            "strength": strengths(&|group| run.strength(group)),
            "broken": run.tallies.iter().map(|it| it.broken).sum::<u64>(),
            "noticed": run.tallies.iter().map(|it| it.noticed).sum::<u64>(),
        })
    });
    let proposals = proposals(report).into_iter().map(|it| {
        json!({
            "operator": it.operator.code,
            "points": it.points,
            "survivors": it.tally.survivors(),
            "left_open": it.tally.open,
            "example": it.example.map(|it| json!({
                "case": it.label,
                "trial": trial(it.trial.as_deref()),
                "change": it.change.to_text(with_values),
                "left_open": it.open,
            })),
            "setting": it.setting.map(|it| json!({
                "evaluator": it.evaluator,
                "gate": it.gate,
                "notices": it.caught,
                "fails_passing_runs": it.rejected,
                "strength": {"single_calls": it.strengths[0], "whole_runs": it.strengths[1]},
            })),
        })
    });
    let document = json!({
        "seed": report.seed,
        "mutants": report.mutants,
        "runs": {
            "passing": report.runs.passing,
            "failing": report.runs.failing,
            "without_verdict": report.runs.unjudged,
            "without_run": report.runs.without_run,
        },
        "strength": strengths(&|group| report.strength(group)),
        "strength_of_all_judges": strengths(&|group| report.strength_of_all(group)),
        "operators": operators.collect::<Vec<_>>(),
        "judges": judges.collect::<Vec<_>>(),
        "unused": unused.collect::<Vec<_>>(),
        "cases": runs.collect::<Vec<_>>(),
        "survivors": proposals.collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}

/// A recorded trial.
fn trial(json: Option<&str>) -> Option<Value> {
    serde_json::from_str(json?).ok()
}

fn counts(tally: &MutationTally) -> Value {
    json!({
        "broken": tally.broken,
        "noticed": tally.noticed,
        "no_longer_judged": tally.silenced,
        "survived": tally.survivors(),
        "left_open": tally.open,
        "same_act": tally.same,
        "share": tally.share(),
    })
}
