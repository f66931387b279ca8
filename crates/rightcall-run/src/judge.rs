//! Scores a case once: the result, and the data that aggregates need.

use std::hash::Hasher;
use std::ptr;
use std::sync::Arc;

use rightcall_core::call::Case;
use rightcall_core::value::on_one_line;
use rightcall_core::{Ask, EvaluationError, Outcome, PreparedCase};
use rightcall_formats::{LinePlace, case_text};
use rightcall_results::{
    CaseCause, CaseResult, Cause, EvaluationResult, KeptCase, meta_of, tags_of, tools_of,
};
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::case_label::Labelled;
use crate::findings::CaseFindings;
use crate::judged::{CaseHash, Drawings, JudgedBlock, JudgedCase};
use crate::output::{Renderer, Wants};
use crate::redaction::without_number;
use crate::rule_names::{RuleNames, is_judge};
use crate::select::rank_of;
use crate::slips::Slips;
use crate::{Plan, Unmatched};

/// A block usually has a few hundred cases at most; growing the list would move them.
const USUAL_CASES: usize = 192;

/// Scores the cases of a run, on any thread.
pub(crate) struct Judge<'p> {
    pub(crate) plan: &'p Plan,
    pub(crate) wants: Wants,
    /// The renderer of each output that draws cases on the scoring threads.
    pub(crate) renderers: Vec<Option<Renderer>>,
}

impl Judge<'_> {
    pub(crate) fn block(&self, file: &Arc<str>, bytes_read: u64) -> JudgedBlock {
        JudgedBlock {
            file: Arc::clone(file),
            block: None,
            bytes_read,
            cases: Vec::with_capacity(USUAL_CASES),
            drawings: self.renderers.iter().map(|_| Drawings::default()).collect(),
            problems: Vec::new(),
            without_run: 0,
            without_expectation: 0,
            slips: Slips::default(),
            rule_names: RuleNames::new(&self.plan.evaluators),
        }
    }

    /// Scores a case if it is selected. Scores come from the original case, all text from its redacted copy.
    pub(crate) fn judge(
        &self,
        block: &mut JudgedBlock,
        case: &Case<'_>,
        shown: &Case<'_>,
        place: LinePlace,
    ) {
        let label = case.label(&block.file, place);
        self.judge_labelled(block, case, shown, (place.line, label));
    }

    /// Like `judge`, for a case in memory; `label` is its name if it has no id.
    pub(crate) fn judge_named(
        &self,
        block: &mut JudgedBlock,
        case: &Case<'_>,
        shown: &Case<'_>,
        (line, name): (u64, &str),
    ) {
        let id = case.id.as_ref().map(|id| id.to_display().into_owned());
        let label = id.unwrap_or_else(|| name.to_owned());
        self.judge_labelled(block, case, shown, (line, label));
    }

    fn judge_labelled(
        &self,
        block: &mut JudgedBlock,
        case: &Case<'_>,
        shown: &Case<'_>,
        (line, label): (u64, String),
    ) {
        let plan = self.plan;
        // Count these before the selection, so no filter hides a misspelled name.
        block.slips.add(case);
        if let Some(names) = &mut block.rule_names {
            names.add(case);
        }
        if !plan.selection.admits(case, &label) {
            return;
        }
        if !plan.expected.is_empty() && case.expected.is_empty() && case.native.is_none() {
            block.without_expectation += 1;
            return;
        }
        // An unrecorded run is a run, but nothing in it can be judged.
        let has_run =
            case.actual.is_some() || case.incomplete.is_some() || plan.case_rule.is_none();
        let rule = plan.case_rule.as_ref();
        if !has_run && rule.is_some_and(|rule| rule.unmatched == Unmatched::Ignore) {
            block.without_run += 1;
            return;
        }
        let mut judged = JudgedCase {
            hash: case
                .id
                .as_ref()
                .map(|id| case_hash(plan, id.as_bytes(), case)),
            question: plan.question_of(case).map(|question| {
                let key = [b"\xFE", question.as_bytes()].concat();
                case_hash(plan, &key, case)
            }),
            has_run,
            is_read: true,
            groups: plan.by.iter().flat_map(|by| groups(by, shown)).collect(),
            gates: gates_of(plan, case, shown),
            trials: plan.is_trial(case).then(|| {
                let group = plan.trial_group_of(case, &label);
                let hash = trials_hash(plan, &group, case);
                // The hash uses the original values, so redaction never merges groups.
                let shown_group = if ptr::eq(case, shown) {
                    group
                } else {
                    plan.trial_group_of(shown, &label)
                };
                (hash, shown_group)
            }),
            pairing: plan.baseline.as_ref().map(|baseline| {
                let key = baseline
                    .key
                    .of(&label, case.trial, meta_of(shown).as_deref());
                key.unwrap_or_else(|| label.clone())
            }),
            findings: None,
            tools: Vec::new(),
            result: Arc::new(CaseResult {
                label,
                trial: shown.trial.map(on_one_line),
                variant: plan.variant_of(shown),
                file: Arc::clone(&block.file),
                line,
                tags: tags_of(shown),
                evaluations: Vec::with_capacity(plan.evaluators.len()),
                whole: EvaluationResult::not_applicable(""),
                causes: Vec::new(),
                case: None,
            }),
        };
        if let Some(result) = Arc::get_mut(&mut judged.result) {
            judged.findings = self.evaluate(result, case, shown, has_run);
        }
        if self.wants.counts_tools() {
            judged.tools = tools_of(shown);
        }
        for (renderer, drawings) in self.renderers.iter().zip(&mut block.drawings) {
            if let Some(render) = renderer {
                render(shown, &judged.result, &mut drawings.bytes);
            }
            drawings.ends.push(drawings.bytes.len());
        }
        block.cases.push(judged);
    }

    /// Adds a case that could not be parsed. The reason becomes the error of each evaluator.
    pub(crate) fn fail(&self, block: &mut JudgedBlock, (line, label): (u64, String), why: &str) {
        let failed = |_| {
            let error = EvaluationError::Raised(why.to_owned());
            EvaluationResult::new(Outcome::Failed(error), None)
        };
        let evaluations: Vec<_> = self.plan.evaluators.iter().map(failed).collect();
        let result = Arc::new(CaseResult {
            label,
            trial: None,
            variant: Vec::new(),
            file: Arc::clone(&block.file),
            line,
            tags: Vec::new(),
            whole: self.plan.whole_case(&evaluations, true),
            evaluations,
            causes: Vec::new(),
            case: None,
        });
        for (renderer, drawings) in self.renderers.iter().zip(&mut block.drawings) {
            if let Some(render) = renderer {
                render(&Case::default(), &result, &mut drawings.bytes);
            }
            drawings.ends.push(drawings.bytes.len());
        }
        block.cases.push(JudgedCase {
            result,
            hash: None,
            question: None,
            has_run: true,
            is_read: false,
            groups: Vec::new(),
            gates: self.plan.gates().iter().map(|_| None).collect(),
            trials: None,
            pairing: None,
            findings: None,
            tools: Vec::new(),
        });
    }

    /// Evaluates a case with everything that outputs want.
    fn evaluate(
        &self,
        result: &mut CaseResult,
        case: &Case<'_>,
        shown: &Case<'_>,
        has_run: bool,
    ) -> Option<Box<CaseFindings>> {
        let plan = self.plan;
        let sample = self.wants.sample.as_ref();
        let rank = sample.map(|sample| (sample, rank_of(&result.label, case.trial)));
        let admits =
            |failed| rank.is_some_and(|(sample, rank)| has_run && sample.admits(rank, failed));
        let ask = Ask {
            details: self.wants.details,
            result: false,
            explanation: self.wants.explanation || admits(false),
            shortfall: self.wants.shortfall || admits(true),
        };
        let mut findings = plan
            .investigation
            .as_ref()
            .map(|_| CaseFindings::new(shown));
        let prepared = PreparedCase::new(case);
        let redacted =
            (self.wants.shortfall && !ptr::eq(case, shown)).then(|| PreparedCase::new(shown));
        for (index, configured) in plan.evaluators.iter().enumerate() {
            // Unjudged rules are reported, and lower no score.
            let lists_rules = ask.shortfall && plan.investigation.is_some() && is_judge(configured);
            let of_rules = Ask {
                explanation: ask.explanation || lists_rules,
                ..ask
            };
            let evaluation = plan.evaluate(configured, &prepared, shown, of_rules);
            let mut evaluated = EvaluationResult::from(evaluation);
            // Stored cases also have the reason for their low score.
            if ask.shortfall
                && let Ok(view) = configured.view(shown)
            {
                evaluated.explain(&view);
                evaluated.add_causes(&mut result.causes, &view);
                if let (true, Some(investigation), Some(findings)) =
                    (self.wants.shortfall, &plan.investigation, &mut findings)
                {
                    let shown = redacted.as_ref().unwrap_or(&prepared);
                    investigation.look(findings, index, shown, &evaluated);
                }
            }
            if lists_rules && !ask.explanation && !evaluated.is_low() {
                evaluated.explanation = None;
            }
            if !has_run {
                let rule = plan.case_rule.as_ref();
                evaluated.passed = rule.and_then(|rule| rule.is_decisive(index).then_some(false));
            }
            result.evaluations.push(evaluated);
        }
        result.whole = plan.whole_case(&result.evaluations, has_run);
        if !has_run && ask.shortfall {
            let counts = result.failed();
            result.causes = vec![CaseCause {
                cause: Cause::NoRun,
                counts,
            }];
            if let (true, Some(findings)) = (counts, &mut findings) {
                findings.fell_short = true;
            }
        }
        let is_kept = self.wants.case
            || rank.is_some_and(|(sample, rank)| sample.admits(rank, result.failed()));
        result.case = is_kept.then(|| Arc::new(KeptCase::new(shown, case_text(shown))));
        findings.map(Box::new)
    }
}

/// For each gate, the groups of the case; `None` for a gate that does not cover the case.
fn gates_of(plan: &Plan, case: &Case<'_>, shown: &Case<'_>) -> Vec<Option<Vec<String>>> {
    let of_gate = |gate: &crate::Gate| {
        let groups = || gate.by.iter().flat_map(|by| groups(by, shown)).collect();
        gate.looks_at(case).then(groups)
    };
    plan.gates().iter().map(of_gate).collect()
}

fn groups(by: &crate::Grouping, shown: &Case<'_>) -> impl Iterator<Item = String> {
    by.of(shown).into_iter().map(without_number)
}

fn case_hash(plan: &Plan, id: &[u8], case: &Case<'_>) -> CaseHash {
    let mut hasher = SipHasher13::new_with_keys(plan.reading.hash_key.0, plan.reading.hash_key.1);
    hasher.write(id);
    // The byte 0xFF never occurs in UTF-8, so an id and a trial can't run together.
    hasher.write_u8(0xFF);
    hasher.write(case.trial.unwrap_or_default().as_bytes());
    write_identity(&mut hasher, plan, case);
    CaseHash::new(hasher.finish128().as_u128())
}

/// Adds the values that distinguish the runs of a case, other than id and trial.
fn write_identity(hasher: &mut SipHasher13, plan: &Plan, case: &Case<'_>) {
    for value in plan.identity_of(case) {
        hasher.write_u8(0xFF);
        hasher.write(value.as_bytes());
    }
}

/// The hash that all trials of a case share.
fn trials_hash(plan: &Plan, group: &str, case: &Case<'_>) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(plan.reading.hash_key.0, plan.reading.hash_key.1);
    hasher.write(group.as_bytes());
    // Runs of two models are not trials of the same case, unless the plan sets the key that trials share.
    if plan.trial_group.is_none() {
        write_identity(&mut hasher, plan, case);
    }
    hasher.finish128().h1
}
