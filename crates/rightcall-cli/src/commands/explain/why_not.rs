//! `explain --why-not`: the change that reaches a score.

use rightcall_core::call::Case;
use rightcall_core::{Ask, Evaluation};
use rightcall_quality::{WhyNot, WhyNotAnswer, edits_told, why_not};
use rightcall_report::WhyNotView;
use rightcall_run::{Configured, Plan, is_same_outcome};

/// A score as `--why-not` takes it.
pub(super) fn parse_score(text: &str) -> Result<f64, String> {
    let score = text.parse::<f64>().ok().filter(|score| score.is_finite());
    score.ok_or_else(|| "expected a score, such as 1 or 0.8".to_owned())
}

/// The changes that would raise the score of a case to this one.
pub(super) fn view(
    plan: &Plan,
    configured: &Configured,
    case: &Case<'_>,
    shown: &Evaluation,
    target: f64,
) -> WhyNotView {
    let found = search(plan, configured, case, shown, target);
    let edits = match &found.answer {
        WhyNotAnswer::Change(change) => edits_told(&change.edits),
        _ => Vec::new(),
    };
    let changes = found.repair.iter().flat_map(|it| &it.changes);
    WhyNotView {
        answer: found.sentence(),
        edits,
        repair: found.repair_sentence(),
        changes: changes.map(ToString::to_string).collect(),
        json: found.to_json(),
    }
}

fn search(
    plan: &Plan,
    configured: &Configured,
    case: &Case<'_>,
    shown: &Evaluation,
    target: f64,
) -> WhyNot {
    if !plan.redaction.is_empty() {
        let reason = "values of the case are redacted, and a change would show them";
        return WhyNot::without_score(target, reason);
    }
    let view = match configured.view(case) {
        Ok(view) => view,
        Err(evaluation) => {
            let reason = evaluation.outcome.reason().unwrap_or_default();
            return WhyNot::without_score(target, reason);
        }
    };
    let judged = configured.evaluator.evaluate(&view, Ask::OUTCOME);
    if !is_same_outcome(&judged.outcome, &shown.outcome) {
        let reason = "the history keeps another score than the evaluator gives the case today";
        return WhyNot::without_score(target, reason);
    }
    why_not(&configured.evaluator, &view, target)
}
