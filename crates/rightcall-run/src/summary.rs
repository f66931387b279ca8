//! What a run came to, in memory that does not grow with it.

use std::collections::BTreeMap;

use rightcall::value::{JsonText, JsonWriter};
use rightcall_formats::{Location, Report};
use rightcall_stats::{Measurement, RunScores, TrialScores, TrialStatistics};

use crate::baseline::LookedAt;
use crate::case_rule::NO_RUN;
use crate::findings::Collecting;
use crate::gate::{GateResult, GateScores, JudgedCase, MAX_GROUPS};
use crate::scored::{NearKeys, ScoredBlock, ScoredCase};
use crate::scores::{Mark, Marked, Scores};
use crate::select::NONE;
use crate::trials::{RepeatedCases, write_repeated};
use crate::{Configured, Findings, Lowest, Plan, Problem, Unmatched};

/// Failures and reasons that are kept for people to read; all are counted.
const KEPT: usize = 10;

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Cases that were scored.
    pub cases: u64,
    /// Records that could not be read.
    pub unreadable: u64,
    /// Cases left out, since there was one of that name before.
    pub duplicates: u64,
    /// Inputs that broke off.
    pub broken_inputs: u64,
    /// Cases without a run: those that count as failed.
    pub no_run: u64,
    /// The first of these.
    pub first_no_run: Vec<Failure>,
    /// Cases without a run that were left out.
    pub ignored: u64,
    /// Trajectories that were left out, since nothing is expected of them.
    pub without_expectation: u64,
    /// Cases and runs without each other, where they are joined by their places.
    pub unpaired: u64,
    /// There were to be runs in files of their own, and not one of them belongs to a case.
    pub nothing_joined: bool,
    /// Runs that belong to no case.
    pub unused_runs: u64,
    /// The first of these.
    pub first_unused_runs: Vec<Location>,
    /// What was left out of traces that are inputs themselves.
    pub reading: Report,
    /// Keys of cases that are nearly others.
    pub near_keys: NearKeys,
    /// By evaluator, in the plan's order.
    pub evaluators: Vec<EvaluatorSummary>,
    /// The weighted scores of the cases and the verdicts on them; `None` where nobody asked for these.
    pub case_scores: Option<Scores>,
    /// What the trials come to, where cases have several and verdicts.
    pub trials: Option<TrialStatistics>,
    /// The groups that were asked for, by name.
    pub groups: Vec<GroupSummary>,
    /// Groups beyond those that are kept.
    pub more_groups: bool,
    /// The lowest cases by the mean of their scores.
    pub lowest: Lowest,
    /// What decides whether the run is good enough.
    pub decides: Decides,
    /// The gates, in the plan's order.
    pub gates: Vec<GateResult>,
    /// What the run shows beside its scores, where that was looked for.
    pub findings: Option<Findings>,
    /// The results of the cases, where they are compared with a baseline or become one.
    pub results: Option<RunScores>,
}

/// What one evaluator made of the cases.
#[derive(Clone, Debug, Default)]
pub struct EvaluatorSummary {
    /// The id.
    pub id: &'static str,
    /// The user's name for it.
    pub name: Option<String>,
    /// What people call it: the name, else the id; where several evaluators share that, with the settings.
    pub label: String,
    /// The threshold that the user wrote.
    pub threshold: Option<f64>,
    /// Whether its verdicts are the user's will; see [`Configured::is_decisive`].
    pub is_decisive: bool,
    /// The scores.
    pub scores: Scores,
    /// The lowest cases.
    pub lowest: Lowest,
    /// Why it did not apply, in order of first appearance, with the number of cases.
    pub reasons: Vec<(String, u64)>,
    /// The first evaluations that ended in an error.
    pub failures: Vec<Failure>,
}

/// What the evaluators made of a group of cases.
#[derive(Clone, Debug, Default)]
pub struct GroupSummary {
    /// The values that its cases share.
    pub name: String,
    /// Cases in it.
    pub cases: u64,
    /// The scores by evaluator, in the plan's order.
    pub evaluators: Vec<Scores>,
    /// The weighted scores of the cases, where these are asked for.
    pub case_scores: Option<Scores>,
}

impl GroupSummary {
    /// Whether its cases have none of the values that they are grouped by.
    pub fn is_without_values(&self) -> bool {
        self.name.split(", ").all(|value| value == NONE)
    }
}

/// A case that came to nothing.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Id of the case, or `FILE:LINE`.
    pub case: String,
    /// `FILE:LINE` of the case.
    pub place: String,
    /// Why.
    pub reason: String,
}

impl EvaluatorSummary {
    /// Cases that missed a threshold which the user wrote, or that an evaluator which judges by itself says no to.
    pub fn failed(&self) -> u64 {
        if self.is_decisive {
            self.scores.judged - self.scores.passed
        } else {
            0
        }
    }

    /// Cases to which it did not apply for other reasons than those that are kept.
    pub fn other_reasons(&self) -> u64 {
        self.scores
            .not_applicable
            .saturating_sub(self.reasons.iter().map(|(_, cases)| cases).sum())
    }

    fn add_reason(&mut self, reason: &str) {
        if let Some((_, count)) = self.reasons.iter_mut().find(|(known, _)| known == reason) {
            *count += 1;
        } else if self.reasons.len() < KEPT {
            self.reasons.push((reason.to_owned(), 1));
        }
    }
}

/// What decides whether a run is good enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decides {
    /// Verdicts of evaluators, if they are the user's will, and whether each case has a run.
    #[default]
    Verdicts,
    /// The gates alone.
    Gates,
    /// Nothing: the list of gates is empty.
    Nothing,
}

impl Decides {
    fn of(plan: &Plan) -> Self {
        match plan.gates.as_deref() {
            None => Self::Verdicts,
            Some([]) => Self::Nothing,
            Some(_) => Self::Gates,
        }
    }
}

/// How good a run was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing is missed.
    Fine,
    /// A gate of the suite is missed; in a run without gates a threshold that the user wrote, or a run, or an evaluator that judges by
    /// itself said no.
    Missed,
    /// Something could not be read or scored, there was nothing to score, or no run belongs to a case. This goes before [`Ending::Missed`]: what was not
    /// scored cannot have been judged.
    Incomplete,
}

impl Summary {
    /// How good the run was; `skip_invalid` accepts records that could not be read.
    pub fn ending(&self, skip_invalid: bool) -> Ending {
        let unreadable = self.unreadable > 0 && !skip_invalid;
        let incomplete = unreadable
            || self.broken_inputs > 0
            || self.duplicates > 0
            || self.unpaired > 0
            || self.errors() > 0;
        if incomplete || self.nothing_joined || self.is_empty() {
            return Ending::Incomplete;
        }
        let missed = match self.decides {
            Decides::Verdicts => {
                self.no_run > 0
                    || self
                        .evaluators
                        .iter()
                        .any(|evaluator| evaluator.failed() > 0)
            }
            Decides::Gates => self.gates.iter().any(|gate| !gate.held),
            Decides::Nothing => false,
        };
        if missed { Ending::Missed } else { Ending::Fine }
    }

    /// True if there was nothing to score. Cases that were left out because the user accepts that they have no run were something.
    pub fn is_empty(&self) -> bool {
        self.cases + self.ignored == 0
    }

    /// Why no score, however low, would have failed the run; `None` where one would have.
    pub fn undecided(&self) -> Option<&'static str> {
        let mut decisive = self
            .evaluators
            .iter()
            .filter(|evaluator| evaluator.is_decisive)
            .peekable();
        match self.decides {
            Decides::Verdicts if decisive.peek().is_none() => {
                Some("no gate and no threshold was written")
            }
            // What applies to no case says no to none.
            Decides::Verdicts if decisive.all(|evaluator| evaluator.scores.judged == 0) => {
                Some("no case was judged")
            }
            Decides::Nothing => Some("the list of gates is empty"),
            _ => None,
        }
    }

    /// Evaluations that ended in an error.
    pub fn errors(&self) -> u64 {
        self.evaluators
            .iter()
            .map(|evaluator| evaluator.scores.errors)
            .sum()
    }

    /// The summary as a JSON object.
    pub fn to_json(&self) -> JsonText {
        let mut writer = JsonWriter::new();
        writer.begin_object();
        for (key, count) in [
            ("cases", self.cases),
            ("unreadable", self.unreadable),
            ("duplicates", self.duplicates),
            ("no_run", self.no_run),
        ] {
            writer.key(key).count(count as usize);
        }
        if let Some(scores) = &self.case_scores {
            writer.key("score").begin_object();
            write_scores(&mut writer, scores);
            writer.end_object();
        }
        writer.key("evaluators").begin_list();
        for evaluator in &self.evaluators {
            evaluator.write(&mut writer, &evaluator.scores);
        }
        writer.end_list();
        if let Some(trials) = &self.trials {
            write_repeated(writer.key("trials").begin_object(), trials);
            writer.end_object();
        }
        if !self.groups.is_empty() {
            writer.key("groups").begin_list();
            for group in &self.groups {
                writer
                    .begin_object()
                    .key("group")
                    .str(&group.name)
                    .key("cases")
                    .count(group.cases as usize);
                writer.key("evaluators").begin_list();
                for (evaluator, scores) in self.evaluators.iter().zip(&group.evaluators) {
                    evaluator.write(&mut writer, scores);
                }
                writer.end_list().end_object();
            }
            writer.end_list();
        }
        writer.key("gates").begin_list();
        self.gates.iter().for_each(|gate| gate.write(&mut writer));
        writer.end_list();
        if let Some(findings) = &self.findings {
            findings.write(writer.key("findings").begin_object());
            writer.end_object();
        }
        writer.end_object();
        writer.finish()
    }
}

impl EvaluatorSummary {
    /// Writes scores of this evaluator.
    fn write(&self, writer: &mut JsonWriter, scores: &Scores) {
        writer.begin_object().key("evaluator").str(self.id);
        if let Some(name) = &self.name {
            writer.key("name").str(name);
        }
        write_scores(writer, scores);
        writer.end_object();
    }
}

fn write_scores(writer: &mut JsonWriter, scores: &Scores) {
    for (key, number) in [
        ("mean", scores.mean()),
        ("min", scores.min()),
        ("max", scores.max()),
        ("pass_rate", scores.pass_rate()),
    ] {
        writer.key(key).float(number.unwrap_or(f64::NAN));
    }
    for (key, count) in [
        ("scored", scores.scored),
        ("passed", scores.passed),
        ("not_applicable", scores.not_applicable),
        ("errors", scores.errors),
    ] {
        writer.key(key).count(count as usize);
    }
    writer.key("histogram").begin_list();
    scores
        .histogram
        .iter()
        .for_each(|&count| _ = writer.count(count as usize));
    writer.end_list();
}

fn judged(mark: &Mark) -> Measurement {
    Measurement {
        score: mark.score(),
        passed: mark.verdict(),
    }
}

/// What people call each evaluator: its name, else its id; where several share that, with the settings.
pub fn labels(evaluators: &[Configured]) -> Vec<String> {
    evaluators
        .iter()
        .map(|configured| label(configured, evaluators))
        .collect()
}

fn label(configured: &Configured, all: &[Configured]) -> String {
    let namesakes = all
        .iter()
        .filter(|it| it.label() == configured.label())
        .count();
    if namesakes > 1 {
        configured.argument.clone()
    } else {
        configured.label().to_owned()
    }
}

fn failure(scored: &ScoredBlock, case: &ScoredCase, reason: &str) -> Failure {
    Failure {
        case: scored.label(case).to_owned(),
        place: format!("{}:{}", scored.file, case.record.line),
        reason: reason.to_owned(),
    }
}

/// A summary in the making.
pub(crate) struct Summing<'p> {
    plan: &'p Plan,
    summary: Summary,
    gates: Vec<GateScores>,
    /// By gate, where it looks at what changed in some cases alone.
    looked_at: Vec<LookedAt>,
    findings: Option<Collecting>,
    groups: BTreeMap<String, GroupSummary>,
    trials: RepeatedCases,
}

impl<'p> Summing<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Self {
        let evaluators = plan.evaluators.iter().map(|configured| EvaluatorSummary {
            id: configured.evaluator.id(),
            name: configured.name.clone(),
            label: label(configured, &plan.evaluators),
            threshold: configured.evaluator.threshold(),
            is_decisive: configured.is_decisive(),
            ..EvaluatorSummary::default()
        });
        let case_scores = plan.case_rule.is_some().then(Scores::default);
        let summary = Summary {
            evaluators: evaluators.collect(),
            case_scores,
            decides: Decides::of(plan),
            ..Summary::default()
        };
        let gates = plan.gates().iter().map(GateScores::new).collect();
        let measures = || {
            plan.evaluators
                .iter()
                .map(|configured| configured.label().to_owned())
                .collect()
        };
        let results = plan.baseline.as_ref().map(|_| RunScores {
            measures: measures(),
            ..RunScores::default()
        });
        let summary = Summary { results, ..summary };
        let findings = plan.investigation.as_ref().map(Collecting::new);
        let looked_at = plan.gates().iter().map(|_| LookedAt::default()).collect();
        Self {
            plan,
            summary,
            gates,
            looked_at,
            findings,
            groups: BTreeMap::new(),
            trials: RepeatedCases::default(),
        }
    }

    /// Adds what was left out of the traces of a block.
    pub(crate) fn add_report(&mut self, report: &Report) {
        self.summary.reading.add(report);
    }

    /// Adds the cases of a block; blocks come in input order.
    pub(crate) fn add(&mut self, scored: &ScoredBlock) {
        for problem in &scored.problems {
            *match problem {
                Problem::Unreadable(_) => &mut self.summary.unreadable,
                Problem::BrokenInput(_) => &mut self.summary.broken_inputs,
                Problem::Duplicate { .. } => &mut self.summary.duplicates,
                Problem::WithoutRun { .. } => &mut self.summary.unpaired,
            } += 1;
        }
        self.summary.ignored += scored.without_run;
        self.summary.without_expectation += scored.without_expectation;
        for (key, (meant, cases)) in &scored.near_keys {
            self.summary
                .near_keys
                .entry(key.clone())
                .or_insert((meant, 0))
                .1 += cases;
        }
        for (case, marks) in scored.marked(self.plan.evaluators.len()) {
            self.summary.cases += 1;
            for (evaluator, mark) in self.summary.evaluators.iter_mut().zip(marks) {
                evaluator.scores.add(mark);
                match &mark.outcome {
                    Marked::Score(score) if self.plan.keeps_lowest => {
                        evaluator.lowest.offer(*score, scored, case, marks)
                    }
                    Marked::NotApplicable(reason) => evaluator.add_reason(reason),
                    Marked::Error(reason) if evaluator.failures.len() < KEPT => {
                        evaluator.failures.push(failure(scored, case, reason));
                    }
                    Marked::Score(_) | Marked::Error(_) => {}
                }
            }
            let mark = self.plan.case_mark(marks, case.has_run);
            if let Some(score) = mark.score().filter(|_| self.plan.keeps_lowest) {
                self.summary.lowest.offer(score, scored, case, marks);
            }
            if let (Some(key), Some(passed)) = (case.trials, mark.verdict()) {
                self.trials.add(key, scored.trial_group(case), passed);
            }
            if let (Some(findings), Some(shown)) = (&mut self.findings, &case.findings) {
                findings.add(scored, case, shown);
            }
            if let Some(scores) = &mut self.summary.case_scores {
                scores.add(&mark);
            }
            if !case.has_run {
                self.summary.no_run += 1;
                if self.summary.first_no_run.len() < KEPT {
                    self.summary
                        .first_no_run
                        .push(failure(scored, case, NO_RUN));
                }
            }
            if let (Some(results), Some(key)) = (&mut self.summary.results, &case.pairing) {
                results.cases.push(TrialScores {
                    key: key.to_string(),
                    label: scored.label(case).to_owned(),
                    trial: scored.trial(case).map(ToOwned::to_owned),
                    values: marks.iter().map(judged).collect(),
                    overall: judged(&mark),
                    field: None,
                });
            }
            self.add_to_groups(case, marks, &mark);
            self.add_to_gates(case, marks, &mark);
        }
    }

    fn add_to_groups(&mut self, case: &ScoredCase, marks: &[Mark], mark: &Mark) {
        let groups = if self.plan.by.is_some() {
            &case.groups[0][..]
        } else {
            &[]
        };
        for name in groups {
            if !self.groups.contains_key(name) && self.groups.len() == MAX_GROUPS {
                self.summary.more_groups = true;
                continue;
            }
            let group = self
                .groups
                .entry(name.clone())
                .or_insert_with(|| GroupSummary {
                    name: name.clone(),
                    evaluators: vec![Scores::default(); marks.len()],
                    case_scores: self.plan.case_rule.is_some().then(Scores::default),
                    ..GroupSummary::default()
                });
            group.cases += 1;
            group
                .evaluators
                .iter_mut()
                .zip(marks)
                .for_each(|(scores, mark)| scores.add(mark));
            if let Some(scores) = &mut group.case_scores {
                scores.add(mark);
            }
        }
    }

    fn add_to_gates(&mut self, case: &ScoredCase, marks: &[Mark], mark: &Mark) {
        let mut groups = case.groups.iter().skip(usize::from(self.plan.by.is_some()));
        let judged = JudgedCase {
            marks,
            mark,
            trials: case.trials.unwrap_or(0),
        };
        let position = self
            .summary
            .results
            .as_ref()
            .and_then(|results| results.cases.len().checked_sub(1));
        for (number, (gate, scores)) in self.plan.gates().iter().zip(&mut self.gates).enumerate() {
            let groups = gate
                .by
                .as_ref()
                .and_then(|_| groups.next())
                .map(Vec::as_slice);
            if case.other_gates.contains(&number) {
                continue;
            }
            match position.filter(|_| LookedAt::is_for(gate)) {
                Some(position) => self.looked_at[number].add(groups, position),
                None => scores.add(gate, groups, &judged),
            }
        }
    }

    /// True if there were to be runs in files of their own, and no case, selected or not, found one: the ids are not those of the cases.
    fn nothing_joined(&self) -> bool {
        let Some(traces) = self
            .plan
            .traces
            .as_ref()
            .filter(|_| !self.plan.joins_by_order())
        else {
            return false;
        };
        let is_accepted = self
            .plan
            .case_rule
            .as_ref()
            .is_some_and(|rule| rule.unmatched == Unmatched::Ignore);
        // With an expectation for all, cases that bring their runs along may stand beside runs without a case.
        let is_wanted = if self.plan.expected.is_empty() {
            self.summary.cases > 0
        } else {
            self.summary.no_run > 0
        };
        is_wanted && !is_accepted && !traces.index.is_asked()
    }

    pub(crate) fn finish(self) -> Summary {
        let own = self
            .plan
            .gates()
            .iter()
            .zip(&self.gates)
            .filter(|(gate, _)| !gate.statistic.is_of_change());
        let mut gates: Vec<GateResult> =
            own.flat_map(|(gate, scores)| gate.judge(scores)).collect();
        if let (Some(baseline), Some(results)) = (&self.plan.baseline, &self.summary.results) {
            let labels: Vec<&str> = self.plan.evaluators.iter().map(Configured::label).collect();
            gates.extend(baseline.judge(self.plan.gates(), &labels, results, &self.looked_at));
        }
        let nothing_joined = self.nothing_joined();
        // With an expectation for all, runs without a case have been scored.
        let unused = self
            .plan
            .traces
            .as_ref()
            .filter(|_| self.plan.expected.is_empty());
        let (unused_runs, first_unused_runs) = unused
            .map(|traces| traces.index.unused(KEPT))
            .unwrap_or_default();
        Summary {
            gates,
            unpaired: self.summary.unpaired + self.plan.runs_out_of_place(),
            nothing_joined,
            unused_runs,
            first_unused_runs,
            groups: self.groups.into_values().collect(),
            trials: self.trials.finish(),
            findings: self.findings.map(Collecting::finish),
            ..self.summary
        }
    }
}
